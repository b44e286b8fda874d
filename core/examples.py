"""An example of every body in the reference, assembled from the words of its fields."""

from collections.abc import Collection, Mapping
from typing import Any

from core.spreadsheets import csv_text
from core.wording import operations, wording_of

_PREFIX = "#/components/schemas/"


def illustrate(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Add an example to each request and answer of an operation; a hook of the generator.

    An answer shows what the request beside it sends.
    """
    schemas = result["components"]["schemas"]
    for operation in operations(result):
        request = operation.get("requestBody", {})
        _illustrate(request, schemas)
        sent = request.get("content", {}).get("application/json", {}).get("example", ())
        for status, answer in operation["responses"].items():
            if status.startswith("2"):
                _illustrate(answer, schemas, also=sent)
    return result


def _illustrate(
    body: dict[str, Any], schemas: Mapping[str, Any], *, also: Collection[str] = ()
) -> None:
    kinds = body.get("content", {})
    for kind, content in kinds.items():
        content["example"] = (
            _file_of(kinds["application/json"]["schema"])
            if kind == "text/csv"
            else _example_of(content["schema"], schemas, also=also)
        )


def _example_of(
    shape: Mapping[str, Any], schemas: Mapping[str, Any], *, also: Collection[str] = ()
) -> Any:
    """Return an example of an object that the document names, or of a list of them.

    `also`: fields to show if the object has them, besides those it always has.
    """
    if "items" in shape:
        return [_example_of(shape["items"], schemas)]
    name = shape["$ref"].removeprefix(_PREFIX)
    schema = schemas[name]
    if "oneOf" in schema:
        return _example_of(schema["oneOf"][0], schemas)
    if "examples" in schema:
        return schema["examples"][0]
    wording = wording_of(name)
    shown = {*schema.get("required", []), *wording.shown.get(name, ()), *also}
    example = {}
    for field, inner in schema.get("properties", {}).items():
        if field in shown:
            example[field] = _value_of(inner, wording.of(name, field)[1], schemas)
    return example


def _file_of(shape: Mapping[str, Any]) -> str:
    """Return a list as a CSV file: its header line."""
    name = shape["$ref"].removeprefix(_PREFIX)
    return csv_text(wording_of(name).columns[name], [])


def _value_of(shape: Mapping[str, Any], usual: Any, schemas: Mapping[str, Any]) -> Any:
    if "$ref" in shape or "$ref" in shape.get("items", {}):
        return _example_of(shape, schemas)
    words = shape.get("enum", [])
    return words[0] if len(words) == 1 else usual
