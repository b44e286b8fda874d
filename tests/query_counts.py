"""The statements that a block costs."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

FRAMING = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")


class Statements(CaptureQueriesContext):
    """Statements of the block, without what frames transactions."""

    def __init__(self) -> None:
        super().__init__(connection)

    @property
    def work(self) -> list[str]:
        texts = [query["sql"] for query in self.captured_queries]
        return [text for text in texts if not text.startswith(FRAMING)]
