"""The result of a request, apart from the client: `requests` takes 5 MB of each process."""

from dataclasses import dataclass

EXCERPT_CHARACTERS = 1_000


@dataclass(frozen=True)
class HttpResult:
    """The result of a request, which took `ms` milliseconds.

    `status` is None if no response was read. `excerpt` is the beginning of the body, with control
    characters replaced; `error` explains a missing status, or one that is a failure. `retry_after`
    is that header as it came.
    """

    ms: int
    status: int | None = None
    excerpt: str = ""
    error: str = ""
    retry_after: str | None = None

    @property
    def is_success(self) -> bool:
        """Any 2xx that was read in time counts as acknowledged."""
        return not self.error and self.status is not None and 200 <= self.status < 300
