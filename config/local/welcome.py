"""What `make run` prints when the service is up: its URLs, and a command to paste."""

from django.conf import settings

from backoffice.services.accounts import development_logins
from backoffice.services.two_factor import DEVELOPMENT_CODE
from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus


def welcome() -> str:
    """Return the text; in development, with the demo merchant's objects."""
    base = settings.BASE_URL
    rows = {"API": f"{base}/v1", "Reference": f"{base}/docs", "Back office": f"{base}/admin/"}
    if settings.DEVELOPMENT_MODE:
        rows |= _demo_rows()
    width = max(map(len, rows))
    lines = [f"  {name:{width}}  {value}" for name, value in rows.items()]
    head = f"{settings.SERVICE_NAME} is running at {base} (Ctrl-C stops it)."
    return "\n".join(["", head, "", *lines, ""])


def _demo_rows() -> dict[str, str]:
    rows = {f"  {name}": password for name, password in development_logins().items()}
    rows["  code"] = f"{DEVELOPMENT_CODE}, of each of them"
    merchant = Merchant.objects.order_by("created_at", "id").first()
    if merchant is None:
        return rows
    if payment := _payable(merchant):
        rows["Checkout"] = payment.url
    return rows | {
        "Try": create_line(merchant.id),
        "Events": ".venv/bin/python manage.py listen",
    }


def _payable(merchant: Merchant) -> Payment | None:
    payable = Payment.objects.filter(merchant=merchant, status=PaymentStatus.CREATED)
    return payable.filter(expires_at=None).order_by("created_at", "id").first()


def create_line(merchant_id: str) -> str:
    """Return a ready-to-paste command that creates a payment."""
    body = f'{{"merchant_id": "{merchant_id}", "amount": 1250}}'
    return f"curl {settings.BASE_URL}/v1/payments -H 'Content-Type: application/json' -d '{body}'"
