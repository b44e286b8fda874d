"""The one search box: find a payment, or anything else, by what the caller knows of it.

Each look-up is one statement served by an index and limited to a page of rows, except for parts of
words. `migrations/0004_search_indexes` creates the indexes that only the search needs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from django.db.models import Model, Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.text import slugify

from backoffice.formats import day_text
from backoffice.resource.catalog import BY_PREFIX, CATALOG
from backoffice.resource.page_urls import page_of
from backoffice.search_lookups import (
    NEWEST,
    SHORTEST,
    SHOWN,
    FoundTable,
    at_shops,
    endpoints_at,
    money_movements,
    movements_asked_for,
    with_figures,
    with_metadata,
    with_words,
    with_words_within,
)
from backoffice.search_query import SearchQuery, parse_query, words_and_day
from backoffice.search_words import AskedFor, asked_for, bare_name
from backoffice.staff import Staff
from core import attempt_limits
from core.creditor_references import references_in
from core.errors import RateLimited
from core.queries import MAX_WORDS
from core.search import words_of
from customers.models import Customer
from funding.models import TopUp
from merchants.models import Merchant
from payments.models import Payment
from payments.numbers import id_prefix_of, is_number_of
from refunds.models import Refund
from webhooks.models import Delivery, Event, Webhook

# How many look-ups may find nothing: some callers are not customers.
MISSES = attempt_limits.AttemptLimit("staff-search-miss", 60, timedelta(hours=1))
SHORTEST_WORD = 2  # one letter begins a word of nearly every payment


@dataclass(frozen=True)
class SearchResults:
    """The results by title and model, and the page to open if there is exactly one.

    `is_withheld`: nothing was looked up, because only other roles may see what has such an id.
    """

    tables: list[FoundTable] = field(default_factory=list)
    exact: str = ""
    is_withheld: bool = False


def search(*, text: str, staff: Staff, now: datetime) -> SearchResults:
    """Search for what was typed, within what the role may see.

    Raises RateLimited after too many phone numbers and e-mail addresses without a match: pages mask
    them, and a thousand searches would reveal them, or which ones of a list are customers'.
    """
    today = timezone.localtime(now).date()
    asked, name = asked_for(text), bare_name(text)
    if (asked or name) and not _names_something(text, today):
        found = _search(asked.rest, asked, staff, now, today) if asked else SearchResults()
        if found.tables or found.exact:
            return found
        text = name if name and _names_something(name, today) else text
    return _search(text, None, staff, now, today)


def _search(
    text: str, asked: AskedFor | None, staff: Staff, now: datetime, today: date
) -> SearchResults:
    query = parse_query(text, today)
    if top_up := TopUp.objects.filter(reference__in=references_in(text)).first():
        return SearchResults(exact=page_of(top_up))
    if payment := _with_receipt_number(text):
        return SearchResults(exact=page_of(payment))
    if query.public_id:
        return _by_id(query, staff)
    refusal = _counted_as_miss(query.phone or query.email, staff, now)
    customers = [] if refusal else _customers(query)
    payments = list(_without_repeats(_payments(query, customers, today)))
    merchants = [] if query.is_description else _merchants(query)
    host = query.host or ("" if merchants or payments else query.word)  # names come first
    others: list[FoundTable] = [
        FoundTable("Customers", Customer, customers),
        FoundTable("Merchants", Merchant, merchants),
        FoundTable("Webhook endpoints", Webhook, endpoints_at(host)),
        *money_movements(query, staff, today, is_shop=bool(merchants)),
        *(movements_asked_for(query, asked.model, staff, today) if asked else ()),
    ]
    tables = [table for table in (*others[:3], *payments, *others[3:]) if table.rows]
    if refusal and not tables:
        raise refusal
    if customers and not refusal:  # only a customer makes it a hit: anyone can store other words
        attempt_limits.uncount_attempt(MISSES, str(staff.user_id))
    found = SearchResults(tables, _single(payments, others))
    return _of_kind(found, asked.model) if asked else found


def _of_kind(found: SearchResults, model: type[Model]) -> SearchResults:
    """Return the results of one kind, and its page if it is the only one; all, if none is."""
    tables = [table for table in found.tables if table.model is model]
    rows = {row.pk: row for table in tables for row in table.rows}
    only = page_of(next(iter(rows.values()))) if len(rows) == 1 else ""
    return SearchResults(tables or found.tables, only)


def _with_receipt_number(text: str) -> Payment | None:
    beginning = id_prefix_of(text)
    if not beginning:
        return None
    same_moment = Payment.objects.filter(pk__gte=beginning, pk__lt=f"{beginning}~")
    return next((each for each in same_moment if is_number_of(text, each.id)), None)


def _by_id(query: SearchQuery, staff: Staff) -> SearchResults:
    prefix, wanted = query.public_id.partition("_")[0], query.public_id
    row: Model | None = None
    if prefix == "txn":
        row = _of_transaction(wanted)
    elif staff.may(BY_PREFIX[prefix].right):
        row = _only_one(BY_PREFIX[prefix].model, wanted)
    else:
        return SearchResults(is_withheld=True)
    if row is not None and not CATALOG[type(row)].is_open_to(staff, row.pk):
        return SearchResults(is_withheld=True)
    if isinstance(row, Event | Delivery | Refund) and query.text == wanted:
        row = _payment_of(row) or row
    return SearchResults(exact=page_of(row) if row is not None else "")


def _only_one(model: type[Model], wanted: str) -> Model | None:
    """Return the row whose id starts with this, if it is the only one: logs shorten ids."""
    beginning = model._default_manager.filter(pk__gte=wanted, pk__lt=f"{wanted}~").order_by("pk")
    rows = list(beginning[:2])
    return rows[0] if len(rows) == 1 else None


def _of_transaction(transaction_id: str) -> Model | None:
    payment = Payment.objects.filter(transaction_id=transaction_id).first()
    refund = Refund.objects.filter(transaction_id=transaction_id).select_related("payment").first()
    return payment or (refund.payment if refund else None)


def _payment_of(row: Event | Delivery | Refund) -> Payment | None:
    """Return the payment of a refund or event, which is what a caller who names one means."""
    if isinstance(row, Refund):
        return row.payment
    resource_id = (row if isinstance(row, Event) else row.event).resource_id
    found = {"refund" if resource_id.startswith("ref_") else "pk": resource_id}
    return Payment.objects.filter(**found).first()


def _counted_as_miss(of_person: str, staff: Staff, now: datetime) -> RateLimited | None:
    """Count a number or address as a miss before looking it up; return the refusal, if any.

    Otherwise many concurrent searches would all run before the first was counted.
    """
    try:
        if of_person:
            attempt_limits.count_attempt(MISSES, str(staff.user_id), now=now)
    except RateLimited as refusal:
        return refusal
    return None


def _customers(query: SearchQuery) -> list[Customer]:
    if query.phone:
        found = Customer.objects.filter(phone=query.phone)
    elif query.email:
        found = Customer.objects.with_email(query.email)
    else:
        return []
    return list(found.select_related("merchant").order_by("-livemode", "-pk")[:SHOWN])


def _payments(
    query: SearchQuery, customers: Iterable[Customer], today: date
) -> Iterator[FoundTable]:
    if query.phone or query.email:
        ids = [customer.pk for customer in customers]
        yield _hits("paid by this customer", Payment.objects.filter(customer_id__in=ids))
    if query.email:
        yield _named("customer_email", "invoiced to this address", query.email)
    elif query.is_description:
        yield _hits("by amount, day or phone", with_figures(query))
        if as_amount := query.with_digits_as_amount:
            yield _hits("of this amount", with_figures(as_amount))
    # "2026-0017" reads as a phone number, and may be an invoice as well; "+1 242…" is no such name.
    if not query.email and not query.text.startswith("+"):
        yield from _by_name(query, today)


def _without_repeats(found: Iterable[FoundTable]) -> Iterator[FoundTable]:
    """Yield the matches, each payment under the first way in which it was found."""
    seen: set[str] = set()
    for hits in found:
        rows = [row for row in hits.rows if row.pk not in seen]
        seen.update(row.pk for row in rows)
        if rows:
            yield replace(hits, rows=rows)


def _names_something(text: str, today: date) -> bool:
    """Return whether the whole text is a name, as that of an order "refund 12.50" would be."""
    query = parse_query(text, today)
    if query.public_id or _with_receipt_number(text) or _merchants(query):
        return True
    return any(hits.rows for hits in _of_name(query))


def _of_name(query: SearchQuery) -> Iterator[FoundTable]:
    text = query.text.lower()
    names = {"reference": "reference", "order_id": "order", "invoice_number": "invoice"}
    for name, why in names.items():
        yield _named(name, f"{why} “{query.text}”", text)
    yield _hits("metadata", with_metadata(query.text, query.pair))


def _by_name(query: SearchQuery, today: date) -> Iterator[FoundTable]:
    named = list(_of_name(query))
    yield from named
    if not query.is_description:
        why = "by amount, day or phone, at this shop"
        yield _hits(why, at_shops(query.text, today), is_close=True)
        yield from _by_words(query.text)
        if not any(hits.rows for hits in named):
            yield from _within_words(query.text, today)
    if " " not in query.text and len(query.text) >= 8:
        resources = Event.objects.filter(request_id=query.text).values("resource_id")
        yield _hits("made by this request", Payment.objects.filter(pk__in=resources[:SHOWN]))


def _by_words(text: str) -> Iterator[FoundTable]:
    if words := [word for word in words_of(text) if len(word) >= SHORTEST_WORD][:MAX_WORDS]:
        yield _hits(f"words “{text}”", with_words(words, SHOWN), is_close=True)


def _within_words(text: str, today: date) -> Iterator[FoundTable]:
    """Leave out short words, not short figures: else "2026-11-31" finds what has "2026" in it."""
    words, day = words_and_day(text, today)
    kept = [word for word in words if len(word) >= SHORTEST or word.isdecimal()][:MAX_WORDS]
    if any(len(word) >= SHORTEST for word in kept):
        among = day_text(day) if day else f"the newest {NEWEST:,}"
        why = f"“{' '.join(kept)}” within words, of {among}"
        yield _hits(why, with_words_within(kept, day), is_close=True)


def _named(name: str, why: str, text: str) -> FoundTable:
    rows = Payment.objects.annotate(lowered=Lower(name)).filter(
        **{f"{name}__isnull": False, "lowered": text}
    )
    return _hits(why, rows)


def _hits(why: str, rows: QuerySet[Payment], *, is_close: bool = False) -> FoundTable:
    found = rows.select_related("merchant", "customer").order_by("-pk")[:SHOWN]
    return FoundTable(f"Payments: {why}", Payment, list(found), is_close)


def _merchants(query: SearchQuery) -> list[Merchant]:
    text = query.text
    named = Q(slug=slugify(text)) | Q(email__iexact=text) | Q(name__icontains=text)
    if query.host:
        named |= Q(website__icontains=query.host)
    return list(Merchant.objects.filter(named).order_by("-pk")[:SHOWN])


def _single(payments: list[FoundTable], others: list[FoundTable]) -> str:
    """Return the page of the only match; close matches count if there are no others."""
    named = [hits for hits in payments if not hits.is_close] or payments
    rows = {row.pk: row for hits in (*named, *others) for row in hits.rows}
    return page_of(next(iter(rows.values()))) if len(rows) == 1 else ""
