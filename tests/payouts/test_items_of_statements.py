"""What is read of each payment that a statement or a notification has booked"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from hashlib import sha256
from typing import Any

import pytest

from payouts.bank.reports import BankNames, Report, ReportItem
from payouts.bank.storage import parse_bank_file
from payouts.models import BankEntryKind
from tests.payouts.bank_files import entry, notification, statement

pytestmark = pytest.mark.usefixtures("debtor_account")
K = BankEntryKind
DAY = "<BookgDt><Dt>2026-01-19</Dt></BookgDt>"
CHARGE = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
INCLUDED = '<Chrgs><Rcrd><Amt Ccy="BSD">0.50</Amt><ChrgInclInd>true</ChrgInclInd></Rcrd></Chrgs>'


def report_of(content: str) -> Report:
    return parse_bank_file(content.encode()).report


def items_of(*entries: str, form: Any = statement) -> Sequence[ReportItem]:
    report = report_of(form(*entries))
    return [*report.items, *(item for page in report.pages for item in page.items)]


def details(*parts: str) -> str:
    return f"<NtryDtls>{''.join(f'<TxDtls>{part}</TxDtls>' for part in parts)}</NtryDtls>"


def named(name: str, *more: str) -> str:
    return f"<Refs><EndToEndId>{name}</EndToEndId></Refs>{''.join(more)}"


def amount(units: str, tag: str = "{}") -> str:
    return tag.format(f'<Amt Ccy="BSD">{units}</Amt>')


def came_in(cents: int, *parts: str, **options: Any) -> str:
    return entry(cents, direction="CRDT", details=details(*parts), **options)


WHOLE = (
    "<Refs><AcctSvcrRef>P1</AcctSvcrRef><PmtInfId>RUN</PmtInfId><EndToEndId>E-1</EndToEndId>"
    "<TxId>T1</TxId><UETR>AB</UETR></Refs><RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>"
    "<RmtInf><Ustrd> one </Ustrd><Ustrd>two</Ustrd><Strd><CdtrRefInf><Ref>RF</Ref></CdtrRefInf>"
    "</Strd></RmtInf><AddtlTxInf>more</AddtlTxInf>"
)
ITEM = ReportItem(
    identity=("TRN 1", "2026-01-19", "return", "E-1", "1250", "BSD", "RF one two", "0"),
    former_identity=("TRN 1", "return", "E-1", "1250", "BSD"),
    kind=K.RETURN,
    amount=1_250,
    currency="BSD",
    end_to_end_id="E-1",
    message_reference="RUN",
    names=BankNames(reference="P1", entry_reference="TRN 1", uetr="ab", transaction_id="T1"),
    code="AC04",
    message="RF one two",
    booking_date=date(2026, 1, 19),
)


def test_all_that_a_payment_says_is_read() -> None:
    assert items_of(came_in(1_250, WHOLE).replace("<NtryDtls>", f"{DAY}<NtryDtls>")) == [ITEM]


def test_what_says_little_is_known_by_its_place() -> None:
    """That is the statement's number and page, or when the notification was made."""
    bare = entry(700, reference="")
    first, again = items_of(bare, entry(700, booked="<Sts>PDNG</Sts>"), bare)

    assert first == ReportItem(
        identity=("2026-1 ", "", "debit", "", "700", "BSD", "", "0"),
        former_identity=("2026-1 ", "0", "debit", "", "700", "BSD"),
        kind=K.DEBIT,
        amount=700,
        currency="BSD",
    )
    assert again == replace(
        first,
        identity=(*first.identity[:-1], "1"),
        former_identity=("2026-1 ", "2", "debit", "", "700", "BSD"),
    )
    [told] = items_of(bare, form=notification)
    assert told.identity[0] == told.former_identity[0] == "2026-1 2026-01-20T22:00:00"


def test_payments_of_one_entry_share_its_name_and_are_numbered_by_place() -> None:
    parts = named("E-1", amount("12.50")), named("E-2", amount("8.00"))
    run = "<Btch><PmtInfId>RUN</PmtInfId></Btch>"

    first, second = items_of(entry(2_050, details=f"<NtryDtls>{run}</NtryDtls>{details(*parts)}"))

    assert [(each.amount, each.end_to_end_id) for each in (first, second)] == [
        *((1_250, "E-1"), (800, "E-2"))
    ]
    assert second.former_identity == ("TRN 1", "1", "debit", "E-2", "800", "BSD")
    assert second.identity == ("TRN 1", "", "debit", "E-2", "800", "BSD", "", "0")
    assert second.names == BankNames(entry_reference="TRN 1")
    assert second.message_reference == "RUN"


@pytest.mark.parametrize(
    ("refs", "reference"),
    [
        ("", "TRN 1"),
        ("<UETR>AB</UETR>", "TRN 1"),
        ("<AcctSvcrRef>NONREF</AcctSvcrRef>", "TRN 1"),
        ("<AcctSvcrRef>P1</AcctSvcrRef>", "P1"),
    ],
)
def test_the_name_of_an_entry_of_one_payment_is_that_payments(refs: str, reference: str) -> None:
    [item] = items_of(came_in(1_250, f"<Refs>{refs}</Refs>"))

    assert (item.names.reference, item.names.entry_reference) == (reference, "TRN 1")


@pytest.mark.parametrize(
    ("refs", "reference"),
    [
        ("<UETR>AB</UETR><TxId>T</TxId>", "ab"),
        ("<TxId>T</TxId>", "T"),
        ("<TxId>NOTPROVIDED</TxId>", ""),
    ],
)
def test_a_part_without_the_banks_own_name_has_that_of_all_banks(refs: str, reference: str) -> None:
    parts = (f"<Refs>{refs}</Refs>{amount('1.00')}", amount("2.00"))

    assert items_of(came_in(300, *parts))[0].names.reference == reference


SAID = {"back": "Closed", "written": "rent", "more": "fee", "entry": "of the entry"}


@pytest.mark.parametrize("said", [["back", "written", "more"], ["written", "more"], ["more"], []])
def test_the_nearest_words_count(said: list[str]) -> None:
    around = {
        "back": "<RtrInf><AddtlInf>{}</AddtlInf></RtrInf>",
        "written": "<RmtInf><Ustrd>{}</Ustrd></RmtInf>",
        "more": "<AddtlTxInf>{}</AddtlTxInf>",
    }
    part = "".join(around[name].format(SAID[name]) for name in said)
    of_entry = f"<AddtlNtryInf>{SAID['entry']}</AddtlNtryInf></Ntry>"

    [item] = items_of(came_in(1_250, part).replace("</Ntry>", of_entry))

    assert item.message == SAID[said[0] if said else "entry"]


@pytest.mark.parametrize("by_part", [True, False])
def test_a_charge_is_all_of_it_wherever_that_stands(by_part: bool) -> None:
    part = named("E-1", CHARGE if by_part else "")
    words = ("" if by_part else CHARGE) + details(part)

    [item] = items_of(entry(50, details=words))
    [back] = items_of(entry(50, direction="CRDT", reversal=True, details=words))

    assert (item.kind, item.charge_amount) == (K.DEBIT, 50)
    assert (back.kind, back.charge_amount) == (K.CREDIT, 50)


@pytest.mark.parametrize(("direction", "charge"), [("DBIT", 50), ("CRDT", 0)])
def test_a_charge_is_taken_from_what_left_alone(direction: str, charge: int) -> None:
    [item] = items_of(entry(1_300, direction=direction, details=details(named("E-1", INCLUDED))))

    assert (item.amount, item.charge_amount) == (1_300, charge)


TX_AMT = "<AmtDtls><TxAmt>{}</TxAmt></AmtDtls>"


@pytest.mark.parametrize(
    ("cents", "stated", "name"),
    [
        (2_000, amount("20.00"), "E-1"),
        (2_000, amount("20.01"), "E-1"),
        (2_000, amount("19.99"), ""),
        (2_000, amount("0.01"), ""),
        (2_000, amount("15.00") + amount("15.00", TX_AMT), ""),
        (2_000, amount("0.00"), "E-1"),
        (2_000, "", "E-1"),
    ],
)
def test_more_than_its_only_payment_states_is_of_others_too(
    cents: int, stated: str, name: str
) -> None:
    part = named("E-1", stated)

    [item] = items_of(came_in(cents, part))

    assert (item.end_to_end_id, item.amount) == (name, cents)
    [left] = items_of(entry(cents, details=details(part)))
    assert left.end_to_end_id == "E-1"


@pytest.mark.parametrize(
    ("message_id", "page", "name", "suffix"),
    [
        ("M" * 35, "", "M" * 35, ""),
        ("M" * 35, "1", "M" * 35, ""),
        ("M" * 32, "2", "M" * 32, " p2"),
        ("M" * 32, "02", "M" * 32, " p2"),
        ("M" * 33, "2", sha256(b"M" * 33).hexdigest()[:32], " p2"),
    ],
)
def test_a_page_has_its_number_in_its_name(
    message_id: str, page: str, name: str, suffix: str
) -> None:
    number = f"<MsgPgntn><PgNb>{page}</PgNb></MsgPgntn></GrpHdr>"

    report = report_of(statement(message_id=message_id).replace("</GrpHdr>", number))

    assert report.message_id == name + suffix
    assert [each.number for each in report.pages] == ["2026-1" + suffix]


def test_its_own_page_number_counts_before_that_of_the_message() -> None:
    own = "<StmtPgntn><PgNb>3</PgNb></StmtPgntn><CreDtTm>"
    content = statement(message_id="M").replace("<CreDtTm>", own)
    header = "<MsgPgntn><PgNb>2</PgNb></MsgPgntn></GrpHdr>"

    report = report_of(content.replace("</GrpHdr>", header))

    assert (report.message_id, report.pages[0].number) == ("M p2", "2026-1 p3")


@pytest.mark.parametrize(
    ("replaced", "start", "end"),
    [
        ("", datetime(2020, 1, 1, tzinfo=UTC), datetime(2026, 1, 20, 23, 59, 59, tzinfo=UTC)),
        ("FrDtTm", datetime(2026, 1, 21, 3, tzinfo=UTC), None),
        ("ToDtTm", None, datetime(2026, 1, 21, 3, tzinfo=UTC)),
    ],
)
def test_it_covers_the_instant_at_which_it_was_made_where_it_names_no_other(
    replaced: str, start: datetime | None, end: datetime | None
) -> None:
    content = statement(opening=-500, closing=-500)
    if replaced:
        content = content.replace(replaced, "Other")

    [page] = report_of(content).pages

    assert start in (None, page.start_at)
    assert end in (None, page.end_at)
    assert page.written_at == datetime(2026, 1, 21, 3, tzinfo=UTC)
    assert (page.opening_amount, page.closing_amount) == (-500, -500)


@pytest.mark.parametrize("named", [True, False])
def test_its_currency_may_stand_with_its_balances_alone(named: bool) -> None:
    content = statement(opening=500) if not named else statement()

    [page] = report_of(content if named else content.replace("<Ccy>BSD</Ccy>", "")).pages

    assert page.currency == "BSD"


def test_the_balance_carried_over_from_the_page_before_opens_it() -> None:
    [page] = report_of(statement(opening=500).replace("OPBD", "PRCD")).pages

    assert (page.opening_amount, page.closing_amount) == (500, None)


def test_a_file_without_any_statement_says_nothing() -> None:
    content = statement()
    start, end = content.index("<Stmt>"), content.index("</BkToCstmrStmt>")

    assert report_of(content[:start] + content[end:]).pages == []
