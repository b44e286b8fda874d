"""Filters for the templates of the back office."""

from typing import Any

from django import template

from backoffice import formats
from backoffice.page_parts import marked

register = template.Library()
register.filter(formats.moment)
register.filter(marked)


@register.filter
def choices(spec: Any, changelist: Any) -> list[dict[str, Any]]:
    return list(spec.choices(changelist))


@register.filter
def grouped(count: int) -> str:
    """Write a count as the dashboard does: 1,000."""
    return f"{count:,}"


@register.filter
def sums(changelist: Any) -> list[str]:
    """Return the totals of a list, one for each currency; none if they are unknown."""
    found = changelist.paginator.sums_of(changelist.model_admin.summed)
    return [formats.money(amount, currency) for currency, amount in found]


@register.filter
def others(spec: Any, changelist: Any) -> list[tuple[str, str]]:
    """Return the other filters that are set, to keep them when this one changes."""
    return [
        (name, values[-1])
        for name, values in changelist.filter_params.items()
        if name != spec.parameter_name
    ]
