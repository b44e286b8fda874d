"""Find what moves money by amount, reference or shop, and bank accounts and API keys by name."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from django.db.models import Model, QuerySet

from backoffice.models import Instruction
from backoffice.request_answer import with_names
from backoffice.resource.catalog import CATALOG
from backoffice.resource.days import within
from backoffice.resource.list_filters import merchants_named
from backoffice.search_lookups import (
    SHORTEST,
    bank_accounts_named,
    holders_of,
    keys_of,
    of_amount,
)
from backoffice.search_query import SearchQuery, figures_and_words, take_day, without_fillers_around
from backoffice.search_words import bank_account_name, key_name, kind_named
from backoffice.services.instruction_kinds import ADJUST_MERCHANT, ADJUST_WALLET
from backoffice.staff import Staff
from funding.models import TopUp
from merchants.models import ApiKey, Merchant
from payouts.models import BankAccount, BankEntry, Payout
from refunds.models import Refund

SHOWN = 50
FoundTable = tuple[str, type[Model], list[Any]]  # its title, and the rows of a model
_OF_PAYOUT = ("merchant", "bank_account")
# The models searched by amount, each by an index, and the related rows that their tables show.
_BY_AMOUNT: dict[type[Model], tuple[str, ...]] = {
    Refund: ("merchant",),
    TopUp: ("customer",),
    Payout: _OF_PAYOUT,
    BankEntry: (),
    Instruction: ("asked_by", "decided_by"),
}
# The field of a model that names its merchant, if a shop narrows it down.
_OF_SHOPS = {Refund: "merchant", Payout: "merchant", Instruction: "merchant_id"}
_OF_CUSTOMERS = {Refund: "payment__customer", TopUp: "customer"}
# Of what staff request, only this has no other page that is found by its amount.
_ADJUSTMENTS = {"task__in": [ADJUST_MERCHANT, ADJUST_WALLET]}


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
        ordered = Payout.objects.filter(order__end_to_end_id=query.text)
        yield "Payouts of this reference", Payout, list(ordered.select_related(*_OF_PAYOUT))
        booked = BankEntry.objects.filter(bank_reference=query.text).order_by("-pk")
        yield "Bank entries of this reference", BankEntry, list(booked[:SHOWN])
    for model in _BY_AMOUNT:
        if _is_seen(model, staff):
            yield f"{_title(model)} of this amount", model, _of_amount(model, query)


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
        yield (
            f"{_title(model)} of this amount, at this shop",
            model,
            _of_amount(model, figures, **shops),
        )
    if query.last_four and model in _OF_CUSTOMERS:
        holders = {f"{_OF_CUSTOMERS[model]}__in": holders_of(query.last_four)}
        of_amount_alone = replace(query, last_four="")
        yield (
            f"{_title(model)} of this amount, of this customer",
            model,
            _of_amount(model, of_amount_alone, **holders),
        )


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
        yield "API keys", ApiKey, keys_of(key_name(text))
    if _is_seen(BankAccount, staff):
        yield "Bank accounts", BankAccount, bank_accounts_named(bank_account_name(text))
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
        yield f"{_title(model)} of this shop", model, _newest(_of_day(rows, day))


def _shops_named(text: str) -> list[Merchant]:
    name = " ".join(without_fillers_around(text.split()))
    return merchants_named(name) if len(name) >= SHORTEST else []


def _title(model: type[Model]) -> str:
    return "Adjustments" if model is Instruction else CATALOG[model].title


def _of_amount(model: type[Model], query: SearchQuery, **more: Any) -> list[Any]:
    query = query.with_digits_as_amount or query
    if query.amount is None or query.last_four:
        return []
    return _newest(_of_day(of_amount(_rows(model, **more), query), query.day))


def _of_day(rows: QuerySet[Any], day: date | None) -> QuerySet[Any]:
    return within(rows, day, day + timedelta(days=1)) if day else rows


def _rows(model: type[Model], **more: Any) -> QuerySet[Any]:
    rows = model._default_manager.filter(**more).select_related(*_BY_AMOUNT[model])
    return with_names(rows.filter(**_ADJUSTMENTS)) if model is Instruction else rows


def _newest(rows: QuerySet[Any]) -> list[Any]:
    return list(rows.order_by("-pk")[:SHOWN])
