"""The baseline's life: check, listen, and serve from one gunicorn worker until SIGTERM.

master      checks the run, binds the port, forks; never imports TensorFlow
  worker    loads the model, answers one prediction, then accepts; `threads` requests at a time

A connection that comes while the model loads waits in the socket's backlog, so whoever asks
/readyz is answered the moment the model is ready.
"""

import errno
import os
import socket
import sys
import zipfile
from pathlib import Path

from flask import Flask
from gunicorn.app.base import BaseApplication

from serving.errors import StartError
from serving.flask_baseline.config import BaselineConfig

_BACKLOG = 1024


def serve(config: BaselineConfig) -> None:
    """Serves until SIGTERM or SIGINT, then ends the process with exit code 0.

    Raises:
        StartError: There is no model in the run, or the address cannot be listened on.
    """
    _require_run(config.run_dir)
    listener = _listen(config.bind_address, config.port)
    host, port = listener.getsockname()[:2]
    _say(
        f"listening on http://{host}:{port} ({config.execution}, threads={config.threads}),"
        f" loading {config.run_dir}"
    )
    _Gunicorn(config, listener).run()


class _Gunicorn(BaseApplication):
    """gunicorn with one worker of threads over a socket that is already bound."""

    def __init__(self, config: BaselineConfig, listener: socket.socket) -> None:
        self._config = config
        self._listener = listener
        super().__init__()

    def load_config(self) -> None:
        """Gives gunicorn its settings; nothing is read from files or arguments."""
        for name, value in {
            "bind": f"fd://{self._listener.detach()}",
            "workers": 1,
            "worker_class": "gthread",
            "threads": self._config.threads,
            "keepalive": 75,
            # Loading a model on a busy machine takes long, and no other worker could step in.
            "timeout": 600,
            "loglevel": "warning",
            # gunicorn would put its control socket into the user's home.
            "control_socket_disable": True,
        }.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Makes the application, in the worker: TensorFlow does not survive a fork."""
        # What speeds up sessions makes eager kernels keep the first weights that they see, and
        # answer wrong by 0.02 and more: never to be inherited from the caller's environment.
        os.environ["TF_ONEDNN_ASSUME_FROZEN_WEIGHTS"] = "0"
        from serving.flask_baseline.keras_model import load_model  # noqa: PLC0415
        from serving.flask_baseline.rest import create_app  # noqa: PLC0415

        app = create_app(load_model(self._config).predict)
        _say(f"ready (process {os.getpid()})")
        return app


def _require_run(run_dir: Path) -> None:
    for path in (run_dir / "model.keras", run_dir / "labels.txt"):
        if not path.is_file():
            raise StartError(f"run_dir: no {path.name} in {run_dir}: run `make train`")
    if not zipfile.is_zipfile(run_dir / "model.keras"):
        raise StartError(f"run_dir: {run_dir / 'model.keras'} is damaged: run `make train` again")


def _listen(address: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    try:
        return socket.create_server((address, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartError(
                f"port: {port} is in use on {address}: stop what listens there or choose another"
            ) from error
        raise StartError(
            f"bind_address: cannot listen on {address} port {port}: {error.strerror}"
        ) from error


def _say(line: str) -> None:
    print(f"flask_baseline: {line}", file=sys.stderr, flush=True)
