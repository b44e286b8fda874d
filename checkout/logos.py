"""Merchants' logos: fetched through the guarded client, re-encoded, served from here.

Embedding the merchant's own file would tell its host who pays whom, and let it change the picture,
or break the page, at any time. The logo of a verified merchant stays as staff have seen it, until
they approve another URL. They see what was read there: a host may answer their browsers otherwise.
"""

import hashlib
import io
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextField, When
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from PIL import Image
from PIL.JpegImagePlugin import JpegImageFile

from checkout.models import LOGO_IS_STALE, Logo, WantedLogo
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from outbound.http_client import get
from outbound.policy import policy_for

FORMATS = ("PNG", "JPEG", "WEBP", "GIF")
# A 32 kB file may claim any size; within these limits, decoding takes 200 MB at most. Every row
# has a cost of its own.
MAX_PIXELS, MAX_SIDE = 10_000_000, 8_000
# A progressive JPEG goes over the whole picture once per scan, at 20 bytes each; encoders use ten.
JPEG_SCAN, MAX_SCANS = b"\xff\xda", 100
SIDE = 176  # four times the 44 pixels on the page
MAX_PNG_BYTES = 20_000
FEW_COLORS = (256, 64, 16)
SECONDS = 10.0
TURN_SECONDS = 5  # after that none is begun, so that a task ends before it is stopped
RENEW_AFTER, RETRY = timedelta(days=7), timedelta(hours=6)
DIGEST_CHARACTERS = 16
MOST_AT_ONCE = 10


class NotAnImage(Exception):
    """The file is not an image that can be shown; the message says why."""


def read_due_logos(*, now: datetime) -> int:
    """Fetch the logos that are new, changed or old; return how many are usable.

    Verified merchants come first, then the longest unread: a host may respond slowly, and anyone
    can register merchants with such hosts.
    """
    is_seen = Case(When(status=MerchantStatus.VERIFIED, then=0), default=1)
    due = _due(now).order_by(is_seen, F("logo__read_at").asc(nulls_first=True), "id")
    return _read_in_turn(due, _read, now)


def read_wanted_logos(*, now: datetime) -> int:
    """Read the logos that verified merchants have asked for; return how many are usable.

    Before staff decide: what they approve is what was read. A failure is retried while it waits.
    """
    _forget_unwanted()
    waiting = _wanted(now).order_by(F("wanted_logo__read_at").asc(nulls_first=True), "id")
    return _read_in_turn(waiting, _read_wanted, now)


def logo_png(content: bytes) -> bytes:
    """Re-encode an image as a small PNG. Nothing else of the file survives.

    Raises NotAnImage.
    """
    try:
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS or max(image.size) > MAX_SIDE:
                raise NotAnImage("The picture has too many pixels.")
            if isinstance(image, JpegImageFile) and content.count(JPEG_SCAN) > MAX_SCANS:
                raise NotAnImage("The picture has too many scans.")
            small = image.convert("RGBA")
            small.thumbnail((SIDE, SIDE))
            small.info.clear()  # otherwise its colour profile is saved again, whatever it contains
    except (NotAnImage, SoftTimeLimitExceeded):
        raise
    except Exception:  # a hostile file makes Pillow raise anything, an IndexError for example
        raise NotAnImage("That is no PNG, JPEG, WebP or GIF.") from None
    return _small_png(small)


def _due(now: datetime) -> QuerySet[Merchant]:
    """Return the merchants whose logo has to be read, or taken over from `WantedLogo`.

    A verified merchant's logo is not read again, nor is one that staff have seen to be missing.
    """
    is_old = Q(status=MerchantStatus.UNVERIFIED, logo__renew_at__lte=now)
    return Merchant.objects.exclude(logo_url="").filter(LOGO_IS_STALE | is_old)


def _wanted(now: datetime) -> QuerySet[Any]:
    """Return the merchants with a logo URL that waits for approval and has to be read.

    Not those whose approved one has yet to be taken over: it would be lost, and read again.
    """
    asked = _asked().filter(Q(logo_url="") | Q(logo__source_url=F("logo_url")))
    is_other = Q(wanted_logo=None) | ~Q(wanted_logo__source_url=F("wanted_url"))
    return asked.filter(is_other | Q(wanted_logo__digest="", wanted_logo__read_at__lte=now - RETRY))


def _asked() -> QuerySet[Any]:
    """Return the merchants with a logo URL that waits for approval, as `wanted_url`."""
    wanted_url = Cast(KT("pending_changes__logo_url"), TextField())
    asked = Merchant.objects.filter(pending_changes__has_key="logo_url")
    return asked.annotate(wanted_url=wanted_url).exclude(wanted_url="")


def _forget_unwanted() -> None:
    """Delete what was read for a change that was declined or withdrawn, or has been taken over.

    If the merchant asks for the same URL again, staff see what is there by then.
    """
    waits = Exists(_asked().filter(pk=OuterRef("merchant"), wanted_url=OuterRef("source_url")))
    is_in_force = Q(merchant__logo_url=F("source_url"))
    is_taken_over = Q(merchant__logo__source_url=F("source_url"))
    WantedLogo.objects.filter(~waits, ~is_in_force | is_taken_over).delete()


def _read_in_turn(rows: QuerySet[Any], read: Callable[[Any, datetime], bool], now: datetime) -> int:
    """Read the first ones, as far as there is time; return how many are usable."""
    ends_at, usable = time.monotonic() + TURN_SECONDS, 0
    for merchant in rows[:MOST_AT_ONCE]:
        if time.monotonic() > ends_at:
            break
        usable += read(merchant, now)
    return usable


def _read(merchant: Merchant, now: datetime) -> bool:
    seen = WantedLogo.objects.filter(merchant=merchant, source_url=merchant.logo_url).first()
    png, fault = (bytes(seen.png), seen.fault) if seen else _fetched(merchant.logo_url)
    return _keep(merchant, png, fault, now) and not fault


def _read_wanted(merchant: Any, now: datetime) -> bool:
    png, fault = _fetched(merchant.wanted_url)
    return _keep_wanted(merchant, png, fault, now) and not fault


def _fetched(url: str) -> tuple[bytes, str]:
    """Return the image at a URL, drawn anew, and why there is none."""
    policy = policy_for(livemode=not settings.DEVELOPMENT_MODE)
    answer, content = get(url, policy=policy, seconds=SECONDS)
    if answer.error:
        return b"", answer.error
    try:
        return logo_png(content), ""
    except NotAnImage as reason:
        return b"", str(reason)


@transaction.atomic
def _keep(merchant: Merchant, png: bytes, fault: str, now: datetime) -> bool:
    """Store what was fetched, if still due: it took seconds, and staff may have decided since."""
    Merchant.objects.locked(merchant.pk)
    if not _due(now).filter(pk=merchant.pk, logo_url=merchant.logo_url).exists():
        return False
    kept = {"png": png, "digest": _digest(png)} if png or _is_stale(merchant) else {}
    values = {"source_url": merchant.logo_url, "fault": fault[:255], "read_at": now, **kept}
    values["renew_at"] = now + (RETRY if fault else RENEW_AFTER)
    Logo.objects.update_or_create(merchant=merchant, defaults=values)
    return True


@transaction.atomic
def _keep_wanted(merchant: Any, png: bytes, fault: str, now: datetime) -> bool:
    """Store what was read, if it is still wanted: staff may have decided since."""
    Merchant.objects.locked(merchant.pk)
    if not _wanted(now).filter(pk=merchant.pk, wanted_url=merchant.wanted_url).exists():
        return False
    values = {"png": png, "digest": _digest(png), "fault": fault[:255], "read_at": now}
    values["source_url"] = merchant.wanted_url
    WantedLogo.objects.update_or_create(merchant_id=merchant.pk, defaults=values)
    return True


def _is_stale(merchant: Merchant) -> bool:
    """Return whether the stored image is from another URL, and must be replaced."""
    return not Logo.objects.filter(merchant=merchant, source_url=merchant.logo_url).exists()


def _digest(png: bytes) -> str:
    return hashlib.sha256(png).hexdigest()[:DIGEST_CHARACTERS] if png else ""


def _small_png(image: Image.Image) -> bytes:
    """Return a PNG of at most MAX_PNG_BYTES, with fewer colours if necessary."""
    for colors in (None, *FEW_COLORS):
        picture = image if colors is None else image.quantize(colors, Image.Quantize.FASTOCTREE)
        out = io.BytesIO()
        picture.save(out, "PNG", optimize=True)
        if out.tell() <= MAX_PNG_BYTES:
            return out.getvalue()
    raise NotAnImage("The picture is too detailed for its size.")
