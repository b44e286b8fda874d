"""What customers, and others who are not staff, did or reported: entries of timelines."""

from collections.abc import Iterator

from django.db.models import Q

from backoffice import formats
from backoffice.page_parts import TimelineEntry
from backoffice.resource.shown import actor_words
from customers.account_changes import AccountChange
from customers.models import CodePurpose, Customer, SignInCode
from refunds.models import Inquiry

_CHANGED = {
    AccountChange.EMAIL_SET: ("mail", "E-mail address confirmed", "quiet"),
    AccountChange.EMAIL_REMOVED: ("mail", "E-mail address removed", "quiet"),
}
_PURPOSES = {
    CodePurpose.SIGN_IN: "sign in",
    CodePurpose.RESET_PIN: "reset the PIN",
    CodePurpose.ADD_PASSKEY: "set a PIN or passkey",
    CodePurpose.CASH: "pay in cash",
}
_WRITTEN_BY = {
    "customer": "written by the customer",
    "visitor": "written by someone with the receipt",
}


def changes_of(customer: Customer, most: int) -> Iterator[TimelineEntry]:
    """Yield changes made by others than staff, whose actions are in the audit trail.

    An e-mail address that was removed with a stolen account is not included.
    """
    by_others = customer.changes.exclude(
        ~Q(change=AccountChange.EMAIL_REMOVED), actor__startswith="staff:"
    )
    for change in by_others.order_by("-pk")[:most]:
        frozen = ("ac_unit", f"Account {change.get_change_display().lower()}", "bad")
        icon, words, tone = _CHANGED.get(AccountChange(change.change), frozen)
        who, why = actor_words(change.actor), (change.cause,)
        yield TimelineEntry(change.at, icon, words, who, details=why, tone=tone)


def codes_of(customer: Customer, most: int) -> Iterator[TimelineEntry]:
    """Yield the codes requested with this phone in the last day, and whether they were entered."""
    codes = SignInCode.objects.filter(phone=customer.phone, livemode=customer.livemode)
    for code in codes.order_by("-created_at", "-pk")[:most]:
        wrong = code.attempts - (code.used_at is not None)
        became = "entered" if code.used_at else "not entered"
        if wrong:
            became = f"{became}, {formats.counted(wrong, 'wrong attempt')}"
        words = f"Code to {_PURPOSES[CodePurpose(code.purpose)]}: {became}"
        tone = "good" if code.used_at else "bad" if wrong else "quiet"
        yield TimelineEntry(code.created_at, "sms", words, tone=tone)


def inquiry_entries(inquiry: Inquiry, most: int, url: str = "") -> Iterator[TimelineEntry]:
    """Yield the newest `most` entries of an inquiry, newest first, linked to `url` if given."""
    for entry in inquiry.entries.order_by("-pk")[:most]:
        words = f"Inquiry: {_WRITTEN_BY.get(entry.author, entry.status)}"
        yield TimelineEntry(
            entry.at,
            "forum",
            formats.link(words, url),
            actor_words(entry.actor),
            details=(entry.text,),
            tone=formats.tone(entry.status),
        )
