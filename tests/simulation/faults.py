"""What can happen to a process at any moment, at the seams where it can be told."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from random import Random
from typing import Any, TypeVar
from unittest import mock

from django.db import OperationalError, connections, transaction

from config.celery import NoDatabase

T = TypeVar("T")
LATEST_STATEMENT = 30


class PowerCut(BaseException):
    """The process ends here: nothing in it can catch this."""


@contextmanager
def cut_before_statement(number: int) -> Iterator[None]:
    """Let the process end before its n-th statement; what was committed before stays."""
    left = number

    def execute(run: Callable[..., Any], *arguments: Any) -> Any:
        nonlocal left
        left -= 1
        if left == 0:
            raise PowerCut(f"before statement {number}")
        return run(*arguments)

    with connections["default"].execute_wrapper(execute):
        yield


@contextmanager
def commit_refused(number: int) -> Iterator[None]:
    """Lose the connection before the n-th commit: nothing of that transaction is kept."""
    with _at_commit(number, done=False):
        yield


@contextmanager
def answer_lost(number: int) -> Iterator[None]:
    """Lose the connection after the n-th commit: all of it is kept, and no one is told."""
    with _at_commit(number, done=True):
        yield


@contextmanager
def _at_commit(number: int, *, done: bool) -> Iterator[None]:
    wrapper, left = connections["default"], number
    commit = wrapper.commit

    def fail() -> None:
        nonlocal left
        left -= 1
        if left or done:
            commit()
        if left == 0:
            raise OperationalError("the connection was lost")

    with mock.patch.object(wrapper, "commit", fail):
        yield


def survive(random: Random, work: Callable[[], T], note: Callable[[str], None]) -> T:
    """Do the work; where a fault ends it halfway, do it once more, as the caller would.

    In time that will be lost, all of it is undone: there, a transaction is around everything.
    """
    kind = random.choice((cut_before_statement, commit_refused, answer_lost))
    number = random.randint(1, LATEST_STATEMENT if kind is cut_before_statement else 2)
    try:
        with _undone_alone(), kind(number):
            return work()
    except (PowerCut, OperationalError, NoDatabase):
        note(f"{kind.__name__} {number}")
    return work()


def _undone_alone() -> AbstractContextManager[Any]:
    return transaction.atomic() if connections["default"].in_atomic_block else nullcontext()
