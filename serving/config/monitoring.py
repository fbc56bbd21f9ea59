"""Where the metrics page is: TensorFlow Serving's monitoring_config_file."""

from pathlib import Path

from serving.config.server_config import ServerConfig
from serving.config.text_protos import new_message, read_text_proto
from serving.errors import StartError

DEFAULT_METRICS_PATH = "/monitoring/prometheus/metrics"


def metrics_path(config: ServerConfig) -> str | None:
    """The path of the metrics page; None where the file does not enable it.

    Raises:
        StartError: the file does not parse or its path is none. TensorFlow Serving goes on
            without metrics there.
    """
    if not config.monitoring_config_file:
        return DEFAULT_METRICS_PATH
    message = read_text_proto(Path(config.monitoring_config_file), new_message("MonitoringConfig"))
    prometheus = message.prometheus_config
    path: str = prometheus.path or DEFAULT_METRICS_PATH
    if not path.startswith("/"):
        raise StartError(
            f"{config.monitoring_config_file}: prometheus_config.path must begin with /, got {path}"
        )
    return path if prometheus.enable else None
