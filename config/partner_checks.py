"""Faults in how those are named whom the service works with: providers, the bank, witnesses."""

from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.module_loading import import_string

from core.web_urls import is_web_url
from outbound.policy import fault_of, policy_for
from payouts.account_numbers import compact, is_account_number, is_bic, is_clearing_code

FOLDER = "file:///"
BUCKET = "s3://"
# The account is also shown to customers as the one to pay to.
DEBTOR: dict[str, tuple[Callable[[str], bool], str]] = {
    "PAYOUT_DEBTOR_ACCOUNT": (
        is_account_number,
        "an account number; an IBAN needs the right check digits",
    ),
    "PAYOUT_DEBTOR_BIC": (is_bic, "a BIC such as BOTIBSNS"),
    "PAYOUT_DEBTOR_CLEARING_CODE": (is_clearing_code, "a code of letters and digits"),
}


def partner_faults() -> Iterator[str]:
    """Yield one sentence per fault."""
    if not _is_provider(settings.PAYOUT_PROVIDER):
        yield "PAYOUT_PROVIDER must be the path of a class of providers."
    if not all(map(_is_provider, settings.FUNDING_PROVIDERS)):
        yield "FUNDING_PROVIDERS must be paths of classes of providers."
    for name, (holds, rule) in DEBTOR.items():
        if (given := getattr(settings, name)) and not holds(compact(given)):
            yield f"{name} must be {rule}."
    for address in settings.CHECKPOINT_WITNESSES:
        yield from _faults_of_witness(address)


def _is_provider(path: str) -> bool:
    """Return whether a path leads to what is asked for results, as each provider is."""
    try:
        return hasattr(import_string(path), "fetch_result")
    except (ImportError, ValueError):
        return False


def _faults_of_witness(address: str) -> Iterator[str]:
    """Report a witness that nothing would ever be sent to."""
    if address.startswith(FOLDER):
        return
    policy = policy_for(livemode=not settings.DEVELOPMENT_MODE)
    if address.startswith(BUCKET):
        yield from _faults_of_bucket(address)
    elif not address.startswith(("https://", "http://") if policy.loopback else "https://"):
        yield f"CHECKPOINT_WITNESSES must each begin with one of {FOLDER}, {BUCKET}, https://."
    elif fault := fault_of(address, policy):
        named = urlsplit(address).hostname if is_web_url(address) else "each"
        yield f"CHECKPOINT_WITNESSES: {named} {fault}."


def _faults_of_bucket(address: str) -> Iterator[str]:
    if not is_web_url(address.replace(BUCKET, "https://", 1)) or not urlsplit(address).path[1:]:
        yield "CHECKPOINT_WITNESSES must name an endpoint and a bucket: s3://endpoint/bucket."
    key_id, _, secret = settings.CHECKPOINT_BUCKET_KEY.partition(":")
    if not (key_id and secret):
        yield "CHECKPOINT_BUCKET_KEY must be `key id:secret`, for the bucket among the witnesses."
