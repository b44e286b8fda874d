"""What staff review of a merchant: its details before it is verified, and changes to them."""

from base64 import b64encode
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.utils.html import format_html

from backoffice import formats
from backoffice.actions import Action, ActionResult
from backoffice.forms import ReasonForm
from backoffice.roles import Right
from backoffice.services.independence import why_void
from backoffice.services.merchant_changes import decide_change, seen_of
from backoffice.services.merchant_names import scripts_beside_latin, verified_lookalikes
from backoffice.services.merchants import (
    VERIFIED,
    changed_since_verified,
    details_of,
    digest_of_details,
    verify_merchant,
)
from checkout.logo_rows import picture_at
from merchants.models import Merchant, MerchantChange
from merchants.statuses import TRANSITIONS, MerchantStatus

_OTHER_LETTERS = "The name has letters that are not Latin, though they may look so"
UNCONFIRMED = (
    "The e-mail address is not confirmed: it may be another person's, and not the caller's."
    " Let the merchant press the link in our e-mail first."
)


def change_lines(change: MerchantChange) -> list[str]:
    """Return the old and the new value of each field."""
    return [
        f"{name.replace('_', ' ')}: “{formats.spelled_out(change.before[name])}”"
        f" becomes “{formats.spelled_out(value)}”"
        for name, value in change.after.items()
    ]


def lookalike_lines(merchant: Merchant, name: str) -> list[str]:
    """Name the verified merchants that customers could take this one for, by a new name if any.

    And the scripts of its letters other than Latin, which may look like those of any merchant.
    """
    doubles = [
        f"Customers could take it for another verified merchant: {other.name} ({other.pk})"
        for other in (verified_lookalikes(merchant, name) if name else ())
    ]
    scripts = ", ".join(scripts_beside_latin(name))
    return [*doubles, *([f"{_OTHER_LETTERS}: {scripts}"] if scripts else [])]


def logo_lines(merchant: Merchant, url: str) -> list[str]:
    """Show what was read at a logo URL, which need not be what it shows to your browser."""
    if not url:
        return []
    picture = picture_at(merchant, url)
    if picture is None:
        return ["The logo has not been read yet: open this again in a minute."]
    if not picture.digest:
        return [f"No logo could be read, and customers would see none: {picture.fault}"]
    shown = '{} <img src="data:image/png;base64,{}" alt="The logo">'
    words = "The logo as customers would see it; your browser may be shown another:"
    return [format_html(shown, words, b64encode(bytes(picture.png)).decode())]


class ChangeForm(ReasonForm):
    """A decision on exactly the change displayed, not on one made in the meantime."""

    guard = "seen"
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def shown(self) -> str:
        change = self._pending()
        return seen_of(change) if change else ""

    def lines(self) -> list[str]:
        change = self._pending()
        if change is None:
            return []
        lines = change_lines(change) + why_void(change.actor, self.row, now=self.now)
        lines += logo_lines(self.row, change.after.get("logo_url", ""))
        return lines + lookalike_lines(self.row, change.after.get("name", ""))

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
        about="Customers see the new values at once. The old e-mail address is notified.",
    ),
    _action(
        "decline-change", "Decline change", approve=False, about="The old values stay.", danger=True
    ),
)


class VerifyForm(ReasonForm):
    """What customers will see of a merchant, which is verified as displayed.

    What has changed since the last verification is marked: do not identify a caller by it.
    """

    guard = "seen"
    seen = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def shown(self) -> str:
        return digest_of_details(self.row)

    def lines(self) -> list[str]:
        changed = changed_since_verified(self.row)
        details = [
            f"{name.replace('_', ' ')}: {formats.spelled_out(value)}"
            + (f" (changed {formats.moment(changed[name])})" if name in changed else "")
            for name, value in details_of(self.row).items()
            if value or name in changed
        ]
        if self.row.email_confirmed_at is None:
            details.append(UNCONFIRMED)
        details += logo_lines(self.row, self.row.logo_url)
        return details + lookalike_lines(self.row, self.row.name)


def can_become(status: MerchantStatus) -> Callable[[Merchant, datetime], bool]:
    return lambda merchant, now: status in TRANSITIONS[MerchantStatus(merchant.status)]


VERIFY = Action(
    title="Verify",
    right=Right.VERIFY_MERCHANT,
    form=VerifyForm,
    service=verify_merchant,
    message=lambda merchant: ActionResult(f"{merchant.name} is verified now."),
    audited_as=VERIFIED,
    watches=("status",),
    about="The merchant can accept live payments under these details.",
    icon="verified",
    main=True,
    available=can_become(MerchantStatus.VERIFIED),
)
