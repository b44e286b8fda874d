"""One row of everything that the back office shows, made through the services."""

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Model

from backoffice.models import AuditEntry, ExportRun, Instruction, Note, NoteSubject, ResendRun
from backoffice.roles import Role
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.support import write_note
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer, Passkey
from funding.models import FundingWay, TopUp
from funding.services import open_top_up
from ledger.models import Account, Transfer
from ledger.sealing import seal_transfers
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from messages.models import Channel, Message, MessageStatus
from messages.planning import plan_message
from payments.confirming import confirm_payment
from payments.models import Payment
from payouts.account_statements import request_statement
from payouts.models import (
    AccountStatement,
    BankAccount,
    BankEntry,
    BankFile,
    BankHoliday,
    BankStatement,
    Payout,
    PayoutBatch,
    PayoutOrigin,
    StatementLine,
)
from payouts.services import schedule_payout
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry, Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.conftest import make_user, staff_as
from tests.factories import MerchantFactory, PasskeyFactory, PaymentFactory
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery, Event, Webhook

PHONE = "+1 242 555 0100"
REPORT = ProblemReport(InquiryReason.NOT_RECEIVED)


def caller_of(merchant: Merchant, actor: str = "key:key_of_the_tests") -> Caller:
    return Caller(merchant=merchant, livemode=False, actor=actor)


def paid_payment(merchant: Merchant | None = None, amount: int = 1_250, **more: Any) -> Payment:
    """Make a test payment that the working test customer has paid."""
    merchant = merchant or MerchantFactory()
    payment, caller = PaymentFactory(merchant=merchant, amount=amount, **more), caller_of(merchant)
    return confirm_payment(
        caller=caller, payment_id=payment.id, phone=PHONE, amount=None, now=utc_now()
    )


def refund_request(payment: Payment, amount: int, **more: Any) -> InstructionRequest:
    """What the form of a refund asks for."""
    values: dict[str, Any] = {
        "task": "refund",
        "subject_id": payment.pk,
        "merchant_id": payment.merchant_id,
        "livemode": payment.livemode,
        "amount": amount,
        "currency": payment.currency,
        "reason": "Returned goods",
        "note": "Called at noon",
        "form_key": new_id("form", utc_now()),
        "arguments": {"expected_available": payment.amount_refundable},
        "note_on": NoteSubject.PAYMENT,
    }
    return InstructionRequest(**(values | more))


def scheduled_payout(merchant: Merchant, amount: int | None = None) -> Payout:
    """Schedule a payout of test mode, as Finance does; without an amount, of all there is."""
    return schedule_payout(
        merchant=merchant,
        livemode=False,
        currency="BSD",
        amount=amount,
        origin=PayoutOrigin.STAFF,
        actor="staff:finance",
        now=utc_now(),
    )


def one_of_each() -> dict[type[Model], Model]:
    """Make a row of every model here, each in a state in which actions are available."""
    merchant = MerchantFactory(email="owner@shop.example")
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key
    endpoint = create_webhook(
        caller=caller_of(key.merchant, key.actor),
        url="https://shop.example/hook",
        events=["*"],
        description="",
        now=utc_now(),
    ).webhook
    payment = paid_payment(merchant, 500_000, reference="A-1001", metadata={"cart": "c991"})
    made = (
        _of_trade(payment, key) | _of_money(merchant) | _of_webhooks(endpoint) | _of_office(payment)
    )
    seal_transfers(now=utc_now())
    return made


def _of_trade(payment: Payment, key: ApiKey) -> dict[type[Model], Model]:
    merchant, caller = payment.merchant, caller_of(key.merchant, key.actor)
    return {
        Payment: payment,
        Refund: create_refund(
            caller=caller, payment_id=payment.pk, draft=RefundDraft(amount=100), now=utc_now()
        ),
        Inquiry: report_problem(
            payment_id=payment.pk, report=REPORT, actor="customer", now=utc_now()
        ),
        PaymentLink: create_link(
            caller=caller, draft=LinkDraft(currency="BSD", amount=500), now=utc_now()
        ),
        Message: _message(payment),
        Customer: _locked_customer(payment),
        TopUp: _cash(payment),
        Passkey: _passkey(payment),
        Merchant: merchant,
        ApiKey: key,
    }


def _message(payment: Payment) -> Message:
    plan_message(
        channel=Channel.EMAIL,
        kind="receipt",
        recipient="pat@example.com",
        about=payment.pk,
        livemode=payment.livemode,
        now=utc_now(),
    )
    Message.objects.update(status=MessageStatus.REFUSED)
    return Message.objects.latest("pk")


def _of_money(merchant: Merchant) -> dict[type[Model], Model]:
    payout = scheduled_payout(merchant, 10_000)
    holiday, _ = BankHoliday.objects.get_or_create(date="2027-12-25", defaults={"name": "Noel"})
    return {
        BankAccount: payout.bank_account,
        Payout: payout,
        StatementLine: payout.statement.lines.latest("pk"),
        AccountStatement: _statement(merchant),
        PayoutBatch: _batch(),
        **_bank(),
        BankHoliday: holiday,
        Account: Account.objects.filter(owner=merchant.pk).latest("pk"),
        Transfer: Transfer.objects.latest("pk"),
    }


def _of_webhooks(endpoint: Webhook) -> dict[type[Model], Model]:
    delivery = Delivery.objects.filter(webhook=endpoint).latest("pk")
    return {
        Webhook: endpoint,
        Delivery: delivery,
        Event: delivery.event,
        ResendRun: _run(delivery),
    }


def _of_office(payment: Payment) -> dict[type[Model], Model]:
    payment.refresh_from_db()
    support = staff_as(Role.SUPPORT)
    instruction = instruct(staff=support, request=refund_request(payment, 20_000), now=utc_now())
    note = write_note(
        staff=support,
        subject_type=NoteSubject.PAYMENT,
        subject_id=payment.pk,
        text="Called twice",
        now=utc_now(),
    )
    return {
        Instruction: instruction,
        Note: note,
        ExportRun: _export(),
        AuditEntry: AuditEntry.objects.latest("sequence"),
        User: make_user(Role.VIEWER, "somebody"),
    }


def _statement(merchant: Merchant) -> AccountStatement:
    now, day = utc_now(), timedelta(days=1)
    days = {"start_at": now - 2 * day, "end_at": now - day}
    return request_statement(caller=caller_of(merchant), currency="BSD", now=now, **days)


def _export() -> ExportRun:
    return ExportRun.objects.create(
        id=new_id("exp", utc_now()),
        resource="payments.payment",
        form="csv",
        name="payments.csv",
        asked_by=make_user(Role.ADMINISTRATOR),
        created_at=utc_now(),
    )


def _locked_customer(payment: Payment) -> Customer:
    customer = payment.paying_customer
    customer.pin_failures, customer.pin_locked_until = 5, utc_now() + timedelta(minutes=30)
    customer.email = "pat@example.com"
    customer.save()
    return customer


def _passkey(payment: Payment) -> Passkey:
    return PasskeyFactory(customer=payment.paying_customer, name="Phone")


def _cash(payment: Payment) -> TopUp:
    """Make a top-up in cash whose code has been sent."""
    top_up = open_top_up(
        customer=payment.paying_customer,
        way=FundingWay.AGENT,
        amount=2_000,
        currency="BSD",
        expires_at=utc_now() + timedelta(days=3),
        actor="customer:x",
        now=utc_now(),
    )
    top_up.code_handle = "handle-of-the-tests"
    top_up.save()
    return top_up


def _batch() -> PayoutBatch:
    return PayoutBatch.objects.create(
        id=new_id("batch", utc_now()),
        livemode=False,
        currency="BSD",
        count=0,
        total_amount=0,
        execution_date=utc_now().date(),
        created_at=utc_now(),
        created_by="staff:finance",
    )


def _bank() -> dict[type[Model], Model]:
    """Make a statement whose only entry waits for a person."""
    now = utc_now()
    file = BankFile.objects.create(
        source="statement", message_id="M-1", livemode=False, created_at=now, created_by="system:x"
    )
    statement = BankStatement.objects.create(
        file=file,
        livemode=False,
        number="2026-1",
        currency="BSD",
        start_at=now,
        end_at=now,
        entries_amount=-500,
        created_at=now,
    )
    entry = BankEntry.objects.create(
        id=new_id("ben", now),
        file=file,
        statement=statement,
        livemode=False,
        source="statement",
        key="k",
        kind="debit",
        amount=500,
        currency="BSD",
        problem="There is no order with this reference.",
        created_at=now,
    )
    return {BankStatement: statement, BankEntry: entry}


def _run(delivery: Delivery) -> ResendRun:
    return ResendRun.objects.create(
        id=new_id("run", utc_now()),
        lookups={"status": "failed"},
        through_id=delivery.pk,
        expected_count=1,
        asked_by=make_user(Role.SUPPORT),
        reason="Their server was down",
        created_at=utc_now(),
    )
