"""Read statements (camt.053) and notifications (camt.054) of our account, in any version."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

from django.conf import settings

from payouts.account_numbers import compact
from payouts.bank.bank_names import bank_names
from payouts.bank.booked_entry import BookedEntry, sign_of
from payouts.bank.charges import Money, cents_at, charge_beside, charge_within, is_charge
from payouts.bank.reports import (
    Report,
    ReportItem,
    StatementPage,
    amount_at,
    instant_at,
    reference_at,
    required,
    required_reference,
    text_at,
)
from payouts.errors import BankFileUnfit, BankFileUnreadable
from payouts.models import BankEntryKind, BankSource
from payouts.models.bank_files import MAX_NUMBER, MAX_REFERENCE
from payouts.order_references import normalize_reference

BOOKED = "BOOK"
OPENING = ("OPBD", "PRCD")
CLOSING = ("CLBD",)
_AMOUNTS = ("Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt")
_Seen = Counter[tuple[str, ...]]  # how often a file has had an identity so far


def read_statements(document: Element) -> Report:
    """Return the statements of a camt.053. Raises BankFileUnreadable, BankFileUnfit."""
    message, seen = required(document, "BkToCstmrStmt"), _Seen()
    page = _page_of_message(message)
    return Report(
        source=BankSource.STATEMENT,
        message_id=_message_id(message),
        pages=[_page(statement, page, seen) for statement in _of_our_account(message, "Stmt")],
    )


def read_notifications(document: Element) -> Report:
    """Return the booked entries of a camt.054. Raises BankFileUnreadable, BankFileUnfit."""
    message = required(document, "BkToCstmrDbtCdtNtfctn")
    items: list[ReportItem] = []
    seen = _Seen()
    for notification in _of_our_account(message, "Ntfctn"):
        # Some banks restart the numbering of notifications in each file.
        place = f"{required_reference(notification, 'Id')} {text_at(notification, 'CreDtTm')}"
        items += _numbered(_booked(notification, place), seen)
    return Report(
        source=BankSource.NOTIFICATION,
        message_id=_message_id(message),
        items=items,
    )


def _message_id(message: Element) -> str:
    """Return a message's id with its page number: the pages of a long message may share an id."""
    name = required_reference(message, "GrpHdr/MsgId")
    return _numbered_page(name, _page_of_message(message), MAX_REFERENCE)


def _page_of_message(message: Element) -> str:
    """Return the page number; empty for the first page, whether or not the bank numbers it."""
    page = text_at(message, "GrpHdr/MsgPgntn/PgNb").lstrip("0")
    return "" if page == "1" else page


def _numbered_page(name: str, page: str, most: int) -> str:
    """Append the page number to a name, except for the first page."""
    number = page.lstrip("0")
    words = "" if number in ("", "1") else f" p{number}"
    if len(name) + len(words) > most:  # truncated as they are, two names might collide
        name = hashlib.sha256(name.encode()).hexdigest()
    return f"{name[: most - len(words)]}{words}"


def _page(statement: Element, page_of_message: str, seen: _Seen) -> StatementPage:
    number = required_reference(statement, "Id")
    page = text_at(statement, "StmtPgntn/PgNb") or page_of_message
    created = instant_at(statement, "CreDtTm")
    start = instant_at(statement, "FrToDt/FrDtTm", "FrToDt/FrDt") or created
    end = instant_at(statement, "FrToDt/ToDtTm", "FrToDt/ToDt") or created
    if start is None or end is None:
        raise BankFileUnreadable(FrToDt="is missing")
    balances = dict(_balances(statement))
    currencies = {currency for _, currency in balances.values()}
    currency = text_at(statement, "Acct/Ccy") or "".join(currencies)
    if not currency or currencies - {currency}:
        raise BankFileUnreadable(Ccy="is not one currency")
    return StatementPage(
        number=_numbered_page(number, page, MAX_NUMBER),
        currency=currency,
        start_at=start,
        end_at=end,
        written_at=created,
        opening_amount=_first(balances, OPENING),
        closing_amount=_first(balances, CLOSING),
        items=list(_numbered(_booked(statement, f"{number} {page}"), seen)),
    )


def _balances(statement: Element) -> Iterator[tuple[str, tuple[int, str]]]:
    for balance in statement.findall("Bal"):
        found = amount_at(balance, "Amt")
        if found is None:
            raise BankFileUnreadable(Amt="is missing")
        amount, currency = found
        yield text_at(balance, "Tp/CdOrPrtry/Cd"), (sign_of(balance) * amount, currency)


def _first(balances: dict[str, tuple[int, str]], names: tuple[str, ...]) -> int | None:
    return next((balances[name][0] for name in names if name in balances), None)


def _of_our_account(message: Element, tag: str) -> list[Element]:
    """Return the parts about our account: banks put all accounts of a customer into one file.

    Raises BankFileUnfit if the file is only about other accounts.
    """
    ours, every = compact(settings.PAYOUT_DEBTOR_ACCOUNT), message.findall(tag)
    found = [
        each
        for each in every
        if ours and compact(text_at(each, "Acct/Id/IBAN", "Acct/Id/Othr/Id")) == ours
    ]
    if every and not found:
        raise BankFileUnfit(account="is not the one that payouts leave from")
    return found


def _numbered(items: Iterable[ReportItem], seen: _Seen) -> Iterator[ReportItem]:
    """Number items that a file repeats word for word, such as two equal fees on one day."""
    for item in items:
        yield replace(item, identity=(*item.identity, str(seen[item.identity])))
        seen[item.identity] += 1


def _booked(report: Element, place: str) -> Iterator[ReportItem]:
    """Yield each booked entry, or each payment in it if the parts add up to the whole."""
    for number, element in enumerate(report.findall("Ntry")):
        if text_at(element, "Sts/Cd", "Sts") != BOOKED:
            continue
        entry = BookedEntry(element)
        # The bank's own reference is the same in every file, though some banks reuse it each day.
        # Without one, all that identifies the entry is its place in the file.
        former = (entry.name,) if entry.name else (place, str(number))
        yield from _parts(entry, entry.name or place, former)


def _parts(entry: BookedEntry, place: str, former: tuple[str, ...]) -> Iterator[ReportItem]:
    booked, whole = entry.money, entry.element
    amount, currency = booked
    parts = whole.findall("NtryDtls/TxDtls")
    stated = sum(found for part in parts for found in _stated(part, currency))
    if len(parts) == 1 and (_is_returned(parts[0]) or not _is_of_more(entry, stated, amount)):
        charge = charge_within(booked, parts[0], whole)
        yield _item(entry, parts[0], place, former, booked, charge)
    elif shares := _shares(parts, booked):
        for number, (part, (share, charge)) in enumerate(zip(parts, shares, strict=True)):
            yield _item(entry, part, place, (*former, str(number)), (share, currency), charge)
    else:
        charge = charge_within(booked, whole, stated=[stated])
        yield _item(entry, whole, place, former, booked, charge)


def _is_returned(part: Element) -> bool:
    return part.find("RtrInf") is not None


def _is_of_more(entry: BookedEntry, stated: int, amount: int) -> bool:
    """Return whether more came in than the entry's only detail states: the rest is someone else's.

    Less may come in, due to a charge on the way. A debit is checked against our order instead.
    """
    return entry.sign == 1 and 0 < stated < amount


def _stated(part: Element, currency: str) -> list[int]:
    """Return the amount of one payment, if it states one in the booked currency."""
    found = (cents_at(part, path, currency) for path in _AMOUNTS)
    return [cents for cents in found if cents is not None][:1]


def _shares(parts: Sequence[Element], booked: Money) -> list[tuple[int, int]]:
    """Split the booked amount into (share, charge) per payment; empty if it does not add up."""
    amount, currency = booked
    stated = [_stated(part, currency) for part in parts]
    if not parts or not all(stated):
        return []
    transfers = [found[0] for found in stated]
    if sum(transfers) == amount:
        within = (
            charge_within((it, currency), part) for it, part in zip(transfers, parts, strict=True)
        )
        return list(zip(transfers, within, strict=True))
    charges = [charge_beside(part, currency) for part in parts]
    wholes = [sum(pair) for pair in zip(transfers, charges, strict=True)]
    return list(zip(wholes, charges, strict=True)) if sum(wholes) == amount else []


def _item(
    entry: BookedEntry,
    part: Element,
    place: str,
    former: tuple[str, ...],
    money: Money,
    charge: int,
) -> ReportItem:
    kind, (amount, currency) = _kind(entry, part), money
    is_own = is_charge(part) or entry.is_charge
    end_to_end_id = reference_at(part, "Refs/EndToEndId")
    reference = reference_at(part, "Refs/PmtInfId", "Refs/MsgId") or entry.batch_reference
    contents = (kind, end_to_end_id, str(amount), currency)
    message = _message(entry, part)
    return ReportItem(
        identity=(place, str(entry.booking_date or ""), *contents, message),
        former_identity=(*former, *contents),
        kind=BankEntryKind.CREDIT if is_own and kind == BankEntryKind.RETURN else kind,
        amount=amount,
        charge_amount=amount if is_own else _charge(kind, charge),
        currency=currency,
        end_to_end_id=normalize_reference(end_to_end_id),
        message_reference=normalize_reference(reference),
        names=bank_names(part, entry.name, is_whole=money == entry.money),
        code=reference_at(part, "RtrInf/Rsn/Cd", "RtrInf/Rsn/Prtry"),
        message=message,
        booking_date=entry.booking_date,
    )


def _charge(kind: BankEntryKind, charge: int) -> int:
    """Return the charge of a debit. For incoming money a person decides who bears it."""
    return charge if kind == BankEntryKind.DEBIT else 0


def _message(entry: BookedEntry, part: Element) -> str:
    return (
        text_at(part, "RtrInf/AddtlInf")
        or _remittance(part)
        or text_at(part, "AddtlTxInf")
        or entry.message
    )


def _remittance(part: Element) -> str:
    """Return the remittance information: structured references, then all lines of text."""
    found = part.findall("RmtInf/Strd/CdtrRefInf/Ref") + part.findall("RmtInf/Ustrd")
    return " ".join(filter(None, ((line.text or "").strip() for line in found)))


def _kind(entry: BookedEntry, part: Element) -> BankEntryKind:
    if entry.sign == -1:
        return BankEntryKind.DEBIT
    returned = _is_returned(part) or entry.is_reversal
    return BankEntryKind.RETURN if returned else BankEntryKind.CREDIT
