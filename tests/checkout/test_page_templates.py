"""A page compiled with its base, blocks and includes inlined renders as Django would render it."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any
from unittest import mock

import pytest
from django.conf import settings as django_settings
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils import translation
from pytest_django import Settings

from checkout import page_templates
from checkout.page_templates import rendered_page

TEMPLATES = {
    "base": "<title>{% block title %}Nothing{% endblock %}</title>"
    "{% if wide %}<b>{% block inside %}-{% endblock %}</b>{% endif %}"
    "{% block main %}{% endblock %}",
    "middle": "{% extends 'base' %}{% load i18n checkout %}"
    "{% block main %}[{% block part %}middle{% endblock %}]{% endblock %}",
    "page": "{% extends 'middle' %}{% load i18n checkout %}"
    "{% block title %}{% translate 'Show' %} {{ name }}{% endblock %}"
    "{% block inside %}{% include 'included' %}{% endblock %}"
    "{% block part %}{% include 'included' with name='x' %}{{ name }}{% endblock %}",
    "included": "{% load i18n checkout %}{% translate 'Show' %}{% if name == 'x' %}!{% endif %}",
}


@pytest.fixture(autouse=True)
def templates(settings: Settings) -> Iterator[None]:
    changed: Any = deepcopy(django_settings.TEMPLATES)
    changed[0]["APP_DIRS"] = False
    loaders = [("django.template.loaders.locmem.Loader", TEMPLATES)]
    changed[0]["OPTIONS"]["loaders"] = [("django.template.loaders.cached.Loader", loaders)]
    settings.TEMPLATES = changed
    page_templates._page.cache_clear()
    yield
    page_templates._page.cache_clear()


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("name", ["page", "middle", "base", "included"])
def test_it_is_what_django_renders(name: str, wide: bool, language: str) -> None:
    request, values = RequestFactory().get("/"), {"wide": wide, "name": "<Ann>"}

    with translation.override(language):
        once, again = (rendered_page(name, request, values) for _ in range(2))
        assert once == again == render_to_string(name, values, request)


def test_a_page_is_compiled_once() -> None:
    request = RequestFactory().get("/")
    first = rendered_page("page", request, {"wide": True, "name": "Ann"})

    with mock.patch("checkout.page_templates.get_template", side_effect=AssertionError):
        second = rendered_page("page", request, {"wide": True, "name": "<Bob>"})

    assert first == "<title>Show Ann</title><b>Show</b>[Show!Ann]"
    assert second == "<title>Show &lt;Bob&gt;</title><b>Show</b>[Show!&lt;Bob&gt;]"
