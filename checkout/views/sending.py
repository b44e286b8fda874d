"""Send a code for any purpose: the browser stores its handle and goes to the page to enter it."""

from collections.abc import Callable

from django.http import HttpResponse

from checkout.browser_session import AskedCode, known_browser, remember_code
from checkout.pages import CheckoutPage, SeeOther
from customers.codes import request_code
from customers.models import CodePurpose


def send_code(
    page: CheckoutPage,
    phone: str,
    purpose: CodePurpose,
    *,
    enter_at: str,
    payment_id: str = "",
    payee: str = "",
    amount: Callable[[], str] = str,
) -> HttpResponse:
    """Send a code to a phone, on behalf of a page. Raises as `request_code` does."""
    handle = request_code(
        phone=phone,
        livemode=page.livemode,
        purpose=purpose,
        address=page.address,
        now=page.now,
        payee=payee,
        amount=amount,
        browser=known_browser(page.request, phone),
        payment_id=payment_id,
    )
    response = SeeOther(enter_at)
    remember_code(response, AskedCode(handle, phone, purpose, page.livemode, payment_id))
    return response
