"""A batch of payouts as ISO 20022 pain.001.001.09"""

from xml.etree import ElementTree

import pytest

from payouts.batches import orders_of
from payouts.errors import DebtorUnknown
from payouts.pain001 import pain001
from tests.payouts.batching import batch_of, live_payout, order_with
from tests.payouts.pain001_rules import NAMESPACE, faults_of


@pytest.fixture(autouse=True)
def _debtor(settings):
    settings.PAYOUT_DEBTOR_NAME = "Pagos São Salvador"
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    settings.PAYOUT_DEBTOR_BIC = "BOTIBSNS"


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

    assert text_of(document, "GrpHdr", "MsgId") == [batch.message_id]
    assert text_of(document, "GrpHdr", "NbOfTxs") == text_of(document, "PmtInf", "NbOfTxs") == ["2"]
    assert text_of(document, "GrpHdr", "CtrlSum") == ["13.55"]
    assert text_of(document, "PmtInf", "CtrlSum") == ["13.55"]
    assert text_of(document, "ReqdExctnDt", "Dt") == ["2100-01-01"]
    assert text_of(document, "InitgPty", "Nm") == ["Pagos Sao Salvador"]
    assert text_of(document, "DbtrAcct", "Id", "Othr", "Id") == ["000777"]
    assert text_of(document, "DbtrAgt", "FinInstnId", "BICFI") == ["BOTIBSNS"]
    assert text_of(document, "InstdAmt") == ["12.50", "1.05"]
    assert text_of(document, "EndToEndId")[0] == first.order.end_to_end_id
    assert text_of(document, "Cdtr", "Nm") == ["Conch Shack Ltd", "Cafe Nino . Sohne"]
    assert text_of(document, "CdtrAcct", "Id", "Othr", "Id") == ["123456789012"]
    assert text_of(document, "CdtrAcct", "Id", "IBAN") == ["GB82WEST12345698765432"]
    assert text_of(document, "RmtInf", "Ustrd")[0] == "Rent"
    assert b'<InstdAmt Ccy="BSD">' in document
    assert document.startswith(b"<?xml version='1.0' encoding='UTF-8'?>\n<Document ")


def test_the_pain001_writes_a_currency_without_cents(api):
    live_payout(api, currency="JPY", amount=1250)
    batch = batch_of("JPY")

    document = pain001(batch, orders_of(batch))

    assert faults_of(document) == []
    assert text_of(document, "InstdAmt") == text_of(document, "GrpHdr", "CtrlSum") == ["1250"]


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("ﬃ" * 140, "ffi" * 46 + "ff"),  # a ligature becomes three letters
        ("/ROC/x//y///z/", "ROC/x/y/z"),  # slashes that banks read as codes of their own
        ("Joe\u2019s \u2013 Søren Straße", "Joe's - Soren Strasse"),
        ("ß æ Æ œ Œ ø Ø ł Ł đ Đ \u0131", "ss ae AE oe OE o O l L d D i"),
        ("\u2018a\u2019 \u2013 \u2014", "'a' - -"),
        ("\u0301\u0301", "po-x"),  # nothing is left of accents alone
        ("株式会社", "...."),
        ("a" * 139 + " b", "a" * 139),
    ],
)
def test_no_text_of_a_merchant_spoils_the_file_of_all(api, given, written):
    live_payout(api)
    batch = batch_of()
    orders = [order_with(description=given), order_with(description="Rent", holder_name=given)]

    document = pain001(batch, orders)

    assert faults_of(document) == []
    name = "NOTPROVIDED" if written == "po-x" else written
    assert text_of(document, "RmtInf", "Ustrd") == [written, "Rent"]
    assert text_of(document, "Cdtr", "Nm") == ["Conch Shack Ltd", name]


def test_the_account_to_pay_from_may_be_written_in_groups(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "GB82 WEST 1234 5698 7654 32", ""
    settings.PAYOUT_DEBTOR_CLEARING_CODE = "07-005"
    live_payout(api)
    batch = batch_of()

    document = pain001(batch, orders_of(batch))

    assert faults_of(document) == []
    assert text_of(document, "DbtrAcct", "Id", "IBAN") == ["GB82WEST12345698765432"]
    assert text_of(document, "DbtrAgt", "FinInstnId", "ClrSysMmbId", "MmbId") == ["07005"]


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
