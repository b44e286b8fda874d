"""The pages of `manage.py preview`: all screens side by side, and a single one."""

from csp.constants import SELF, UNSAFE_INLINE
from csp.decorators import csp_replace, csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import path
from django.views.decorators.clickjacking import xframe_options_sameorigin

from checkout.languages import choose_language
from checkout.page_templates import rendered_page
from checkout.pages import FIGURES
from core.clock import request_now
from core.pictures import qr_code_of
from sandbox.screen_samples import SALE, in_language
from sandbox.screens import SCREENS

SERVICE_NAME = "Lagoon Pay"
WIDTHS = (360, 390, 820, 1280)


@csp_update({"frame-src": [SELF], "style-src": [UNSAFE_INLINE]})
def sheet(request: HttpRequest) -> HttpResponse:
    """Show all screens in frames, in a language and width; `of` filters them by name."""
    asked = request.GET.get("width", "")
    width = int(asked) if asked in map(str, WIDTHS) else WIDTHS[0]
    code = request.GET.get("lang", "")
    context = {
        "names": [name for name in SCREENS if request.GET.get("of", "") in name],
        "language": code if code in dict(settings.LANGUAGES) else settings.LANGUAGE_CODE,
        "languages": settings.LANGUAGES,
        "width": width,
        "widths": WIDTHS,
    }
    return render(request, "sandbox/screens.html", context)


@csp_replace({"frame-ancestors": [SELF]})  # type: ignore[arg-type]  # its types know no path
@xframe_options_sameorigin
def screen(request: HttpRequest, name: str) -> HttpResponse:
    """Show one screen, in the language of `?lang=`. Requires no permission and no sign-in."""
    if name not in SCREENS:
        raise Http404
    choose_language(request)
    template, context = SCREENS[name]()
    payment_view = context.get("payment_view")
    common = {
        "service_name": SERVICE_NAME,
        "livemode": False,
        "languages": settings.LANGUAGES,
        "now": request_now(),
        "figures": FIGURES,
        "brand_color": payment_view.payee.brand_color if payment_view else "",
    }
    content = rendered_page(f"checkout/{template}.html", request, common | in_language(context))
    return HttpResponse(content)


def code(request: HttpRequest) -> HttpResponseBase:
    """Return the QR code of the sample payment, which is not in the database."""
    return qr_code_of(request, SALE.address, "svg")


urlpatterns = [
    path("preview", sheet),
    path("preview/<slug:name>", screen),
    path(f"checkout/{SALE.id}/qr.svg", code),
]
