"""Payouts handed to the bank by file: CSV, and ISO 20022 pain.001.001.09"""

import csv
import io
from datetime import date
from xml.etree import ElementTree

import pytest

from core.clock import now
from payouts.bank_accounts import BankDetails, close_bank_account, open_bank_account
from payouts.batches import PaymentOrder, create_batch, find_batch, orders_of
from payouts.csv_file import COLUMNS, csv_file
from payouts.errors import DebtorUnknown, NothingToExport, PayoutBatchNotFound
from payouts.models import Payout, PayoutBatch
from payouts.pain001 import pain001
from tests.factories import MerchantFactory
from tests.payouts.money import credit
from tests.payouts.pain001 import NAMESPACE, faults_of

FAR = date(2100, 1, 1)


@pytest.fixture(autouse=True)
def _debtor(settings):
    settings.PAYOUT_DEBTOR_NAME = "Pagos São Salvador"
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    settings.PAYOUT_DEBTOR_BIC = "BOTIBSNS"


def live_payout(api, *, amount=1250, currency="BSD", description="", **details):
    merchant = MerchantFactory()
    given = {
        "currency": currency,
        "holder_name": "Conch Shack Ltd",
        "bank_name": "Bank of the Islands",
        "number": "1234 5678 9012",
        "bic": "BOTIBSNSXXX",
        **details,
    }
    open_bank_account(
        merchant_id=merchant.id,
        livemode=True,
        details=BankDetails(**given),
        actor="staff:ann",
        now=now(),
    )
    credit(merchant, amount, currency=currency, livemode=True)
    body = {"currency": currency, "description": description}
    response = api(merchant, live=True).post("/v1/payouts", body)
    assert response.status_code == 201, response.content
    return Payout.objects.get(pk=response.json()["id"])


def batch_of(currency="BSD", execution_date=FAR, livemode=True):
    return create_batch(
        livemode=livemode,
        currency=currency,
        execution_date=execution_date,
        actor="staff:ann",
        now=now(),
    )


def test_it_takes_what_is_due_into_transit(api):
    payouts = [live_payout(api, amount=1250), live_payout(api, amount=700)]

    batch = batch_of()

    assert (batch.count, batch.total_amount, batch.created_by) == (2, 1950, "staff:ann")
    for payout in payouts:
        payout.refresh_from_db()
        assert (payout.status, payout.batch) == ("in_transit", batch)
        assert payout.transitions.latest("id").actor == "staff:ann"


def test_a_payout_goes_out_in_one_batch(api):
    live_payout(api)
    batch_of()

    with pytest.raises(NothingToExport):
        batch_of()

    assert PayoutBatch.objects.count() == 1


def test_it_leaves_what_is_not_due_or_not_meant(api, payout):
    live_payout(api, currency="USD")
    early = live_payout(api)
    canceled = live_payout(api)
    api(canceled.merchant, live=True).post(f"/v1/payouts/{canceled.id}/cancel")

    with pytest.raises(NothingToExport):
        batch_of(execution_date=date(2020, 1, 1))
    batch = batch_of()

    assert [each.id for each in batch.payouts.all()] == [early.id]


def test_a_payout_to_a_closed_account_fails_instead(api):
    payouts = [live_payout(api), live_payout(api)]
    account_id = payouts[0].bank_account_id
    close_bank_account(bank_account_id=account_id, actor="staff:ann", now=now())

    batch = batch_of()

    statuses = [Payout.objects.get(pk=each.pk).status for each in payouts]
    assert statuses == ["failed", "in_transit"]
    assert (batch.count, batch.total_amount) == (1, 1250)


def test_a_batch_is_found_again(api):
    live_payout(api)
    batch = batch_of()

    assert find_batch(batch.id) == batch
    with pytest.raises(PayoutBatchNotFound):
        find_batch("batch_x")


def test_the_csv_has_a_line_for_each_payout(api):
    payout = live_payout(api, amount=123_405, description='Rent, "June"', clearing_code="07")

    text = csv_file(orders_of(batch_of()))

    assert text.count("\r\n") == 2
    head, line = csv.reader(io.StringIO(text, newline=""))
    assert dict(zip(head, line, strict=True)) == {
        "payout_id": payout.id,
        "amount": "1234.05",
        "amount_cents": "123405",
        "currency": "BSD",
        "holder_name": "Conch Shack Ltd",
        "account_number": "123456789012",
        "bank_name": "Bank of the Islands",
        "bic": "BOTIBSNSXXX",
        "clearing_code": "07",
        "description": 'Rent, "June"',
    }
    assert tuple(head) == COLUMNS


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "\0=1", "  =1+1"]
)
def test_no_cell_of_the_csv_is_a_formula(name):
    order = PaymentOrder(
        payout_id="po_x",
        amount=1,
        currency="BSD",
        holder_name=name,
        bank_name=name,
        bic="",
        clearing_code="",
        number="1234",
        description=name,
    )

    [_, line] = csv.reader(io.StringIO(csv_file([order]), newline=""))

    assert [line[4], line[6], line[9]] == [f"'{name}"] * 3


def text_of(document, *tags):
    path = "/".join(f"{NAMESPACE}{tag}" for tag in tags)
    return [element.text for element in ElementTree.fromstring(document).findall(f".//{path}")]


def test_the_pain001_keeps_the_rules_of_the_schema(api):
    live_payout(api, amount=1250, description="Rent")
    live_payout(api, number="GB82WEST12345698765432", clearing_code="07", bic="")
    live_payout(api, holder_name="Café Niño & Söhne <Ltd>", amount=99_999_999_999)
    batch = batch_of()

    document = pain001(batch, orders_of(batch))

    assert faults_of(document) == []


def test_the_pain001_says_what_the_bank_is_to_do(api):
    first = live_payout(api, amount=1250, description="Rent")
    live_payout(api, amount=105, holder_name="Café Niño & Söhne", number="GB82WEST12345698765432")
    batch = batch_of()

    document = pain001(batch, orders_of(batch))

    assert text_of(document, "GrpHdr", "MsgId") == [batch.id.replace("_", "-")]
    assert text_of(document, "GrpHdr", "NbOfTxs") == text_of(document, "PmtInf", "NbOfTxs") == ["2"]
    assert text_of(document, "GrpHdr", "CtrlSum") == ["13.55"]
    assert text_of(document, "PmtInf", "CtrlSum") == ["13.55"]
    assert text_of(document, "ReqdExctnDt", "Dt") == ["2100-01-01"]
    assert text_of(document, "InitgPty", "Nm") == ["Pagos Sao Salvador"]
    assert text_of(document, "DbtrAcct", "Id", "Othr", "Id") == ["000777"]
    assert text_of(document, "DbtrAgt", "FinInstnId", "BICFI") == ["BOTIBSNS"]
    assert text_of(document, "InstdAmt") == ["12.50", "1.05"]
    assert text_of(document, "EndToEndId")[0] == first.id.replace("_", "-")
    assert text_of(document, "Cdtr", "Nm") == ["Conch Shack Ltd", "Cafe Nino . Sohne"]
    assert text_of(document, "CdtrAcct", "Id", "Othr", "Id") == ["123456789012"]
    assert text_of(document, "CdtrAcct", "Id", "IBAN") == ["GB82WEST12345698765432"]
    assert text_of(document, "RmtInf", "Ustrd")[0] == "Rent"
    assert b'<InstdAmt Ccy="BSD">' in document


def test_the_pain001_writes_a_currency_without_cents(api):
    live_payout(api, currency="JPY", amount=1250)
    batch = batch_of("JPY")

    document = pain001(batch, orders_of(batch))

    assert faults_of(document) == []
    assert text_of(document, "InstdAmt") == text_of(document, "GrpHdr", "CtrlSum") == ["1250"]


def test_the_pain001_needs_an_account_to_pay_from(api, settings):
    live_payout(api)
    batch = batch_of()
    settings.PAYOUT_DEBTOR_BIC = ""

    with pytest.raises(DebtorUnknown):
        pain001(batch, orders_of(batch))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"<PmtMtd>TRF</PmtMtd>", b""),
        (b"<PmtMtd>TRF</PmtMtd>", b"<PmtMtd>TRF</PmtMtd><PmtMtd>TRF</PmtMtd>"),
        (b"<PmtMtd>TRF", b"<PmtMtd>XXX"),
        (b">12.50<", b">12.500000<"),
        (b">12.50<", b">12,50<"),
        (b"<BICFI>BOTIBSNS</BICFI>", b"<BICFI>BOTI</BICFI>"),
        (b"pain.001.001.09", b"pain.001.001.03"),
        (b"EndToEndId>", b"EndToEnd>"),
    ],
)
def test_the_rules_find_what_breaks_them(api, old, new):
    live_payout(api)
    batch = batch_of()

    document = pain001(batch, orders_of(batch))

    assert old in document
    assert faults_of(document.replace(old, new)) != []
