"""A thief with a browser: passkey answers used again, or for another payment; odd addresses."""

from datetime import date

import pytest
from django.template.loader import render_to_string

from checkout.flow import FAILED_ATTEMPTS
from core.attempt_limits import count_attempt
from core.clock import utc_now
from ledger.models import Transfer
from merchants.models import Merchant
from payments.emails import context_of
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.checkout.held_passkeys import paid_with_passkey
from tests.checkout.steps import open_signed_in, press, see_paid, sign_in, stop_clock
from tests.chromium import add_authenticator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Ask for the options of a payment, let the device answer, and return the answer unsent.
SIGN = """
async (path) => {
  const body = new FormData(document.querySelector("form[data-passkey]"));
  const options = await (await fetch(path, {method: "POST", body})).json();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  return JSON.stringify((await navigator.credentials.get({publicKey})).toJSON());
}
"""
SEND = """
(credential) => {
  const form = document.querySelector("form[data-passkey]");
  form.elements.credential.value = credential;
  form.submit();
}
"""
CUT_OFF = """
() => [...document.querySelectorAll(".slip *")]
  .filter((element) => getComputedStyle(element).overflowY === "hidden")
  .filter((element) => element.scrollHeight > element.clientHeight + 1)
  .map((element) => element.textContent)
"""


@pytest.fixture
def at_passkey(open_page, payment_of, site):
    """Give the passkey page of a payment, a device with a passkey, and three payments alike."""
    payments = [payment_of(12_500) for _ in range(3)]
    shopper, held = paid_with_passkey(payment_of(5_001), site)
    page = open_page(payments[0].hosted_url, cookies=shopper.client.cookies)
    device = add_authenticator(page, held=held)
    confirm(page)
    return page, payments, device


def press_pay(page, payment) -> None:
    page.goto(page.url.split("/checkout")[0] + payment.hosted_url)
    confirm(page)


def confirm(page) -> None:
    page.get_by_role("button", name="Pay another way").click()
    page.get_by_role("heading", name="Confirm with your passkey").wait_for()


def refused(page) -> None:
    page.get_by_text("The passkey could not be checked. Try again.").wait_for()
    assert page.get_by_text("No money has been taken.").first.is_visible()


def test_an_answer_pays_once(at_passkey):
    page, (first, second, _), _device = at_passkey
    sent: list[str] = []
    page.on(
        "request",
        lambda request: sent.append(request.post_data or "") if request.method == "POST" else None,
    )
    answer = page.evaluate(SIGN, f"{first.hosted_url}/passkey/options")
    page.evaluate(SEND, answer)
    see_paid(page)

    press_pay(page, second)
    page.evaluate(SEND, answer)
    refused(page)
    second.refresh_from_db()
    assert second.status == PaymentStatus.REQUIRES_ACTION
    assert Transfer.objects.filter(kind="payment").count() == 2


def test_an_answer_for_one_payment_does_not_pay_another(at_passkey):
    page, (first, second, third), _device = at_passkey
    press_pay(page, third)
    press_pay(page, second)
    unused = page.evaluate(SIGN, f"{third.hosted_url}/passkey/options")
    page.evaluate(SEND, unused)
    refused(page)

    for payment in (first, second, third):
        payment.refresh_from_db()
        assert payment.status == PaymentStatus.REQUIRES_ACTION


def test_an_answer_that_is_none_is_refused_and_too_many_fail_the_payment(at_passkey):
    page, (first, _, _), _device = at_passkey
    for _ in range(FAILED_ATTEMPTS.times - 1):
        count_attempt(FAILED_ATTEMPTS, first.id, now=utc_now())
    page.evaluate(SEND, '{"id": "x"}')
    refused(page)
    page.evaluate(SEND, '{"id": "x"}')

    page.get_by_role("heading", name="The payment failed").wait_for()
    first.refresh_from_db()
    assert (first.status, first.error_code) == (PaymentStatus.FAILED, "VERIFICATION_FAILED")


def test_a_device_that_does_not_know_its_user_pays_nothing(at_passkey):
    page, (first, _, _), (devtools, device) = at_passkey
    devtools.send("WebAuthn.setUserVerified", {"authenticatorId": device, "isUserVerified": False})
    press(page, "Pay B$125.00")

    page.get_by_text("The dialog was closed before it finished.").wait_for()
    first.refresh_from_db()
    assert first.status == PaymentStatus.REQUIRES_ACTION


def test_what_a_merchant_writes_runs_nothing(open_page, payment_of, merchant):
    merchant.name = "<img src=x onerror=alert(1)>\"'><script>alert(2)</script>"
    merchant.support_email = "a@b.example"
    merchant.save()
    payment = payment_of(
        150,
        description="</p><script>alert(3)</script>",
        reference="{{ 7|add:7 }}",
        success_url="javascript:alert(4)",
        cancel_url="javascript:alert(5)",
    )
    page = open_page(payment.hosted_url)
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    sign_in(page)
    press(page, "Pay B$1.50")
    see_paid(page)

    assert page.locator("a[href^=javascript]").count() == 0
    assert page.get_by_text("{{ 7|add:7 }}").is_visible()


def test_all_that_a_long_description_says_can_be_read(open_page, payment_of):
    payment = payment_of(1_250, description="A phone, new. " * 30 + "That is: its empty box.")
    page = open_page(payment.hosted_url, width=390, height=844)
    assert page.evaluate(CUT_OFF) == []
    sign_in(page)
    page.get_by_label("PIN", exact=True).wait_for()

    page.get_by_text("its empty box.").click()

    assert page.evaluate(CUT_OFF) == []


def test_the_second_click_of_a_double_click_pays_nothing(open_page, payment_of):
    """The first one has closed a window of another site above the button."""
    payment = payment_of(150)
    page = open_signed_in(open_page, payment)
    button = page.get_by_role("button", name="Pay B$1.50")
    page.get_by_text("Balance B$").wait_for()
    button.click(trial=True)  # waits until it can be pressed
    stop_clock(page)
    page.evaluate("dispatchEvent(new Event('focus'))")

    button.click(force=True)

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.PENDING
    page.clock.run_for(600)
    button.click()
    see_paid(page)


def just_come_to_the_front(open_page, payment):
    """Return its page as the browser has filled the PIN in, in the first of the half second."""
    page = open_signed_in(open_page, payment)
    page.get_by_label("PIN", exact=True).fill("1234")
    page.get_by_role("button", name="Pay B$12.50").click(trial=True)
    stop_clock(page)
    page.evaluate("dispatchEvent(new Event('focus'))")
    return page


def is_sent(page) -> bool:
    return bool(page.evaluate("document.querySelector('[data-bare]').dataset.sent"))


def test_it_pays_nothing_beside_a_pin_that_the_browser_has_filled_in(open_page, payment_of):
    page = just_come_to_the_front(open_page, payment_of(1_250))
    button = page.get_by_role("button", name="Pay B$12.50")

    button.click(force=True)

    assert not is_sent(page)
    page.clock.run_for(600)
    button.click()
    see_paid(page)


def test_a_key_that_is_held_pays_nothing(open_page, payment_of):
    page = just_come_to_the_front(open_page, payment_of(1_250))
    page.keyboard.down("Enter")
    page.clock.run_for(600)

    page.keyboard.down("Enter")

    assert not is_sent(page)
    page.keyboard.up("Enter")
    page.keyboard.press("Enter")
    see_paid(page)


def test_presses_in_a_hurry_pay_nothing(open_page, payment_of):
    """A stranger's page asks for twenty presses of Enter, and goes on to the checkout meanwhile."""
    page = just_come_to_the_front(open_page, payment_of(1_250))

    for _ in range(4):
        page.keyboard.press("Enter")
        assert not is_sent(page)
        page.clock.run_for(400)

    page.clock.run_for(200)
    page.keyboard.press("Enter")
    see_paid(page)


DUE = date(2027, 1, 31)
PILE = "\u0301" * 60 + "\u0323" * 60  # drawn over the lines above and below it


def test_marks_piled_up_before_they_were_refused_cover_neither_amount_nor_payee(
    open_page, payment_of, merchant
):
    """As many of them as are still accepted on each letter reach as far as the next line."""
    payment = payment_of(1_250, description="Cake and tea")
    page = open_page(payment.hosted_url)
    around = "h1", ".sum", ".act.stick"
    plain = [page.locator(part).screenshot() for part in around]

    for letter in (PILE, "\u0301" * 4 + "\u0323" * 4):
        description = "".join(each + letter for each in "Cake and tea")
        Payment.objects.filter(pk=payment.pk).update(description=description)
        page.reload()
        assert [page.locator(part).screenshot() for part in around] == plain
    Payment.objects.filter(pk=payment.pk).update(description="Cake and tea")
    Merchant.objects.update(name=f"{merchant.name}{PILE}")
    page.reload()
    assert [page.locator(part).screenshot() for part in around[1:]] == plain[1:]


def test_words_of_an_invoice_cover_no_amount_in_its_e_mail(chromium, payment_of, merchant):
    """As many marks as are accepted, on each letter of what a merchant may write."""
    page = chromium.new_page()
    around = 'p:has-text("Please pay")', "a >> nth=0"
    seen = []
    for most in (0, 8):
        above, below = (
            "".join(letter + mark * most for letter in "Cake") for mark in ("\u0323", "\u0301")
        )
        merchant.name = above
        payment = payment_of(1_250, description=below, terms=below, due_date=DUE)
        page.set_content(render_to_string("emails/invoice.html", context_of(payment)))
        seen.append([page.locator(part).screenshot() for part in around])

    page.close()
    assert seen[0] == seen[1]
