"""Images and printables: QR codes, posters, logos, and a merchant's colour as a stylesheet."""

from datetime import datetime
from functools import cache, lru_cache

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.cache import patch_cache_control
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from checkout.branding import normal_color, stylesheet
from checkout.error_pages import StoppedPage
from checkout.languages import choose_language
from checkout.models import Logo
from checkout.payment_view import payee_of
from checkout.receipts import logo_of
from core.clock import request_now
from core.errors import ApiError
from core.formats import money
from core.pictures import CODES_KEPT, immutable_response, qr_code_of, with_etag
from core.prepared import Placeholder, PreparedValues
from links.models import PaymentLink
from links.services import refuse_closed
from payments.counters import refuse_closed_counter
from payments.models import Payment

PAPER_TYPES = {"pdf": "application/pdf", "svg": "image/svg+xml"}


@require_safe
def payment_qr(request: HttpRequest, payment_id: str, form: str) -> HttpResponseBase:
    """Return the QR code of a payment's URL, which never changes and is cached for ever."""
    return qr_code_of(request, _address_of(payment_id), form)


@lru_cache(CODES_KEPT)
def _address_of(payment_id: str) -> str:
    """Return the URL of a payment, cached because it never changes. Raises Http404."""
    if not _ids().rows(id=payment_id):
        raise Http404
    return f"{settings.BASE_URL}/checkout/{payment_id}"


@cache
def _ids() -> PreparedValues:
    return PreparedValues(Payment.objects.filter(pk=Placeholder("id")).values_list("pk"))


@require_safe
def payment_poster(request: HttpRequest, payment_id: str, size: str, form: str) -> HttpResponseBase:
    """Return the poster of a counter."""
    payment = Payment.objects.select_related("merchant").filter(pk=payment_id).first()
    if payment is None or not payment.is_counter:
        raise Http404
    return _poster(request, payment, size, form)


@require_safe
def link_poster(
    request: HttpRequest, merchant_slug: str, link_id: str, size: str, form: str
) -> HttpResponseBase:
    """Return the poster of a payment link."""
    links = PaymentLink.objects.at(merchant_slug).select_related("merchant")
    link = get_object_or_404(links, pk=link_id)
    return _poster(request, link, size, form)


@require_safe
def logo(request: HttpRequest, merchant_id: str, digest: str) -> HttpResponseBase:
    """Return a merchant's logo, at a URL that changes with the image."""
    found = get_object_or_404(Logo, merchant_id=merchant_id, digest=digest)
    return immutable_response(request, bytes(found.png), "image/png")


@require_safe
def brand(request: HttpRequest, color: str) -> HttpResponseBase:
    """Return the stylesheet of a colour, which never changes."""
    if color != normal_color(color):
        raise Http404
    return immutable_response(request, stylesheet(color).encode(), "text/css; charset=utf-8")


def _poster(
    request: HttpRequest, source: Payment | PaymentLink, size: str, form: str
) -> HttpResponseBase:
    # Imported late: drawing takes 4 MB of memory that a process without posters need not use.
    from checkout.posters import SIZES, Poster, drawn_poster

    if size not in SIZES:
        raise Http404
    choose_language(request)
    payee = payee_of(source.merchant)
    poster = Poster(
        payee=payee.name,
        address=source.url,
        service=settings.SERVICE_NAME,
        color=payee.brand_color,
        amount=money(source.amount, source.currency) if source.amount else "",
        description=source.description,
        livemode=source.livemode,
        logo=logo_of(source.merchant),
    )
    try:
        _refuse_ended(source, request_now())
        content = drawn_poster(poster, size=size, form=form, language=get_language() or "")
    except ApiError as error:
        return StoppedPage.as_view(error=error)(request)
    response = HttpResponse(content, content_type=PAPER_TYPES[form])
    response["Content-Disposition"] = f'inline; filename="poster-{size}-{source.id}.{form}"'
    patch_cache_control(response, private=True, max_age=60)
    return with_etag(request, response)


def _refuse_ended(source: Payment | PaymentLink, now: datetime) -> None:
    """Raise the error of an ended link, a closed counter, or a suspended merchant.

    A poster bears our name: there is none of what no one can pay any more.
    """
    if isinstance(source, PaymentLink):
        refuse_closed(source, now=now)
    else:
        refuse_closed_counter(source, now=now)
