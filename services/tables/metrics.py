"""What is counted and measured, in the format Prometheus reads."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest


class Metrics:
    """The metrics of one process. `rooms` tells how many tables are in memory, `streams` how many clients follow one."""

    def __init__(self, rooms: Callable[[], float], streams: Callable[[], float]) -> None:
        self.registry = CollectorRegistry()
        self.commands = Counter(
            "shuangkou_commands", "Commands by kind and outcome", ("kind", "outcome"), registry=self.registry
        )
        self.refusals = Counter("shuangkou_refusals", "Errors answered, by rule", ("rule",), registry=self.registry)
        self.seconds = Histogram(
            "shuangkou_command_seconds",
            "Seconds from a command to its answer",
            ("kind",),
            buckets=(0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5),
            registry=self.registry,
        )
        Gauge("shuangkou_streams", "Clients that follow a table", registry=self.registry).set_function(streams)
        Gauge("shuangkou_rooms", "Tables in memory", registry=self.registry).set_function(rooms)

    def of_publisher(self, published: Callable[[], float], failed: Callable[[], float]) -> None:
        """Also tell how far the public stream is, and whether it has stopped for a fault."""
        gauges = (
            ("shuangkou_published", "The last event of the public stream", published),
            ("shuangkou_publishing_failed", "1 when nothing more is published because the record has a fault", failed),
        )
        for name, what, value in gauges:
            Gauge(name, what, registry=self.registry).set_function(value)

    def text(self) -> bytes:
        """The exposition."""
        return generate_latest(self.registry)
