"""Passkeys: which devices a customer pays with. No key is ever shown."""

from typing import ClassVar

from django.urls import reverse

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.customer_actions import REMOVE_PASSKEY
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, facts
from backoffice.resource.columns import Column, instant_column
from backoffice.resource.filters import link_filter
from customers.models import Passkey


class PasskeyAdmin(OfficeAdmin):
    exported = False
    list_select_related = ("customer",)
    list_display = (
        Column("Passkey", show=str),
        Column("Customer", show=lambda passkey: passkey.customer.masked_phone),
        Column(
            "State", show=lambda passkey: formats.badge("off" if passkey.removed_at else "active")
        ),
        instant_column("Added", "created_at"),
        instant_column("Last used", "last_used_at"),
    )
    list_filter = (link_filter("customer", "customer", "customer_id"),)
    row_actions: ClassVar[tuple[Action, ...]] = (REMOVE_PASSKEY,)

    def heading(self, row: Passkey) -> str:
        return f"Passkey of {row.customer.masked_phone}"

    def sections(self, row: Passkey) -> list[Section]:
        customer = reverse("admin:customers_customer_change", args=[row.customer_id])
        return [
            Section(
                "Passkey",
                facts(
                    ("Name", row.name),
                    ("Customer", formats.link(row.customer.masked_phone, customer)),
                    ("Copied to other devices", "yes" if row.is_synced else "no"),
                    ("Added", formats.moment(row.created_at)),
                    ("Last used", formats.moment(row.last_used_at)),
                    ("Removed", formats.moment(row.removed_at) if row.removed_at else ""),
                    ("Looked copied", formats.moment(row.copied_at) if row.copied_at else ""),
                ),
            )
        ]
