"""The operations of merchants, schedule and staff whose growth is measured."""

from collections.abc import Callable, Iterator
from functools import partial

from bench.copies import FIRST_NUMBER
from bench.operations import NEW_PAYMENT

BATCH = 10
LATEST = 300
Act = tuple[str, Callable[[], object], Callable[[], object] | None]


class Visit:
    """The operations of a merchant, the schedule and staff, at one size of the database."""

    def __init__(self, size: int, merchant: int) -> None:
        from backoffice.roles import Role
        from core.clock import iso
        from merchants.models import Merchant
        from payments.models import Payment
        from tests.backoffice.conftest import sign_in
        from tests.client import Api
        from webhooks.models import Webhook

        self.merchant = Merchant.objects.get(slug=f"bench-{FIRST_NUMBER + merchant}")
        self.client = Api()(self.merchant)
        self.staff = sign_in(Role.ADMINISTRATOR, f"staff-{size}")
        payments = Payment.objects.filter(merchant=self.merchant).order_by("created_at")
        self.own = payments.count()
        self.payment = payments[self.own // 2]
        self.day = self.payment.created_at.date().isoformat()
        self.customer = payments.exclude(customer=None)[0].customer_id
        self.newest = payments[self.own - 1]
        self.lately = iso(payments[self.own - LATEST].updated_at)
        endpoint = Webhook.objects.get(merchant=self.merchant)
        self.deliveries = f"/v1/webhooks/{endpoint.pk}/deliveries"

    def acts(self) -> Iterator[Act]:
        """Yield each operation: its name, the act, and what to do before each run, if anything."""
        from backoffice.tasks import count_days, count_latest
        from ledger.tasks import seal_transfers

        seal_transfers()
        while count_latest():
            pass
        count_days()
        yield "create", self.create, None
        for name, path in self.paths().items():
            yield name, partial(self.read, path), None
        yield f"expiry sweep of {BATCH}", self.expire, self.let_pass
        yield "claim of due deliveries", self.claim, self.let_wait
        yield f"sealing of {BATCH}", self.seal, self.pay
        yield f"adding up the counts of {BATCH}", self.fold, self.pay
        yield "counting finished days", count_days, None
        for name, path in self.pages().items():
            yield name, partial(self.open, path), None

    def paths(self) -> dict[str, str]:
        from payments.statuses import PaymentStatus
        from webhooks.statuses import DeliveryStatus

        page = "/v1/payments?limit=20"
        statuses = {f"status={status}": f"{page}&status={status}" for status in PaymentStatus}
        return {
            "read": f"/v1/payments/{self.payment.pk}",
            "first page and total": page,
            **statuses,
            "payment mode it has none of": f"{page}&payment_mode=INVOICE_PAY",
            "its one payment mode": f"{page}&payment_mode=DYNAMIC_PAY",
            "mode and status": f"{page}&payment_mode=DYNAMIC_PAY&status=failed",
            "reference it has none of": f"{page}&reference=none",
            "starting after the middle": f"{page}&starting_after={self.payment.pk}",
            "amounts, that all have": f"{page}&amount_min=1",
            "currency, that all have": f"{page}&currency=BSD",
            "currency and status": f"{page}&currency=BSD&status=completed",
            "changed since, all": f"{page}&updated_since=2000-01-01",
            f"latest {LATEST}, completed": f"{page}&updated_since={self.lately}&status=completed",
            "a customer's": f"{page}&customer_id={self.customer}",
            "word that none has": f"{page}&q=zebra",
            "word that only others have": f"{page}&q=conch",
            # With Shape.SPREAD, it has none of these.
            "word that one in ten have": f"{page}&q=R",
            "reference, of two words": f"{page}&q=R-{FIRST_NUMBER + 11}",
            "pair that only others have": f"{page}&metadata[channel]=kiosk",
            "balance": "/v1/balance",
            "offset 100": f"{page}&offset=100",
            "offset in the middle": f"{page}&offset={self.own // 2}",
            "offset, from the newest": f"{page}&starting_after={self.newest.pk}"
            f"&offset={self.own // 2}",
            "a day of payments": f"{page}&start_date={self.day}&end_date={self.day}",
            "events": "/v1/events?limit=20",
            "events of a type": "/v1/events?limit=20&type=payment.completed",
            "events of a type it has none of": "/v1/events?limit=20&type=payout.paid",
            "events of a group": "/v1/events?limit=20&type=refund.*",
            "events, offset in the middle": f"/v1/events?limit=20&offset={self.own}",
            "feed from its start": "/v1/events?after=0",
            "feed from a day on": f"/v1/events?after=0&start_date={self.day}",
            "feed of a type": "/v1/events?after=0&type=payment.completed",
            "feed of a type it has none of": "/v1/events?after=0&type=payout.paid",
            "deliveries": f"{self.deliveries}?limit=20",
            "deliveries, offset in the middle": f"{self.deliveries}?limit=20&offset={self.own}",
            **{
                f"deliveries {status}": f"{self.deliveries}?limit=20&status={status}"
                for status in DeliveryStatus
            },
            "refunds": "/v1/refunds?limit=20",
        }

    def pages(self) -> dict[str, str]:
        """Return lists of the back office, each also with filters that match few or no rows."""
        payments, search = "/admin/payments/payment/?mode=both", "/admin/search/?q="
        of_merchant = f"{payments}&merchant={self.merchant.pk}"
        events, deliveries = "/admin/webhooks/event/", "/admin/webhooks/delivery/"
        pages = {
            "dashboard": "/admin/?mode=test",
            "payments": payments,
            "live payments": "/admin/payments/payment/?mode=live",
            "payments processing": f"{payments}&status=processing",
            "payments by reference": f"{payments}&payment_mode=REFERENCE_PAY",
            "a merchant's": of_merchant,
            "its failed ones": f"{of_merchant}&status=failed",
            "a mode it has none of": f"{of_merchant}&payment_mode=INVOICE_PAY",
            "a status it has none of": f"{of_merchant}&status=processing",
            "its live ones": f"/admin/payments/payment/?mode=live&merchant={self.merchant.pk}",
            "events": f"{events}?mode=both",
            "live events": f"{events}?mode=live",
            "events of no payment": f"{events}?mode=both&type=payout.paid",
            "its events of a type": f"{events}?mode=both&type=refund.failed"
            f"&merchant={self.merchant.pk}",
            "deliveries": f"{deliveries}?mode=both",
            "live deliveries": f"{deliveries}?mode=live",
            "deliveries that failed": f"{deliveries}?mode=both&status=failed",
            "deliveries canceled": f"{deliveries}?mode=both&status=canceled",
            "transfers": "/admin/ledger/transfer/?mode=both",
            "live transfers": "/admin/ledger/transfer/?mode=live",
            "transfers of a kind": "/admin/ledger/transfer/?mode=both&kind=payout",
            "mails": "/admin/messaging/message/",
            "search for an id": f"{search}{self.payment.pk}",
            "search for nothing": f"{search}no+such+thing",
        }
        return {f"staff: {name}": path for name, path in pages.items()}

    def create(self) -> str:
        response = self.client.post("/v1/payments", NEW_PAYMENT)
        assert response.status_code == 201, response.content
        return str(response.json()["id"])

    def read(self, path: str) -> None:
        assert self.client.get(path).status_code == 200, path

    def open(self, path: str) -> None:
        from django.core.cache import cache

        cache.clear()
        assert self.staff.get(path).status_code in (200, 302), path

    def let_pass(self) -> None:
        """Create payments that are due to expire."""
        from core.clock import utc_now
        from payments.models import Payment

        ids = [self.create() for _ in range(BATCH)]
        Payment.objects.filter(pk__in=ids).update(expires_at=utc_now())

    def expire(self) -> None:
        from core.clock import utc_now
        from payments.expiry import expire_due

        assert expire_due(now=utc_now()) == BATCH

    def let_wait(self) -> None:
        """Create the only pending delivery: otherwise each run would find one more."""
        from core.clock import utc_now
        from webhooks.models import Delivery
        from webhooks.statuses import DeliveryStatus

        ended = {"status": DeliveryStatus.DELIVERED, "ended_at": utc_now()}
        Delivery.objects.pending().update(next_attempt_at=None, lease_token="", **ended)
        self.create()

    def claim(self) -> None:
        from core.clock import utc_now
        from webhooks.delivery.lanes import Lane
        from webhooks.delivery.leases import claim_due_deliveries

        assert claim_due_deliveries(free=dict.fromkeys(Lane, 16), now=utc_now()).taken

    def pay(self) -> None:
        for _ in range(BATCH):
            response = self.client.post(f"/v1/payments/{self.create()}/confirm", {})
            assert response.status_code == 200, response.content

    def seal(self) -> None:
        from core.clock import utc_now
        from ledger.sealing import seal_transfers

        # The first payment also fills the wallet of the test customer, by a transfer of its own.
        assert seal_transfers(now=utc_now()) in (BATCH, BATCH + 1)

    def fold(self) -> None:
        from core.counts import fold_changes

        assert fold_changes()
