"""manage.py open_bank_account, export_payouts and record_payout"""

import io
import json
import stat

import pytest
from django.core.management import CommandError, call_command

from core.clock import utc_now
from payouts.bank_accounts import close_bank_account
from payouts.models import BankAccount, Payout, PayoutBatch
from tests.payouts.merchant_balance import credit
from tests.payouts.pain001_rules import faults_of


def run(*words):
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def open_account(monkeypatch, merchant, number, *words):
    monkeypatch.setattr("sys.stdin", io.StringIO(number))
    names = ("--holder", "Conch Shack Ltd", "--bank", "Bank of the Islands")
    return run("open_bank_account", merchant, *names, *words)


@pytest.fixture
def live(api, merchant, bank_account, settings):
    """A live payout of 1250 that waits to be sent."""
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000777", "BOTIBSNS"
    credit(merchant, 1250, livemode=True)
    api(merchant, live=True).post("/v1/payouts", {})
    return Payout.objects.get()


def test_open_bank_account_reads_the_number_from_standard_input(merchant, monkeypatch):
    printed = open_account(monkeypatch, merchant.slug, "1234 5678 9012\n", "--bic", "BOTIBSNS")

    account = BankAccount.objects.get()
    assert account.decrypt_number() == "123456789012"
    assert (account.livemode, account.currency) == (True, "BSD")
    assert printed == f"{account.id} Bank of the Islands …9012\n"
    assert "12345678" not in printed


def test_open_bank_account_can_be_for_test_payouts(merchant, monkeypatch):
    open_account(monkeypatch, merchant.id, "000000000009", "--clearing-code", "1", "--test")

    assert BankAccount.objects.get().livemode is False


def test_open_bank_account_says_what_is_wrong(merchant, monkeypatch):
    with pytest.raises(CommandError, match="bic"):
        open_account(monkeypatch, merchant.id, "123456", "--bic", "BOTI")
    with pytest.raises(CommandError, match="no such merchant"):
        open_account(monkeypatch, "nobody", "123456", "--bic", "BOTIBSNS")
    assert not BankAccount.objects.exists()


@pytest.mark.parametrize("words", [(), ("--format", "csv")])
def test_export_payouts_writes_a_file_for_the_owner_only(live, tmp_path, words):
    path = tmp_path / "payouts"

    printed = run("export_payouts", str(path), "--date", "2100-01-04", *words)

    batch = PayoutBatch.objects.get()
    content = path.read_bytes()
    assert printed == f"{batch.id} 1 payouts 1250 BSD\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"123456789012" in content
    assert content.startswith(b"payout_id,") if words else faults_of(content) == []
    live.refresh_from_db()
    assert live.status == "in_transit"


def test_export_payouts_speaks_json_to_scripts(live, tmp_path):
    said = run("export_payouts", str(tmp_path / "payouts"), "--date", "2100-01-04", "--json")

    assert json.loads(said) == {
        "batch_id": PayoutBatch.objects.get().id,
        "payouts": 1,
        "amount": 1250,
        "currency": "BSD",
        "execution_date": "2100-01-04",
        "left": 0,
    }


def test_export_payouts_writes_a_batch_once_more(live, tmp_path):
    run("export_payouts", str(tmp_path / "first"), "--date", "2100-01-04")
    batch = PayoutBatch.objects.get()

    run("export_payouts", str(tmp_path / "second"), "--batch", batch.id)

    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()
    assert PayoutBatch.objects.count() == 1


def test_export_payouts_never_overwrites(live, tmp_path):
    path = tmp_path / "payouts"
    path.write_text("mine")

    with pytest.raises(CommandError, match="exists already"):
        run("export_payouts", str(path), "--date", "2100-01-04")

    assert path.read_text() == "mine"
    live.refresh_from_db()
    assert live.status == "scheduled"


def test_export_payouts_that_cannot_be_written_send_nothing(live, tmp_path, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = ""
    path = tmp_path / "payouts"

    with pytest.raises(CommandError, match="PAYOUT_DEBTOR_ACCOUNT"):
        run("export_payouts", str(path), "--date", "2100-01-04")

    assert not path.exists()
    live.refresh_from_db()
    assert (live.status, PayoutBatch.objects.count()) == ("scheduled", 0)


def test_export_payouts_says_that_nothing_is_due(live, tmp_path):
    with pytest.raises(CommandError, match="No payout is due"):
        run("export_payouts", str(tmp_path / "payouts"), "--currency", "USD")
    with pytest.raises(CommandError, match="no such batch"):
        run("export_payouts", str(tmp_path / "payouts"), "--batch", "batch_x")


def test_export_payouts_with_nothing_to_send_keeps_the_failures(live, tmp_path):
    close_bank_account(bank_account_id=live.bank_account_id, actor="staff:ann", now=utc_now())
    path = tmp_path / "payouts"

    with pytest.raises(CommandError, match="No payout is due"):
        run("export_payouts", str(path), "--date", "2100-01-04")

    live.refresh_from_db()
    assert (live.status, live.failure_code) == ("failed", "bank_account_closed")
    assert not path.exists()


def test_record_payout_records_the_answer(live, tmp_path):
    run("export_payouts", str(tmp_path / "payouts"), "--date", "2100-01-04")

    printed = run("record_payout", live.id, "paid", "--bank-reference", "TRN 7")

    assert printed == f"{live.id} paid 1250 BSD\n"
    live.refresh_from_db()
    assert live.bank_reference == "TRN 7"
    with pytest.raises(CommandError, match="status: is paid"):
        run("record_payout", live.id, "failed")


def test_record_payout_records_a_refusal(live):
    run("record_payout", live.id, "failed", "--code", "account_closed", "--message", "Closed.")

    live.refresh_from_db()
    assert (live.status, live.failure_code, live.failure_message) == (
        "failed",
        "account_closed",
        "Closed.",
    )
