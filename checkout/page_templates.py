"""Renders pages, and caches per language what depends on nothing else, which is most of a page.

For every request, Django looks through a page's base for the blocks to replace, and joins hundreds
of pieces. Here a page is compiled once into one list of nodes: base, blocks and includes are
inlined, and neighbours that depend only on the language are merged into one text.

Blocks are inlined at the top of a template and within `if`, not within other tags. A base has a
constant name. There is no `block.super`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from functools import cache, cached_property
from html import escape
from itertools import groupby
from typing import Any

from django.http import HttpRequest
from django.template.base import (
    FilterExpression,
    Node,
    NodeList,
    Template,
    TextNode,
    VariableNode,
    render_value_in_context,
)
from django.template.context import Context
from django.template.context_processors import csrf
from django.template.defaulttags import IfNode, LoadNode
from django.template.loader import get_template
from django.template.loader_tags import BlockNode, ExtendsNode
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

_PLACEHOLDER = re.compile("\0(\\w+)\0")
_NO_BLOCKS: Mapping[str, BlockNode] = {}


def rendered_page(name: str, request: HttpRequest, values: Mapping[str, Any]) -> SafeString:
    """Render a template in the active language. It sees these values, the request and its token."""
    seen = {**csrf(request), "request": request, "LANGUAGE": get_language(), **values}
    context: Any = Context(seen)
    context.request = request  # the tag `querystring` reads it there
    return _page(name).render(context)


class CachedPerLanguage(Node):
    """A part of a page that depends only on the language, rendered once per language.

    `values` are inserted into its placeholders at each rendering.
    """

    def __init__(
        self, contents: Node | NodeList, values: Mapping[str, FilterExpression] | None = None
    ) -> None:
        self._contents = contents
        self.values = values or {}
        self._by_language: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        language = context.get("LANGUAGE") or get_language()  # the first is quicker to find
        if language not in self._by_language:
            self._by_language[language] = self._render_contents(context)
        cached = self._by_language[language]
        if not self.values:
            return cached
        return cached % {name: _output(value, context) for name, value in self.values.items()}

    def _render_contents(self, context: Context) -> str:
        """Render the contents; if there are values, as a format string for `%`."""
        if not self.values:
            return self._contents.render(context)
        with context.push(**{name: mark_safe(f"\0{name}\0") for name in self.values}):  # noqa: S308  # a constant
            text = self._contents.render(context)
        return _PLACEHOLDER.sub(r"%(\1)s", text.replace("%", "%%"))


class ConstantInclude(Node):
    """An included template with a constant name, which is looked up once."""

    def __init__(self, name: str, values: Mapping[str, FilterExpression]) -> None:
        self._name = name
        self.values = values

    def render(self, context: Context) -> str:
        values = {name: value.resolve(context) for name, value in self.values.items()}
        with context.push(**values):
            return self.nodes.render(context)

    @cached_property
    def nodes(self) -> NodeList:
        return _merged(_compiled(self._name).nodelist)


class VariableOutput(Node):
    """A variable with its filters, as Django's `VariableNode`, but quicker for plain text."""

    def __init__(self, value: FilterExpression) -> None:
        self._value = value

    def render(self, context: Context) -> str:
        return _output(self._value, context)


def _output(value: FilterExpression, context: Context) -> str:
    """Return a value as Django outputs it, but escape plain text, as most values are, directly."""
    resolved = value.resolve(context)
    is_plain = type(resolved) is str and context.autoescape
    return escape(resolved) if is_plain else render_value_in_context(resolved, context)


@cache
def _page(name: str) -> Template:
    """Return a template as one list of nodes, in a copy: the original stays in the cache."""
    page = copy(_compiled(name))
    page.nodelist = _merged(page.nodelist)
    return page


def _compiled(name: str) -> Template:
    found: Any = get_template(name)
    template: Template = found.template
    return template


def _merged(nodes: Iterable[Node], blocks: Mapping[str, BlockNode] = _NO_BLOCKS) -> NodeList:
    """Inline what the nodes refer to, and merge neighbours that are constant.

    `blocks` replace those of the same name among the nodes.
    """
    merged = NodeList()
    for is_constant, group in groupby(_inlined(nodes, blocks), _is_constant):
        run = list(group)
        merged += [CachedPerLanguage(NodeList(run))] if is_constant and len(run) > 1 else run
    return merged


def _is_constant(node: Node) -> bool:
    return isinstance(node, TextNode) or (isinstance(node, CachedPerLanguage) and not node.values)


def _inlined(nodes: Iterable[Node], blocks: Mapping[str, BlockNode]) -> Iterator[Node]:
    """Yield the nodes, with base, blocks and includes replaced by the nodes in them."""
    for node in nodes:
        if isinstance(node, ExtendsNode):
            base: Any = node.parent_name
            yield from _inlined(_compiled(base.var).nodelist, {**node.blocks, **blocks})
        elif isinstance(node, BlockNode):
            yield from _inlined(blocks.get(node.name, node).nodelist, blocks)
        elif isinstance(node, ConstantInclude) and not node.values:
            yield from node.nodes
        elif isinstance(node, IfNode):
            yield IfNode(
                [(when, _merged(then, blocks)) for when, then in node.conditions_nodelists]
            )
        elif isinstance(node, VariableNode):
            yield VariableOutput(node.filter_expression)
        elif not isinstance(node, LoadNode):
            yield node
