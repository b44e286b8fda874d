"""What `make check` finds for a change."""

from pathlib import Path

import pytest

from tests.reach import reach

PLENTY_SECONDS = 10_000


@pytest.fixture(autouse=True)
def untimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Know nothing of earlier runs, by which the same tests may take longer than there is time."""
    monkeypatch.setattr("tests.seconds.KEPT", tmp_path / "of no run before")


@pytest.mark.parametrize(
    ("file", "reached", "spared"),
    [
        ("payouts/services.py", "tests/payouts/test_request.py", "tests/links/test_list.py"),
        ("refunds/services.py", "tests/refunds/test_create.py", "tests/ledger/test_post.py"),
        ("core/money.py", "tests/payments/test_create.py", "tests/outbound/test_ip_addresses.py"),
        ("tests/conftest.py", "tests/ledger/test_post.py", "tests/none.py"),
        ("tests/links/conftest.py", "tests/links/test_list.py", "tests/payouts/test_request.py"),
        ("templates/checkout/pay.html", "tests/checkout/test_pay.py", "tests/core/test_ids.py"),
    ],
)  # fmt: skip
def test_a_change_reaches_its_room_and_what_imports_it(
    file: str, reached: str, spared: str
) -> None:
    found = reach([file], seconds=PLENTY_SECONDS)

    assert reached in found.reached
    assert spared not in (*found.reached, *found.left_out)


def test_a_changed_test_runs_itself() -> None:
    assert reach(["tests/links/test_list.py"], seconds=1).changed == ["tests/links/test_list.py"]


def test_what_does_not_fit_is_named_and_the_nearest_comes_first() -> None:
    found = reach(["payouts/services.py"], seconds=5)

    assert found.left_out
    assert {file.split("/")[1] for file in found.reached} == {"payouts"}


def test_a_document_reaches_no_test() -> None:
    found = reach(["docs/contributing.md"], seconds=PLENTY_SECONDS)

    assert (found.changed, found.reached, found.left_out) == ([], [], [])
