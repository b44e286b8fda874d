"""The OpenAPI document: what every operation shares, and the schemas of our own fields."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from inspect import cleandoc
from typing import Any, TypeVar

from django.conf import settings
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import (
    OpenApiParameter,
    OpenApiResponse,
    extend_schema,
    inline_serializer,
)
from rest_framework import serializers

from core import fields
from core.idempotency import REPLAYED
from core.limits import MAX_EMAIL, MAX_METADATA_KEYS, MAX_METADATA_VALUE, MAX_URL
from core.operations import ACCEPTED_INPUTS, STRICT, WARNING, AcceptedInput
from core.queries import Filter
from core.query_parameters import FILE_LIMIT, PAGE_PARAMETERS, parameter_of
from core.serializers import Input
from core.wording import operations

_View = TypeVar("_View", bound=Callable[..., Any])

# How operation ids name a viewset's methods; any other method keeps its name.
VERBS = {"retrieve": "get", "partial_update": "update", "destroy": "delete"}


class Error(serializers.Serializer[Any]):
    """The body of every error response."""

    error = serializers.CharField(help_text="What happened, as a sentence for people.")
    code = serializers.CharField(help_text="What happened, as a code for programs: see Errors.")
    details = serializers.CharField(
        allow_blank=True, help_text="Names each invalid field and what it must be; often empty."
    )


REFUSALS = {
    400: "The request could not be understood.",
    401: "No valid API key.",
    403: "The API key does not have the required scope.",
    404: "No such object for this API key.",
    405: "The method is not allowed here.",
    409: "Another request is using the object: try again.",
    413: "The body is larger than [[body_kib]] KiB.",
    415: "The body is not application/json in UTF-8.",
    422: "Understood, but refused: a value is invalid, or the object's state does not allow it.",
    429: "Too many requests.",
    500: "An unexpected failure.",
    503: "The service cannot answer right now.",
}


def operation(
    summary: str,
    *,
    response: type[serializers.Serializer[Any]] | serializers.Serializer[Any],
    request: type[Input] | None = None,
    status: int = 200,
    parameters: Mapping[str, Filter] | None = None,
    open_to_all: bool = False,
    operation_id: str | None = None,
) -> Callable[[_View], _View]:
    """Describe one operation, which accepts nothing beyond this description.

    `parameters` maps each query parameter to what it takes. The operation's id follows from the
    action and its viewset's resource, unless `operation_id` gives it.
    """
    refusals = {
        code: OpenApiResponse(Error, description=text)
        for code, text in REFUSALS.items()
        if not (open_to_all and code in (401, 403))
    }
    described = extend_schema(
        operation_id=operation_id,
        summary=summary,
        request=request,
        responses={status: response, **_files(status, parameters or {}), **refusals},
        parameters=[parameter_of(name, one) for name, one in (parameters or {}).items()],
    )
    return _accepting(AcceptedInput(tuple(parameters or ()), request), described)


def _files(status: int, parameters: Mapping[str, Filter]) -> dict[Any, Any]:
    """Describe the CSV answer of an operation that offers one."""
    rows = OpenApiResponse(str, description="One object per line, after a header line.")
    return {(status, "text/csv"): rows} if "format" in parameters else {}


def listing(
    summary: str,
    *,
    item: type[serializers.Serializer[Any]],
    key: str,
    filters: Mapping[str, Filter] | None = None,
    operation_id: str | None = None,
) -> Callable[[_View], _View]:
    """Describe a list: its page parameters, filters and the object around its items."""
    page = _page_of(item, key)
    described = operation(summary, response=page, parameters=filters, operation_id=operation_id)
    as_file = [FILE_LIMIT] if "format" in (filters or {}) else []
    paged = extend_schema(parameters=[*PAGE_PARAMETERS, *as_file])
    names = (*(one.name for one in PAGE_PARAMETERS), *(filters or {}))
    return _accepting(AcceptedInput(names), lambda view: paged(described(view)))


def _accepting(
    accepted: AcceptedInput, described: Callable[[_View], _View]
) -> Callable[[_View], _View]:
    def decorate(view: _View) -> _View:
        done = described(view)
        ACCEPTED_INPUTS[done] = accepted
        return done

    return decorate


@lru_cache
def _page_of(item: type[serializers.Serializer[Any]], key: str) -> serializers.Serializer[Any]:
    return inline_serializer(
        f"{item.__name__.removesuffix('Output')}List",
        {
            key: item(many=True),
            "total": serializers.IntegerField(),
            "limit": serializers.IntegerField(),
            "offset": serializers.IntegerField(),
            "has_more": serializers.BooleanField(
                help_text="Whether there are older objects after this page."
            ),
        },
    )


_IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key",
    {"type": "string", "minLength": 1, "maxLength": 255},
    OpenApiParameter.HEADER,
    description="A repeated request with the same key gets the stored response, for [[key_kept]] "
    "unless the description says otherwise.",
)


_STRICT = OpenApiParameter(
    STRICT,
    {"type": "string", "enum": ["true", "false"]},
    OpenApiParameter.HEADER,
    description="With `true`, an ignored field is refused with 422 instead: send it in tests.",
)
_WARNING = OpenApiParameter(
    WARNING,
    str,
    OpenApiParameter.HEADER,
    response=[200, 201],
    description="Names each body field that was ignored: unknown, or of a different mode.",
)
_REPLAYED = OpenApiParameter(
    REPLAYED,
    {"type": "string", "enum": ["true"]},
    OpenApiParameter.HEADER,
    response=[200, 201],
    description="`true` if this is the stored response to an earlier request with the same key.",
)
_LOCATION = OpenApiParameter(
    "Location",
    str,
    OpenApiParameter.HEADER,
    response=[201],
    description="The path of what was created.",
)


class Schema(AutoSchema):
    """Adds what all operations share: the headers of a POST, one tag per resource."""

    view: Any  # a viewset of ours: its `resource` names what it serves

    def _is_list_view(self, serializer: Any = None) -> bool:
        return False  # a list is an object around its items, described as such

    def get_operation_id(self) -> str:
        """Return a name that generated clients can call a function: `createPaymentLink`."""
        action = self.view.action
        resource = plural(self.view.resource) if action == "list" else self.view.resource
        first, *others = f"{VERBS.get(action, action)} {resource}".split()
        return first + "".join(map(str.capitalize, others))

    def _map_serializer_field(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Return a field's schema with each type once: the package adds a list's null twice."""
        schema: dict[str, Any] = super()._map_serializer_field(*args, **options)  # type: ignore[no-untyped-call]  # the package has no types here
        if isinstance(types := schema.get("type"), list):
            schema["type"] = list(dict.fromkeys(types))
        return schema

    def get_description(self) -> str:  # type: ignore[override]  # the stub knows DRF's own only
        """Return the docstring of the view's method, never that of its class."""
        method = getattr(self.view, getattr(self.view, "action", "") or self.method.lower(), None)
        return cleandoc(method.__doc__ or "") if method else ""

    def get_override_parameters(self) -> list[Any]:
        if self.method != "POST":
            return []
        return [_IDEMPOTENCY_KEY, _STRICT, _WARNING, _REPLAYED, _LOCATION]

    def get_auth(self) -> list[dict[str, list[str]]]:
        if not self.view.get_authenticators():
            return []
        return [{"apiKey": []}, {}] if settings.DEVELOPMENT_MODE else [{"apiKey": []}]

    def get_tags(self) -> list[str]:
        return [_capitalized(plural(self.view.resource))]


def plural(noun: str) -> str:
    """Return the plural of a resource's name."""
    ends_in_ies = noun.endswith("y") and not noun.endswith("ey")
    return f"{noun.removesuffix('y')}ies" if ends_in_ies else f"{noun}s"


def _capitalized(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def key_needed(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Declare that an operation without a key needs none; a hook of the generator."""
    for each in operations(result):
        each.setdefault("security", [])
    return result


def _integer(field: Any) -> dict[str, Any]:
    return {"type": "integer", "minimum": field.min_value, "maximum": field.max_value}


def _text(field: Any) -> dict[str, Any]:
    schema = {"type": "string", "minLength": field.min_length, "maxLength": field.max_length}
    return schema | ({"pattern": f"^{field.pattern}$"} if field.pattern else {})


def _web_url(field: Any) -> dict[str, Any]:
    url = {"type": "string", "format": "uri", "maxLength": MAX_URL}
    return {"anyOf": [url, {"const": ""}]} if field.or_empty else url


def _metadata(field: Any) -> dict[str, Any]:
    values = [
        {"type": "string", "maxLength": MAX_METADATA_VALUE},
        {"type": "number"},
        {"type": "boolean"},
        {"type": "null"},
    ]
    return {
        "type": "object",
        "maxProperties": MAX_METADATA_KEYS,
        "additionalProperties": {"anyOf": values},
    }


SCHEMAS: dict[type, Callable[[Any], dict[str, Any]]] = {
    fields.StrictIntegerField: _integer,
    fields.StrictBooleanField: lambda _: {"type": "boolean"},
    fields.TextField: _text,
    fields.OneOfField: lambda field: {"type": "string", "enum": list(field.allowed)},
    fields.CurrencyField: lambda _: {"type": "string", "pattern": "^[A-Z]{3}$"},
    fields.EmailTextField: lambda _: {"type": "string", "format": "email", "maxLength": MAX_EMAIL},
    fields.WebUrlField: _web_url,
    fields.DateField: lambda _: {"type": "string", "format": "date"},
    fields.InstantField: lambda _: {"type": "string", "format": "date-time"},
    fields.MetadataField: _metadata,
}


class FieldSchema(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]  # untyped library
    """The schemas of our own fields; any other field keeps its default schema."""

    target_class = "rest_framework.fields.Field"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        for kind in type(self.target).__mro__:
            if kind in SCHEMAS:
                return SCHEMAS[kind](self.target)
        schema: dict[str, Any] = auto_schema._map_serializer_field(
            self.target, direction, bypass_extensions=True
        )
        return schema
