"""A gauge for what every web process reads from the same rows: the newest value counts."""

from collections.abc import Iterable
from time import monotonic
from typing import Any

from prometheus_client import Gauge


class LatestGauge(Gauge):
    """A gauge of which an instance reports the value that any of its processes has set last.

    Last by the time since the machine was started, which its processes share. By the clock, which
    the library goes by, a value from before it was set back would be reported until it has caught
    up.
    """

    def __init__(
        self, name: str, documentation: str, labelnames: Iterable[str] = (), **options: Any
    ) -> None:
        options["multiprocess_mode"] = "mostrecent"
        super().__init__(name, documentation, labelnames, **options)

    def set(self, value: float) -> None:
        self._raise_if_not_observable()  # type: ignore[no-untyped-call]  # the library lacks it
        self._value.set(float(value), timestamp=monotonic())
