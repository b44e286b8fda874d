"""Customers: masked, helped after an identity check, frozen at once; and their passkeys."""

from typing import Any

from backoffice import formats
from backoffice.admin.customer_actions import CUSTOMER_ACTIONS, REMOVE_PASSKEY
from backoffice.admin.office import OfficeAdmin
from backoffice.page_parts import Section, SupportAnswer, facts
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, link_filter
from backoffice.resource.resource import Related
from backoffice.resource.shown import Badge, Field, Id, Instant, actor_words
from backoffice.resource.usual_fields import CUSTOMER, MODE
from backoffice.services.personal_data import wallets_of
from backoffice.services.support import masked_address
from core.clock import request_now
from customers.account_changes import AccountChange
from customers.models import Customer, Passkey
from funding.models import TopUp
from payments.models import Payment


def pin_words(customer: Customer) -> str:
    """Return the state of the PIN, as one would tell a caller."""
    if customer.pin_is_disabled:
        return "off until reset by a code"
    if customer.is_pin_locked(request_now()):
        return f"locked until {formats.clock(customer.pin_locked_until, request_now())}"
    return "set" if customer.has_pin else "none yet"


def _state(customer: Customer) -> str:
    if customer.erased_at:
        return "erased"
    if customer.frozen_at:
        return "frozen"
    is_locked = customer.pin_is_disabled or customer.is_pin_locked(request_now())
    return "locked" if is_locked else "active"


PHONE = Field("Phone", "masked_phone", unbroken=True)
EMAIL = Field("E-mail", lambda customer: masked_address(customer.email))
TESTS_FOR = Field("Tests for", lambda customer: customer.merchant and customer.merchant.name)
SINCE = Instant("Since", "created_at")


def _no_erasure(customer: Customer) -> str:
    """Say why there is no button for it; empty if there is one, or was."""
    if customer.livemode or customer.erased_at:
        return ""
    return "not offered: a customer of tests is no person; one in live mode has Erase"


class CustomerAdmin(OfficeAdmin):
    model = Customer
    heading_format = "Customer {row.masked_phone}"
    list_display = (PHONE, Badge("State", _state), EMAIL, TESTS_FOR, SINCE, Id("Customer"), MODE)
    list_select_related = ("merchant",)
    list_filter = (DayFilter, ModeFilter)
    row_actions = CUSTOMER_ACTIONS
    details = (
        Field("Name", "name"),
        Field("Language", "language"),
        Field("PIN", pin_words),
        Field("Wrong PINs in a row", "pin_failures"),
        Instant("PIN set", "pin_set_at"),
        Field("Erasure", _no_erasure),
    )
    related = (
        Related(Payment, "customer", "Newest payments"),
        Related(TopUp, "customer", "Money added"),
        Related(Passkey, "customer"),
    )

    def answer(self, row: Customer, now: Any) -> SupportAnswer:
        if row.erased_at:
            erased = f"The person's data was erased {formats.clock(row.erased_at, now)}."
            return SupportAnswer([erased], "wait")
        if not row.livemode and row.merchant is None:
            words = "Shared by several merchants before each had its own: no one signs in to it."
            return SupportAnswer([words], "wait")
        if row.frozen_at:
            since = f"Frozen since {formats.clock(row.frozen_at, now)}{_frozen_by(row)}"
            return SupportAnswer([f"{since}: cannot pay.", "Finance can unfreeze it."], "bad")
        if row.pin_is_disabled:
            words = (
                "The PIN is disabled after too many wrong attempts: reset it by a code at checkout."
            )
            return SupportAnswer([words], "bad")
        if row.is_pin_locked(now):
            until = formats.clock(row.pin_locked_until, now)
            return SupportAnswer(
                [f"The PIN is locked until {until} after too many wrong attempts."], "wait"
            )
        return SupportAnswer(["The customer can pay."], "good")

    def sections(self, row: Customer) -> list[Section]:
        wallets = [
            (account.currency, formats.money(account.balance, account.currency))
            for account in wallets_of(row)
        ]
        return [*super().sections(row), Section("Wallet", facts(*wallets))]


def _frozen_by(customer: Customer) -> str:
    """Say who froze the account, and why."""
    last = customer.changes.filter(change=AccountChange.FROZEN).order_by("-pk").first()
    if last is None:
        return ""
    return f" by {actor_words(last.actor)}" + (f" ({last.cause.rstrip('.')})" if last.cause else "")


NAME = Field("Passkey", str)
STATE = Badge("State", lambda passkey: "removed" if passkey.removed_at else "active")
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
    requested_as = "customer_id"
    details = (
        Field("Copied to other devices", lambda passkey: "yes" if passkey.is_synced else "no"),
        Instant("Removed", "removed_at"),
        Instant("Suspected copy", "copied_at"),
    )
