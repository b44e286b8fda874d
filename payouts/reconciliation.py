"""Reconcile every payout with its transfers, and every statement with its lines."""

from collections.abc import Iterator

from django.db.models import (
    BigIntegerField,
    Case,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    When,
)
from django.db.models.functions import Coalesce

from ledger.models import Purpose, Transfer, TransferKind
from ledger.reconciliation import Faults, any_of, name_each
from ledger.transition_checks import check_transitions
from payouts.models import Payout, Statement, StatementLine
from payouts.statuses import EVER_PAID, NEVER_PAID, PayoutStatus

_ROUTES = {
    TransferKind.PAYOUT: (Purpose.MERCHANT, Purpose.PAYOUTS),
    TransferKind.PAYOUT_PAID: (Purpose.PAYOUTS, Purpose.BANK),
    TransferKind.PAYOUT_RETURNED: (Purpose.PAYOUTS, Purpose.MERCHANT),
    TransferKind.PAYOUT_REVERSED: (Purpose.BANK, Purpose.MERCHANT),
}
_MOVED = {
    TransferKind.PAYOUT: frozenset(PayoutStatus),
    TransferKind.PAYOUT_PAID: EVER_PAID,
    TransferKind.PAYOUT_RETURNED: NEVER_PAID,
    TransferKind.PAYOUT_REVERSED: frozenset({PayoutStatus.RETURNED}),
}
_STAMPS = {status: f"{status}_at" for status in PayoutStatus if status != PayoutStatus.SCHEDULED}


def check_payouts() -> Iterator[str]:
    """Yield a sentence for each payout, transfer or statement that does not agree."""
    if any_of(Payout.objects.all(), Transfer.objects.filter(kind__in=_ROUTES)):
        for kind in _ROUTES:
            yield from name_each(_wrong_transfers, kind)
    if any_of(Statement.objects.all(), StatementLine.objects.all()):
        for wrong in (_wrong_sums, _torn_chain, _wrong_lines):
            yield from name_each(wrong)
    yield from check_transitions(Payout, first="", stamps=_STAMPS.items())


def _wrong_transfers(kind: TransferKind) -> Faults:
    any_at_all = Transfer.objects.filter(kind=kind, reference=OuterRef("pk"))
    right = Exists(_right_transfers(kind))
    others = Payout.objects.exclude(status__in=_MOVED[kind])
    yield (
        "Payout {pk} is {status} without its " + f"{kind} transfer.",
        Payout.objects.filter(~right, status__in=_MOVED[kind]),
    )
    yield (
        "Payout {pk} is {status} and has a " + f"{kind} transfer.",
        others.filter(Exists(any_at_all)),
    )
    known = Exists(Payout.objects.filter(pk=OuterRef("reference")))
    yield (
        "Transfer {pk} is of payout {reference}, which does not exist.",
        Transfer.objects.filter(~known, kind=kind),
    )


def _right_transfers(kind: TransferKind) -> QuerySet[Transfer]:
    debit, credit = _ROUTES[kind]
    transfers = Transfer.objects.filter(
        kind=kind,
        reference=OuterRef("pk"),
        amount=OuterRef("amount"),
        currency=OuterRef("currency"),
        livemode=OuterRef("livemode"),
        debit_account__purpose=debit,
        credit_account__purpose=credit,
    )
    for side, purpose in (("debit", debit), ("credit", credit)):
        if purpose != Purpose.BANK:
            transfers = transfers.filter(**{f"{side}_account__owner": OuterRef("merchant_id")})
    return transfers


def _wrong_sums() -> Faults:
    payout = Q(
        lines__transfer__kind=TransferKind.PAYOUT, lines__transfer__reference=F("payout__pk")
    )
    moved = Q(payout=None) | ~payout
    statements = Statement.objects.annotate(
        proven_count=Count("lines", filter=moved),
        proven_amount=Coalesce(Sum("lines__amount", filter=moved), 0),
    )
    yield (
        "Statement {pk} sums {movements_count} movements to {movements_amount};"
        " its {proven_count} lines make {proven_amount}.",
        statements.exclude(movements_count=F("proven_count"), movements_amount=F("proven_amount")),
    )


def _torn_chain() -> Faults:
    before = Statement.objects.filter(account=OuterRef("account"), number=OuterRef("number") - 1)
    statements = Statement.objects.annotate(
        carried=Coalesce(Subquery(before.values("closing_amount")), 0)
    )
    yield (
        "Statement {pk} does not open with what the one before closed with.",
        statements.exclude(opening_amount=F("carried")),
    )
    closed = Statement.objects.filter(closed_at__isnull=False)
    yield (
        "Statement {pk} was not closed by a payout of its amount.",
        closed.exclude(payout__amount=F("payout_amount")),
    )
    yield (
        "Statement {pk} has a payout and is still open.",
        Statement.objects.filter(closed_at=None, payout__isnull=False),
    )


def _wrong_lines() -> Faults:
    account = F("statement__account")
    lines = StatementLine.objects.annotate(
        signed=Case(
            When(transfer__credit_account=account, then=F("transfer__amount")),
            When(transfer__debit_account=account, then=-F("transfer__amount")),
            default=0,
            output_field=BigIntegerField(),
        )
    )
    yield (
        "Line {pk} of statement {statement_id} is not what its transfer moved.",
        lines.exclude(amount=F("signed")),
    )
    for side in ("credit_account", "debit_account"):
        through = Statement.objects.filter(
            account=OuterRef(side), gathered_through__gte=OuterRef("pk")
        )
        yield (
            "Transfer {pk} stands in no statement of its " + f"{side}.",
            Transfer.objects.filter(Exists(through), statement_line=None),
        )
