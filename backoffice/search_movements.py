"""Find what moves money by amount or reference, and bank accounts by name."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from django.db.models import Model

from backoffice.models import Instruction
from backoffice.request_answer import with_names
from backoffice.resource.catalog import CATALOG
from backoffice.resource.days import within
from backoffice.resource.list_filters import merchants_named
from backoffice.search_lookups import bank_accounts_named, holders_of, of_amount
from backoffice.search_query import SearchQuery, figures_and_words
from backoffice.search_words import bank_account_name
from backoffice.services.instruction_kinds import ADJUST_MERCHANT, ADJUST_WALLET
from backoffice.staff import Staff
from funding.models import TopUp
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


def money_movements(query: SearchQuery, staff: Staff) -> Iterator[FoundTable]:
    """Yield matches of our reference or the bank's, then those of an amount, on a day if given.

    Before them, bank accounts, if the text asks for one.
    """
    if staff.may(CATALOG[Payout].right):
        yield "Bank accounts", BankAccount, bank_accounts_named(bank_account_name(query.text))
        ordered = Payout.objects.filter(order__end_to_end_id=query.text)
        yield "Payouts of this reference", Payout, list(ordered.select_related(*_OF_PAYOUT))
        booked = BankEntry.objects.filter(bank_reference=query.text).order_by("-pk")
        yield "Bank entries of this reference", BankEntry, list(booked[:SHOWN])
    for model in _BY_AMOUNT:
        if staff.may(CATALOG[model].right):
            yield f"{_title(model)} of this amount", model, _of_amount(model, query)


def movements_asked_for(
    query: SearchQuery, model: type[Model], staff: Staff, today: date
) -> Iterator[FoundTable]:
    """Yield those of one kind with the figures: at shops that the other words name, and of those
    whose phone number ends with four of the digits.
    """
    if not staff.may(CATALOG[model].right):
        return
    figures, name = figures_and_words(query.text, today)
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


def _title(model: type[Model]) -> str:
    return "Adjustments" if model is Instruction else CATALOG[model].title


def _of_amount(model: type[Model], query: SearchQuery, **more: Any) -> list[Any]:
    query = query.with_digits_as_amount or query
    if query.amount is None or query.last_four:
        return []
    rows = of_amount(model._default_manager.filter(**more), query)
    if model is Instruction:
        rows = with_names(rows.filter(**_ADJUSTMENTS))
    if query.day:
        rows = within(rows, query.day, query.day + timedelta(days=1))
    return list(rows.select_related(*_BY_AMOUNT[model]).order_by("-pk")[:SHOWN])
