"""The pages of the back office to measure: lists, filters, detail pages and searches."""

from bench.staff_rows import LARGE

PAYMENTS, SEARCH = "/admin/payments/payment/", "/admin/search/?q="
OF_LARGE = f"mode=test&merchant={LARGE}"


def staff_pages() -> dict[str, str]:
    """Return the paths of the pages, by description."""
    return {**_lists(), **_payments(), **_around(), **_searches()}


def _lists() -> dict[str, str]:
    from backoffice.registry import ADMINS
    from backoffice.resource.catalog import CATALOG
    from backoffice.resource.page_urls import list_of

    modes = {
        model: {"mode": "test"}
        for model, admin in ADMINS.items()
        if "mode" in [item.parameter_name for item in admin.list_filter]
    }
    return {
        f"list: {entry.title.lower()}": list_of(model, **modes.get(model, {}))
        for model, entry in CATALOG.items()
    }


def _payments() -> dict[str, str]:
    of_test, of_large = f"{PAYMENTS}?mode=test", f"{PAYMENTS}?{OF_LARGE}"
    return {
        "dashboard, nothing cached": "/admin/?mode=test",
        "payments, page 20": f"{of_test}&p=20",
        "payments, of yesterday": f"{of_test}&day=yesterday",
        "payments, failed": f"{of_test}&status=failed",
        "payments, processing (none)": f"{of_test}&status=processing",
        "payments, of the other mode (none)": f"{PAYMENTS}?mode=live",
        "payments, failed, 7 days, a kind": f"{of_test}&day=7&status=failed"
        "&payment_mode=DYNAMIC_PAY",
        "payments, other columns": f"{of_test}&columns=created,amount,fee,net_before_refunds,order",
        "payments, open invoices (none)": f"{of_test}&invoices=open",
        "of a merchant": of_large,
        "of a merchant by name": f"{of_test}&merchant=shop number 7",
        "of a merchant, processing (none)": f"{of_large}&status=processing",
        "of a merchant, failed or open": f"{of_large}&status=failed,created",
        "of a merchant, a kind (none)": f"{of_large}&payment_mode=INVOICE_PAY",
        "of a merchant, largest": f"{of_large}&sort=largest",
        "of a merchant, oldest": f"{of_large}&sort=oldest",
        "of a merchant, paid yesterday": f"{of_large}&paid=yesterday",
        "of a merchant, failed, yesterday": f"{of_large}&status=failed&day=yesterday",
    }


def _around() -> dict[str, str]:
    """Return the detail pages and filtered lists around the large merchant."""
    from ledger.models import Account
    from payments.models import Payment
    from refunds.models import Refund
    from webhooks.models import Delivery, Webhook

    payment = Payment.objects.filter(status="completed").order_by("pk")[5_000]
    account = Account.objects.get(owner=LARGE, purpose="merchant")
    endpoint = Webhook.objects.get(merchant_id=LARGE)
    delivery, refund = Delivery.objects.earliest("pk"), Refund.objects.earliest("pk")
    deliveries = f"/admin/webhooks/delivery/?mode=test&endpoint={endpoint.pk}"
    events, transfers = "/admin/webhooks/event/", "/admin/ledger/transfer/?mode=test"
    of_account = f"{transfers}&account={account.pk}"
    return {
        "page: payment": f"{PAYMENTS}{payment.pk}/change/",
        "page: merchant": f"/admin/merchants/merchant/{LARGE}/change/",
        "page: customer": f"/admin/customers/customer/{payment.customer_id}/change/",
        "page: account": f"/admin/ledger/account/{account.pk}/change/",
        "page: endpoint": f"/admin/webhooks/webhook/{endpoint.pk}/change/",
        "page: delivery": f"/admin/webhooks/delivery/{delivery.pk}/change/",
        "page: event": f"{events}{delivery.event_id}/change/",
        "page: refund": f"/admin/refunds/refund/{refund.pk}/change/",
        "payments of a customer": f"{PAYMENTS}?mode=both&customer={payment.customer_id}",
        "refunds of a merchant": f"/admin/refunds/refund/?{OF_LARGE}",
        "refunds of a merchant, failed (none)": f"/admin/refunds/refund/?{OF_LARGE}&status=failed",
        "events of a merchant": f"{events}?{OF_LARGE}",
        "events of a merchant, a type (none)": f"{events}?{OF_LARGE}&type=payment.failed",
        "events of a merchant, a day": f"{events}?{OF_LARGE}&day=yesterday",
        "deliveries of an endpoint": deliveries,
        "deliveries of an endpoint, failed (none)": f"{deliveries}&status=failed",
        "deliveries of an endpoint, a day": f"{deliveries}&day=yesterday",
        "deliveries, failed (none)": "/admin/webhooks/delivery/?mode=test&status=failed",
        "transfers of an account": of_account,
        "transfers, a kind (none)": f"{transfers}&kind=payout",
        "transfers of an account, a kind": f"{of_account}&kind=refund",
        "accounts of the other mode (none)": "/admin/ledger/account/?mode=live&purpose=merchant",
    }


def _searches() -> dict[str, str]:
    from core.money import decimal_text
    from customers.models import Customer
    from payments.models import Payment

    payment = Payment.objects.filter(status="completed").order_by("pk")[5_000]
    phone = Customer.objects.get(pk=payment.customer_id).phone
    ending, day = phone[-4:], payment.created_at.date().isoformat()
    amount = decimal_text(payment.amount or 0, payment.currency)
    asked = {
        "id": payment.pk,
        "transaction": payment.transaction_id,
        "phone": f"%2B{phone[1:]}",
        "customer's e-mail": "pat77@example.com",
        "invoice's e-mail": "payer400003@example.com",
        "reference": "r-400001",
        "order": "order 400002",
        "invoice": "INV/400003",
        "metadata, any name": "c300000",
        "metadata, by name": "cart=c300000",
        "amount with a comma": "49,99",
        "amount, a common one": "12.50",
        "amount, last four": f"12.50 {ending}",
        "amount, last four, day": f"{amount} {ending} {day}",
        "last four, day": f"{ending} {day}",
        "request": "some-request-id-of-a-shop",
        "nothing": "no such thing at all",
        "nothing of a day": f"no such thing {day}",
        "merchant's name": "shop number 77",
    }
    return {f"search: {name}": f"{SEARCH}{text}" for name, text in asked.items()}
