"""Plays weeks of the service's life, step by step, by chance that a seed repeats.

The services are the real ones; what is simulated are the people, the bank, the clock and what goes
wrong. Each step is drawn by weight, or is overdue; after each, the truths are looked at.
"""

import copy
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar
from unittest import mock

import time_machine
from django.db import transaction

from backoffice.staff import Staff
from core.clock import utc_now
from merchants.known_keys import forget_keys
from merchants.models import Merchant
from payouts import continuity
from tests.client import ApiClient
from tests.simulation import faults, truths
from tests.simulation.shadow_books import ShadowBooks
from tests.simulation.simulated_bank import SimulatedBank

T = TypeVar("T")
START = datetime(2026, 3, 2, 13, 0, tzinfo=UTC)  # a Monday
PAUSES_SECONDS = (1, 1, 1, 30, 300, 1_200, 1_800, 7_200)
SHOWN = 12


class BugFound(AssertionError):
    """A step that broke a truth: names seed and step, so that it can be played again."""


@dataclass(frozen=True)
class Happening:
    """What may happen: how likely, and after how long it happens for sure."""

    act: Callable[["VirtualWeeks"], None]
    weight: int = 0
    at_least_every: timedelta | None = None
    in_lost_time: bool = True

    @property
    def name(self) -> str:
        return self.act.__name__


@dataclass
class LostTime:
    """What happens from here on will be undone: a backup was made, and will be restored."""

    books: ShadowBooks
    work: transaction.Atomic
    steps_left: int
    since: datetime
    last: dict[str, datetime]


@dataclass
class VirtualWeeks:
    seed: int
    steps: dict[str, Happening]
    wild_clocks: bool = False
    full_check_every: int = 100
    now: datetime = START
    number: int = 0
    books: ShadowBooks = field(default_factory=ShadowBooks)
    merchants: dict[str, Merchant] = field(default_factory=dict)
    clients: dict[str, ApiClient] = field(default_factory=dict)
    customers: list[str] = field(default_factory=list)
    staff: dict[str, Staff] = field(default_factory=dict)
    opened: int = 0
    lost: LostTime | None = None
    shut: bool = False

    def __post_init__(self) -> None:
        self.random = Random(self.seed)
        self.bank = SimulatedBank(Random(self.seed + 1))
        self.last: dict[str, datetime] = {}
        self.story: deque[str] = deque(maxlen=SHOWN)
        self.replays: deque[tuple[datetime, str, str, object, str, bytes]] = deque(maxlen=20)
        self.faulty = False
        self.seconds: dict[str, float] = {}

    def tick(self) -> datetime:
        """No two things happen at the same instant."""
        self.now += timedelta(milliseconds=1)
        self.traveller.move_to(self.now)
        return self.now

    def note(self, words: str) -> None:
        self.story[-1] += f"; {words}"

    def survive(self, work: Callable[[], T]) -> T:
        """Do the work; one time in eight, something goes wrong on the way."""
        self.faulty = self.random.random() < 0.125
        if self.faulty:
            return faults.survive(self.random, work, self.note)
        return work()

    def play(self, count: int, *, prepare: Callable[["VirtualWeeks"], None]) -> None:
        """Play so many steps. Raises BugFound at the first that breaks a truth."""
        identities = Random(self.seed + 2)
        with (
            time_machine.travel(self.now, tick=False) as self.traveller,
            mock.patch("core.clock_check.database_now", utc_now),  # that clock does not travel
            mock.patch("core.clock.time.monotonic", return_value=0.0),  # the work takes no time
            mock.patch("core.ids.secrets.token_bytes", identities.randbytes),
            mock.patch("core.sweeping.logger"),  # a fault is an error for it, and many are played
        ):
            prepare(self)
            self.last = dict.fromkeys(self.steps, self.now)
            try:
                for self.number in range(1, count + 1):
                    self._play_one()
            finally:
                if self.lost:
                    self.books = self.lost.books
                    self._undo(self.lost.work)
            self._check(lambda: truths.check_money(self))
            self._check(truths.check_ledger)

    def _undo(self, work: transaction.Atomic) -> None:
        transaction.set_rollback(True)
        work.__exit__(None, None, None)
        self.lost = None

    def _play_one(self) -> None:
        self.now += timedelta(seconds=self.random.choice(PAUSES_SECONDS))
        self.tick()
        if self.lost and self.lost.steps_left == 0:
            self._check(self.restore, "restore")
        step = self._next_step()
        began = time.process_time()
        self._check(lambda: step.act(self), step.name)
        self.last[step.name] = self.now
        now = time.process_time()
        self.seconds[step.name] = self.seconds.get(step.name, 0) + now - began
        self._check(lambda: truths.check_money(self))
        if self.number % self.full_check_every == 0:
            self._check(lambda: truths.check_all(self))
        self.seconds["checks"] = self.seconds.get("checks", 0) + time.process_time() - now
        if self.lost:
            self.lost.steps_left -= 1

    def _next_step(self) -> Happening:
        fit = [step for step in self.steps.values() if step.in_lost_time or not self.lost]
        for step in fit:
            limit = step.at_least_every
            if limit and self.now - self.last[step.name] > limit:
                return step
        return self.random.choices(fit, [step.weight for step in fit])[0]

    def _check(self, work: Callable[[], None], name: str = "") -> None:
        """Do something that must not fail; tell what led to it where it does."""
        if name:
            self.story.append(f"{self.number:>5} {self.now:%a %d %b %H:%M} {name}")
        try:
            work()
        except Exception as error:
            story = "\n".join(self.story)
            where = f"SEED={self.seed} STEPS={self.number}"
            raise BugFound(f"{type(error).__name__}: {error}\n{where}\n{story}") from error

    def back_up(self, steps: int) -> None:
        """Begin time that will be lost."""
        work = transaction.atomic()
        work.__enter__()
        self.lost = LostTime(copy.deepcopy(self.books), work, steps, self.now, {**self.last})

    def restore(self) -> None:
        """Put the database back to where it was at the backup. The bank knows nothing of it."""
        lost = self.lost
        assert lost
        self._undo(lost.work)
        forget_keys()
        for file in self.bank.files:
            file.read = file.read and file.read_at < lost.since
        self.books, self.last = lost.books, lost.last
        self.replays.clear()
        continuity.shut(actor="staff:ann", now=self.tick())
        self.shut = True
