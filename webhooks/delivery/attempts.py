"""One attempt: sign the stored bytes, send them, and record the result.

If we cannot make one, for want of a key or because of a bug, the endpoint is not to blame: the
attempt does not count, and is made later.
"""

import logging

from django.conf import settings

from core.errors import ServiceUnavailable
from core.sealed import unseal
from outbound.http_client import post
from outbound.policy import policy_for
from outbound.results import HttpResult
from webhooks.delivery.leases import Claim, postpone
from webhooks.delivery.outcomes import record_result
from webhooks.delivery.signing import checkpoint_headers, signature_headers
from webhooks.models import Webhook

logger = logging.getLogger(__name__)


def attempt_and_record(claim: Claim) -> HttpResult:
    """Make the attempt that was claimed, and record its result. Raises ServiceUnavailable."""
    result = attempt(claim)
    if result is None:
        postpone(claim)
        raise ServiceUnavailable
    record_result(claim, result)
    return result


def attempt(claim: Claim) -> HttpResult | None:
    """Call the endpoint, in no transaction; return None if we could not. Never raises."""
    try:
        body = claim.delivery.event.payload
        return post(
            claim.delivery.webhook.url,
            body=body,
            headers=_headers(claim, body),
            policy=policy_for(livemode=claim.delivery.webhook.livemode),
            seconds=settings.WEBHOOK_TIMEOUT_SECONDS,
        )
    except Exception:
        logger.exception("attempt not made", extra={"delivery_id": claim.delivery.id})
        return None


def _headers(claim: Claim, body: bytes) -> dict[str, str]:
    webhook = claim.delivery.webhook
    return {
        "Content-Type": "application/json",
        "User-Agent": "payments-webhooks/1",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
        **signature_headers(
            event_id=claim.delivery.event_id,
            body=body,
            at=claim.at,
            secret=unseal(webhook, "secret"),
            previous=_previous_secret(webhook, claim),
        ),
        **checkpoint_headers(claim.checkpoint),
    }


def _previous_secret(webhook: Webhook, claim: Claim) -> str | None:
    expires_at = webhook.previous_secret_expires_at
    if expires_at is None or expires_at <= claim.at:
        return None
    return unseal(webhook, "previous_secret")
