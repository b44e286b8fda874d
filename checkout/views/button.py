"""The button of a payment link on a merchant's site: its script, and the payment that it starts.

Open to any site: reveals nothing about the visitor and reads no cookie. Knowing the returned
payment's id is the permission to see it.
"""

from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from checkout.browser_session import BrowserSession
from checkout.headers import open_to_all_sites, uncacheable_json
from checkout.languages import choose_language
from checkout.new_payments import start_through_link
from checkout.opening_limits import count_opening
from core import qr
from core.client_address import client_address, network_of
from core.clock import request_now
from core.errors import ApiError
from core.formats import money
from core.handler import api_error, json_error
from core.pictures import with_etag
from core.throttling import ADDRESS_LIMITS, consume
from links.models import PaymentLink

SCRIPT = "checkout/button.js"
_HEADERS = {
    "Cache-Control": "public, max-age=3600",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@require_safe
def button_script(request: HttpRequest) -> HttpResponseBase:
    """Return the script, at a permanent URL that merchants embed."""
    response = HttpResponse(_script(), content_type="text/javascript", headers=_HEADERS)
    return with_etag(request, open_to_all_sites(response))


@csrf_exempt
@require_POST
def press_button(request: HttpRequest, merchant_slug: str, link_id: str) -> HttpResponse:
    """Open a payment through the link, for the script that shows it."""
    choose_language(request)
    try:
        consume(ADDRESS_LIMITS, f"pages {network_of(client_address(request))}")
        link = PaymentLink.objects.at(merchant_slug).one(link_id)
        count_opening(link_id, BrowserSession(), client_address(request))
        payment_id = start_through_link(link_id=link_id, key="", amount=None, now=request_now())
    except ApiError as error:
        return open_to_all_sites(json_error(error))
    except Exception as error:  # the edge of the process
        return open_to_all_sites(json_error(api_error(error)))
    return open_to_all_sites(uncacheable_json(_started(link, payment_id)))


def _started(link: PaymentLink, payment_id: str) -> dict[str, object]:
    rows = qr.modules(f"{settings.BASE_URL}/checkout/{payment_id}")
    sum_ = money(link.amount or 0, link.currency)
    return {
        "payment_id": payment_id,
        "checkout_url": f"{settings.CHECKOUT_URL}/checkout/{payment_id}",
        "qr": {"size": len(rows), "path": _path(rows)},
        "words": {
            "title": _("Pay %(sum)s") % {"sum": sum_},
            "scan": _("Point your phone's camera at this code."),
            "code": _("QR code that opens the payment"),
            "here": _("Pay on this device"),
            "close": _("Close"),
        },
    }


def _path(rows: list[list[bool]]) -> str:
    """Return the dark modules as one SVG path, with a square each."""
    squares = (
        f"M{x} {y}h1v1h-1z"
        for y, row in enumerate(rows)
        for x, is_dark in enumerate(row)
        if is_dark
    )
    return "".join(squares)


@cache
def _script() -> bytes:
    return (Path(settings.STATICFILES_DIRS[0]) / SCRIPT).read_bytes()
