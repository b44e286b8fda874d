"""Set the fee that a merchant pays on each payment."""

from decimal import Decimal
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget

from backoffice.actions import ActionContext
from backoffice.admin.submission import instruction_action
from backoffice.forms import ActionForm, TextInputField
from backoffice.services import instruction_kinds
from merchants.models import MAX_FEE_BASIS_POINTS


class FeeForm(ActionForm):
    percent = forms.DecimalField(
        min_value=0,
        max_value=MAX_FEE_BASIS_POINTS // 100,
        decimal_places=2,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"}),
        label="Fee in percent",
        help_text="2.5 means 2.50 of every 100.00. It applies to future payments.",
    )
    reason = TextInputField(max_length=500)

    def prepare(self) -> None:
        self.fields["percent"].initial = Decimal(self.row.fee_basis_points) / 100


def _asked(context: ActionContext) -> dict[str, Any]:
    arguments = {
        "fee_basis_points": int(context.data["percent"] * 100),
        "present_fee_basis_points": context.row.fee_basis_points,
    }
    return {"arguments": arguments, "livemode": True}  # payments of tests have it, too


SET_FEE = instruction_action(
    instruction_kinds.SET_FEE,
    name="fee",
    title="Set fee",
    form=FeeForm,
    overrides=_asked,
    done_message="The fee has been set.",
    about="A colleague must always approve this. The merchant is notified.",
    icon="percent",
)
