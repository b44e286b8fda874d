"""Public ids: by time, and not to be guessed."""

import secrets
from collections import Counter
from datetime import UTC, datetime, timedelta

from core.ids import OrderedIds, base62, is_id, made_at, millisecond_of, new_id, random_base62

AT = datetime(2026, 1, 1, tzinfo=UTC)


def test_ids_sort_by_creation() -> None:
    made = [new_id("pay", AT + timedelta(milliseconds=n * 37)) for n in range(1_000)]

    assert made == sorted(made)
    assert len({name[-22:] for name in made}) == 1_000


def test_an_id_says_when_it_was_made() -> None:
    at = datetime(2026, 2, 3, 4, 5, 6, 789_000, tzinfo=UTC)
    name = "webhook_" + "0VA8JZUj" + "z" * 22

    assert new_id("webhook", at)[:16] == name[:16]
    assert (made_at(name), millisecond_of(name)) == (at, 1_770_091_506_789)


def test_an_id_has_one_form() -> None:
    name = new_id("pay", AT)

    assert is_id("pay", name)
    assert not is_id("ref", name)
    assert not is_id("pay", name + "0")
    assert not is_id("pay", name[:-1] + "-")


def test_base62_is_in_byte_order() -> None:
    texts = [base62(number, 3) for number in (0, 1, 61, 62, 3_843, 3_844, 238_327)]

    assert texts == sorted(texts)
    assert (texts[0], texts[-1]) == ("000", "zzz")


def test_each_letter_is_as_likely_as_any_other(monkeypatch) -> None:
    monkeypatch.setattr(secrets, "token_bytes", lambda count: bytes(range(255, -1, -1))[:count])

    assert set(Counter(random_base62(248)).values()) == {4}  # of 256 bytes, eight are left over


def test_a_draw_goes_on_until_there_are_enough_letters(monkeypatch) -> None:
    draws = iter([b"\xff" * 44, b"\xff" * 34 + bytes(10), bytes(range(44))])
    monkeypatch.setattr(secrets, "token_bytes", lambda count: next(draws)[:count])

    assert random_base62(22) == "0" * 10 + "0123456789AB"


def test_ordered_ids_of_a_millisecond_sort_as_a_thread_made_them() -> None:
    ids = OrderedIds("evt")
    made = [ids.new(AT, owner="mer_1") for _ in range(1_000)]

    assert made == sorted(set(made))
    assert all(is_id("evt", each) and made_at(each) == AT for each in made)
    assert len({each[-16:] for each in made}) == 1_000


def test_ordered_ids_follow_the_clock_also_backwards() -> None:
    ids, later = OrderedIds("evt"), AT + timedelta(milliseconds=1)
    made = [ids.new(at, owner="mer_1") for at in (AT, later, AT, later)]

    assert [made_at(each) for each in made] == [AT, later, AT, later]


def test_ordered_ids_tell_no_owner_of_the_ids_of_others() -> None:
    """Payments that expire in one turn share their instant: a shop with two counted all between."""
    ids = OrderedIds("evt")
    made = [(ids.new(AT, owner="mer_1"), ids.new(AT, owner="mer_2")) for _ in range(100)]

    counts = [[int.from_bytes(each[12:18].encode()) for each in pair] for pair in made]
    assert not [one for one, other in counts if abs(other - one) < 2]
    for owner in zip(*made, strict=True):
        assert list(owner) == sorted(owner)
