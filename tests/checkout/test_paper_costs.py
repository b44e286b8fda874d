"""What anyone may have printed costs little, whatever a stranger has written on it."""

from collections.abc import Callable
from typing import Any

import pytest
from fpdf.fonts import TTFFont

from core.clock import utc_now
from customers.services import test_customer
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.pdf_text import text_of
from tests.checkout.shopper import Shopper

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
LIGATURE = "\ufdfd"  # twelve times as wide as other letters


@pytest.fixture
def shaped(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts that have been shaped so far, which is what takes long."""
    texts: list[str] = []
    shape = TTFFont.perform_harfbuzz_shaping

    def noted(font: TTFFont, text: str, *more: Any) -> Any:
        texts.append(text)
        return shape(font, text, *more)

    monkeypatch.setattr(TTFFont, "perform_harfbuzz_shaping", noted)
    return texts


@pytest.mark.parametrize("form", ["svg", "pdf"])
@pytest.mark.parametrize("letters", [FAMILY, LIGATURE, "W"], ids=["emoji", "ligature", "latin"])
def test_a_poster_measures_a_long_text_a_few_times(
    payment_of: Callable[..., Payment], shaped: list[str], letters: str, form: str
) -> None:
    text = (letters * 500)[:500]
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description=text)

    assert Shopper().visit(f"{counter.hosted_url}/poster-a4.{form}").status_code == 200

    assert sum(map(len, shaped)) < 5_000


def test_a_receipt_measures_each_word_once(
    payment_of: Callable[..., Payment], shaped: list[str]
) -> None:
    items = [{"name": f"{n} {'ab ' * 84}", "quantity": 1, "price": 100} for n in range(200)]
    sale = payment_of(20_000, payment_mode="ORDER_PAY", line_items=items)
    pay(
        payment_id=sale.id,
        customer=test_customer(None, utc_now(), merchant_id=sale.merchant_id),
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )

    response = Shopper().visit(f"/receipts/{sale.id}.pdf")

    assert sum(map(len, shaped)) < 40_000
    text = text_of(response.content)
    assert "\n0 ab ab ab ab" in text
    assert "\n199 ab ab ab ab" in text
