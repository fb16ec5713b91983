"""What the server measures of itself, in the text format of Prometheus (`/metrics`).

Counters are kept here; what can be asked (open sockets, tables in memory) is asked when somebody
looks. Nothing is counted by person, table or address.
"""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

disable_created_metrics()  # type: ignore[no-untyped-call]
CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


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
        self.events = Counter(
            "mandalier_events", "events appended by this server", ["kind"], registry=self.registry
        )
        self._of_kind: dict[str, Counter] = {}
        self.refusals = Counter(
            "mandalier_refusals", "messages refused, by code", ["code"], registry=self.registry
        )
        self.submit_seconds = Histogram(
            "mandalier_submit_seconds",
            "from a message to its event being kept and applied",
            buckets=QUICK,
            registry=self.registry,
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

    def count_event(self, kind: str, seconds: float) -> None:
        if kind not in self._of_kind:
            self._of_kind[kind] = self.events.labels(kind)
        self._of_kind[kind].inc()
        self.submit_seconds.observe(seconds)

    def text(self) -> bytes:
        return generate_latest(self.registry)
