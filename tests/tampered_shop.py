"""A shop with one of everything that money goes by, for those who tamper with it."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import Model

from backoffice.models import Instruction
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer
from customers.services import top_up
from funding.models import FundingWay, TopUp
from funding.services import open_top_up
from ledger.checkpoints import sign_head
from ledger.models import Account, Seal, Transfer, TransferKind
from ledger.sealing import log_rows, seal_transfers
from ledger.witnesses import inform_witnesses
from merchants.models import Merchant
from payments.models import PaymentTransition
from payouts.models import BankEntry, BankFile, Payout
from refunds.models import Refund
from tests.client import Api
from tests.payouts.batching import batch_of, live_payout
from tests.refunds.refunding import refund, sell
from webhooks.models import Event

FAR = date(2100, 1, 1)


def furnish(api: Api, merchant: Merchant, stranger: Merchant) -> dict[str, Any]:
    """Fill the shop, seal and witness it, then let a little more happen; return its names."""
    sale = sell(merchant, 1_000, fee=1_000)
    refund(api, sale, 400)
    body = {"payment_mode": "DYNAMIC_PAY", "amount": 900_000, "merchant_id": merchant.id}
    opened = api(merchant).post("/v1/payments", body).json()
    sent, scheduled = live_payout(api), live_payout(api, amount=800)
    batch = batch_of(payout_ids=[sent.id])
    instruction = _instruction(merchant)
    entry = _bank_entry()
    thief = sell(stranger, 500, phone="+12425550177").customer
    witness()
    late = sell(merchant, 4_321)
    coming = _awaited(late.paying_customer)
    topped = top_up(customer=late.paying_customer, amount=700, currency="BSD", now=utc_now())
    late_transfer = Transfer.objects.get(reference=late.id, kind=TransferKind.PAYMENT)
    return {
        "sale": sale.id,
        "open": opened["payment_id"] if "payment_id" in opened else opened["id"],
        "late": late.id,
        "late_transfer": late_transfer.pk,
        "top_up": Transfer.objects.get(reference=topped).pk,
        "sealed": Transfer.objects.get(reference=sale.id, kind=TransferKind.PAYMENT).pk,
        "seal": Seal.objects.latest("sequence").sequence,
        "transition": PaymentTransition.objects.filter(payment_id=sale.id).latest("pk").pk,
        "refund": Refund.objects.get().pk,
        "sent": sent.id,
        "account": sent.bank_account_id,
        "scheduled": scheduled.id,
        "other_account": scheduled.bank_account_id,
        "batch": batch.id,
        "instruction": instruction.id,
        "entry": entry.id,
        "coming": coming.id,
        "merchant": merchant.id,
        "stranger": stranger.id,
        "customer": Customer.objects.get(pk=late.customer_id).pk,
        "thief": thief.pk if thief else "",
        "wallet": Account.objects.get(owner=late.customer_id, purpose="wallet").pk,
        "thief_wallet": Account.objects.get(owner=thief.pk if thief else "", purpose="wallet").pk,
        "till": Account.objects.get(owner=merchant.id, purpose="merchant", livemode=False).pk,
        "funding": Account.objects.get(purpose="funding", livemode=False).pk,
        "event": Event.objects.filter(merchant=merchant).order_by("pk")[0].pk,
        "payout": Payout.objects.get(pk=sent.id).pk,
    }


def witness() -> None:
    """Seal, log, sign and hand over all that has happened, as the minutes do."""
    now = utc_now()
    seal_transfers(now=now)
    while log_rows(now=now):
        pass
    sign_head(now=now)
    inform_witnesses(now=now)


def copied(model: type[Model], source: object, **changes: str) -> str:
    """Return the statement that inserts a copy of a row, with other SQL in some columns."""
    columns = [str(field.column) for field in model._meta.concrete_fields]
    if "id" not in changes:
        columns.remove("id")
    values = ", ".join(changes.get(column, column) for column in columns)
    table = model._meta.db_table
    return (
        f"INSERT INTO {table} ({', '.join(columns)})"
        f" SELECT {values} FROM {table} WHERE id = '{source}'"
    )


def folder(place: Path) -> str:
    return f"file://{place}"


def _instruction(merchant: Merchant) -> Instruction:
    now = utc_now()
    ann = get_user_model().objects.create(username="ann")
    return Instruction.objects.create(
        id=new_id("ins", now),
        kind="wallet",
        task="adjust",
        subject_id=merchant.id,
        merchant_id=merchant.id,
        livemode=False,
        amount=100,
        currency="BSD",
        arguments={"direction": "take", "b": 1, "a": None},
        reason="a mistake",
        form_key="form",
        asked_by=ann,
        asked_at=now,
        expires_at=now + timedelta(days=1),
    )


def _bank_entry() -> BankEntry:
    now = utc_now()
    file = BankFile.objects.create(
        source="statement", message_id="M-1", livemode=False, created_at=now, created_by="system:x"
    )
    return BankEntry.objects.create(
        id=new_id("ben", now),
        file=file,
        livemode=False,
        source="statement",
        key="k",
        kind="credit",
        amount=500,
        currency="BSD",
        message="for my wallet",
        problem="It names no reference of ours.",
        created_at=now,
    )


def _awaited(customer: Customer) -> TopUp:
    now = utc_now()
    return open_top_up(
        customer=customer,
        way=FundingWay.BANK_TRANSFER,
        amount=300,
        currency="BSD",
        expires_at=now + timedelta(days=1),
        actor=f"customer:{customer.pk}",
        now=now,
    )
