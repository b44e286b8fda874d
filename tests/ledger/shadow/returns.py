"""Money that goes back: refunds to customers, payouts to merchants."""

from datetime import timedelta

from tests.ledger.shadow.records import OK, REFUNDS_FAIL, Return, Sale, ShadowShop, Transit
from tests.ledger.shadow.sales import Sales

LEAST_PAYOUT = 100
MOVES = {
    "mark_sent": {"scheduled": "in_transit"},
    "record_paid": {"in_transit": "paid"},
    "record_failed": {"scheduled": "failed", "in_transit": "failed"},
    "cancel_payout": {"scheduled": "canceled"},
}


class Shadow(Sales):
    def refund(self, sale: Sale, amount: int | None, expected: int | None) -> str:
        if self.status(sale) != "completed":
            return "PAYMENT_NOT_COMPLETED"
        left = sale.price - sale.refunded - sale.waiting
        if expected is not None and expected != left:
            return "REFUND_AMOUNT_MISMATCH"
        asked = left if amount is None else amount
        if not 0 < asked <= left:
            return "REFUND_EXCEEDS_PAYMENT"
        made = Return(sale, asked, self.now)
        self.returns.append(made)
        self.events["refund.created"] += 1
        sale.waiting += asked
        if sale.payer is not None and sale.payer.phone == REFUNDS_FAIL:
            self._fail(made)
        else:
            self._give_back(made)
        return OK

    def retry_refunds(self) -> None:
        for made in [each for each in self.returns if each.status == "pending"]:
            if not self._give_back(made) and made.created_at + timedelta(days=30) <= self.now:
                self._fail(made)

    def give_refund_up(self, made: Return) -> str:
        if made.status != "pending":
            return "VALIDATION_FAILED"
        self._fail(made)
        return OK

    def _give_back(self, made: Return) -> bool:
        sale, balance = made.sale, made.sale.shop.place("merchant")
        fee = sale.fee_of(sale.refunded + made.amount) - sale.fee_of(sale.refunded)
        if self.money[balance] + fee < made.amount:
            return False
        self.move(sale.shop.place("fees"), balance, fee)
        self.move(balance, sale.wallet, made.amount)
        sale.waiting -= made.amount
        sale.refunded += made.amount
        made.status = "succeeded"
        self.events.update(["refund.completed", "payment.refunded"])
        return True

    def _fail(self, made: Return) -> None:
        made.sale.waiting -= made.amount
        made.status = "failed"
        self.events["refund.failed"] += 1

    def request_payout(self, shop: ShadowShop, amount: int | None) -> str:
        kept = sum(sale.waiting for sale in self.sales if sale.shop is shop)
        available = self.money[shop.place("merchant")] - kept
        if amount is not None and amount < LEAST_PAYOUT:
            return "INVALID_AMOUNT"
        if available < (amount or LEAST_PAYOUT):
            return "INSUFFICIENT_BALANCE"
        payout = Transit(shop, amount or available)
        self.payouts.append(payout)
        self.move(shop.place("merchant"), shop.place("payouts"), payout.amount)
        self.events["payout.created"] += 1
        return OK

    def move_payout(self, payout: Transit, act: str) -> str:
        """What becomes of a payout, by the name of the service."""
        status = MOVES[act].get(payout.status)
        if status is None:
            return "VALIDATION_FAILED"
        payout.status = status
        aside, shop = payout.shop.place("payouts"), payout.shop
        if status == "paid":
            self.move(aside, ("house", "bank", shop.livemode), payout.amount)
        if status in ("failed", "canceled"):
            self.move(aside, shop.place("merchant"), payout.amount)
        if status != "in_transit":
            self.events[f"payout.{status}"] += 1
        return OK
