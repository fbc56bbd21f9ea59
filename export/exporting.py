"""One export, from a run to published versions: fold, write, gate, publish, form after form."""

from collections.abc import Sequence
from dataclasses import dataclass

from export.config import ExportConfig
from export.errors import ExportError
from export.forms import Form, form_of, forms
from export.processor import Processor
from export.progress import Narrator
from export.publishing.folder_lock import folder_lock
from export.publishing.model_labels import label_newest
from export.publishing.models_folder import is_current, refusal, workspace
from export.source_run import SourceRun, read_run


@dataclass(frozen=True, kw_only=True)
class ExportResult:
    """What an export did; the last line of stdout."""

    published: list[str]
    """Folders of the new versions."""

    up_to_date: list[str]
    """Folders of versions that were already of this run."""

    refused: dict[str, str]
    """By model: why the gates kept it back."""


def export_run(config: ExportConfig, narrator: Narrator) -> ExportResult:
    """Publishes the forms of the run that are not published yet.

    Raises:
        ExportError: the run cannot be exported, or the gates refuse its fp32 form or every form
            that was asked for.
    """
    run = read_run(config)
    if config.precision == "auto":
        return _export_fastest(run, config, narrator)
    result = _export(run, forms(config), config, narrator)
    if not result.published and not result.up_to_date:
        raise ExportError(f"nothing is published: the gates refuse {', '.join(result.refused)}")
    return result


def _export_fastest(run: SourceRun, config: ExportConfig, narrator: Narrator) -> ExportResult:
    """Publishes the fastest form that the gates let pass, and says why it is that one."""
    refused: dict[str, str] = {}
    for precision, why in Processor().fastest_precisions():
        narrator.say(f"auto: {precision}, because {why}")
        result = _export(run, [form_of(config, precision)], config, narrator)
        refused |= result.refused
        if result.published or result.up_to_date:
            break
    return ExportResult(published=result.published, up_to_date=result.up_to_date, refused=refused)


def _export(
    run: SourceRun, wanted: Sequence[Form], config: ExportConfig, narrator: Narrator
) -> ExportResult:
    with workspace(config.models_dir, config.model_name) as folder:
        # A number that was asked for is a version that was asked for.
        stale = [
            form
            for form in wanted
            if config.version is not None or not is_current(form, run.digest)
        ]
        refused = {form.model: why for form in wanted if (why := refusal(form, run.digest))}
        published: list[str] = []
        if stale:
            from export.gated_export import Export, export_forms  # noqa: PLC0415 TensorFlow's 3 s

            export = Export(run=run, config=config, workspace=folder, narrator=narrator)
            published, newly_refused = export_forms(stale, export)
            refused |= newly_refused
    for form in wanted:
        if form.model in refused:
            narrator.say(_said_refusal(form, refused[form.model]))
    current = [form for form in wanted if form not in stale and form.model not in refused]
    for form in current:
        narrator.say(f"{form.newest()} is up to date with {run.folder}")
        with folder_lock(config.models_dir):
            # An export that was killed after it had published may not have come to it.
            label_newest(config.models_dir, form.model)
    up_to_date = [str(form.newest()) for form in current]
    return ExportResult(published=published, up_to_date=up_to_date, refused=refused)


def _said_refusal(form: Form, why: str) -> str:
    newest = form.newest()
    older = f"; {newest}, of an older run, stays the newest version" if newest else ""
    return f"{form.model} is not published: {why}{older}"
