"""Which far pages of a caller's list are found by the days that were counted"""

from types import SimpleNamespace
from typing import Any

import pytest

from core.clock import utc_now
from merchants import caller_lists
from merchants.caller_lists import CallerList
from merchants.callers import Caller
from merchants.models import Merchant

FAR = 10_000


def days(*, add_up: bool) -> Any:
    return SimpleNamespace(days_add_up=lambda lookups: add_up, key_for=lambda *key: key)


@pytest.mark.parametrize(
    ("offset", "counted", "everyone", "skips"),
    [
        (FAR, days(add_up=True), False, True),
        (FAR - 1, days(add_up=True), False, False),
        (FAR, None, False, False),
        (FAR, days(add_up=False), False, False),
        (FAR, days(add_up=True), True, False),
    ],
)
def test_only_what_is_far_and_counted_by_day_is_skipped_to(
    monkeypatch: pytest.MonkeyPatch, offset: int, counted: Any, everyone: bool, skips: bool
) -> None:
    asked: list[Any] = []

    def skip(*given: Any) -> tuple[str, int]:
        asked.append(given)
        return "later rows", 7

    monkeypatch.setattr(caller_lists, "skip_newer", skip)
    one = Caller(Merchant(id="mer_1"), livemode=True, actor="key:1")
    caller = Caller.for_staff(livemode=True, actor="staff:ann") if everyone else one
    now = utc_now()
    select: Any = lambda *given: "all rows"  # noqa: E731
    listed = CallerList(select, caller, {}, now, counted=counted)

    found: Any = listed.far_page(offset, None)

    assert found == (("later rows", 7) if skips else ("all rows", offset))
    assert asked == ([("all rows", ("mer_1", {}, True), offset, now, None)] if skips else [])


def test_a_caller_without_a_merchant_has_no_days_to_skip() -> None:
    select: Any = lambda *given: "no rows"  # noqa: E731
    without = Caller(None, livemode=True, actor="visitor")
    listed = CallerList(select, without, {}, utc_now(), counted=days(add_up=True))

    found: Any = listed.far_page(FAR, None)

    assert found == ("no rows", FAR)
