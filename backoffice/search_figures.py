"""Find payments by the figures that a caller names: an amount, a day, the end of a phone number."""

from datetime import date, timedelta

from django.db.models import QuerySet
from django.db.models.functions import Right

from backoffice.resource.days import within
from backoffice.resource.list_filters import merchants_named
from backoffice.search_query import SearchQuery, figures_and_words
from customers.models import Customer
from payments.models import Payment


def with_figures(query: SearchQuery) -> QuerySet[Payment]:
    """Return the payments with all of the figures."""
    rows: QuerySet[Payment] = Payment.objects.all()
    if query.day:
        rows = within(rows, query.day, query.day + timedelta(days=1))
    if query.amount is not None:
        rows = rows.filter(amount=query.amount)
    if query.last_four:
        holders = Customer.objects.annotate(ending=Right("phone", 4))
        ids = holders.filter(ending=query.last_four).values("pk")
        rows = rows.filter(customer_id__in=ids)
    return rows


def at_shops(text: str, today: date) -> QuerySet[Payment]:
    """Return those with the figures at shops of which the other words are a name, or part of one.

    Of many such shops, the first eleven by name. Both modes are named, because the index of a
    merchant's amounts begins with the mode.
    """
    query, name = figures_and_words(text, today)
    if query is None or not (shops := merchants_named(name)):
        return Payment.objects.none()
    return with_figures(query).filter(merchant__in=shops, livemode__in=[True, False])
