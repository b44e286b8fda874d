"""Pictures and paper: QR codes, posters, a merchant's colour as a stylesheet."""

from urllib.parse import urlsplit

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.cache import patch_cache_control
from django.views.decorators.http import require_safe

from checkout.branding import normal_color, stylesheet
from checkout.headers import immutable
from checkout.languages import choose_language
from checkout.models import Logo
from checkout.payment_view import Payee, payee_of
from checkout.posters import SIZES, Poster, poster_sheet
from checkout.shapes import as_pdf, as_svg
from core import qr
from core.formats import money
from links.models import PaymentLink
from payments.models import Payment

IMAGES = {"png": (qr.png, "image/png"), "svg": (qr.svg, "image/svg+xml")}
PAPERS = {"pdf": (as_pdf, "application/pdf"), "svg": (as_svg, "image/svg+xml")}


@require_safe
def payment_qr(request: HttpRequest, payment_id: str, form: str) -> HttpResponse:
    """Draw the address of a payment. It never changes, so it may be kept for ever."""
    payment = Payment.objects.filter(pk=payment_id).only("id").first()
    if payment is None:
        raise Http404
    draw, content_type = IMAGES[form]
    return immutable(draw(f"{settings.BASE_URL}{payment.hosted_url}"), content_type)


@require_safe
def payment_poster(request: HttpRequest, payment_id: str, size: str, form: str) -> HttpResponse:
    """Draw the poster of a counter."""
    payment = Payment.objects.select_related("merchant").filter(pk=payment_id).first()
    if payment is None or not payment.is_counter:
        raise Http404
    address = f"{settings.CHECKOUT_URL}{payment.hosted_url}"
    return _poster(request, payment, payee_of(payment.merchant), address, size, form)


@require_safe
def link_poster(
    request: HttpRequest, merchant_slug: str, link_id: str, size: str, form: str
) -> HttpResponse:
    """Draw the poster of a payment link."""
    links = PaymentLink.objects.select_related("merchant")
    link = links.filter(pk=link_id, merchant__slug=merchant_slug).first()
    if link is None:
        raise Http404
    return _poster(request, link, payee_of(link.merchant), link.url, size, form)


@require_safe
def logo(request: HttpRequest, merchant_id: str, digest: str) -> HttpResponse:
    """Answer with a merchant's logo, at an address that changes with the picture."""
    found = Logo.objects.filter(merchant_id=merchant_id, digest=digest).first()
    if found is None:
        raise Http404
    return immutable(bytes(found.png), "image/png")


@require_safe
def brand(request: HttpRequest, color: str) -> HttpResponse:
    """Answer with the stylesheet of a colour, the same for ever."""
    if color != normal_color(color):
        raise Http404
    return immutable(stylesheet(color).encode(), "text/css; charset=utf-8")


def _poster(
    request: HttpRequest,
    source: Payment | PaymentLink,
    payee: Payee,
    address: str,
    size: str,
    form: str,
) -> HttpResponse:
    if size not in SIZES:
        raise Http404
    choose_language(request)
    poster = Poster(
        payee=payee.name,
        modules=qr.modules(address),
        host=urlsplit(address).netloc,
        service=settings.SERVICE_NAME,
        color=payee.brand_color,
        amount=money(source.amount, source.currency) if source.amount else "",
        description=source.description,
        livemode=source.livemode,
    )
    write, content_type = PAPERS[form]
    name = f"poster-{size}-{source.id}.{form}"
    response = HttpResponse(write(poster_sheet(poster, size)), content_type=content_type)
    response["Content-Disposition"] = f'inline; filename="{name}"'
    patch_cache_control(response, private=True, max_age=60)
    return response
