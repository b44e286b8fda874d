"""Files that want to do harm, or are no bank's: refused whole, before anything is stored"""

from time import process_time

import pytest
from django.db import connection

from payouts.bank import nameless, storage
from payouts.bank.recognition import entry_key
from payouts.bank.safe_xml import MAX_DEPTH, MAX_ELEMENTS, MAX_FILE_BYTES, parse_xml
from payouts.errors import BankFileUnfit, BankFileUnreadable
from payouts.models import BankFile
from tests.payouts.bank_files import document, entry, notification, read, statement

pytestmark = pytest.mark.usefixtures("debtor_account")
LAUGHS = "".join(f'<!ENTITY lol{number} "{f"&lol{number - 1};" * 10}">' for number in range(1, 10))
BILLION_LAUGHS = (
    f'<?xml version="1.0"?><!DOCTYPE Document [<!ENTITY lol0 "lol">{LAUGHS}]>'
    "<Document>&lol9;</Document>"
)
OUTSIDE = '<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/passwd">]><Document>&x;</Document>'
BOOKED_ON = "<BookgDt><Dt>2026-02-30</Dt></BookgDt>"
ONE_DOLLAR = '<Amt Ccy="BSD">1.00</Amt>'


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (BILLION_LAUGHS, "document type"),
        (OUTSIDE, "document type"),
        ('<!DOCTYPE Document SYSTEM "http://example.com/x.dtd"><Document/>', "document type"),
        (b" " * (20 * 1024 * 1024), f"larger than {MAX_FILE_BYTES}"),
        (document("camt.053", "08", "<a>" * MAX_DEPTH + "</a>" * MAX_DEPTH), "too deep"),
        (document("camt.053", "08", "<a/>" * MAX_ELEMENTS), "too many elements"),
        ("", "well-formed"),
        ("<Document>", "namespace"),
        (b"\xff\xfe\x00", "well-formed"),
        ('<?xml version="1.0" encoding="klingon"?><a/>', "encoding"),
        *(
            (f'<?xml version="1.0" encoding="{name}"?><a/>', "encoding")
            for name in ("gb2312", "utf-7", "idna")
        ),
        (document("pain.001", "09", ""), "namespace"),
        (document("camt.053", "08", ""), "BkToCstmrStmt: is missing"),
        (document("pain.002", "10", "<CstmrPmtStsRpt/>"), "MsgId: is missing"),
        (statement(message_id="M" * 36), "more than 35 characters"),
        (statement(entry(100).replace("1.00", "1.001")), "no exact amount"),
        (statement(entry(100).replace("1.00", "-1.00")), "no exact amount"),
        (statement(entry(100).replace("1.00", "1e2")), "no exact amount"),
        (statement(entry(100).replace("1.00", "9" * 19)), "no exact amount"),
        (statement(entry(100).replace("BSD", "XXX")), "no exact amount"),
        (statement(entry(100, direction="BOTH")), "must be CRDT or DBIT"),
        (statement().replace("2020-01-01T00:00:00Z", "2026-13-01"), "no date or time"),
        # What programs write that know no date: no page could show it west of Greenwich.
        (statement().replace("2020-01-01", "0001-01-01"), "no date or time"),
        (statement().replace("2020-01-01T00", "9999-12-31T23"), "no date or time"),
        (statement(entry(100).replace("<Sts>", f"{BOOKED_ON}<Sts>")), "no date or time"),
        (
            statement(
                entry(100).replace("<Sts>", BOOKED_ON.replace("2026-02-30", "soon") + "<Sts>")
            ),
            "no date or time",
        ),
        (statement(written="", start=""), "FrToDt: is missing"),
        (statement(written="", end=""), "FrToDt: is missing"),
        (statement().replace("<Ccy>BSD</Ccy>", ""), "Ccy: is not one currency"),
        (statement(opening=100).replace("<Ccy>BSD", "<Ccy>USD"), "Ccy: is not one currency"),
        (statement(opening=100).replace(ONE_DOLLAR, ""), "Amt: is missing"),
        (statement(entry(100).replace(ONE_DOLLAR, "")), "Amt: is missing"),
    ],
)
def test_it_refuses(db, content, refusal):
    with pytest.raises(BankFileUnreadable) as refused:
        read(content)

    assert refusal in refused.value.details
    assert not BankFile.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_file_is_read_before_the_transaction_begins(monkeypatch):
    inside = []

    def noting(content):
        inside.append(connection.in_atomic_block)
        return parse_xml(content)

    monkeypatch.setattr(storage, "parse_xml", noting)
    read(statement(entry(100)))

    assert inside == [False]


def test_an_account_is_not_guessed(db, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = ""

    with pytest.raises(BankFileUnfit):
        read(statement(account=""))


def test_elements_of_another_namespace_are_not_the_banks(db):
    hidden = entry(100).replace("<Ntry>", '<Ntry xmlns="urn:example">')

    done = read(statement(hidden))

    assert (done.matched, done.unmatched) == (0, 0)


def test_very_many_payments_of_one_entry_are_read_in_seconds():
    """Each asked the whole entry what it says of itself: 33 seconds of a processor."""
    payments = 8_000
    parts = f"<TxDtls>{ONE_DOLLAR}</TxDtls>" * payments
    content = notification(entry(100 * payments, details=f"<NtryDtls>{parts}</NtryDtls>"))
    start = process_time()

    parsed = storage.parse_bank_file(content.encode())

    assert process_time() - start < 5
    assert len(parsed.report.items) == payments


@pytest.mark.django_db
def test_the_places_of_a_report_are_computed_once_for_all_its_groups(monkeypatch):
    computed = []

    def key_of(identity):
        computed.append(identity)
        return entry_key(identity)

    monkeypatch.setattr(nameless, "entry_key", key_of)
    groups = "".join(
        f"<OrgnlPmtInfAndSts><OrgnlPmtInfId>P{number}</OrgnlPmtInfId><PmtInfSts>RJCT</PmtInfSts>"
        "</OrgnlPmtInfAndSts>"
        for number in range(20)
    )
    report = (
        "<CstmrPmtStsRpt><GrpHdr><MsgId>S-20</MsgId></GrpHdr><OrgnlGrpInfAndSts>"
        f"<OrgnlMsgId>X</OrgnlMsgId></OrgnlGrpInfAndSts>{groups}</CstmrPmtStsRpt>"
    )

    read(document("pain.002", "10", report))

    assert len(computed) == 20
