"""From a name on the command line to the Python object that it stands for."""

import importlib
import importlib.util
import sys
from functools import reduce
from pathlib import Path
from types import ModuleType

from graphmode.errors import GraphmodeError


def resolve(name: str) -> object:
    """Import what `package.module:attribute` or `path/file.py:attribute` names.

    The attribute may have dots: `Class.method`, `instance.layer`.

    Raises:
        GraphmodeError: the name has another form, or there is no such module, file or attribute.
    """
    place, colon, attribute = name.rpartition(":")
    if not (place and colon and attribute):
        raise GraphmodeError(
            f"{name!r}: expected package.module:attribute or path/file.py:attribute"
        )
    module = _from_file(Path(place)) if place.endswith(".py") else _imported(place)
    try:
        return reduce(getattr, attribute.split("."), module)
    except AttributeError as error:
        raise GraphmodeError(f"{name}: {error}") from error


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise GraphmodeError(f"no module {error.name!r}: is it on the path here?") from error


def _from_file(file: Path) -> ModuleType:
    if not file.is_file():
        raise GraphmodeError(f"{file}: no such file")
    file = file.resolve()
    # Its classes are found by the name of their module. A module that is loaded keeps its name.
    known = {name: getattr(sys.modules.get(name), "__file__", None) for name in _names(file)}
    loaded = next((name for name, at in known.items() if at == str(file)), None)
    if loaded is not None:
        return sys.modules[loaded]
    name = next(name for name in known if name not in sys.modules)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(file.parent))  # it may import its neighbours, as a script may
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        sys.path.remove(str(file.parent))
    return module


def _names(file: Path) -> tuple[str, str]:
    return file.stem, str(file)
