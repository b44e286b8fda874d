"""What the script of the checkout promises: one press is one request, and a sale can be heard."""

import pytest

from payments.counters import screen_url
from payments.models import Payment
from tests.checkout.steps import NEW_PHONE, open_signed_in, see_paid
from tests.chromium import add_authenticator, wait_until

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

COUNTING_SPEAKER = """
    window.tones = 0;
    const nothing = { setValueAtTime() {}, exponentialRampToValueAtTime() {} };
    const node = { connect: (next) => next, frequency: {}, gain: nothing, stop() {} };
    window.AudioContext = class {
        currentTime = 0;
        destination = node;
        createOscillator() { return { ...node, start: () => { window.tones += 1; } }; }
        createGain() { return node; }
        close() {}
    };
"""
PRESS_AGAIN = """
    (button) => {
        button.click();
        setTimeout(() => button.click(), 200);
        setTimeout(() => button.form.requestSubmit(), 300); // names no button that could be busy
        return new Promise((done) => setTimeout(done, 400));
    }
"""


def is_post(route) -> bool:
    return route.request.method == "POST"


def test_a_second_press_sends_nothing(open_page, payment_of):
    payment = payment_of(150)
    page = open_signed_in(open_page, payment)
    held = []
    page.route("**", lambda route: held.append(route) if is_post(route) else route.continue_())

    button = page.get_by_role("button", name="Pay B$1.50")
    button.click(trial=True)  # waits until it can be pressed
    button.evaluate(PRESS_AGAIN)

    wait_until(page, lambda: held)
    assert len(held) == 1
    held[0].continue_()
    page.unroute_all()
    see_paid(page)
    payment.refresh_from_db()
    assert payment.status == "completed"


def test_a_second_press_opens_no_second_dialog(open_page, payment_of):
    page = open_signed_in(open_page, payment_of(12_500), NEW_PHONE)
    add_authenticator(page)
    page.get_by_role("heading", name="Create a passkey").wait_for()
    held = []
    page.route("**", lambda route: held.append(route) if is_post(route) else route.continue_())

    page.get_by_role("button", name="Create a passkey").evaluate(PRESS_AGAIN)

    wait_until(page, lambda: held)
    assert len(held) == 1
    held[0].continue_()
    page.unroute_all()
    see_paid(page)


def test_a_counter_with_its_sound_on_is_heard(open_page, payment_of, site, api):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    screen = open_page(screen_url(counter).removeprefix(site))
    screen.add_init_script(COUNTING_SPEAKER)
    screen.reload()
    screen.get_by_role("button", name="Sound is off").click()
    at_once = screen.evaluate("window.tones")
    confirm = f"/v1/payments/{counter.id}/confirm"

    answer = api(counter.merchant).post(confirm, {"amount": 250})

    assert answer.status_code == 200
    screen.wait_for_function("(before) => window.tones > before", arg=at_once)
    assert at_once == 2
    assert Payment.objects.filter(static_payment=counter, status="completed").count() == 1


def test_a_counter_with_its_sound_off_is_silent(open_page, payment_of, site, api):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    screen = open_page(screen_url(counter).removeprefix(site))
    screen.add_init_script(COUNTING_SPEAKER)
    screen.reload()

    api(counter.merchant).post(f"/v1/payments/{counter.id}/confirm", {"amount": 250})
    screen.get_by_role("listitem").first.wait_for()

    assert screen.evaluate("window.tones") == 0


def test_without_javascript_no_button_asks_for_a_passkey(open_page, payment_of):
    page = open_signed_in(open_page, payment_of(9_900), javascript=False)

    page.get_by_role("heading", name="Create a passkey").wait_for()
    button = page.locator("form[data-passkey] button")
    assert (button.count(), button.is_visible()) == (1, False)
