"""A hundred ways to tamper with a shop's money, with all rights on the database: each is named."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from pytest_django import DjangoDbBlocker, Settings

from customers.models import Customer
from tests.client import Api
from tests.factories import MerchantFactory
from tests.ledger.command import verify
from tests.ledger.thief import all_rights
from tests.shared_rows import check_foreign_keys_now, shared
from tests.source_tree import ROOT
from tests.tampered_again import AGAIN
from tests.tampered_beside import BESIDE
from tests.tampered_log import LOG
from tests.tampered_rows import ROWS
from tests.tampered_shop import folder, furnish
from tests.tampered_together import TOGETHER, WITHOUT_WITNESS

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.usefixtures("undone")]

# By the name in docs/tampering.md
TAMPERINGS = ROWS | LOG | AGAIN | TOGETHER | BESIDE
FIRST = {next(iter(kind)) for kind in (ROWS, LOG, AGAIN, TOGETHER, BESIDE)}
MINUTES = "all take minutes; by day SQLite's run has each, and PostgreSQL's one of each kind"


@pytest.fixture(scope="module")
def witness(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("witness")


@pytest.fixture(scope="module")
def shop(
    witness: Path, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[dict[str, Any]]:
    """The shop, furnished once for all who tamper with it; its names."""

    def make() -> dict[str, Any]:
        with override_settings(CHECKPOINT_WITNESSES=[folder(witness)]):
            found = furnish(Api(), *MerchantFactory.create_batch(2))
        check_foreign_keys_now()
        return found

    with shared(django_db_blocker, make) as found:
        yield found


@pytest.fixture
def names(shop: dict[str, Any], witness: Path, settings: Settings) -> Iterator[dict[str, Any]]:
    settings.CHECKPOINT_WITNESSES = [folder(witness)]
    notes = {note: note.read_bytes() for note in witness.iterdir()}
    yield shop
    for note, content in notes.items():
        note.write_bytes(content)


def test_it_finds_nothing_wrong_with_an_honest_shop(names) -> None:
    assert verify("--all")[1].startswith("The ledger is right")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in FIRST else pytest.mark.night_on_postgres(MINUTES))
        for name in TAMPERINGS
    ],
)
def test_it_is_named(names, name: str, witness: Path) -> None:
    statements, said = TAMPERINGS[name]
    if name == WITHOUT_WITNESS:
        for note in witness.iterdir():
            note.unlink()
    with all_rights(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**names))

    code, printed = verify("--all")

    assert code == 1
    assert said.format(**names) in printed


@pytest.mark.parametrize("name", [name for name in TAMPERINGS if name.startswith("plain insert")])
def test_it_is_named_with_the_login_of_the_service(names, name: str) -> None:
    statements, said = TAMPERINGS[name]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**names))

    assert said.format(**names) in verify("--all")[1]


def test_an_older_state_put_back_is_named(names) -> None:
    customer = Customer.objects.get(pk=names["thief"])
    before = customer.signature
    customer.phone = "+12425550166"
    customer.save(update_fields=["phone"])

    Customer.objects.filter(pk=customer.pk).update(phone="+12425550177", signature=before)
    with all_rights(), connection.cursor() as cursor:  # the trigger has noted it: forget that, too
        cursor.execute(
            "DELETE FROM ledger_waitingentry WHERE id = (SELECT max(id) FROM ledger_waitingentry)"
        )

    assert f"Customer {customer.pk} is not as the log has it." in verify("--all")[1]


def test_the_page_tells_of_each() -> None:
    page = (ROOT / "docs/tampering.md").read_text()

    assert [name for name in TAMPERINGS if f"| {name} |" not in page] == []
