"""What the OpenAPI document promises, but for its words, is what `contract.txt` has of it.

A field, a limit or a parameter that changes by mistake changes nothing that another test looks at.
One that is meant to is declared with `DECLARE_CONTRACT=1`: see docs/contributing.md.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from webhooks.event_schemas import sample_event
from webhooks.samples import samples

CONTRACT = Path(__file__).with_name("contract.txt")
EVENTS = Path(__file__).with_name("event_samples.txt")
WORDS = {"description", "summary", "example", "examples", "title"}


def test_the_document_promises_what_is_declared(openapi: str) -> None:
    promised = list(_lines(json.loads(openapi)))
    if "DECLARE_CONTRACT" in os.environ:
        CONTRACT.write_text("".join(f"{line}\n" for line in promised))

    assert promised == CONTRACT.read_text().splitlines()


def test_the_samples_that_are_sent_as_test_events_are_declared() -> None:
    sent = [json.dumps(sample_event(each, data)) for each, data in samples().items()]
    if "DECLARE_CONTRACT" in os.environ:
        EVENTS.write_text("".join(f"{line}\n" for line in sent))

    assert sent == EVENTS.read_text().splitlines()


def test_each_event_and_all_that_it_says_is_described(openapi: str) -> None:
    schemas = json.loads(openapi)["components"]["schemas"]
    events = {name: of for name, of in schemas.items() if name.endswith("Event")}
    data = {name: schemas[name.removesuffix("Event") + "Data"] for name in events}

    assert len(events) == 21
    for schema in (*events.values(), *data.values()):
        assert all(each["description"] for each in (schema, *schema["properties"].values()))


def _lines(document: Any) -> Iterator[str]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield from _of_operation(f"{method} {path}", operation)
    for event, item in document["webhooks"].items():
        yield from _of_operation(f"webhook {event}", item["post"])
    for name, schema in document["components"]["schemas"].items():
        yield from _of_schema(name, schema)


def _of_operation(name: str, operation: Any) -> Iterator[str]:
    for parameter in operation.get("parameters", ()):
        yield f"{name} {_text(parameter)}"
    yield f"{name} takes {_text(operation.get('requestBody'))}"
    for status, response in operation["responses"].items():
        if "$ref" not in response:  # an error's, which is the same everywhere
            yield f"{name} answers {status} {_text(response)}"


def _of_schema(name: str, schema: Any) -> Iterator[str]:
    fields = schema.get("properties", {})
    yield f"{name} {_text({key: of for key, of in schema.items() if key != 'properties'})}"
    for field, rules in fields.items():
        yield f"{name}.{field} {_text(rules)}"


def _text(node: Any) -> str:
    return json.dumps(_without_words(node), sort_keys=True, ensure_ascii=False)


def _without_words(node: Any) -> Any:
    """Return a part of the document without its words; a field may be called as they are."""
    if isinstance(node, list):
        return [_without_words(child) for child in node]
    if not isinstance(node, dict):
        return node
    return {
        key: {name: _without_words(rules) for name, rules in child.items()}
        if key == "properties"
        else _without_words(child)
        for key, child in node.items()
        if key not in WORDS
    }
