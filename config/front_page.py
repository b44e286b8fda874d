"""The front page, at `/` and `/v1`: what this service is, and where its documentation is."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import patch_vary_headers

from core.json import dump_json

HTML = "text/html"


def front_page(request: HttpRequest) -> HttpResponse:
    """Answer a browser with a page, and any other client with JSON."""
    places = {
        "docs": f"{settings.BASE_URL}/docs",
        "openapi": f"{settings.BASE_URL}/v1/openapi.json",
    }
    if HTML in request.META.get("HTTP_ACCEPT", ""):
        staff = reverse("admin:index") if settings.DEVELOPMENT_MODE else ""
        context = {"service": settings.SERVICE_NAME, "staff": staff, **places}
        response = render(request, "front_page.html", context)
    else:
        body = dump_json({"service": settings.SERVICE_NAME, "version": "v1", **places})
        response = HttpResponse(body, content_type="application/json")
    patch_vary_headers(response, ["Accept"])
    return response
