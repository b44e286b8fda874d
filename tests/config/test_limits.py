"""The limits and periods that people are told, or that safety rests on, are these and no others.

Other tests name such a constant, and go on passing when it changes by mistake. So they do where
what belongs together is no longer one transaction: `transactions.txt` has what is.
"""

from datetime import time, timedelta
from pathlib import Path
from pkgutil import resolve_name

import pytest
from django.db.transaction import Atomic
from django.utils.module_loading import import_string

from core.attempt_limits import AttemptLimit
from webhooks.delivery.lanes import Lane

TRANSACTIONS = Path(__file__).with_name("transactions.txt")
VALIDATORS = "django.contrib.auth.password_validation"
LIMITS: dict[str, object] = {
    "backoffice.authenticators.KEY_BYTES": 20,
    "backoffice.authenticators.TOLERANCE": 1,
    "backoffice.known_browsers.LIFETIME_SECONDS": 15_552_000,
    "backoffice.known_browsers.ID_CHARACTERS": 22,
    "backoffice.middleware.COARSE": timedelta(seconds=30),
    "backoffice.password_hashing.PASSWORDS_AT_ONCE": 2,
    "backoffice.password_hashing.WAIT_SECONDS": 5,
    "backoffice.passwords.LEFT_CHARACTERS": 8,
    "backoffice.services.break_glass.BREAK_GLASS_DELAY": timedelta(days=1),
    "backoffice.services.independence.DEPENDENT_FOR": timedelta(days=7),
    "backoffice.services.independence.COOLING_OFF": timedelta(days=1),
    "backoffice.services.instructions.DAY": timedelta(days=1),
    "backoffice.services.instructions.LIFETIME": timedelta(days=7),
    "backoffice.services.staff_passkeys.MAX_STAFF_PASSKEYS": 20,
    "backoffice.services.two_factor.RECOVERY_CODES": 10,
    "backoffice.services.two_factor.RECOVERY_CHARACTERS": 16,
    "backoffice.staff.USERNAME_CHARACTERS": 64,
    "backoffice.services.two_factor.STORED_CHARACTERS": 16,
    "checkout.logos.MAX_PIXELS": 10_000_000,
    "checkout.logos.MAX_SIDE": 8_000,
    "config.staff_access.AXES_FAILURE_LIMIT": 5,
    "config.staff_access.AXES_RESET_ON_SUCCESS": True,
    "config.staff_access.AUTH_PASSWORD_VALIDATORS": [
        {"NAME": f"{VALIDATORS}.UserAttributeSimilarityValidator"},
        {"NAME": f"{VALIDATORS}.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
        {"NAME": f"{VALIDATORS}.CommonPasswordValidator"},
        {"NAME": "backoffice.passwords.OwnWordsValidator"},
    ],
    "config.staff_access.PASSWORD_RESET_TIMEOUT": 259_200,
    "config.staff_access.REQUIRE_STAFF_PASSKEYS": True,
    "config.staff_access.STAFF_IDLE_SECONDS": 900,
    "config.staff_access.STAFF_SESSION_SECONDS": 28_800,
    "core.signed_notes.KEY_HASH_BYTES": 4,
    "core.signed_tokens.SIGNATURE_CHARACTERS": 16,
    "merchants.access.MAX_SCOPES": 500,
    "merchants.caller_lists.KEPT_STATEMENTS": 256,
    "merchants.categories.CODES": {
        "retail": "5999",
        "restaurant": "5812",
        "grocery": "5411",
        "gas_station": "5541",
        "pharmacy": "5912",
        "hotel": "7011",
        "professional_services": "8999",
        "healthcare": "8099",
        "education": "8299",
        "entertainment": "7999",
        "transportation": "4789",
        "utilities": "4900",
        "nonprofit": "8398",
        "other": "7299",
    },
    "merchants.email_confirmation.LIFETIME": timedelta(days=7),
    "merchants.email_confirmation.PER_MAILBOX": AttemptLimit(
        "confirm-email-mailbox", 1, timedelta(days=1)
    ),
    "merchants.email_confirmation.PER_MERCHANT": AttemptLimit(
        "confirm-email-merchant", 5, timedelta(days=1)
    ),
    "merchants.email_confirmation.PER_NETWORK": AttemptLimit(
        "confirm-email-network", 30, timedelta(days=1)
    ),
    "merchants.key_serializers.DEFAULT_OVERLAP_SECONDS": 86_400,
    "merchants.key_serializers.MAX_KEY_NAME": 100,
    "merchants.key_use.COARSENESS": timedelta(hours=1),
    "merchants.keys.RANDOM_CHARACTERS": 43,
    "merchants.keys.CHECKSUM_CHARACTERS": 6,
    "merchants.keys.LAST_CHARACTERS": 4,
    "merchants.known_keys.KEPT_FOR": timedelta(seconds=1),
    "merchants.known_keys.MOST_KEPT": 1000,
    "merchants.models.MAX_FEE_BASIS_POINTS": 10_000,
    "merchants.own_keys.MOST_ACTIVE": 50,
    "merchants.services.MAX_OVERLAP": timedelta(days=90),
    "merchants.views.KEYS_SHOWN_FOR": timedelta(hours=1),
    "merchants.services.SLUG_TRIES": 5,
    "customers.account_changes.CAUSE_CHARACTERS": 255,
    "customers.challenges.CHALLENGE_BYTES": 32,
    "customers.challenges.LIFETIME": timedelta(minutes=5),
    "customers.code_budgets.WINDOWS": (timedelta(hours=1), timedelta(days=1)),
    "customers.codes.CODE_DIGITS": 6,
    "customers.codes.LIFETIME": timedelta(minutes=10),
    "customers.codes.MAX_ATTEMPTS": 5,
    "customers.erasure._PHONE_DIGITS": 14,
    "customers.magic_phones.MAGIC_PHONES": {
        "+12425550100": "works",
        "+12425550101": "has too little money",
        "+12425550102": "every PIN is wrong",
        "+12425550103": "is declined",
        "+12425550104": "stays in processing for 30 seconds",
        "+12425550105": "works, but its refunds fail",
        "+12425550106": "the PIN is locked",
        "+12425550107": "is asked for more proof after several payments at the checkout",
        "+12425550108": "has too little money until some is added at the checkout",
    },
    "customers.magic_phones.POOR_PHONES": ["+12425550101", "+12425550108"],
    "customers.magic_phones.SLOW_SETTLEMENT": timedelta(seconds=30),
    "customers.models.PIN_ATTEMPTS_UNTIL_DISABLED": 10,
    "customers.models.SESSION_IDLE": timedelta(minutes=30),
    "customers.models.FRESH": timedelta(minutes=10),
    "customers.passkey_sign_in.SIGN_IN_ATTEMPTS": AttemptLimit(
        "passkey-sign-in", 10, timedelta(hours=1)
    ),
    "customers.passkeys.MAX_PASSKEYS": 20,
    "customers.phones.MAX_CHARACTERS": 32,
    "customers.pin_hashing.HASHES_AT_ONCE": 4,
    "customers.pin_hashing.WAIT_SECONDS": 5,
    "customers.pin_locks.LOCK": timedelta(minutes=30),
    "customers.pins.ATTEMPTS_UNTIL_LOCKED": 5,
    "customers.security_alerts.CHANGES": AttemptLimit("security-change", 10, timedelta(days=1)),
    "customers.security_alerts.LINK_LIFETIME": timedelta(days=30),
    "customers.services.TEST_WALLET_AMOUNT": 10_000_000,
    "customers.services.TEST_WALLET_REFILL_BELOW": 1_000_000,
    "customers.sessions.LIFETIME": timedelta(hours=12),
    "customers.sessions.SEEN_EVERY": timedelta(minutes=1),
    "customers.tokens.TOKEN_CHARACTERS": 43,
    "customers.webauthn.DEFAULT_PORTS": {"http": 80, "https": 443},
    "customers.webauthn.TIMEOUT_MILLISECONDS": 300_000,
    "customers.webauthn.MAX_RESPONSE_CHARACTERS": 16_384,
    "customers.webauthn.MAX_CREDENTIAL_BYTES": 1023,
    "customers.wrong_pins.WRONG_PER_ADDRESS": AttemptLimit(
        "wrong-pin-address", 20, timedelta(hours=1)
    ),
    "customers.wrong_pins.WRONG_THERE": AttemptLimit("wrong-pin-there", 1, timedelta(hours=1)),
    "customers.wrong_pins.WRONG_PER_CUSTOMER": AttemptLimit(
        "wrong-pin-customer", 30, timedelta(days=1)
    ),
    "customers.wrong_pins.WRONG_IN_ALL": AttemptLimit("wrong-pin", 10_000, timedelta(hours=1)),
    "core.hash_chain.FIRST_HASH": "0" * 64,
    "core.signatures.MAX_SIGNATURE": 64,
    "core.signatures.VERSION_CHARACTERS": 8,
    "ledger.bucket_witness.EXISTS": 412,
    "ledger.bucket_witness.SECONDS": 10,
    "ledger.log_tree.TIERS": 7,
    "ledger.log_tree.TIER_LEVELS": 8,
    "ledger.log_tree.TIER_WIDTH": 256,
    "ledger.proving.INTERVAL": timedelta(minutes=5),
    "ledger.proving.REST_FACTOR": 9,
    "ledger.proving.LEASE": timedelta(hours=1),
    "ledger.proving.LATEST": timedelta(hours=11),
    "ledger.proving.MAX_PROBLEMS": 10,
    "ledger.tasks.PROOF_SECONDS": 3_600,
    "ledger.tasks.WITNESS_SECONDS": 300,
    "ledger.whole_proof.MICROSECOND": 1_000,
    "ledger.whole_proof.SECOND": 1_000_000_000,
    "ledger.whole_proof.SLICE_SECONDS": 6,
    "ledger.witnesses.BACKLOG": 500,
    "ledger.witnesses.SECONDS": 10,
    "core.amounts.MAX_TYPED": 30,
    "core.money.MAX_AMOUNT": 99_999_999_999,
    "core.retries.MAX_ATTEMPTS": 3,
    "payments.counters.TOKEN_CHARACTERS": 43,
    "payments.emails.REMINDER_BEFORE": timedelta(days=3),
    "payments.emails.SENDING_HOUR": time(9),
    "payments.emails.PER_RECIPIENT": AttemptLimit("invoice-recipient", 20, timedelta(days=1)),
    "payments.modes.LIFETIME": timedelta(days=1),
    "payments.modes.INVOICE_TERM": timedelta(days=30),
    "payments.modes.MAX_INVOICE_TERM": timedelta(days=3660),
    "payments.pay_requests.PER_OBJECT": AttemptLimit("pay-request-object", 3, timedelta(days=1)),
    "payments.pay_requests.PER_RECIPIENT": AttemptLimit(
        "pay-request-recipient", 5, timedelta(days=1)
    ),
    "payments.pay_requests.PER_MERCHANT": AttemptLimit(
        "pay-request-merchant", 200, timedelta(days=1)
    ),
    "payments.risk.DAY": timedelta(days=1),
    "payments.tickets.TICKET_LIFETIME": timedelta(minutes=30),
    "payments.tickets.MOST_OPEN": 9,
    "payments.till_serializers.MAX_PRODUCT_NAME": 40,
    "payments.tills.MOST_PRODUCTS": 9,
    "payments.tills.TIP_PERCENTS": (10, 15, 20),
    "refunds.emails.TEXTS": AttemptLimit("refund-text", 20, timedelta(days=1)),
    "refunds.failures.GIVE_UP_AFTER": timedelta(days=30),
    "funding.references.BODY_CHARACTERS": 8,
    "funding.references.GROUP": 4,
    "funding.services.DAY": timedelta(days=1),
    "payouts.account_statements.PART_LINES": 2000,
    "payouts.account_statements.SETTLED_AFTER": timedelta(minutes=1),
    "payouts.account_statements.MOST_PENDING": 10,
    "payouts.account_statements.TURN_SECONDS": 5,
    "payouts.bank.matching.TICK": timedelta(milliseconds=1),
    "payouts.bank.reports.MAX_REFERENCE": 35,
    "payouts.bank.safe_xml.MAX_FILE_BYTES": 10_485_760,
    "payouts.bank.safe_xml.MAX_ELEMENTS": 500_000,
    "payouts.bank.safe_xml.MAX_DEPTH": 32,
    "payouts.bank_accounts.MAX_NAME_LENGTH": 140,
    "payouts.bank.missing_statements.LOOKED_AT": 400,
    "payouts.batches.MAX_PAYOUTS": 500,
    "payouts.business_days.FRIDAY": 4,
    "payouts.business_days.ONE_DAY": timedelta(days=1),
    "payouts.composition.KEPT_SECONDS": 86_400,
    "payouts.composition.MOST_READ": 50_000,
    "payouts.explaining.MOST_FOUND": 10,
    "payouts.order_references.CUT_DIGEST": "[0-9a-f]{14,31}$",
    "payouts.order_references.REFERENCE_CHARACTERS": 32,
    "payouts.pain001.MAX_TEXT_LENGTH": 140,
    "payouts.scheduling.FURTHEST_AHEAD": timedelta(days=1),
    "payouts.views.MOVEMENTS_SHOWN": 100,
    "outbound.connections.MAX_ADDRESSES_TRIED": 4,
    "outbound.http_client.MAX_BYTES": 65_536,
    "outbound.http_client.MAX_BODY_BYTES": 32_768,
    "outbound.http_client.EXCERPT_BYTES": 4_000,
    "outbound.http_client.EXCERPT_CHARACTERS": 1000,
    "outbound.policy.PORTS": {"https": 443, "http": 80},
    "outbound.http_client.PRELIMINARY_STATUSES": frozenset({102, 103}),
    "outbound.policy._OTHER_SERVICES": frozenset(
        {1433, 1521, 2049, 2375, 2379, 3306, 4369, 5432, 5672, 6000, 6379, 9042, 9200, 9300, 11211}
        | {27017}
    ),
    "outbound.policy.HIGH_PORTS": 8000,
    "outbound.policy.UNPRIVILEGED_PORTS": 1024,
    "outbound.resolver.MAX_CONCURRENT_LOOKUPS": 128,
    "webhooks.delivery.dispatcher.THREADS": {Lane.QUICK: 40, Lane.NEW: 12, Lane.CAREFUL: 12},
    "webhooks.delivery.dispatcher.RECORD_RETRY_SECONDS": (0.1, 0.5, 1, 2, 4, 8),
    "webhooks.delivery.lanes.MAX_IN_FLIGHT": 4,
    "webhooks.delivery.leases.LEASE_IN_DEADLINES": 3,
    "webhooks.delivery.leases.TOKEN_BYTES": 16,
    "webhooks.delivery.leases.POSTPONED_FOR": timedelta(minutes=1),
    "webhooks.delivery.order.WINDOW": 20,
    "webhooks.delivery.order.LOOK_BACK": 20,
    "webhooks.delivery.outcomes.GONE": 410,
    "webhooks.delivery.outcomes.SLOW_MS": 3000,
    "webhooks.delivery.outcomes.SUCCESS_RECORDED_EVERY": timedelta(hours=1),
    "webhooks.delivery.outcomes.PAUSE_FROM_FAILURES": 10,
    "webhooks.delivery.outcomes.PAUSES_IN_FIRST_STEP": 10,
    "webhooks.delivery.retry_schedule.RETRY_AFTER_STATUSES": {429, 503},
    "webhooks.delivery.signing.SECRET_BYTES": 32,
    "webhooks.delivery.signing.HINT_CHARACTERS": 4,
    "webhooks.delivery.wakeup.CIRCUIT_OPEN_SECONDS": 10,
    "webhooks.delivery.wakeup.EXPIRES_SECONDS": 10,
    "webhooks.delivery.wakeup.MAX_QUEUED": 50,
    "webhooks.endpoint_health.COUNTED": 1_000,
    "webhooks.endpoints.MAX_ENDPOINTS": 100,
    "webhooks.endpoints.MAX_FREE_ENDPOINTS": 10,
    "webhooks.feed.MAX_WAIT_SECONDS": 25,
    "webhooks.feed.RETRY_SECONDS": 2,
    "webhooks.outbox.NUMBER_DIGITS": 3,
    "webhooks.redelivery.RECOVERY_BATCH": 100,
    "webhooks.serializers.DEFAULT_OVERLAP_SECONDS": 86_400,
    "webhooks.serializers.MAX_OVERLAP_SECONDS": 604_800,
    "webhooks.serializers.MAX_DATA_BYTES": 16_384,
    "webhooks.statuses.SWITCH_OFF_AFTER": timedelta(days=5),
    "webhooks.statuses.ALARM_AFTER": timedelta(minutes=5),
    "webhooks.test_event.HEAD_START": timedelta(seconds=5),
    "webhooks.waiting_places.WAITING_PER_CALLER": 2,
}


@pytest.mark.parametrize("name", LIMITS)
def test_it_is_what_it_was_decided_to_be(name: str) -> None:
    assert import_string(name) == LIMITS[name]


def test_what_belongs_together_is_one_transaction() -> None:
    lines = TRANSACTIONS.read_text().splitlines()
    named = [(name, mark) for name, _, mark in (line.partition(" ") for line in lines)]

    assert [name for name, mark in named if _transaction_of(name) != f"atomic {mark}"] == []


def _transaction_of(name: str) -> str:
    """Return what a function of the service runs in: `atomic durable` cannot be undone."""
    cells = getattr(resolve_name(name), "__closure__", None) or ()
    around = [cell.cell_contents for cell in cells if isinstance(cell.cell_contents, Atomic)]
    durable = [getattr(block, "durable") for block in around]  # noqa: B009  # not in the stubs
    return f"atomic {'durable' * durable[0]}" if durable else ""
