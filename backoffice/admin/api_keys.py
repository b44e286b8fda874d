"""API keys: what may be shown of them, rolling and revoking."""

from datetime import timedelta
from typing import ClassVar

from django import forms
from django.urls import reverse
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice import formats
from backoffice.acts import Act, Done, Work
from backoffice.admin.filters import ModeFilter, link_filter
from backoffice.admin.office import OfficeAdmin
from backoffice.forms import ActForm, Line, ReasonForm
from backoffice.page_parts import Section, facts
from backoffice.resource.columns import MERCHANT, MODE, Column, instant_column, text_column
from backoffice.roles import Right
from backoffice.services.merchants import end_key, replace_key, right_to_keys
from core.clock import request_now
from merchants.models import ApiKey


class RollForm(ActForm):
    overlap_hours = forms.IntegerField(
        min_value=0,
        max_value=24 * 7,
        initial=24,
        widget=UnfoldAdminIntegerFieldWidget(),
        help_text="For how long the old key works beside the new one.",
    )
    reason = Line(max_length=500)


def _roll(work: Work) -> Done:
    issued = replace_key(
        staff=work.staff,
        key_id=work.row.pk,
        overlap=timedelta(hours=work.data["overlap_hours"]),
        reason=work.data["reason"],
        now=work.now,
    )
    return Done(
        "The key is replaced, and the merchant was told by e-mail.",
        secret=issued.secret,
        secret_name="The new key",  # noqa: S106  # a name of one
    )


def _revoke(work: Work) -> Done:
    end_key(staff=work.staff, key_id=work.row.pk, reason=work.data["reason"], now=work.now)
    return Done("The key opens nothing any more.")


STATE = Column(
    "State",
    show=lambda key: formats.badge("active" if key.is_active(request_now()) else "revoked"),
    plain=lambda key: "active" if key.is_active(request_now()) else "revoked",
)


class ApiKeyAdmin(OfficeAdmin):
    plural = "API keys"
    counted = ("key", "keys")
    view_right: ClassVar[Right] = Right.VIEW_KEYS
    list_select_related = ("merchant",)
    list_display = (
        Column("Key", show=lambda key: formats.code(key.hint), plain=lambda key: key.hint),
        text_column("Name", "name"),
        MERCHANT,
        STATE,
        instant_column("Created", "created_at"),
        instant_column("Last used", "last_used_at"),
        MODE,
    )
    list_filter = (ModeFilter, link_filter("merchant", "merchant", "merchant_id"))
    acts: ClassVar[tuple[Act, ...]] = (
        Act(
            name="roll",
            title="Roll",
            right=Right.KEYS,
            form=RollForm,
            carry_out=_roll,
            about="A new key takes its place. The merchant is told by e-mail.",
            icon="autorenew",
            offered=lambda key, now: key.is_active(now),
            for_whom=lambda key, staff: staff.may(right_to_keys(key.livemode)),
        ),
        Act(
            name="revoke",
            title="Revoke",
            right=Right.KEYS,
            form=ReasonForm,
            carry_out=_revoke,
            about="Requests with it are refused at once.",
            icon="key_off",
            danger=True,
            offered=lambda key, now: key.is_active(now),
        ),
    )

    def heading(self, row: ApiKey) -> str:
        return f"API key {row.hint}"

    def sections(self, row: ApiKey) -> list[Section]:
        merchant = reverse("admin:merchants_merchant_change", args=[row.merchant_id])
        return [
            Section(
                "Key",
                facts(
                    ("Key", formats.code(row.hint)),
                    ("Name", row.name),
                    ("Merchant", formats.link(row.merchant.name, merchant)),
                    (
                        "State",
                        formats.badge("active" if row.is_active(request_now()) else "revoked"),
                    ),
                    ("Mode", formats.mode(row.livemode)),
                    ("Created", formats.moment(row.created_at)),
                    ("Last used", formats.moment(row.last_used_at)),
                    ("Ends", formats.moment(row.expires_at) if row.expires_at else ""),
                    ("Revoked", formats.moment(row.revoked_at) if row.revoked_at else ""),
                ),
            )
        ]
