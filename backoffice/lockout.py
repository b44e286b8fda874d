"""The page of a sign-in that is locked for a while after too many wrong passwords."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from backoffice.site import office


def locked_page(
    request: HttpRequest, response: HttpResponse | None, credentials: dict[str, Any] | None
) -> HttpResponse:
    """Return the page for any attempt, right or wrong. django-axes calls this."""
    context = {**office.each_context(request), "title": "Too many wrong passwords"}
    return render(request, "admin/backoffice/locked.html", context, status=429)
