"""Approve or decline the change that a verified merchant has requested."""

from datetime import datetime

from django import forms
from django.http import HttpRequest

from backoffice.acts import Act, Done, Work
from backoffice.admin.filters import OfficeFilter, Rows
from backoffice.forms import ReasonForm
from backoffice.roles import Right
from backoffice.services.merchant_changes import decide_change
from merchants.models import Merchant, MerchantChange


class PendingChangeFilter(OfficeFilter):
    """Merchants that have requested a change which no one has decided on."""

    title = "change"
    parameter_name = "change"
    options = (("pending", "waits for a decision"),)

    def queryset(self, request: HttpRequest, queryset: Rows) -> Rows:
        waiting = MerchantChange.objects.pending().values("merchant")
        return queryset.filter(pk__in=waiting) if self.value() else queryset


class ChangeForm(ReasonForm):
    """A decision on exactly the change that the page shows: one made meanwhile is another."""

    change_id = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def prepare(self) -> None:
        change = self._pending()
        self.fields["change_id"].initial = change.pk if change else ""

    def lines(self) -> list[str]:
        change = self._pending()
        if change is None:
            return []
        return [
            f"{name}: “{change.before[name]}” becomes “{value}”"
            for name, value in change.after.items()
        ]

    def _pending(self) -> MerchantChange | None:
        return MerchantChange.objects.pending().filter(merchant=self.row).first()


def _act(name: str, title: str, *, approve: bool, about: str, danger: bool = False) -> Act:
    def carry_out(work: Work) -> Done:
        decide_change(
            staff=work.staff,
            change_id=work.data["change_id"],
            approve=approve,
            reason=work.data["reason"],
            now=work.now,
        )
        return Done("The change is in force." if approve else "The change is declined.")

    return Act(
        name=name,
        title=title,
        right=Right.VERIFY_MERCHANT,
        form=ChangeForm,
        carry_out=carry_out,
        about=about,
        icon="published_with_changes",
        danger=danger,
        offered=_has_pending_change,
    )


def _has_pending_change(merchant: Merchant, now: datetime) -> bool:
    return merchant.pending_changes is not None


CHANGE_ACTS = (
    _act(
        "approve-change",
        "Approve change",
        approve=True,
        about="Customers see the new values at once. The old e-mail address is told.",
    ),
    _act(
        "decline-change",
        "Decline change",
        approve=False,
        about="The old values stay.",
        danger=True,
    ),
)
