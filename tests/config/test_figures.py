"""Figures in prose: those of the reference are rendered, those of the documents are compared."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.test import override_settings

from backoffice.audit import MOST_AN_HOUR
from backoffice.pages.proving import VERIFIED_FOR
from backoffice.roles import LIMITS, InstructionKind, Role
from backoffice.services.decisions import BREAK_GLASS_DELAY
from backoffice.services.independence import COOLING_OFF, DEPENDENT_FOR
from backoffice.services.instructions import LIFETIME
from backoffice.services.two_factor import RECOVERY_CODES
from config.databases import POSTGRESQL_LIMITS
from config.environment import VARIABLES
from core.durations import in_words
from core.json import MAX_BODY_BYTES
from core.throttling import MERCHANT_LIMITS
from customers.codes import TEST_CODE
from customers.magic_phones import WORKING_PHONE
from customers.pin_rules import TEST_PIN
from ledger.proving import INTERVAL, REST_FACTOR
from payouts.bank_accounts import TEST_NUMBER_REFUSED
from tests.client import Api
from webhooks.delivery.dispatcher import THREADS
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import LEASE_IN_DEADLINES
from webhooks.management.commands.prune import DEFAULT_DAYS
from webhooks.retention import MOST_A_TURN

ROOT = Path(__file__).parent.parent.parent
WORDS = {
    1: "one", 3: "three", 5: "five", 7: "seven", 8: "eight", 10: "ten", 15: "fifteen", 30: "thirty"
}  # fmt: skip


def units(amount: object) -> str:
    cents = int(str(amount))
    return f"{cents // 100:,}.{cents % 100:02}"


def sentences() -> list[tuple[str, str]]:
    """Return what a document says, with the figure that acts in it."""
    burst, hourly = (limit.item for limit in MERCHANT_LIMITS)
    minute = burst.amount * 60 // burst.get_expiry()
    body = f"{MAX_BODY_BYTES // 1_024} KiB"
    fails = WORDS[settings.AXES_FAILURE_LIMIT].capitalize()
    careful, support = LIMITS[Role.FINANCE], LIMITS[Role.SUPPORT][InstructionKind.REFUND]
    refund, top_up, payout = (
        careful[kind]
        for kind in (InstructionKind.REFUND, InstructionKind.TOP_UP, InstructionKind.PAYOUT)
    )
    idle = WORDS[settings.STAFF_IDLE_SECONDS // 60].capitalize()
    session = WORDS[settings.STAFF_SESSION_SECONDS // 3_600]
    readme, office, production = "README.md", "docs/back-office.md", "docs/production.md"
    scaling = "docs/scaling.md"
    return [
        (readme, f"no verification up to {units(VARIABLES['PIN_ABOVE'][1])}, a PIN up to"),
        (readme, f"a PIN up to {units(VARIABLES['PASSKEY_ABOVE'][1])}, a passkey above that"),
        (readme, f"the code is {TEST_CODE} and the PIN is {TEST_PIN};"),
        (readme, f'"customer_phone": "{WORKING_PHONE}"'),
        (readme, f"{minute} requests a minute and {hourly.amount:,} an hour per merchant"),
        ("docs/architecture.md", f"bodies over {body}"),
        (production, f"(the service takes {body})"),
        (production, f"A webhook dispatcher has {sum(THREADS.values())} threads"),
        (
            scaling,
            f"{sum(THREADS.values())} threads, of which {THREADS[Lane.QUICK]} are for healthy",
        ),
        (scaling, f"deletes after {DEFAULT_DAYS} days, up to {MOST_A_TURN:,} a minute"),
        (production, f"({WORDS[LEASE_IN_DEADLINES]} times `WEBHOOK_TIMEOUT_SECONDS`)"),
        (production, f"those that are older than {DEFAULT_DAYS} days and have ended"),
        (production, f"every {WORDS[INTERVAL.seconds // 60]} minutes, or less often"),
        (production, f"a {'tenth' if REST_FACTOR == 9 else '?'} of the time"),
        (production, "is canceled after 5 seconds"),
        (production, f"{fails} wrong passwords lock the sign-in for half an hour"),
        (office, f"{fails} wrong passwords lock the sign-in for half an hour"),
        (office, f"{idle} minutes without a click, or {session} hours in all"),
        (office, f"store {WORDS[RECOVERY_CODES]} recovery codes"),
        (office, f"within the last {WORDS[VERIFIED_FOR.seconds // 60]} minutes"),
        (office, f"limited to {WORDS[MOST_AN_HOUR]} an hour"),
        (office, f"under Approvals for {WORDS[LIFETIME.days]} days"),
        (office, f"changed within the last {'day' if COOLING_OFF.days == 1 else '?'}"),
        (office, f"let in within the last {WORDS[DEPENDENT_FOR.days]} days"),
        (office, f"after {in_words(BREAK_GLASS_DELAY)} the requester"),
        (office, f"works for {in_words(timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT))}"),
        (office, f"| refund | {units(support.each)}, {units(support.a_day)} a day |"),
        (office, f"| {units(refund.each)}, {units(refund.a_day)} a day |"),
        (office, f"| {units(top_up.each)}, {units(top_up.a_day)} a day |"),
        (office, f"| payout | | {units(payout.each)}, {units(payout.a_day)} a day |"),
    ]


@pytest.mark.parametrize(("document", "sentence"), sentences())
def test_a_document_names_the_figure_that_acts(document: str, sentence: str) -> None:
    assert sentence in " ".join((ROOT / document).read_text().split())


def test_what_is_written_out_is_what_acts() -> None:
    assert settings.AXES_COOLOFF_TIME == 0.5
    assert "statement_timeout=5000" in POSTGRESQL_LIMITS


def in_one_line(reference: str) -> str:
    return " ".join(reference.replace("\\n", " ").split())


def test_the_reference_has_no_place_left_without_its_figure(openapi: str) -> None:
    document = in_one_line(openapi)

    assert "[[" not in re.sub(r"\[\[(?=\d)", "", document)
    for said in (
        "2xx status within 15 seconds",
        "attempts are made 5 minutes, 30 minutes, 2 hours and 6 hours after",
        "disables the endpoint, and so do 5 days",
        "returns the stored response for 3 days",
        f"the code is {TEST_CODE} and the PIN {TEST_PIN}",
        f"to the account number {TEST_NUMBER_REFUSED} it fails",
        "A payout leaves within 10 minutes and arrives within another 10 minutes",
        "+1 242 555 0100 works, +1 242 555 0101 has too little money",
        "+1 242 555 0104 stays in processing for 30 seconds",
        "5 wrong PINs lock it for 30 minutes",
        "More than 100 requests a minute (200 at once) or 10,000 an hour",
        "larger than 256 KiB",
        "24 hours, the due date",
        "the same response for 1 hour, from the same IP address",
        "to register a merchant more than 1 hour ago",
        "the page size: 20 by default; anything above 100 means 100",
        "other filter than `payment_mode`, `status`, `type`, `start_date` and `end_date` it is",
        "it is exact up to 10,000; above that",
        "the newest 100 of the movements",
        "those on this page, or the newest 100",
        "each is kept for 30 days",
        "unless it is paid, 3 days before the due date",
        "With `wait=25` the request waits up to 25 seconds",
        "if there are none yet; 25 at most",
        "be 100 webhooks per mode, until the merchant is verified 10",
    ):
        assert said in document, said


@pytest.mark.django_db
def test_the_reference_follows_the_settings(api: Api) -> None:
    with override_settings(WEBHOOK_RETRY_SECONDS=[60, 7_200], WEBHOOK_TIMEOUT_SECONDS=7):
        document = in_one_line(api(None).get("/v1/openapi.json").content.decode())

    assert "2xx status within 7 seconds" in document
    assert "attempts are made 1 minute and 2 hours after" in document
    assert "a new round of 3 attempts" in document


@pytest.mark.parametrize(
    ("length", "words"),
    [
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=90), "90 seconds"),
        (timedelta(minutes=1), "1 minute"),
        (timedelta(hours=1), "1 hour"),
        (timedelta(hours=24), "24 hours"),
        (timedelta(hours=72), "3 days"),
        (timedelta(days=5), "5 days"),
    ],
)
def test_lengths_of_time_read_as_people_say_them(length: timedelta, words: str) -> None:
    assert in_words(length) == words
