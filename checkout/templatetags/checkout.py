"""Filters for money, instants and phone numbers; tags that cache texts per language."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.template.base import FilterExpression, Node, Parser, Token, token_kwargs
from django.template.loader_tags import do_include
from django.templatetags.i18n import do_block_translate, do_translate

from checkout.formats import ending, spaced
from checkout.page_templates import CachedPerLanguage, ConstantInclude
from core.clock import iso
from core.formats import code_beside, day_of, money, offset_of, time_of

SIZES = (("longest", 14), ("longer", 11), ("long", 9))

register = template.Library()
register.filter("iso", iso)
register.filter("money", money)
register.filter("code_beside", code_beside)
register.filter("ending", ending)
register.filter("spaced", spaced)


@register.filter
def clock(instant: datetime, zone: str) -> str:
    """Write the time of day in a time zone."""
    return time_of(instant.astimezone(ZoneInfo(zone)))


@register.filter
def unbroken(text: str) -> str:
    """Replace spaces by no-break spaces, in a phone number for instance."""
    return text.replace(" ", "\u00a0")


@register.filter
def day(instant: datetime, zone: str) -> str:
    """Write the day in a time zone."""
    return day_of(instant.astimezone(ZoneInfo(zone)))


@register.filter
def moment(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone; the line may break between the two."""
    return f"{day(instant, zone)}, {clock(instant, zone)}"


@register.filter
def moment_and_offset(instant: datetime, zone: str) -> str:
    """Write day and time in a time zone, and how far it is from UTC."""
    return f"{moment(instant, zone)} {offset_of(instant, zone)}"


@register.filter
def sum_size(written: str) -> str:
    """Return the CSS class for a sum's length: long ones are smaller, to stay on one line."""
    return next((name for name, letters in SIZES if len(written) > letters), "")


@register.tag
def include(parser: Parser, token: Token) -> Node:
    """Include a template; one with a constant name is looked up once, not at every rendering."""
    node = do_include(parser, token)
    named: FilterExpression = node.template
    if named.filters or not isinstance(named.var, str) or node.isolated_context:
        return node
    return ConstantInclude(named.var, node.extra_context)


@register.tag
def translate(parser: Parser, token: Token) -> Node:
    """Translate as Django's tag does, but cache constant sentences per language."""
    node = do_translate(parser, token)
    sentence: FilterExpression = node.filter_expression
    is_constant = sentence.var.lookups is None and not sentence.filters
    if not is_constant or node.asvar or node.message_context:
        return node
    return CachedPerLanguage(node)


@register.tag
def blocktranslate(parser: Parser, token: Token) -> Node:
    """Translate as Django's tag does, but cache sentences that use only their own values."""
    node = do_block_translate(parser, token)
    if node.plural or node.asvar or node.message_context or node.countervar:
        return node
    _, names = node.render_token_list(node.singular)
    if set(names) - set(node.extra_context):
        return node
    values, node.extra_context = node.extra_context, {}
    return CachedPerLanguage(node, values)


@register.tag
def cache_per_language(parser: Parser, token: Token) -> Node:
    """Cache the block up to `endcache_per_language` per language: it may depend on nothing else.

    Values that change are passed (`cache_per_language with path=payment.path`) and may only be
    output inside: not filtered, and not used in conditions.
    """
    _, *arguments = token.split_contents()
    values = token_kwargs(arguments[1:], parser) if arguments[:1] == ["with"] else {}
    contents = parser.parse(("endcache_per_language",))
    parser.delete_first_token()
    return CachedPerLanguage(contents, values)
