"""Approve or decline the change that a verified merchant has requested."""

from typing import Any

from django import forms

from backoffice.actions import Action
from backoffice.forms import ReasonForm
from backoffice.roles import Right
from backoffice.services.merchant_changes import decide_change
from merchants.models import MerchantChange


class ChangeForm(ReasonForm):
    """A decision on exactly the change that the page shows: one made meanwhile is another."""

    seen = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def prepare(self) -> None:
        change = self._pending()
        self.fields["seen"].initial = change.pk if change else ""

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


def _action(name: str, title: str, *, approve: bool, **more: Any) -> Action:
    return Action(
        name=name,
        title=title,
        right=Right.VERIFY_MERCHANT,
        form=ChangeForm,
        service=decide_change,
        given={"approve": approve},
        message="The change is in force." if approve else "The change is declined.",
        icon="published_with_changes",
        available=lambda merchant, now: merchant.pending_changes is not None,
        **more,
    )


CHANGE_ACTIONS = (
    _action(
        "approve-change",
        "Approve change",
        approve=True,
        about="Customers see the new values at once. The old e-mail address is told.",
    ),
    _action(
        "decline-change", "Decline change", approve=False, about="The old values stay.", danger=True
    ),
)
