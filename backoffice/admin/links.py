"""Payment links: who pays through them, and how to end one."""

from backoffice import formats
from backoffice.admin.link_actions import END_LINK
from backoffice.admin.office import OfficeAdmin
from backoffice.resource.filters import DayFilter, ModeFilter, status_filter
from backoffice.resource.merchant_filter import MerchantFilter
from backoffice.resource.shown import Actor, Amount, Field, Id, Instant
from backoffice.resource.tables import Related
from backoffice.resource.usual_fields import AMOUNT, CREATED, MERCHANT, MODE, STATUS_NOW
from links.models import PaymentLink
from links.statuses import LinkStatus
from payments.models import Payment

DESCRIPTION = Field("Description", "description")
USES = Field("Uses", lambda link: f"{link.uses_count} of {link.max_uses or '∞'}")


class PaymentLinkAdmin(OfficeAdmin):
    model = PaymentLink
    list_select_related = ("merchant",)
    list_display = (CREATED, AMOUNT, STATUS_NOW, MERCHANT, DESCRIPTION, USES, MODE, Id("Link"))
    list_filter = (DayFilter, status_filter(LinkStatus), ModeFilter, MerchantFilter)
    row_actions = (END_LINK,)
    details = (
        Field("Address", "url"),
        Amount("Collected", "amount_collected"),
        Field("Opened", "opened_count"),
        Instant("Expires", "expires_at", empty="never"),
        Instant("Ended", "ended_at"),
        Actor("Ended by", "ended_by"),
    )
    related = (Related(Payment, "link", "Payments through it"),)

    def heading(self, row: PaymentLink) -> str:
        amount = formats.money(row.amount, row.currency) if row.amount else "any amount"
        return f"Payment link for {amount}"
