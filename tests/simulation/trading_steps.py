"""What customers and merchants do, over the API where a caller may lose the answer."""

from datetime import timedelta
from typing import Any

from django.db import OperationalError

from core.errors import ApiError
from core.ids import new_id
from customers.models import Customer
from customers.services import top_up
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.paying import pay
from payments.services import open_payment
from payments.verification import Verification
from tests.simulation.payout_trail import CURRENCIES, is_spoken_of
from tests.simulation.shadow_books import (
    BookedPayout,
    BookedRefund,
    BookedSale,
    BookedShop,
    half_up_share,
)
from tests.simulation.virtual_weeks import VirtualWeeks

AMOUNTS = (1, 99, 100, 250, 1_250, 4_850, 20_000, 60_000)
KEPT_FOR_SURE = timedelta(hours=71)
PAID = "PAYMENT_ALREADY_COMPLETED"


def fill_wallet(weeks: VirtualWeeks) -> None:
    random, at = weeks.random, weeks.tick()
    customer, currency = random.choice(weeks.customers), random.choice(CURRENCIES)
    amount = random.choice((1, 60_000, 250_000))
    top_up(customer=_customer(customer), amount=amount, currency=currency, now=at)
    weeks.books.top_up(customer, currency, amount)


def sell(weeks: VirtualWeeks) -> None:
    """A payment is made and paid at once; now and then there is too little money."""
    random, at = weeks.random, weeks.tick()
    shop = weeks.books.shops[random.choice(sorted(weeks.books.shops))]
    customer, currency = random.choice(weeks.customers), random.choice(("BSD", "BSD", "IQD"))
    amount, payment_id = random.choice(AMOUNTS), new_id("pay", at)
    merchant = weeks.merchants[shop.id]

    def create() -> None:
        if Payment.objects.filter(pk=payment_id).exists():
            return
        draft = PaymentDraft(currency, amount=amount)
        open_payment(merchant=merchant, livemode=True, payment_id=payment_id, draft=draft, now=at)

    weeks.survive(create)
    if random.random() < 0.1:
        return  # left open: it will expire
    refused = weeks.survive(lambda: _pay(weeks, payment_id, customer))
    expected = weeks.books.refusal_to_pay(shop.id, customer, currency, amount)
    assert refused == expected, f"paying {payment_id}: {refused!r}, not {expected!r}"
    if not refused:
        fee = half_up_share(amount, shop.basis_points, 10_000)
        weeks.books.pay(BookedSale(payment_id, shop.id, customer, amount, currency, fee))


def _pay(weeks: VirtualWeeks, payment_id: str, customer: str) -> str:
    try:
        pay(
            payment_id=payment_id,
            customer=_customer(customer),
            verified=Verification.PASSKEY,
            actor=f"customer:{customer}",
            now=weeks.now,
        )
    except ApiError as error:
        return "" if error.code == PAID else error.code
    return ""


def _customer(customer_id: str) -> Customer:
    return Customer.objects.get(pk=customer_id)


def refund(weeks: VirtualWeeks) -> None:
    sales = [sale for sale in weeks.books.sales.values() if sale.left]
    sales = [sale for sale in sales[-60:] if not weeks.books.shops[sale.shop].suspended]
    if not sales:
        return
    sale = weeks.random.choice(sales)
    amount = weeks.random.choice((sale.left, sale.left, (sale.left + 1) // 2, sale.left + 1))
    answer = _post(weeks, sale.shop, f"/v1/payments/{sale.id}/refund", {"amount": amount})
    if amount > sale.left:
        assert answer.get("code") == "REFUND_EXCEEDS_PAYMENT", answer
        return
    made = BookedRefund(answer["id"], sale.id, amount)
    weeks.books.refund(made)
    assert answer["status"] == made.status, answer


def ask_for_payout(weeks: VirtualWeeks) -> None:
    random, books = weeks.random, weeks.books
    shop = _working_shop(weeks)
    currency = random.choice(CURRENCIES)
    free = books.available(shop.id, currency)
    amount = random.choice((None, 100, max(free // 3, 99), max(free // 9, 99), max(free, 0) + 1))
    body: dict[str, Any] = {"currency": currency}
    answer = _post(
        weeks, shop.id, "/v1/payouts", body if amount is None else body | {"amount": amount}
    )
    if books.refusal_to_pay_out(shop.id, currency, amount):
        assert "code" in answer, answer
        return
    assert answer.get("status") == "scheduled", answer
    assert answer["amount"] == (amount or free), answer
    account = books.shops[shop.id].accounts[currency]
    made = BookedPayout(answer["id"], shop.id, currency, answer["amount"], account, weeks.now)
    books.pay_out(made)


def cancel_payout(weeks: VirtualWeeks) -> None:
    """The last moment is when its batch leaves; while payouts are shut, none is canceled."""
    payouts = [
        payout
        for payout in list(weeks.books.payouts.values())[-30:]
        if not weeks.books.shops[payout.shop].suspended
    ]
    if not payouts:
        return
    early = [payout for payout in payouts if payout.status == "scheduled"]
    payout = weeks.random.choice(early or payouts)
    answer = _post(weeks, payout.shop, f"/v1/payouts/{payout.id}/cancel", {})
    if payout.status == "scheduled" and not weeks.shut and not is_spoken_of(payout):
        assert answer.get("status") == "canceled", answer
        weeks.books.end_payout(payout, "canceled")
    else:
        refused = answer.get("code") in ("VALIDATION_FAILED", "INVALID_REQUEST")
        assert refused, f"{payout.id} was canceled, and may have left: {answer}"


def repeat_request(weeks: VirtualWeeks) -> None:
    """A caller who lost an answer asks again, hours later, under the same key."""
    if not weeks.replays:
        return
    at, shop, path, body, key, answered = weeks.random.choice(weeks.replays)
    if weeks.books.shops[shop].suspended or weeks.now - at > KEPT_FOR_SURE:
        return
    again = weeks.clients[shop].post(path, body, idempotency_key=key)
    assert again.content == answered, f"{path} was answered otherwise: {again.content!r}"


def _working_shop(weeks: VirtualWeeks) -> BookedShop:
    shops = [shop for shop in weeks.books.shops.values() if not shop.suspended]
    return weeks.random.choice(shops or list(weeks.books.shops.values()))


def _post(weeks: VirtualWeeks, shop: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Call as a merchant's server: whatever goes wrong, again under the same key."""
    weeks.tick()
    key = f"{weeks.seed}-{weeks.number}"

    def call() -> Any:
        response = weeks.clients[shop].post(path, body, idempotency_key=key)
        if response.status_code >= 500:
            raise OperationalError(response.content.decode())
        return response

    response = weeks.survive(call)
    if response.status_code < 300:
        weeks.replays.append((weeks.now, shop, path, body, key, response.content))
    answer: dict[str, Any] = response.json()
    return answer
