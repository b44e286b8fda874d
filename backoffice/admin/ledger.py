"""Accounts and transfers: the books, read-only; and what the service has earned from all shops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult, as_returned
from backoffice.admin.office import OfficeAdmin
from backoffice.figures import FEES_ADDED_UP, day_start, fees_between
from backoffice.forms import ActionForm, DateInputField, ModeField
from backoffice.page_parts import Table
from backoffice.resource.filters import (
    ModeFilter,
    NumberFilter,
    Rows,
    choice_filter,
    link_filter,
    row_number,
)
from backoffice.resource.resource import Related
from backoffice.resource.shown import Amount, Code, Field, Instant, Reference, linked
from backoffice.resource.usual_fields import AMOUNT, MODE
from backoffice.roles import Right
from backoffice.statement_files import KINDS
from customers.models import Customer
from customers.phones import masked
from ledger.models import Account, Purpose, Transfer
from ledger.services import balance_of
from merchants.models import Merchant

SHOWN = 30


class FeesForm(ActionForm):
    """The days, by default those of the last month, in the time zone of staff."""

    mode = ModeField()
    first_day = DateInputField()
    last_day = DateInputField()

    def prepare(self) -> None:
        last = self._today().replace(day=1) - timedelta(days=1)
        self.fields["first_day"].initial = last.replace(day=1).isoformat()
        self.fields["last_day"].initial = last.isoformat()

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        if cleaned["last_day"] < cleaned["first_day"]:
            self.add_error("last_day", "Enter a day that is not before the first.")
        elif cleaned["last_day"] > self._today():
            self.add_error("last_day", "Enter a day that is not after today.")
        return cleaned

    def _today(self) -> date:
        return timezone.localtime(self.now).date()


def _fees(context: ActionContext) -> ActionResult:
    data = context.data
    first, last = data["first_day"], data["last_day"]
    fees = fees_between(
        livemode=context.livemode,
        start=day_start(first),
        end=day_start(last + timedelta(days=1)),
    )
    so_far = ", so far" if last >= timezone.localtime(context.now).date() else ""
    days = f"{formats.day_text(first)} to {formats.day_text(last)}{so_far}, {data['mode']}"
    if fees is None:
        words = f"{days}: more than {FEES_ADDED_UP:,} movements, choose fewer days."
        return ActionResult(words, is_warning=True)
    headings = ["Currency", *map(formats.amount, ("Charged", "Returned with refunds", "Earned"))]
    rows = [_row(currency, *sums) for currency, sums in fees.items()]
    return ActionResult("", table=Table(f"Fees of all shops, {days}", headings, rows))


def _row(currency: str, charged: int, returned: int) -> list[Any]:
    amounts = (charged, returned, charged - returned)
    return [currency, *(formats.bare_amount(each, currency) for each in amounts)]


FEES_OF_ALL = Action(
    title="Fees of all shops",
    name="fees",
    right=Right.VIEW_LEDGER,
    form=FeesForm,
    service=_fees,
    message=as_returned,
    about="What was charged and returned in these days, both included, by the date of the ledger.",
    icon="percent",
)


class _EitherAccount(NumberFilter):
    """Transfers from or to an account."""

    title = "account"
    parameter_name = "account"

    def narrowed(self, rows: Rows, value: str) -> Rows:
        return rows.filter(Q(debit_account_id=value) | Q(credit_account_id=value))


def name_of(account: Account) -> str:
    """Return an account's name as staff say it."""
    return f"{account.get_purpose_display()}: {account.owner}"


@dataclass(frozen=True)
class AccountField(Field):
    """One side of a transfer: the purpose of the account, and its owner's id."""

    def cell(self, row: Any) -> Any:
        account = self.value(row)
        purpose = account.get_purpose_display()
        return format_html("{} {}", purpose, formats.short_code(account.owner))

    def fact(self, row: Any) -> Any:
        account = self.value(row)
        return format_html("{} {}", account.get_purpose_display(), linked(account.owner))

    def exported(self, row: Any) -> tuple[Any, ...]:
        return (name_of(self.value(row)),)


def with_owners(rows: Any) -> Any:
    """Read with each account the name of its merchant, or the phone of its customer."""
    merchants = Merchant.objects.filter(pk=OuterRef("owner")).values("name")
    customers = Customer.objects.filter(pk=OuterRef("owner"), erased_at=None).values("phone")
    return rows.annotate(merchant_name=Subquery(merchants), customer_phone=Subquery(customers))


def owner_of(account: Account) -> str:
    """Return by what staff know an account's owner; `with_owners` has read it. Else its id."""
    phone = getattr(account, "customer_phone", None)
    return getattr(account, "merchant_name", None) or (masked(phone) if phone else account.owner)


@dataclass(frozen=True)
class OwnerField(Reference):
    """The owner by name in a list, by id on a page and in a file."""

    def cell(self, row: Any) -> Any:
        name = owner_of(row)
        return (
            linked(row.owner, formats.long_text(name, 60))
            if name != row.owner
            else super().cell(row)
        )


PURPOSE = Field("Purpose", "get_purpose_display")
OWNER = OwnerField("Owner", "owner")
SEALED = Amount("Sealed balance", "balance")
# The sealed balance lags behind, and would contradict the balances of a merchant's page.
ACCOUNT_FIELDS = (PURPOSE, Field("Currency", "currency"), MODE)
AT, KIND = Instant("At", "created_at"), Field("Kind", lambda row: KINDS[row.kind])
FROM, TO = AccountField("From", "debit_account"), AccountField("To", "credit_account")
REFERENCE = Reference("Reference", "reference")


class AccountAdmin(OfficeAdmin):
    model = Account
    list_display = (PURPOSE, OWNER, SEALED, MODE)
    list_filter = (
        choice_filter("purpose", "purpose", Purpose.choices),
        ModeFilter,
        link_filter("owner", "owner"),
    )
    list_actions = (FEES_OF_ALL,)
    details = (Amount("Balance now", balance_of),)

    def heading(self, row: Account) -> str:
        """Name the merchant or customer, who is known to the reader by that, and not by an id."""
        return f"{row.get_purpose_display()} account: {owner_of(row)}"

    def get_queryset(self, request: HttpRequest) -> Any:
        return with_owners(super().get_queryset(request))

    def tables(self, row: Account) -> list[Table]:
        signed = Amount(
            "Amount",
            lambda transfer: (
                transfer.amount if transfer.credit_account_id == row.pk else -transfer.amount
            ),
        )
        newest = Related(
            Transfer,
            "account",
            "Newest transfers",
            fields=(AT, KIND, signed, REFERENCE),
            rows=_transfers,
            shown=SHOWN,
        )
        return [newest.table(row, self.admin_site.get_model_admin(Transfer))]


def _transfers(account: Account) -> list[Transfer]:
    """Return the newest transfers of an account; each side has an index of its own."""
    sides: list[Transfer] = []
    for side in ("debit_account", "credit_account"):
        sides += Transfer.objects.filter(**{side: account}).order_by("-pk")[:SHOWN]
    return sorted(sides, key=lambda transfer: transfer.pk, reverse=True)


def _seal(transfer: Transfer) -> str:
    seal = getattr(transfer, "seal", None)
    return f"number {seal.sequence}" if seal else "not yet"


class TransferAdmin(OfficeAdmin):
    model = Transfer
    heading_format = "Transfer of {amount}"
    list_select_related = ("debit_account", "credit_account", "seal")
    list_display = (Field("Transfer", "pk"), AT, KIND, AMOUNT, FROM, TO, REFERENCE, MODE)
    list_filter = (
        choice_filter("kind", "kind", KINDS.items()),
        ModeFilter,
        link_filter("reference", "reference"),
        link_filter("transaction", "transaction", "transaction_id"),
        _EitherAccount,
    )
    indexed = frozenset({"account"})
    details = (
        Code("Transaction", "transaction_id"),
        Field("Description", "description"),
        Field("Sealed as", _seal),
    )

    def parts(self, request: HttpRequest) -> Sequence[Mapping[str, Any]]:
        """Each side of an account has an index of its own; what is no account has none."""
        account = row_number(request.GET["account"])
        return [{side: account} for side in ("debit_account", "credit_account") if account]
