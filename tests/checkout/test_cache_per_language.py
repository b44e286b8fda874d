"""Parts of a page are cached per language, with placeholders for the values that change."""

from collections.abc import Iterator
from typing import Any
from unittest import mock

import pytest
from django.template import engines
from django.utils import translation


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    with translation.override("en"):
        yield


def template(text: str) -> Any:
    return engines["django"].from_string(f"{{% load i18n checkout %}}{text}")


def test_its_contents_are_rendered_once_and_its_values_each_time() -> None:
    page = template(
        "{% cache_per_language with path=path %}100 % of {{ path }}, {{ other }}"
        "{% endcache_per_language %}"
    )

    assert page.render({"path": "/a", "other": "first"}) == "100 % of /a, first"
    assert page.render({"path": "/b", "other": "second"}) == "100 % of /b, first"


def test_its_values_are_escaped_and_put_nowhere_else() -> None:
    page = template(
        "{% cache_per_language with name=name sum=sum %}<b>{{ name }}</b>{{ sum }}"
        "{% endcache_per_language %}"
    )

    shown = page.render({"name": "<i>%(sum)s\0sum\0{{ sum }}", "sum": "B$1"})

    assert shown == "<b>&lt;i&gt;%(sum)s\0sum\0{{ sum }}</b>B$1"


def test_a_sentence_is_cached_per_language_and_its_values_inserted() -> None:
    page = template(
        "{% blocktranslate with sum=amount name=shop %}Pay {{ sum }} to {{ name }}"
        "{% endblocktranslate %}"
    )

    assert page.render({"amount": "B$1", "shop": "<Ann>"}) == "Pay B$1 to &lt;Ann&gt;"
    assert page.render({"amount": "B$2", "shop": "50 %"}) == "Pay B$2 to 50 %"
    with translation.override("fr"):
        assert page.render({"amount": "2 B$", "shop": "Ann"}) == "Payer 2 B$ à Ann"


def test_a_sentence_is_looked_up_once_in_each_language() -> None:
    page = template("{% blocktranslate with sum=sum %}Pay {{ sum }}{% endblocktranslate %}")
    page.render({"sum": "B$1"})

    with mock.patch("django.utils.translation.gettext", side_effect=AssertionError):
        assert page.render({"sum": "B$2"}) == "Pay B$2"


@pytest.mark.parametrize(
    ("sentence", "rendered"),
    [
        ("{% blocktranslate %}Pay {{ sum }}{% endblocktranslate %}", ["Pay 1", "Pay 2"]),
        (
            "{% blocktranslate count n=sum %}{{ n }} item{% plural %}{{ n }} items"
            "{% endblocktranslate %}",
            ["1 item", "2 items"],
        ),
        (
            "{% blocktranslate with sum=sum asvar words %}Pay {{ sum }}{% endblocktranslate %}"
            "<{{ words }}>",
            ["<Pay 1>", "<Pay 2>"],
        ),
    ],
)
def test_other_sentences_are_left_to_django(sentence: str, rendered: list[str]) -> None:
    page = template(sentence)

    assert [page.render({"sum": number}) for number in (1, 2)] == rendered


def test_an_include_is_looked_up_once_and_rendered_with_its_values() -> None:
    page = template("{% include 'checkout/_payee.html' with payee=shop %}{{ payee }}")
    first = page.render({"shop": {"initials": "A"}})

    with mock.patch("django.template.engine.Engine.find_template", side_effect=AssertionError):
        second = page.render({"shop": {"initials": "<B>"}})

    assert first == '<span class="face" aria-hidden="true">A</span>\n'
    assert second == '<span class="face" aria-hidden="true">&lt;B&gt;</span>\n'


def test_an_include_named_by_a_value_is_left_to_django() -> None:
    page = template("{% include name %}")

    assert "<dl" in page.render({"name": "checkout/_rows.html"})
    assert "<svg" in page.render({"name": "checkout/_mark.html"})
