"""What `manage.py rotate_encryption` shows while it runs."""

from pathlib import Path

import pytest
from django.core.management import call_command

from config.key_rotation import ColumnReport
from config.management.commands import rotate_encryption
from merchants.models import Merchant
from tests.client import Api

pytestmark = pytest.mark.django_db


def test_progress_is_seen_while_it_goes_into_a_file(
    tmp_path: Path, api: Api, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = {"url": "https://shop.example.com/hook", "events": ["*"]}
    api(merchant).post("/v1/webhooks", endpoint)
    file = tmp_path / "progress"
    seen: list[str] = []

    def count(reports: list[ColumnReport]) -> dict[int, int]:
        seen.append(file.read_text())
        return {}

    monkeypatch.setattr(rotate_encryption, "PROGRESS_EVERY", 1)
    monkeypatch.setattr(rotate_encryption, "left_on_keys", count)
    with file.open("w") as out:
        call_command("rotate_encryption", stdout=out)

    assert "webhooks.Webhook.secret: 1 rows …\n" in seen[0]
