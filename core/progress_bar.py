"""The progress of a long command, shown on a terminal only."""

from django.core.management.base import OutputWrapper

WIDTH = 40
CLEAR_LINE = "\r\033[K"


class ProgressBar:
    """Shows how much of something is done, in one line of standard error."""

    def __init__(self, stream: OutputWrapper, noun: str) -> None:
        self._stream = stream
        self._noun = noun

    def show(self, done: int, total: int) -> None:
        """Draw the bar; it is full if there is nothing to do."""
        if self._stream.isatty():
            filled = WIDTH * done // total if total else WIDTH
            bar = "#" * filled + "." * (WIDTH - filled)
            self._stream.write(f"\r[{bar}] {done:,} of {total:,} {self._noun}", str, "")

    def clear(self) -> None:
        """Clear the line for the command's own output."""
        if self._stream.isatty():
            self._stream.write(CLEAR_LINE, str, "")
