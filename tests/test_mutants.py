"""What `make mutants` plants, and that it tells what was noticed from what was not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import accepted
from tests.mutations import mutants_of
from tests.reach import ROOT


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("a < b", ["a < b → a <= b"]),
        ("a and not b", ["a and (not b) → a or not b", "not b without not"]),
        ("limit = 3", ["3 → 4"]),
        ("refuse(a)", ["refuse(a) dropped"]),
        ("raise Refused", ["raise Refused dropped"]),
        ("payment.fee = fee", ["payment.fee = fee dropped"]),
        ("x = field(secret=True)", ["field(… secret=True) dropped", "secret=True → False"]),
        ("x = rows.filter(status=s)", ["filter(… status=s) dropped"]),
        (
            "x = Q(lives=a, test=b)",
            ["Q(… lives=a) dropped", "Q(… test=b) dropped", "Q(… lives and test swapped)"],
        ),
        ("x = {A, B}", ["A dropped", "B dropped"]),
        ("x = a - b", ["a - b → a + b"]),
        ("x = [a for a in b if a.ok]", ["if a.ok dropped"]),
        ("x = 'SELECT 1 FROM a WHERE b < c'", ["SQL …SELECT 1 FROM a WHERE b < c…: < → <= "]),
        ("x = 'SELECT 1 FROM pg_class WHERE a = b'", []),
        ("@transaction.atomic\ndef pay(): ...", ["@transaction.atomic dropped"]),
        ("with transaction.atomic(): ...", ["with transaction.atomic() dropped"]),
        ("log.info('paid', amount=3)", []),
        ("x = rows.select_for_update(no_key=True)", []),
        ("rows.select_for_update().get(pk=a)", []),
        ("x = row.save(force_insert=True)", []),
        ("x = zip(a, b, strict=True)", []),
        ("x = time.monotonic() > end", []),
        ("SEAL_BATCH = 500", []),
        ("class A:\n def __str__(self): return a or b", []),
        ("def say(amount: Literal[3]) -> Literal[4]: ...", []),
    ],
)
def test_what_is_planted(line: str, changes: list[str]) -> None:
    assert [mutant.change for mutant in mutants_of("shop.py", line)] == changes


def test_a_mutant_is_the_file_with_one_change() -> None:
    mutants = mutants_of("shop.py", "less = 1 < 1\nmore = 1 > 1")
    found = []
    for mutant in mutants:
        names: dict[str, bool] = {}
        exec(mutant.compiled("shop.py"), names)
        found.append((names["less"], names["more"]))

    less, more = [True, False, True], [True, True, False]
    assert found == [*((one, False) for one in less), *((False, one) for one in more)]


SHOP = """
def limit():
    return 3

LIMIT = limit()

def is_allowed(amount):
    return amount <= LIMIT and amount > 0

def forgotten(amount):
    return amount < 5
"""
TEST = """
from shop import is_allowed

def test_it_allows():
    assert is_allowed(3)

def test_it_refuses():
    assert not is_allowed(4)
"""


@pytest.mark.slow
def test_it_names_those_that_no_test_notices(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "test_shop.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:django\n")

    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", "--files=shop.py", "--tests=test_shop.py"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
        capture_output=True,
        text=True,
        check=False,
    )

    survived = sorted(row for row in done.stdout.splitlines() if row.startswith("SURVIVED"))
    assert survived == [
        "SURVIVED  line 11 shop.py:forgotten: 5 → 6",
        "SURVIVED  line 11 shop.py:forgotten: amount < 5 → amount <= 5",
        "SURVIVED  line 8 shop.py:is_allowed: 0 → 1",
        "SURVIVED  line 8 shop.py:is_allowed: amount > 0 → amount >= 0",
    ]
    assert "3 of 7 planted mistakes caught, 0 accepted, 4 survived" in done.stdout
    assert done.returncode == 1


def test_what_is_accepted_can_still_be_planted_and_has_a_reason() -> None:
    files = {key.partition(":")[0] for key in accepted()}
    keys = {one.key for file in files for one in mutants_of(file, (ROOT / file).read_text())}

    assert set(accepted()) - keys == set()
    assert all(len(reason) > 20 for reason in accepted().values())
