"""What the server measures of itself, in the text format of Prometheus (`/metrics`).

Counters are kept here; what can be asked (open sockets, tables in memory) is asked when somebody
looks. Nothing is counted by person, table or address.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import accumulate

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)
from prometheus_client.core import (
    CounterMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

disable_created_metrics()  # type: ignore[no-untyped-call]
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


class EventTally(Collector):
    """Events by kind, and how long each took. One thread counts, thousands of times a second, so
    that this does without the locks of the library's counters."""

    def __init__(self) -> None:
        self._kinds: dict[str, int] = {}
        self._within = [0] * (len(QUICK) + 1)
        self._seconds = 0.0

    def count(self, kind: str, seconds: float) -> None:
        self._kinds[kind] = self._kinds.get(kind, 0) + 1
        self._within[bisect_left(QUICK, seconds)] += 1
        self._seconds += seconds

    def collect(self) -> Iterator[Metric]:
        about = "events appended by this server"
        events = CounterMetricFamily("mandalier_events", about, labels=["kind"])
        for kind, n in self._kinds.items():
            events.add_metric([kind], n)
        yield events
        limits = [*map(str, QUICK), "+Inf"]
        yield HistogramMetricFamily(
            "mandalier_submit_seconds",
            "from a message to its event being kept and applied",
            buckets=list(zip(limits, accumulate(self._within), strict=True)),
            sum_value=self._seconds,
        )


class Metrics:
    """One server's counters."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = Counter(
            "mandalier_requests", "HTTP requests", ["method", "status"], registry=self.registry
        )
        self.request_seconds = Histogram(
            "mandalier_request_seconds",
            "from an HTTP request to its answer",
            buckets=QUICK,
            registry=self.registry,
        )
        self._events = EventTally()
        self.registry.register(self._events)
        self.count_event = self._events.count
        self.refusals = Counter(
            "mandalier_refusals", "messages refused, by code", ["code"], registry=self.registry
        )
        self.notes = Counter(
            "mandalier_notifications",
            "notifications, by way and outcome",
            ["way", "outcome"],
            registry=self.registry,
        )

    def ask(self, name: str, about: str, source: Callable[[], float]) -> None:
        """A number that is asked for when somebody looks."""
        Gauge(f"mandalier_{name}", about, registry=self.registry).set_function(source)

    def observe_request(self, method: str, status: int, seconds: float) -> None:
        known = method if method in METHODS else "other"
        self.requests.labels(known, str(status)).inc()
        self.request_seconds.observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)
