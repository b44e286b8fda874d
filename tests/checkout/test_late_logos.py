"""A picture of a logo that arrives once staff have looked: its host answers when it likes."""

import io
from types import SimpleNamespace

import pytest
from PIL import Image

from checkout.logos import RENEW_AFTER, read_due_logos
from checkout.models import Logo
from core.clock import utc_now
from merchants.models import Merchant
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db


def picture(color: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (400, 200), color).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize("change", [{"status": "verified"}, {"logo_url": "https://b.example/b"}])
def test_it_does_not_replace_what_staff_have_seen(
    monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    merchant = MerchantFactory(status="unverified", logo_url="https://a.example/a")

    def get_blue(*_: object, **__: object) -> tuple[SimpleNamespace, bytes]:
        return SimpleNamespace(error=""), picture("blue")

    def get_red_late(*_: object, **__: object) -> tuple[SimpleNamespace, bytes]:
        Merchant.objects.update(**change)
        return SimpleNamespace(error=""), picture("red")

    monkeypatch.setattr("checkout.logos.get", get_blue)
    assert read_due_logos(now=utc_now()) == 1
    seen = Logo.objects.values().get(merchant=merchant)
    monkeypatch.setattr("checkout.logos.get", get_red_late)

    assert read_due_logos(now=utc_now() + RENEW_AFTER) == 0
    assert Logo.objects.values().get(merchant=merchant) == seen


def test_strangers_do_not_keep_the_logos_of_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host may take ten seconds for each, and an address that has changed is due at once."""
    asked: list[str] = []

    def get(url: str, **_: object) -> tuple[SimpleNamespace, bytes]:
        asked.append(url)
        return SimpleNamespace(error="No complete answer within 10 seconds."), b""

    monkeypatch.setattr("checkout.logos.get", get)
    monkeypatch.setattr("checkout.logos.MOST_AT_ONCE", 1)
    first = MerchantFactory(status="unverified", logo_url="https://slow.example/1")
    read_due_logos(now=utc_now())
    Merchant.objects.filter(pk=first.pk).update(logo_url="https://slow.example/2")
    MerchantFactory(status="unverified", logo_url="https://new.example/logo")
    MerchantFactory(status="verified", logo_url="https://shop.example/logo")

    for _ in range(3):
        read_due_logos(now=utc_now())

    assert asked == [
        "https://slow.example/1",
        "https://shop.example/logo",
        "https://new.example/logo",
        "https://slow.example/2",
    ]
