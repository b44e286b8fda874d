"""The forms in which banks write: several accounts, pages, hours and encodings"""

import io
import zipfile
from datetime import UTC, datetime

import pytest

from core.money import decimal_text
from payouts.errors import BankFileUnfit, BankFileUnreadable
from payouts.models import BankEntry, BankFile, BankStatement
from tests.payouts.bank_files import (
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)

OTHER = "000778"
INSTRUCTED = '<AmtDtls><InstdAmt><Amt Ccy="BSD">{}</Amt></InstdAmt></AmtDtls>'
EXCHANGED = (
    '<Amt Ccy="KWD">1.23456</Amt><AmtDtls><InstdAmt><Amt Ccy="XXX">9</Amt></InstdAmt>'
    '<TxAmt><Amt Ccy="BSD">{}</Amt></TxAmt></AmtDtls>'
)


def both(first, second, tag):
    """Write what two files say into one."""
    start, end = f"<{tag}>", f"</{tag}>"
    told = second[second.index(start) : second.index(end) + len(end)]
    return first.replace(end, f"{end}{told}")


@pytest.mark.parametrize(("form", "tag"), [(statement, "Stmt"), (notification, "Ntfctn")])
@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_of_other_accounts_is_left_out(sent_pair, form, tag, is_first):
    ours = form(entry(1250, order_of(sent_pair[0])))
    others = form(entry(800, order_of(sent_pair[1])), account=OTHER, number="1")

    read(both(ours, others, tag) if is_first else both(others, ours, tag))

    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    assert BankEntry.objects.count() == 1


def test_a_file_of_other_accounts_alone_is_refused(sent_pair):
    first, second = (statement(account=name, number=name) for name in (OTHER, "000779"))

    with pytest.raises(BankFileUnfit):
        read(both(first, second, "Stmt"))

    assert not BankFile.objects.exists()


@pytest.mark.parametrize("names", [("M", "M"), ("M-1", "M-2"), ("M" * 35, "M" * 35)])
def test_pages_of_one_message_are_read_one_by_one(sent_pair, names):
    for page, (payout, name) in enumerate(zip(sent_pair, names, strict=True), start=1):
        number = f"<MsgPgntn><PgNb>{page}</PgNb><LastPgInd>false</LastPgInd></MsgPgntn></GrpHdr>"
        row = entry(payout.amount, order_of(payout), reference="")
        content = statement(row, message_id=name, version="02", number="2026-1")
        read(content.replace("</GrpHdr>", number))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert waiting_entries() == []
    assert BankStatement.objects.current().count() == 2


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("<ToDtTm>2026-01-20T24:00:00Z</ToDtTm>", datetime(2026, 1, 21, tzinfo=UTC)),
        ("<ToDtTm>2025-12-31T24:00:00.000+01:00</ToDtTm>", datetime(2025, 12, 31, 23, tzinfo=UTC)),
        ("<ToDt>2026-01-20Z</ToDt>", datetime(2026, 1, 20, tzinfo=UTC)),
        ("<ToDt>2026-01-20-05:00</ToDt>", datetime(2026, 1, 20, 5, tzinfo=UTC)),
    ],
)
def test_it_reads_each_instant_that_xml_can_write(sent_pair, written, expected):
    read(statement().replace("<ToDtTm>2026-01-20T23:59:59Z</ToDtTm>", written))

    assert BankStatement.objects.get().end_at == expected


@pytest.mark.parametrize(
    "written",
    ["2026-01-20T24:00:01", "2026-01-20T25:00:00", "2026-01-20+x", "9999-12-31T24:00:00"],
)
def test_it_reads_no_other(sent_pair, written):
    with pytest.raises(BankFileUnreadable):
        read(statement(end=written))


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_it_reads_each_encoding_that_banks_use(sent_pair, encoding):
    content = statement(entry(700, details="<AddtlNtryInf>Caf\u00e9 Zo\u00eb</AddtlNtryInf>"))
    name = "utf-8" if encoding == "utf-8-sig" else encoding

    read(content.replace("UTF-8", name).encode(encoding))

    assert BankEntry.objects.get().message == "Caf\u00e9 Zo\u00eb"


def test_an_archive_is_refused_with_what_to_do(sent_pair):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("1.xml", statement())

    with pytest.raises(BankFileUnreadable) as refusal:
        read(archive.getvalue())

    assert "unpack it" in refusal.value.details


@pytest.mark.parametrize("around", [INSTRUCTED, EXCHANGED])
def test_a_run_whose_payments_state_their_amounts_otherwise(sent_pair, around):
    parts = "".join(
        f"<TxDtls><Refs><EndToEndId>{order_of(it)}</EndToEndId></Refs>"
        f"{around.format(decimal_text(it.amount, 'BSD'))}</TxDtls>"
        for it in sent_pair
    )

    read(statement(entry(2050, details=f"<NtryDtls>{parts}</NtryDtls>"), version="02"))

    assert statuses_of(sent_pair) == ["paid", "paid"]


@pytest.mark.parametrize(("status", "waits"), [("ACFC", 0), ("CANC", 1), ("BLCK", 1)])
def test_a_status_moves_nothing_or_waits(sent_pair, status, waits):
    read(status_report(sent_pair[0].batch, (order_of(sent_pair[0]), status)))

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    assert len(waiting_entries()) == waits


PAGE = "<MsgPgntn><PgNb>{}</PgNb><LastPgInd>true</LastPgInd></MsgPgntn></GrpHdr>"


@pytest.mark.parametrize("page", ["1", "00001"])
def test_a_first_page_is_known_again_that_was_stored_without_its_number(sent_pair, page):
    row = entry(700, reference="")
    read(statement(row, version="02"))

    again = statement(row, version="02", message_id="M-2").replace("</GrpHdr>", PAGE.format(page))

    assert read(again).stored.known == 1
    assert [each.number for each in BankStatement.objects.all()] == ["2026-1"]


def test_pages_of_messages_with_long_names_are_told_apart(sent_pair):
    for payout, last in zip(sent_pair, "AB", strict=True):
        content = statement(
            entry(payout.amount, order_of(payout), reference=last),
            version="02", message_id="M" * 34 + last, number=f"2026-{last}",
        )  # fmt: skip
        read(content.replace("</GrpHdr>", PAGE.format(2)))

    assert statuses_of(sent_pair) == ["paid", "paid"]


def test_a_return_of_more_than_it_says_waits_under_its_name(sent_pair):
    name = order_of(sent_pair[0])
    read(statement(entry(1250, name)))
    details = (
        f"<NtryDtls><TxDtls><Refs><EndToEndId>{name}</EndToEndId></Refs>"
        '<Amt Ccy="BSD">12.50</Amt><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf></TxDtls></NtryDtls>'
    )

    read(
        statement(
            entry(1253, direction="CRDT", reference="B", details=details),
            message_id="M-2", number="2",
        )
    )  # fmt: skip

    found = BankEntry.objects.unmatched().get()
    assert (found.kind, found.end_to_end_id, found.code) == ("return", name, "AC04")
