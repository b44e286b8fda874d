"""Find webhook endpoints by their host, or by any part of their URL."""

import re

from django.db.models import F, Q

from webhooks.models import Webhook

SHOWN = 20
SHORTEST = 3


def endpoints_at(text: str) -> list[Webhook]:
    """Return the newest endpoints with this in their URL; deleted ones last.

    A text without a dot or slash counts in the host only: many paths have the same words.
    """
    if len(text) < SHORTEST:
        return []
    in_host = Q(url__iregex=rf"^[a-z]+://[^/?#]*{re.escape(text)}")
    is_specific = "." in text or "/" in text
    rows = Webhook.objects.filter(Q(url__icontains=text) if is_specific else in_host)
    ordered = rows.order_by(F("deleted_at").desc(nulls_first=True), "-pk")
    return list(ordered.select_related("merchant")[:SHOWN])
