"""core/progress_bar.py: how far a long command is."""

from io import StringIO

import pytest
from django.core.management.base import OutputWrapper

from core.progress_bar import ProgressBar


class Screen(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("done", "total", "drawn"),
    [
        (0, 8, f"[{'.' * 40}] 0 of 8 rows"),
        (1_000, 2_000, f"[{'#' * 20}{'.' * 20}] 1,000 of 2,000 rows"),
        (8, 8, f"[{'#' * 40}] 8 of 8 rows"),
        (0, 0, f"[{'#' * 40}] 0 of 0 rows"),
    ],
)
def test_it_draws_over_its_line_on_a_terminal(done: int, total: int, drawn: str) -> None:
    screen = Screen()
    bar = ProgressBar(OutputWrapper(screen), "rows")

    bar.show(done, total)
    bar.clear()

    assert screen.getvalue() == f"\r{drawn}\r\033[K"


def test_it_writes_nothing_into_a_file() -> None:
    file = StringIO()
    bar = ProgressBar(OutputWrapper(file), "rows")

    bar.show(1, 2)
    bar.clear()

    assert file.getvalue() == ""
