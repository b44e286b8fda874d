"""The look-ups of the search box, each a statement served by an index or among the newest rows.

What moves money is found by amount, reference or shop; payments by figures, words or metadata; bank
accounts and API keys by name; endpoints by host.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db import connection
from django.db.models import F, Model, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Lower, Right

from backoffice.models import Instruction
from backoffice.request_answer import with_names
from backoffice.resource.catalog import CATALOG
from backoffice.resource.days import of_day
from backoffice.resource.list_filters import merchants_named
from backoffice.search_query import SearchQuery, figures_and_words, take_day, without_fillers_around
from backoffice.search_words import bank_account_name, key_name, kind_named
from backoffice.services.instruction_kinds import ADJUST_MERCHANT, ADJUST_WALLET
from backoffice.staff import Staff
from core.currencies import EXPONENTS
from core.queries import WORDS
from core.search import BeginsWords, HasWords
from customers.models import Customer
from funding.models import TopUp
from merchants.models import ApiKey, Merchant
from payments.models import Payment
from payouts.models import BankAccount, BankEntry, Payout
from refunds.models import Refund
from webhooks.models import Webhook

SHOWN = 50
COMMON_AMONG = 1_000  # of the newest payments: a word of one in a hundred is read there
NEWEST = 20_000  # of the payments: no index serves parts of words
SHORTEST = 3  # two letters stand within a word of nearly every payment, and in every URL
BANK_ACCOUNTS_SHOWN = ENDPOINTS_SHOWN = KEYS_SHOWN = 20
_BARE = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,10})?|true|false")
# The index of PostgreSQL answers "any name"; SQLite looks at the newest rows that have metadata.
_ANY_ON_POSTGRESQL = "metadata @@ %s::jsonpath"
_ON_SQLITE = """
    SELECT newest.id FROM (
        SELECT id, metadata FROM payments_payment
        WHERE metadata <> '{}' ORDER BY id DESC LIMIT 20000
    ) AS newest, json_each(newest.metadata) AS pair
    WHERE CAST(pair.value AS TEXT) = %s AND (%s = '' OR pair.key = %s)
"""
# The models searched by amount, each by an index, and the related rows that their tables show.
_BY_AMOUNT: dict[type[Model], tuple[str, ...]] = {
    Refund: ("merchant",),
    TopUp: ("customer",),
    Payout: ("merchant", "bank_account"),
    BankEntry: (),
    Instruction: ("asked_by", "decided_by"),
}
# The field of a model that names its merchant, if a shop narrows it down.
_OF_SHOPS = {Refund: "merchant", Payout: "merchant", Instruction: "merchant_id"}
_OF_CUSTOMERS = {Refund: "payment__customer", TopUp: "customer"}
# Of what staff request, only this has no other page that is found by its amount.
_ADJUSTMENTS = {"task__in": [ADJUST_MERCHANT, ADJUST_WALLET]}


@dataclass(frozen=True)
class FoundTable:
    """The rows of a model that were found in one way, which the title names.

    `is_close`: by words that others may share, not by an exact name.
    """

    title: str
    model: type[Model]
    rows: list[Any]
    is_close: bool = False


def money_movements(
    query: SearchQuery, staff: Staff, today: date, *, is_shop: bool
) -> Iterator[FoundTable]:
    """Yield matches of our reference or the bank's, then those of an amount, on a day if given.

    Before them, API keys, bank accounts, and movements of a shop without figures, if the text asks
    for one of them and is no shop's own name, such as "Key West Diner".
    """
    if not is_shop:
        yield from _asked_by_name(query.text, staff, today)
    if _is_seen(Payout, staff):
        ordered = list(_rows(Payout, order__end_to_end_id=query.text))
        yield FoundTable("Payouts of this reference", Payout, ordered)
        booked = _newest(_rows(BankEntry, bank_reference=query.text))
        yield FoundTable("Bank entries of this reference", BankEntry, booked)
    for model in _BY_AMOUNT:
        if _is_seen(model, staff):
            yield FoundTable(f"{_title(model)} of this amount", model, _of_amount(model, query))


def movements_asked_for(
    query: SearchQuery, model: type[Model], staff: Staff, today: date
) -> Iterator[FoundTable]:
    """Yield those of one kind with the figures: at shops that the other words name, and of those
    whose phone number ends with four of the digits.
    """
    if not _is_seen(model, staff):
        return
    figures, name = figures_and_words(query.text, today)
    if name:  # "payout store 24": the figure may be of the name
        yield from _of_shop(query.text, model, today)
    if figures and model in _OF_SHOPS:
        shops = {f"{_OF_SHOPS[model]}__in": [shop.pk for shop in merchants_named(name)]}
        found = _of_amount(model, figures, **shops)
        yield FoundTable(f"{_title(model)} of this amount, at this shop", model, found)
    if query.last_four and model in _OF_CUSTOMERS:
        holders = {f"{_OF_CUSTOMERS[model]}__in": holders_of(query.last_four)}
        found = _of_amount(model, replace(query, last_four=""), **holders)
        yield FoundTable(f"{_title(model)} of this amount, of this customer", model, found)


def hidden_from(staff: Staff, text: str) -> str:
    """Return the title of what a text asks for by a name, if the role does not see it; else ""."""
    named = kind_named(text)
    asked = (
        (ApiKey, key_name(text)),
        (BankAccount, bank_account_name(text)),
        *([(named.model, named.rest)] if named else ()),
    )
    titles = (_title(model) for model, name in asked if name and not _is_seen(model, staff))
    return next(titles, "")


def _is_seen(model: type[Model], staff: Staff) -> bool:
    return staff.may(CATALOG[model].right)


def _asked_by_name(text: str, staff: Staff, today: date) -> Iterator[FoundTable]:
    if _is_seen(ApiKey, staff):
        yield FoundTable("API keys", ApiKey, keys_of(key_name(text)))
    if _is_seen(BankAccount, staff):
        yield FoundTable("Bank accounts", BankAccount, bank_accounts_named(bank_account_name(text)))
    named = kind_named(text)
    if named and _is_seen(named.model, staff):
        yield from _of_shop(named.rest, named.model, today)


def _of_shop(text: str, model: type[Model], today: date) -> Iterator[FoundTable]:
    """Yield the newest of a kind at shops of which the words are a name: "payout reef".

    Beside the name a day may be named: "payout reef yesterday".
    """
    if model not in _OF_SHOPS:
        return
    day, rest = None, text.lower()
    shops = _shops_named(rest)
    if not shops:
        day, rest = take_day(rest, today)
        shops = _shops_named(rest) if day else []
    if shops:
        rows = _rows(model, **{f"{_OF_SHOPS[model]}__in": [shop.pk for shop in shops]})
        yield FoundTable(f"{_title(model)} of this shop", model, _newest(of_day(rows, day)))


def _shops_named(text: str) -> list[Merchant]:
    name = " ".join(without_fillers_around(text.split()))
    return merchants_named(name) if len(name) >= SHORTEST else []


def _title(model: type[Model]) -> str:
    return "Adjustments" if model is Instruction else CATALOG[model].title


def _of_amount(model: type[Model], query: SearchQuery, **more: Any) -> list[Any]:
    query = query.with_digits_as_amount or query
    if query.amount is None or query.last_four:
        return []
    return _newest(of_day(of_amount(_rows(model, **more), query), query.day))


def _rows(model: type[Model], **more: Any) -> QuerySet[Any]:
    rows = model._default_manager.filter(**more).select_related(*_BY_AMOUNT[model])
    return with_names(rows.filter(**_ADJUSTMENTS)) if model is Instruction else rows


def _newest(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.order_by("-pk")[:SHOWN])


def with_figures(query: SearchQuery) -> QuerySet[Payment]:
    rows: QuerySet[Payment] = of_day(Payment.objects.all(), query.day)
    if query.amount is not None:
        rows = of_amount(rows, query)
    if query.last_four:
        rows = rows.filter(customer__in=holders_of(query.last_four))
    return rows


def holders_of(last_four: str) -> QuerySet[Customer]:
    """Return the customers whose phone number ends in these digits."""
    return Customer.objects.annotate(ending=Right("phone", 4)).filter(ending=last_four)


def of_amount(rows: QuerySet[Any], query: SearchQuery) -> QuerySet[Any]:
    """Filter rows by the amount, as it is written in the currency of each."""
    of_currency = Q()
    for digits, amount in query.amounts.items():
        others = [code for code, exponent in EXPONENTS.items() if exponent != digits]
        of_currency |= Q(amount=amount) & ~Q(currency__in=others)
    return rows.filter(of_currency, amount__in=list(query.amounts.values()))


def at_shops(text: str, today: date) -> QuerySet[Payment]:
    """Return those with the figures at shops of which the other words are a name, or part of one.

    Of many such shops, the first eleven by name. Both modes are named, because the index of a
    merchant's amounts begins with the mode.
    """
    query, name = figures_and_words(text, today)
    if query is None or not (shops := merchants_named(name)):
        return Payment.objects.none()
    return with_figures(query).filter(merchant__in=shops, livemode__in=[True, False])


def with_words(words: Sequence[str], most: int) -> QuerySet[Payment]:
    """Return the payments with words that begin with these, in each case the newest `most`.

    If as many are among the newest thousand, it is those: PostgreSQL would read and sort all.
    """
    newest: Any = Payment.objects.order_by("-pk")
    oldest = newest.values_list("pk", flat=True)[COMMON_AMONG - 1 : COMMON_AMONG].first()
    if oldest:
        within = newest.filter(HasWords(words, *newest.searched), pk__gte=oldest)
        is_common = BeginsWords(words, *newest.searched, are_common=True)
        common: QuerySet[Payment] = within.filter(is_common)
        if common[:most].count() == most:
            return common
    found: QuerySet[Payment] = Payment.objects.matching({WORDS: words})
    return found


def with_words_within(words: Iterable[str], day: date | None) -> QuerySet[Payment]:
    """Return the payments with each of the words, among the newest `NEWEST`, of a day if given."""
    rows: Any = of_day(Payment.objects.order_by("-pk"), day)
    if oldest := rows.values_list("pk", flat=True)[NEWEST - 1 : NEWEST].first():
        rows = rows.filter(pk__gte=oldest)
    found: QuerySet[Payment] = rows.filter(HasWords(words, *rows.searched))
    return found


def with_metadata(text: str, pair: tuple[str, str] | None) -> QuerySet[Payment]:
    """Return the payments that have the text as a value of any key, or exactly `pair`."""
    name, value = pair or ("", text)
    if connection.vendor == "postgresql":
        place = f"$.{json.dumps(name)}" if name else "$.*"
        quoted = json.dumps(value)  # a number may be stored as a number or as a string
        literals = [quoted, value] if _BARE.fullmatch(value) else [quoted]
        path = " || ".join(f"{place} == {literal}" for literal in literals)
        condition = RawSQL(f"({_ANY_ON_POSTGRESQL})", [path])  # noqa: S611  # a constant
        return Payment.objects.exclude(metadata={}).alias(found=condition).filter(found=True)
    wanted = RawSQL(_ON_SQLITE, [value, name, name])  # noqa: S611  # a constant
    return Payment.objects.filter(pk__in=wanted)


def bank_accounts_named(name: str) -> list[BankAccount]:
    """Return the newest bank accounts of shops, holders or banks with this in their names."""
    if len(name) < SHORTEST:
        return []
    named = Q(holder_name__icontains=name) | Q(bank_name__icontains=name)
    rows = BankAccount.objects.filter(named | Q(merchant__in=merchants_named(name)))
    return list(rows.select_related("merchant").order_by("-pk")[:BANK_ACCOUNTS_SHOWN])


def keys_of(name: str) -> list[ApiKey]:
    """Return the newest API keys that end so, whatever the case, or of shops with such a name."""
    if len(name) < SHORTEST:
        return []
    rows = ApiKey.objects.annotate(ending=Lower("last_four"))
    found = rows.filter(Q(ending=name.lower()) | Q(merchant__in=merchants_named(name)))
    return list(found.select_related("merchant", "replaces").order_by("-pk")[:KEYS_SHOWN])


def endpoints_at(text: str) -> list[Webhook]:
    """Return the newest endpoints with this in their URL; deleted ones last.

    A text without a dot or slash counts in the host only: many paths have the same words.
    """
    if len(text) < SHORTEST:
        return []
    in_host = Q(url__iregex=rf"^[a-z]+://[^/?#]*{re.escape(text)}")
    is_specific = "." in text or "/" in text
    rows = Webhook.objects.filter(Q(url__icontains=text) if is_specific else in_host)
    ordered = rows.order_by(F("deleted_at").desc(nulls_first=True), "-pk")
    return list(ordered.select_related("merchant")[:ENDPOINTS_SHOWN])
