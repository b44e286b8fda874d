"""JSON in, strictly; JSON out, fast.

The stock parser accepts duplicate keys, NaN, NUL bytes and lone surrogates, which then fail in the
database, and crashes on deep nesting. This one refuses them all with 400.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, Any, NoReturn

import orjson
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from core.errors import InvalidRequest, RequestTooLarge, UnsupportedMediaType
from core.stored_bytes import note_bytes
from core.text import is_storable, shown_name

MAX_BODY_BYTES = 256 * 1024
BODY_SIZE_RULE = f"The body must not be larger than {MAX_BODY_BYTES} bytes."
MAX_DEPTH = 32
MAX_VALUES = 10_000
MAX_INTEGER_CHARACTERS = 40

# Where a value stands: the place of what it is in, and its name there; () is the body.
_Place = tuple[Any, ...]
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL)
_BRACKETS = re.compile(rb"[\[{\]}]")


def parse_json(body: bytes) -> Any:
    """Parse a request body. Raises InvalidRequest naming what is wrong with it."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise InvalidRequest("The body must be UTF-8.") from None
    if text.startswith("\ufeff"):
        raise InvalidRequest("The body must not begin with a byte order mark.")
    _refuse_unbounded(body)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_int=_integer,
        )
    except ValueError as error:
        raise InvalidRequest(f"The body must be valid JSON: {_position(error)}.") from None
    _refuse_strings(value)
    return value


def dump_json(value: object) -> bytes:
    """Write plain data as compact UTF-8 JSON."""
    return orjson.dumps(value)


def _position(error: ValueError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"it breaks at line {error.lineno}, column {error.colno}"
    return "it could not be read"


def _refuse_unbounded(body: bytes) -> None:
    """Refuse more values, or deeper nesting, than any request needs: each costs microseconds."""
    bare = _STRING.sub(b"", body)
    if sum(map(bare.count, (b",", b"[", b"{"))) > MAX_VALUES:
        raise InvalidRequest(f"The body must not hold more than {MAX_VALUES} values.")
    depth = 0
    for bracket in _BRACKETS.finditer(bare):
        depth += 1 if bracket.group() in b"[{" else -1
        if depth > MAX_DEPTH:
            raise InvalidRequest(f"The body must not be nested deeper than {MAX_DEPTH} levels.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        named = Counter(name for name, _ in pairs)
        [(twice, _)] = named.most_common(1)
        raise InvalidRequest(f"{shown_name(twice)}: must be given once in an object")
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise InvalidRequest(f"The body must not contain {name}.")


def _integer(digits: str) -> int | float:
    """Parse an integer; an absurdly long one becomes infinity, as such fractions do by themselves.

    Every field refuses that under its own rule; nothing is computed with thousands of digits.
    """
    return int(digits) if len(digits) <= MAX_INTEGER_CHARACTERS else math.inf


def _refuse_strings(value: Any, at: _Place = ()) -> None:
    """Refuse text that cannot be stored, anywhere in the tree; its depth is bounded by now."""
    if isinstance(value, str):
        if not is_storable(value):
            named = f"{_path_of(at)}: must" if at else "A text must"
            raise InvalidRequest(f"{named} not contain NUL or a lone surrogate")
    elif isinstance(value, dict):
        for key, item in value.items():
            _refuse_strings(key, (at, key))
            _refuse_strings(item, (at, key))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            _refuse_strings(item, (at, str(place)))


def _path_of(place: _Place) -> str:
    """Return the names that lead to a value, as `metadata.order_id`."""
    names: list[str] = []
    while place:
        place, name = place
        names.append(shown_name(name))
    return ".".join(reversed(names))


class StrictJSONParser(BaseParser):
    """`application/json` in UTF-8, up to 256 KiB."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        _refuse_charset(media_type or "")
        body = stream.read(MAX_BODY_BYTES + 1)
        if len(body) > MAX_BODY_BYTES:
            raise RequestTooLarge(BODY_SIZE_RULE)
        note_bytes(len(body))
        return parse_json(body) if body.strip() else {}


def _refuse_charset(media_type: str) -> None:
    charset = re.search(r"charset\s*=\s*\"?([^\s;\"]*)", media_type, re.IGNORECASE)
    if charset and charset.group(1).lower() not in ("utf-8", "utf8"):
        raise UnsupportedMediaType("Content-Type: the charset must be UTF-8.")


class AlwaysJSON(DefaultContentNegotiation):
    """Reads and answers JSON only, whatever `Accept` asks for."""

    def select_parser(self, request: Request, parsers: Iterable[Any]) -> BaseParser | None:
        """Return the parser of exactly this type: the stock rule would treat `*/*` as JSON too."""
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        renderer = next(iter(renderers))
        return renderer, renderer.media_type


class JSONRenderer(BaseRenderer):
    """The only form in which `/v1` answers; the views write it (`core.responses`)."""

    media_type = "application/json"
    format = "json"
    charset = None
