"""What came of a request, apart from what sends it: `requests` is 5 MB of each process."""

from dataclasses import dataclass


@dataclass(frozen=True)
class HttpResult:
    """The result of a request. `error` explains a missing status, or one that is a failure."""

    ms: int
    status: int | None = None
    excerpt: str = ""
    error: str = ""
    retry_after: str | None = None

    @property
    def is_success(self) -> bool:
        """Any 2xx that was read in time counts as acknowledged."""
        return not self.error and self.status is not None and 200 <= self.status < 300
