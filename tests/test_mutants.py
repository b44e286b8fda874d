"""What `make mutants` plants, and that it tells what was noticed from what was not."""

import os
import subprocess
import sys
from pathlib import Path
from types import CodeType

import pytest

from tests import learning, mutants
from tests.learning import Learned, Notebook
from tests.mutant_groups import Counts
from tests.mutants import Verdict, accepted
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


def test_a_mutant_leaves_the_code_of_every_other_function() -> None:
    source = "def one(a):\n if not a: return a\n\ndef two(a):\n return a < 1"
    whole = compile(source, "shop.py", "exec", dont_inherit=True)
    unlike = {
        mutant.change: set(whole.co_consts) ^ set(mutant.compiled("shop.py").co_consts)
        for mutant in mutants_of("shop.py", source)
    }

    assert {
        change: {code.co_name for code in codes if isinstance(code, CodeType)}
        for change, codes in unlike.items()
    } == {
        "not a without not": {"one"},
        "1 → 2": {"two"},
        "a < 1 → a <= 1": {"two"},
    }


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
import pytest
from shop import LIMIT, is_allowed

def test_it_allows():
    assert is_allowed(3)

def test_it_refuses():
    assert not is_allowed(5)

@pytest.mark.parametrize("limit", [LIMIT])
def test_the_limit(limit):
    assert limit == 3 and is_allowed(limit)
"""


@pytest.mark.slow
def test_it_names_those_that_no_test_notices(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    (tmp_path / "test_shop.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    without_plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # each mutant would load them

    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", "--files=shop.py", "--tests=test_shop.py"],
        cwd=tmp_path,
        env=os.environ | without_plugins | {"PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"},
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
    assert "3 of 7 planted mistakes caught, 4 survived, 0 not run; 0 more accepted" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("status", [2, 3, 4, 5])
def test_what_pytest_could_not_run_is_not_caught(
    status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    verdict = Verdict(verbose=False)
    verdict(mutants_of("shop.py", "a < b")[0], status, "ERROR: not found: test_shop.py::test_it")

    assert verdict.counts == {"NOT RUN": 1}
    assert "ERROR: not found: test_shop.py::test_it" in capsys.readouterr().out


def test_what_is_accepted_leaves_the_count() -> None:
    assert Counts(planted=30, caught=24, survived=5, not_run=1, accepted=2).percent == 80


def test_a_test_is_learned_again_when_it_or_what_it_called_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "ROOT", tmp_path)
    files = {name: tmp_path / f"{name}.py" for name in ("shop", "till", "test_shop", "test_till")}
    for path in files.values():
        path.write_text("")
    shop, till = Learned(0.5, {("shop.py", 3)}), Learned(0.1, {("till.py", 1), ("till.py", 7)})
    notebook = Notebook(tmp_path / "kept/shop.json", ["shop.py", "till.py"])
    notebook.write({"test_shop.py::test_it": shop, "test_till.py::test_it": till})

    assert notebook.read() == {"test_shop.py::test_it": shop, "test_till.py::test_it": till}
    assert Notebook(notebook.path, ["shop.py"]).read() == {}
    files["shop"].write_text("pass")
    assert notebook.read() == {"test_till.py::test_it": till}
    files["test_till"].write_text("pass")
    assert notebook.read() == {}


def test_a_file_that_refuses_the_configuration_of_tests_ends_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "refuses_tests.py").write_text(
        "from django.core.exceptions import ImproperlyConfigured\n"
        "def serve(): ...\n"
        "raise ImproperlyConfigured('BASE_URL must begin with https://')\n"
    )
    monkeypatch.setattr(learning, "ROOT", tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    found = learning.functions_of(["refuses_tests.py"])

    assert found.keys() == {str(tmp_path / "refuses_tests.py")}


def test_a_removed_file_has_no_changed_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    diff = (
        "--- a/shop/prices.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a = 1\n-b = 2\n"
        "--- a/shop/tills.py\n+++ b/shop/tills.py\n@@ -3,0 +4,2 @@\n+c = 3\n+d = 4\n"
    )
    monkeypatch.setattr(mutants, "_git", lambda *words: diff if words[0] == "diff" else "")

    assert mutants.changed_lines("main") == {"shop/tills.py": {4, 5}}


def test_what_is_accepted_can_still_be_planted_and_has_a_reason() -> None:
    files = {key.partition(":")[0] for key in accepted()}
    keys = {one.key for file in files for one in mutants_of(file, (ROOT / file).read_text())}

    assert set(accepted()) - keys == set()
    assert all(len(reason) > 20 for reason in accepted().values())
