"""How pages are rendered: what depends only on the language, which is most, once per language.

For every request, Django looks through a page's base for the blocks to replace, and joins hundreds
of pieces. Here a page is one list of nodes, with its base, blocks and includes in their places, in
which neighbours that depend only on the language are one text.

Blocks are replaced at the top of a template and within `if`, not within other tags. A base has a
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

_PLACE = re.compile("\0(\\w+)\0")
_NO_BLOCKS: Mapping[str, BlockNode] = {}


def rendered_page(name: str, request: HttpRequest, values: Mapping[str, Any]) -> SafeString:
    """Render a template in the active language. It sees these values, the request and its token."""
    seen = {**csrf(request), "request": request, "LANGUAGE": get_language(), **values}
    context: Any = Context(seen)
    context.request = request  # the tag `querystring` reads it there
    return _page(name).render(context)


class Said(Node):
    """A part of a page that depends only on the language, rendered once per language.

    `values` are inserted into its placeholders at each rendering.
    """

    def __init__(
        self, words: Node | NodeList, values: Mapping[str, FilterExpression] | None = None
    ) -> None:
        self._words = words
        self.values = values or {}
        self._in: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        language = context.get("LANGUAGE") or get_language()  # the first is quicker to find
        if language not in self._in:
            self._in[language] = self._rendered(context)
        if not self.values:
            return self._in[language]
        return self._in[language] % {
            name: _written(value, context) for name, value in self.values.items()
        }

    def _rendered(self, context: Context) -> str:
        """Render the words; if there are values, as a format string for `%`."""
        if not self.values:
            return self._words.render(context)
        with context.push(**{name: mark_safe(f"\0{name}\0") for name in self.values}):  # noqa: S308  # a constant
            words = self._words.render(context)
        return _PLACE.sub(r"%(\1)s", words.replace("%", "%%"))


class Fragment(Node):
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
        return _joined(_compiled(self._name).nodelist)


class Written(Node):
    """The value of a variable, with its filters."""

    def __init__(self, value: FilterExpression) -> None:
        self._value = value

    def render(self, context: Context) -> str:
        return _written(self._value, context)


def _written(value: FilterExpression, context: Context) -> str:
    """Write a value as Django does, but escape plain text, which most values are, directly."""
    it = value.resolve(context)
    is_plain = type(it) is str and context.autoescape
    return escape(it) if is_plain else render_value_in_context(it, context)


@cache
def _page(name: str) -> Template:
    """Return a template as one list of nodes, in a copy: the original stays in the cache."""
    page = copy(_compiled(name))
    page.nodelist = _joined(page.nodelist)
    return page


def _compiled(name: str) -> Template:
    found: Any = get_template(name)
    template: Template = found.template
    return template


def _joined(nodes: Iterable[Node], blocks: Mapping[str, BlockNode] = _NO_BLOCKS) -> NodeList:
    """Return nodes with these blocks in their places, in which constant neighbours are one."""
    joined = NodeList()
    for is_constant, group in groupby(_placed(nodes, blocks), _is_constant):
        run = list(group)
        joined += [Said(NodeList(run))] if is_constant and len(run) > 1 else run
    return joined


def _is_constant(node: Node) -> bool:
    return isinstance(node, TextNode) or (isinstance(node, Said) and not node.values)


def _placed(nodes: Iterable[Node], blocks: Mapping[str, BlockNode]) -> Iterator[Node]:
    """Yield nodes, with the base, the blocks and the includes in their places."""
    for node in nodes:
        if isinstance(node, ExtendsNode):
            base: Any = node.parent_name
            yield from _placed(_compiled(base.var).nodelist, {**node.blocks, **blocks})
        elif isinstance(node, BlockNode):
            yield from _placed(blocks.get(node.name, node).nodelist, blocks)
        elif isinstance(node, Fragment) and not node.values:
            yield from node.nodes
        elif isinstance(node, IfNode):
            yield IfNode(
                [(when, _joined(then, blocks)) for when, then in node.conditions_nodelists]
            )
        elif isinstance(node, VariableNode):
            yield Written(node.filter_expression)
        elif not isinstance(node, LoadNode):
            yield node
