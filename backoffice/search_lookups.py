"""The look-ups of the search box: payments by figures, words or metadata; endpoints by host."""

import json
import re
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Any

from django.db import connection
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Lower, Right

from backoffice.resource.days import within
from backoffice.resource.list_filters import merchants_named
from backoffice.search_query import SearchQuery, figures_and_words
from core.currencies import EXPONENTS
from core.queries import COMMON_WORDS, WORDS
from core.search import HasWords
from customers.models import Customer
from merchants.models import ApiKey
from payments.models import Payment
from payouts.models import BankAccount
from webhooks.models import Webhook

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


def with_figures(query: SearchQuery) -> QuerySet[Payment]:
    rows: QuerySet[Payment] = Payment.objects.all()
    if query.day:
        rows = within(rows, query.day, query.day + timedelta(days=1))
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
        common: QuerySet[Payment] = within.matching({COMMON_WORDS: words})
        if common[:most].count() == most:
            return common
    found: QuerySet[Payment] = Payment.objects.matching({WORDS: words})
    return found


def with_words_within(words: Iterable[str], day: date | None) -> QuerySet[Payment]:
    """Return the payments with each of the words, among the newest `NEWEST`, of a day if given."""
    rows: Any = Payment.objects.order_by("-pk")
    if day is not None:
        rows = within(rows, day, day + timedelta(days=1))
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
