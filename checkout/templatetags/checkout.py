"""Filters that write money, instants and phone numbers on the checkout's pages; what they say."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.template.base import FilterExpression, Node, NodeList, Parser, Token
from django.template.context import Context
from django.templatetags.i18n import do_translate
from django.utils.translation import get_language

from checkout.formats import ending, spaced
from core.clock import iso, request_now
from core.formats import code_beside, day_of, money, time_of

SIZES = (("longest", 14), ("longer", 11), ("long", 9))

register = template.Library()
register.filter("iso", iso)
register.filter("money", money)
register.filter("code_beside", code_beside)
register.filter("ending", ending)
register.filter("spaced", spaced)


@register.simple_tag
def written_at() -> str:
    """Return when the page is written: a script counts from there, whatever its own clock says."""
    return iso(request_now()) or ""


@register.filter
def clock(instant: datetime, zone: str) -> str:
    """Write the time of day in a time zone."""
    return time_of(instant.astimezone(ZoneInfo(zone)))


@register.filter
def unbroken(text: str) -> str:
    """Write what belongs together, such as a phone number, so that no line ends within."""
    return text.replace(" ", "\u00a0")


@register.filter
def day(instant: datetime, zone: str) -> str:
    """Write the day in a time zone."""
    return unbroken(day_of(instant.astimezone(ZoneInfo(zone))))


@register.filter
def moment(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone; a line may end between the two."""
    return f"{day(instant, zone)}, {clock(instant, zone)}"


@register.filter
def sum_size(written: str) -> str:
    """Return the class of a sum by its length: a long one is set smaller, and stays on its line."""
    return next((name for name, letters in SIZES if len(written) > letters), "")


class Said(Node):
    """What a page says in the same words each time, rendered once in each language."""

    def __init__(self, sentence: Node | NodeList) -> None:
        self._sentence = sentence
        self._in: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        language = get_language()
        if language not in self._in:
            self._in[language] = self._sentence.render(context)
        return self._in[language]


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    """Say a constant sentence as Django's tag does; anything else is left to that."""
    node = do_translate(parser, token)
    said: FilterExpression = node.filter_expression
    is_constant = said.var.lookups is None and not said.filters
    return Said(node) if is_constant and not (node.asvar or node.message_context) else node


@register.tag
def said(parser: Parser, token: Token) -> Node:
    """Render what stands up to `endsaid` once in each language: it may depend on nothing else."""
    inside = parser.parse(("endsaid",))
    parser.delete_first_token()
    return Said(inside)
