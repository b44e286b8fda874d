"""What a screen reader meets on the main screens, in order, by Chromium's accessibility tree."""

import re

import pytest

from tests.chromium import spoken

pytestmark = [
    pytest.mark.browser,
    pytest.mark.urls("config.local.previews"),
    pytest.mark.django_db(transaction=True),
]
WHEN = re.compile(r"(\d{1,2} \w{3}( \d{4})?, )?\d{1,2}:\d\d\s[ap]m")
# No page leaves by itself meanwhile.
STAYS = """
window.setTimeout = () => 0;
if (location.host) sessionStorage.waitedFor = `${location.pathname}/status`;
"""
PAYEE = "Conch & Co. Beach Bar"
SCREENS = {
    "review": """
        region {PAYEE}
        heading {PAYEE}
        status [live=polite]
        button Pay B$12.50
        link Return to {PAYEE}
        link Cancel this payment
    """,
    "review-pin": """
        region {PAYEE}
        heading {PAYEE}
        status [live=polite]
        textbox PIN [focused=True]
        button Show [pressed=false]
        button Pay B$12.50
        link Forgot your PIN?
        link Return to {PAYEE}
        link Cancel this payment
    """,
    "pin-error": """
        region What you pay
        alert [live=assertive] [focused=True]
        heading There is a problem
        link That PIN is not right. 3 attempts left.
        StaticText No money has been taken.
        heading Enter your PIN
        textbox PIN [invalid=true]
        button Show [pressed=false]
        button Pay B$12.50
        button Back
        link Forgot your PIN?
    """,
    "pin-locked": """
        region What you pay
        heading Your PIN is locked
        status [live=polite]
        StaticText Your PIN is locked until [when] after too many incorrect attempts.
        StaticText No money has been taken.
        StaticText The payment stays open.
        status [live=polite]
        link Choose a new PIN
        button Back
        link Use another phone number
    """,
    "receipt-paid": """
        status [live=polite]
        heading Paid
        StaticText B$1,849.99
        StaticText BSD
        StaticText to {PAYEE}
        link Return to {PAYEE}
        status [live=polite]
        StaticText Taking you to conch.example in 10 seconds.
        button Stay here
        link Save as PDF
        button Print
        link Verify this receipt
        link Report a problem
        textbox E-mail address
        button E-mail this receipt
        link hello@conch.example
    """,
    "receipt-refunded": """
        status [live=polite]
        heading Refunded in full
        StaticText B$1,849.99
        StaticText BSD
        StaticText to {PAYEE}
        StaticText B$1,849.99 refunded, [when]
        heading Refunds
        link Return to {PAYEE}
        link Save as PDF
        button Print
        link Verify this receipt
        link Report a problem
        textbox E-mail address
        button E-mail this receipt
        link hello@conch.example
    """,
    "problem-told": """
        status [live=polite]
        StaticText We have received it and told {PAYEE}. The answer will come by e-mail or text \
message, and appear on this page.
        region What you pay
        region Messages
        heading Write again
        textbox Tell us what happened
        button Send
        link Back to the receipt
    """,
    "failed": """
        status [live=polite]
        heading The payment failed
        StaticText B$12.50 to {PAYEE}
        button Ask for a new payment
        link Return to {PAYEE}
        link hello@conch.example
    """,
    "expired": """
        status [live=polite]
        heading Payment Expired
        StaticText B$12.50 to {PAYEE}
        button Ask for a new payment
        link Return to {PAYEE}
        link hello@conch.example
    """,
    "till": """
        heading {PAYEE}
        status [live=polite]
        StaticText Connected
        button Sound is off [pressed=false]
        region Put a sum on the code
        heading Put a sum on the code
        spinbutton Conch salad B$15.00
        spinbutton Cracked conch with peas and rice B$24.50
        spinbutton Fish fry B$19.50
        spinbutton Sky Juice B$9.00
        spinbutton Kalik B$6.00
        spinbutton Coconut water B$4.50
        spinbutton Coffee B$3.50
        spinbutton Guava duff B$8.00
        spinbutton Day chair B$10.00
        textbox Amount
        button 1
        button 2
        button 3
        button 4
        button 5
        button 6
        button 7
        button 8
        button 9
        button .
        button 0
        button Delete the last digit
        button Show on the code
        region On the code now
        heading On the code now
        button Take off B$18.00
        button Take off B$642.50
        region Paid at this counter
        heading Paid at this counter
        status [live=polite]
        link Poster A4
        link Poster A5
        link Table card
    """,
}


@pytest.mark.parametrize("name", SCREENS)
def test_it_is_read_in_order(screen, name):
    page = screen(name, width=390, height=844, first=STAYS)
    told = [WHEN.sub("[when]", " ".join(line.split())) for line in spoken(page)]

    expected = SCREENS[name].replace("{PAYEE}", PAYEE)
    assert told == [line.strip() for line in expected.strip().splitlines()]
