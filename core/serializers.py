"""The two kinds of serializer: what comes in, and what goes out."""

from collections.abc import Callable, Container, Iterable, Mapping
from copy import copy
from functools import cache
from operator import attrgetter, itemgetter
from typing import Any, ClassVar, NamedTuple, Self

from django.db.models.manager import BaseManager
from rest_framework import serializers
from rest_framework.settings import api_settings

from core.errors import ApiError, InvalidAmount, InvalidRequest, ValidationFailed
from core.fields import as_it_is

_RULES = {"required": "is required", "null": "must not be null"}


class Input(serializers.Serializer[Any]):
    """A request body. Unknown fields are ignored; `unread_in` names them.

    A null counts as an absent field, except in `never_null`, where it is refused: leaving such a
    field out means everything, which an accidental null must not.
    """

    default_error_messages = {"invalid": "must be an object"}  # noqa: RUF012  # as the base has it
    never_null: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the valid values by field name.

        Raises InvalidRequest if the body is no object, InvalidAmount if an amount is at fault,
        ValidationFailed for any other field; `details` names each field and its rule.
        """
        if not isinstance(data, dict):
            raise InvalidRequest("The body must be a JSON object.")
        given = {
            name: value
            for name, value in data.items()
            if value is not None or name in cls.never_null
        }
        # Of twenty fields most bodies have five: those that are absent, and may be, are not looked
        # at. A default would be lost: none has one.
        return _validated(_parser_of(cls), given, looked_at=_required_in(cls) | given.keys())

    def to_internal_value(self, data: Any) -> Any:
        """Parse as the framework does; in an item of a list, too, a null counts as absent.

        Where a field is required, the null is refused as a value: an amount as InvalidAmount.
        """
        if self.root is not self and isinstance(data, dict):
            needed = _required_in(type(self))
            data = {
                name: value for name, value in data.items() if value is not None or name in needed
            }
        return super().to_internal_value(data)

    @classmethod
    def unread_in(cls, data: Mapping[str, Any]) -> dict[str, str]:
        """Return what is wrong with each field of a body that nothing reads."""
        unread: dict[str, str] = {}
        for name, value in data.items():
            field = cls._declared_fields.get(name)
            if field is None:
                unread[name] = "is unknown"
            elif isinstance(field, serializers.ListField) and isinstance(field.child, Input):
                unread |= _unread_in_items(name, type(field.child), value)
        return unread


class Change(Input):
    """A PATCH body: a field that cannot be changed is refused.

    `actions` names, for such a field, the address that has the effect which the caller may want.
    """

    actions: ClassVar[Mapping[str, str]] = {}

    @classmethod
    def parse(cls, data: Any) -> dict[str, Any]:
        """Return the values to change; an explicit null is kept, as None. Raises as Input does."""
        if not isinstance(data, dict):
            raise InvalidRequest("The body must be a JSON object.")
        parser = _parser_of(cls)
        fixed = {name: cls._refusal_of(name) for name in data if name not in parser.fields}
        if fixed:
            raise ValidationFailed(_sentence(fixed))
        # The parser of the framework's own partial updates would take incomplete items of a list.
        return _validated(parser, data, looked_at=data)

    @classmethod
    def _refusal_of(cls, name: str) -> str:
        action = cls.actions.get(name)
        remedy = f"there is {action}" if action else f"only {', '.join(_parser_of(cls).fields)} can"
        return f"cannot be changed; {remedy}"

    @classmethod
    def unread_in(cls, data: Mapping[str, Any]) -> dict[str, str]:
        """Return what nothing reads inside the items of a list: other fields are refused anyway."""
        known = {name: value for name, value in data.items() if name in cls._declared_fields}
        return super().unread_in(known)


def _unread_in_items(name: str, kind: type[Input], items: Any) -> dict[str, str]:
    return {
        f"{name}.{place}.{inner}": reason
        for place, item in enumerate(items if isinstance(items, list) else ())
        for inner, reason in (kind.unread_in(item) if isinstance(item, dict) else {}).items()
    }


@cache
def _parser_of(kind: type[Input]) -> Input:
    """Return the one parser of a kind: creating a serializer each time would copy every field."""
    parser = kind()
    parser.__dict__["fields"] = dict(parser.fields)
    return parser


@cache
def _required_in(kind: type[Input]) -> frozenset[str]:
    fields = _parser_of(kind).fields.items()
    return frozenset(name for name, field in fields if field.required)


def _validated(parser: Input, data: dict[str, Any], *, looked_at: Container[str]) -> dict[str, Any]:
    """Return the valid values of the fields that are looked at."""
    wanted = copy(parser)
    wanted.__dict__["fields"] = {
        name: field for name, field in parser.fields.items() if name in looked_at
    }
    try:
        return dict(wanted.run_validation(data))
    except serializers.ValidationError as error:
        raise refusal(error.detail) from None


class Output(serializers.Serializer[Any]):
    """A response body. Fields without a value, None or the empty text, are left out."""

    # A class's fields are resolved once, and each field object serves all requests: only methods
    # of the serializer may use the context. The values of an instance are read in one call.
    def to_representation(self, instance: Any) -> dict[str, Any]:
        read, parts = _parts_of(type(self), instance.__class__)
        values = [*read(instance), instance]
        shown = {}
        for name, place, write, in_context in parts:
            value = values[place]
            if value is not None and write is not None:
                value = write(self, value) if in_context else write(value)
            if value is not None and value != "":
                shown[name] = value
        return shown

    @classmethod
    def of(cls, instance: Any, **context: Any) -> dict[str, Any]:
        """Render one object as plain data."""
        return cls._with(context).to_representation(instance)

    @classmethod
    def each(cls, instances: Iterable[Any], **context: Any) -> list[dict[str, Any]]:
        """Render many objects with one serializer."""
        output = cls._with(context)
        return [output.to_representation(instance) for instance in instances]

    @classmethod
    def _with(cls, context: dict[str, Any]) -> Self:
        """Make a serializer that knows only its context: full set-up costs as much as rendering."""
        output = object.__new__(cls)
        output.__dict__["_context"] = context
        return output

    @property
    def context(self) -> dict[str, Any]:
        """The context to render with: always its own, as a nested output is made separately."""
        own: dict[str, Any] = self.__dict__["_context"]
        return own


class _Part(NamedTuple):
    """How one field of an output is produced: from which value, and how that is written."""

    name: str
    place: int
    write: Callable[..., Any] | None
    in_context: bool


_ReadAll = Callable[[Any], Iterable[Any]]


@cache
def _parts_of(kind: type[Output], of: type[Any]) -> tuple[_ReadAll, tuple[_Part, ...]]:
    """Return the fields of an output, and what reads their values from a row or mapping.

    What several fields show is read once.
    """
    places: dict[str, int] = {}
    parts = []
    for name, field in kind().fields.items():
        source = field.source or name
        place = -1 if source == "*" else places.setdefault(source, len(places))
        in_context = _in_context(field)
        parts.append(_Part(name, place, in_context or _plain(field), in_context is not None))
    reader = itemgetter if issubclass(of, Mapping) else attrgetter
    return _reader_of(list(places), reader), tuple(parts)


def _reader_of(sources: list[str], reader: Callable[..., Callable[[Any], Any]]) -> _ReadAll:
    if len(sources) > 1:
        return reader(*sources)
    return lambda instance: [reader(source)(instance) for source in sources]


def _plain(field: Any) -> Callable[[Any], Any] | None:
    """Return the function that writes a value by itself; None if it is written as it is."""
    write: Callable[[Any], Any] = field.to_representation
    return None if type(field).to_representation is as_it_is else write


def _in_context(field: Any) -> Callable[[Output, Any], Any] | None:
    """Return the function that writes a value given its output; None for a plain field."""
    if isinstance(field, serializers.SerializerMethodField):
        method: Callable[[Output, Any], Any] = getattr(type(field.parent), str(field.method_name))
        return method
    if isinstance(field, serializers.ListSerializer) and isinstance(field.child, Output):
        each = type(field.child).each
        return lambda output, values: each(_rows(values), **output.context)
    if hasattr(field, "in_context"):
        own: Callable[[Output, Any], Any] = field.in_context
        return own
    if isinstance(field, Output):
        of = type(field).of
        return lambda output, value: of(value, **output.context)
    return None


def _rows(values: Any) -> Iterable[Any]:
    return values.all() if isinstance(values, BaseManager) else values


def refusal(errors: Any) -> ApiError:
    """Turn a serializer's errors into the error of the contract."""
    flat = dict(_flatten("", errors))
    details = _sentence({name: _rule(error) for name, error in flat.items()})
    if any(getattr(error, "code", "") == "invalid_amount" for error in flat.values()):
        return InvalidAmount(details)
    return ValidationFailed(details)


def _rule(error: Any) -> str:
    return _RULES.get(getattr(error, "code", ""), str(error))


def _sentence(fields: dict[str, str]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in fields.items())


def _flatten(path: str, errors: Any) -> list[tuple[str, Any]]:
    pairs: Iterable[tuple[Any, Any]]
    if isinstance(errors, dict):
        pairs = errors.items()
    elif isinstance(errors, list) and any(isinstance(item, dict | list) for item in errors):
        pairs = enumerate(errors)
    else:
        return [(path or "body", errors[0] if isinstance(errors, list) else errors)]
    found: list[tuple[str, Any]] = []
    for name, item in pairs:
        if item:
            own = name == api_settings.NON_FIELD_ERRORS_KEY
            found += _flatten(path if own else f"{path}.{name}".removeprefix("."), item)
    return found
