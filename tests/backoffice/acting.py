"""Fill in the form of an act as a browser would, and send it."""

import re
from html import unescape
from typing import Any

from django.db.models import Model
from django.test import Client
from django.urls import reverse

_INPUT = re.compile(r"<input[^>]*>")
_ATTRIBUTE = re.compile(r'(name|value|type)="([^"]*)"')


def page_of_act(row: Model, name: str) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_act", args=[row.pk, name])


def fields_of(html: str) -> dict[str, str]:
    """Return what the form of a page would send as it stands."""
    form = html.split('<form method="post" novalidate>')[1].split("</form>")[0]
    fields = {}
    for tag in _INPUT.findall(form):
        attributes = dict(_ATTRIBUTE.findall(tag))
        if "name" in attributes and attributes.get("type") != "checkbox":
            fields[attributes["name"]] = unescape(attributes.get("value", ""))
    return fields


def act(browser: Client, row: Model, name: str, /, **values: Any) -> Any:
    """Open the form of an act, fill it in, and send it."""
    page = page_of_act(row, name)
    opened = browser.get(page)
    assert opened.status_code == 200, opened
    return browser.post(page, fields_of(opened.content.decode()) | values)
