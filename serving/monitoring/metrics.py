"""What the server counts, under TensorFlow Serving's metric names, labels and buckets."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.samples import Sample

# Buckets.Exponential(10, 1.8, 33) of TensorFlow Serving's util.cc, in microseconds.
LATENCY_BUCKETS_US = tuple(10 * 1.8**power for power in range(33))
# Series for model names that were never served share this label, so that invented names cannot
# grow the page without bound; the first names are shown as TensorFlow Serving shows them.
OTHER_MODELS = "other"
_MOST_UNKNOWN_NAMES = 32


class Metrics:
    """The counters of one server, in the registry that is passed in."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self.registry = registry
        self._known: set[str] = set()
        self._unknown: set[str] = set()
        self._requests = Counter(
            ":tensorflow:serving:request_count",
            "Requests by model and canonical status",
            ["model_name", "status"],
            registry=registry,
        )
        self._request_latency = Histogram(
            ":tensorflow:serving:request_latency",
            "Microseconds of each successful request",
            ["model_name", "API", "entrypoint"],
            buckets=LATENCY_BUCKETS_US,
            registry=registry,
        )
        self._runtime_latency = Histogram(
            ":tensorflow:serving:runtime_latency",
            "Microseconds of each run of a session",
            ["model_name", "API", "runtime"],
            buckets=LATENCY_BUCKETS_US,
            registry=registry,
        )
        self._in_flight = Gauge(
            "serving_requests_in_flight",
            "Requests inside the model's versions now",
            ["model_name"],
            registry=registry,
        )

    def know_model(self, name: str) -> None:
        """Give a configured model its own series, whatever was asked for before."""
        self._known.add(name)

    def request(
        self, *, model: str, status: str, api: str, entrypoint: str, seconds: float
    ) -> None:
        """Count a request that was answered, its latency only where it succeeded."""
        name = self._shown(model)
        self._requests.labels(name, status).inc()
        if status == "OK":
            self._request_latency.labels(name, api, entrypoint).observe(seconds * 1e6)

    def entered(self, model: str) -> None:
        """Count a request into a model."""
        self._in_flight.labels(model).inc()

    def left(self, model: str) -> None:
        """Count a request out of a model."""
        self._in_flight.labels(model).dec()

    def runtime_latency(self, model: str, seconds: float) -> None:
        """Count a run of a model's session."""
        self._runtime_latency.labels(model, "Predict", "TF1").observe(seconds * 1e6)

    def _shown(self, model: str) -> str:
        if model in self._known or model in self._unknown:
            return model
        if len(self._unknown) >= _MOST_UNKNOWN_NAMES:
            return OTHER_MODELS
        self._unknown.add(model)
        return model


def metrics_page(registry: CollectorRegistry) -> str:
    """The registry in Prometheus's text format, written as TensorFlow Serving writes it.

    TensorFlow Serving's counters have no `_total`, its bounds six significant digits
    (`le="1.27482e+06"`), and there are no HELP lines: dashboards are built on these names.
    """
    lines: list[str] = []
    for family in registry.collect():
        lines.append(f"# TYPE {family.name} {family.type}")
        lines.extend(_lines(family.name, family.samples))
    return "\n".join(lines) + "\n"


def _lines(family: str, samples: Iterable[Sample]) -> Iterable[str]:
    for sample in samples:
        if sample.name == f"{family}_created":
            continue
        name = family if sample.name == f"{family}_total" else sample.name
        labels = ",".join(f'{key}="{_label(key, value)}"' for key, value in sample.labels.items())
        yield f"{name}{{{labels}}} {sample.value:.15g}"


def _label(key: str, value: str) -> str:
    if key == "le" and value != "+Inf":
        return f"{float(value):g}"
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
