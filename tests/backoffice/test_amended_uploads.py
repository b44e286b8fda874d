"""What an amended statement takes away stands in the request, as what it gives does."""

from datetime import UTC, datetime

import pytest

from backoffice.errors import BankFileStale
from backoffice.roles import Role
from backoffice.services import bank_file_summary
from core.clock import utc_now
from payouts.models import BankEntry, BankStatement
from payouts.services import record_failed
from tests.backoffice.conftest import Office
from tests.backoffice.uploading import upload, waiting
from tests.client import Api
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.contradicting import next_payout

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]


@pytest.fixture
def contradiction(api: Api) -> BankEntry:
    """An entry of a payout that we hold for refused: it keeps the merchant's next one here."""
    payout = live_payout(api, amount=490_000)
    batch_of(payout_ids=[payout.pk])
    record_failed(payout_id=payout.pk, code="x", message="No.", actor="staff:ann", now=utc_now())
    next_payout(payout)
    read(statement(entry(490_000, order_of(payout)), opening=1_000_000, closing=510_000))
    return BankEntry.objects.get()


AMENDED = statement(
    opening=1_000_000, closing=1_000_000, message_id="M-2", written="2026-01-20T23:00:00"
)


def test_what_it_takes_away_is_shown(office: Office, contradiction: BankEntry, approve) -> None:
    browser = office(Role.FINANCE)
    upload(office, AMENDED)
    asked = waiting()

    assert asked.arguments["takes_away"] == [
        ["money that left", contradiction.pk, "B$4,900.00 BSD"]
    ]
    assert asked.arguments["statements"][0][3:] == [
        "B$10,000.00 BSD",
        "B$10,000.00 BSD",
        "B$5,100.00 BSD",
    ]
    page = browser.get(f"/admin/backoffice/instruction/{asked.pk}/change/").content.decode()
    assert "Entries it sets aside" in page
    assert contradiction.pk in page
    contradiction.refresh_from_db()
    assert contradiction.is_waiting

    assert approve(asked).status_code == 302
    contradiction.refresh_from_db()
    assert contradiction.state == "other"


def test_what_it_takes_away_since_is_refused(office, contradiction: BankEntry, approve) -> None:
    """Explained meanwhile, it is not what the second person was shown."""
    upload(office, AMENDED)
    asked = waiting()
    contradiction.set_aside(note="Known.", by="staff:ann", at=utc_now())

    assert BankFileStale.message in approve(asked).content.decode()


def test_times_of_a_statement_are_those_of_the_service(settings):
    settings.TIME_ZONE = "America/Nassau"
    statement = BankStatement(
        number="7",
        currency="BSD",
        start_at=datetime(2026, 11, 24, 5, tzinfo=UTC),
        end_at=datetime(2026, 11, 25, 4, 59, tzinfo=UTC),
        written_at=datetime(2026, 11, 24, 13, tzinfo=UTC),
    )

    shown = bank_file_summary._statement(statement)

    assert shown[1:3] == ["2026-11-24 to 2026-11-24", "2026-11-24 08:00"]
