"""Passkeys: which devices a customer pays with. No key is ever shown."""

from backoffice.admin.customer_actions import REMOVE_PASSKEY
from backoffice.admin.office import OfficeAdmin
from backoffice.resource.filters import link_filter
from backoffice.resource.shown import Badge, Field, Instant, RowLink
from customers.models import Passkey

NAME = Field("Passkey", str)
CUSTOMER = RowLink("Customer", "customer.masked_phone", to="customer")
STATE = Badge("State", lambda passkey: "off" if passkey.removed_at else "active")
ADDED = Instant("Added", "created_at")
LAST_USED = Instant("Last used", "last_used_at", empty="—")


class PasskeyAdmin(OfficeAdmin):
    model = Passkey
    heading_format = "Passkey of {row.customer.masked_phone}"
    exported = False
    list_select_related = ("customer",)
    list_display = (NAME, CUSTOMER, STATE, ADDED, LAST_USED)
    list_filter = (link_filter("customer", "customer", "customer_id"),)
    row_actions = (REMOVE_PASSKEY,)
    details = (
        Field("Copied to other devices", lambda passkey: "yes" if passkey.is_synced else "no"),
        Instant("Removed", "removed_at"),
        Instant("Suspected copy", "copied_at"),
    )
