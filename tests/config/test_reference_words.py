"""GET /v1/openapi.json: nothing in it is without words or without an example."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from core.reference import errors
from webhooks.event_types import EventType

LONGEST_EXPLAINED = 12  # a longer enumeration explains itself, or has a chapter of its own
OPEN = {"createMerchant", "getPublicPaymentLink"}
NOTES_TO_OURSELVES = re.compile(r"\b(context|serializer|queryset|SPEC|caller|transaction open)\b")


@pytest.fixture(scope="module")
def document(openapi: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(openapi)
    return found


@pytest.fixture(scope="module")
def operations(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Every operation by its method and path."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def schemas(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = document["components"]["schemas"]
    return found


def fields(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, schema in schemas(document).items():
        for field, shape in schema.get("properties", {}).items():
            yield f"{name}.{field}", shape


def parameters(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from document["components"]["parameters"].items()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for parameter in operation.get("parameters", []):
                yield f"{method} {path} {parameter['name']}", parameter


def is_valid(value: Any, schema: dict[str, Any], document: dict[str, Any]) -> bool:
    whole = schema | {"components": document["components"]}
    return bool(Draft202012Validator(whole).is_valid(value))


def test_every_object_and_field_has_words(document: dict[str, Any]) -> None:
    objects = [name for name, schema in schemas(document).items() if not schema["description"]]

    assert [*objects, *(name for name, one in fields(document) if not one["description"])] == []


def test_every_parameter_has_words(document: dict[str, Any]) -> None:
    assert [name for name, each in parameters(document) if not each.get("description")] == []


def test_every_value_of_an_enumeration_is_explained(document: dict[str, Any]) -> None:
    bare = [
        f"{name}: {value}"
        for name, shape in fields(document)
        for value in shape.get("enum", [])
        if len(shape["enum"]) <= LONGEST_EXPLAINED and f"`{value}`" not in shape["description"]
    ]

    assert bare == []


def test_it_has_no_notes_to_ourselves(document: dict[str, Any]) -> None:
    texts = [shape["description"] for _, shape in fields(document)]
    texts += [schema["description"] for schema in schemas(document).values()]

    assert [text for text in texts if NOTES_TO_OURSELVES.search(text)] == []


def test_every_body_has_an_example_that_fits_its_schema(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    requests = {name: op["requestBody"] for name, op in operations.items() if "requestBody" in op}
    answers = {
        f"{name} {status}": answer
        for name, operation in operations.items()
        for status, answer in operation["responses"].items()
        if status < "400"
    }
    events = {name: op["post"]["requestBody"] for name, op in document["webhooks"].items()}

    assert len(answers) == len(operations)
    for name, body in (requests | answers | events).items():
        content = body["content"]["application/json"]
        assert content["example"], name
        assert is_valid(content["example"], content["schema"], document), name


def test_an_answer_shows_what_the_request_beside_it_sends(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    shown = 0
    for name, operation in operations.items():
        answer = next(body for status, body in operation["responses"].items() if status < "400")
        content = answer["content"]["application/json"]
        known = schemas(document)[content["schema"].get("$ref", "").rpartition("/")[2]]
        request = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        for field in request.get("example", {}).keys() & known.get("properties", {}).keys():
            assert field in content["example"], (name, field)
            shown += 1
    assert shown


def test_a_wrong_example_would_be_noticed(document: dict[str, Any]) -> None:
    schema = {"$ref": "#/components/schemas/RefundOutput"}

    assert not is_valid({"id": "ref_1", "amount": "5"}, schema, document)


def test_every_code_is_named_and_shown(document: dict[str, Any]) -> None:
    codes = {error.code for error in errors()}
    shown = {
        code: example["value"]
        for refusal in document["components"]["responses"].values()
        for code, example in refusal["content"]["application/json"]["examples"].items()
    }

    assert set(schemas(document)["Error"]["properties"]["code"]["enum"]) == codes
    assert set(shown) == codes
    for code, value in shown.items():
        assert value["code"] == code
        assert is_valid(value, {"$ref": "#/components/schemas/Error"}, document)


def test_an_event_is_told_by_its_type(document: dict[str, Any]) -> None:
    union = schemas(document)["EventOutput"]
    mapping = union["discriminator"]["mapping"]

    assert list(mapping) == EventType.values
    assert [one["$ref"] for one in union["oneOf"]] == list(mapping.values())
    for event_type, path in mapping.items():
        schema = schemas(document)[path.rpartition("/")[2]]
        assert schema["properties"]["type"]["enum"] == [event_type]


def test_operations_have_short_names_and_one_tag_each(
    document: dict[str, Any], operations: dict[str, dict[str, Any]]
) -> None:
    names = [operation["operationId"] for operation in operations.values()]
    tags = {tag["name"] for tag in document["tags"]}
    received = [methods["post"] for methods in document["webhooks"].values()]

    assert {"createPayment", "listPayments", "getPayment", "updatePayment"} < set(names)
    names += [operation["operationId"] for operation in received]
    assert len(names) == len(set(names))
    assert [name for name in names if not re.fullmatch("[a-z]+([A-Z][a-z]+){1,4}", name)] == []
    assert {tag for operation in operations.values() for tag in operation["tags"]} == tags - {
        "Webhook events"
    }
    assert {tag for operation in received for tag in operation["tags"]} == {"Webhook events"}
    assert all(len(operation["tags"]) == 1 for operation in operations.values())


def test_it_says_where_no_key_is_needed(operations: dict[str, dict[str, Any]]) -> None:
    without = {op["operationId"] for op in operations.values() if op["security"] == []}

    assert without == OPEN
