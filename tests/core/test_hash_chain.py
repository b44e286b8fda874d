"""Following a chain: what is missing, and what was changed."""

from datetime import datetime

from core.hash_chain import FIRST_HASH, Row, broken_links, chain_hash


def hash_after(previous: str, row: Row) -> str:
    return chain_hash(previous, row[2:], written=datetime.isoformat)


def chain(*words: str) -> list[Row]:
    rows: list[Row] = []
    for number, word in enumerate(words, start=1):
        previous = rows[-1][1] if rows else FIRST_HASH
        rows.append((number, hash_after(previous, (number, "", word)), word))
    return rows


def found(rows: list[Row], first: int = 1) -> list[tuple[int, Row | None]]:
    return list(broken_links(rows, first=first, expected_hash=hash_after))


def test_a_whole_chain_has_no_break() -> None:
    assert found(chain("a", "b", "c")) == []
    assert found([]) == []


def test_a_changed_row_is_named_once() -> None:
    rows = chain("a", "b", "c")
    rows[1] = (2, rows[1][1], "x")

    assert found(rows) == [(2, rows[1])]


def test_a_changed_hash_breaks_the_row_behind_it_too() -> None:
    rows = chain("a", "b", "c")
    rows[1] = (2, "0" * 64, "b")

    assert found(rows) == [(2, rows[1]), (3, rows[2])]


def test_a_missing_row_is_named_by_its_number() -> None:
    rows = chain("a", "b", "c")

    assert found([rows[0], rows[2]]) == [(2, None)]
    assert found(rows[1:]) == [(1, None)]
