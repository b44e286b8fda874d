"""Fill in the form of an act as a browser would, and send it."""

import re
from html import unescape
from typing import Any

from django.db.models import Model
from django.test import Client
from django.urls import reverse

from backoffice.registry import ADMINS

_FORM = re.compile(r'<form method="post" novalidate[^>]*>')
_INPUT = re.compile(r"<input[^>]*>")
_ATTRIBUTE = re.compile(r'(name|value|type)="([^"]*)"')


def address(model: type[Model], page: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}", args=args)


def acts_of(model: type[Model], row: Model) -> list[tuple[str, str]]:
    """Return the name and address of each act on a row of the model, and on its list."""
    admin = ADMINS[model]
    on_row = [(act.name, address(model, "act", row.pk, act.name)) for act in admin.row_actions]
    on_list = [(act.name, address(model, "list_act", act.name)) for act in admin.list_actions]
    return on_row + on_list


def page_of_act(row: Model, name: str) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_act", args=[row.pk, name])


def fields_of(html: str) -> dict[str, str]:
    """Return what the form of a page would send as it stands."""
    form = _FORM.split(html)[1].split("</form>")[0]
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
