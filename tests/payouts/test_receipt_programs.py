"""docs/receipts.md: its programs take what is true, and refuse what was changed."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core.signed_notes import NoteSigner
from ledger.checkpoints import verifiers
from tests.machine import need
from tests.refunds.refunding import sell
from tests.source_tree import ROOT
from tests.tampered_shop import witness

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAMS = dict(
    re.findall(r"```(python|javascript)\n(.*?)```", (ROOT / "docs/receipts.md").read_text(), re.S)
)
LINES = 35


def run(language: str, folder: Path, receipt: dict[str, Any], key: object) -> tuple[int, str]:
    python = [sys.executable, "verify_receipt.py"]
    command = python if language == "python" else ["node", "verify_receipt.mjs"]
    (folder / command[1]).write_text(PROGRAMS[language])
    (folder / "receipt.json").write_text(json.dumps(receipt))
    done = subprocess.run(  # our own programs
        [*command, "receipt.json", str(key)], cwd=folder, capture_output=True, text=True
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("language", PROGRAMS)
def test_it_checks_a_receipt_offline(api, merchant, tmp_path: Path, language: str) -> None:
    if language == "javascript":
        need("node", "Node")
    sales = [sell(merchant, amount) for amount in (500, 600, 700)]
    witness()
    client = api(merchant)
    answer = client.get(f"/v1/ledger/proof/{sales[1].transaction_id}")
    receipt = answer.json()
    entry = receipt["leaves"][0]["entry"]
    forged = json.loads(json.dumps(receipt))
    forged["leaves"][0]["entry"] = entry.replace("600", "900")
    key = verifiers()[0]

    assert run(language, tmp_path, receipt, key) == (0, f"{entry}\n")
    assert run(language, tmp_path, forged, key)[0] == 1
    assert run(language, tmp_path, receipt, NoteSigner.generate(key.name).verifier)[0] == 1
    assert run(language, tmp_path, receipt | {"leaves": []}, key)[0] == 1
    assert len(PROGRAMS[language].splitlines()) <= LINES
