"""docs/receipts.md: its programs take what is true, and refuse what was changed."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from core import merkle
from core.signed_notes import LogHead, NoteSigner
from ledger.checkpoints import verifiers
from tests.machine import need
from tests.refunds.refunding import sell
from tests.source_tree import ROOT
from tests.tampered_shop import witness

pytestmark = pytest.mark.django_db(transaction=True)
PROGRAMS = dict(
    re.findall(r"```(python|javascript)\n(.*?)```", (ROOT / "docs/receipts.md").read_text(), re.S)
)
LINES = 20  # less imports


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
    assert run(language, tmp_path, receipt | {"transaction_id": "txn_x"}, key)[0] == 1
    assert run(language, tmp_path, moved(receipt, index=-1), key)[0] == 1
    assert run(language, tmp_path, moved(receipt, index=10**6), key)[0] == 1
    assert run(language, tmp_path, moved(receipt, path=[]), key)[0] == 1
    lines = [line for line in PROGRAMS[language].splitlines() if line]
    assert len([line for line in lines if not line.startswith(("import", "from"))]) <= LINES


@pytest.mark.parametrize("language", PROGRAMS)
def test_it_checks_leaves_of_logs_of_any_size(tmp_path: Path, language: str) -> None:
    if language == "javascript":
        need("node", "Node")
    entries = [f'{{"transaction_id":"txn_1","n":{n}}}' for n in range(11)]
    hashes = [merkle.leaf_hash(entry.encode()) for entry in entries]
    signer = NoteSigner.generate("shop.example/ledger")

    def nodes(level: int, position: int) -> bytes:
        return merkle.fold(hashes[position << level : (position + 1) << level])

    for size in (1, 2, 7, 11):
        leaves = [
            {
                "entry": entries[index],
                "index": index,
                "path": [
                    base64.b64encode(step).decode()
                    for step in merkle.inclusion_path(index, size, nodes)
                ],
            }
            for index in range(size)
        ]
        note = signer.sign(str(LogHead(signer.name, size, merkle.root(size, nodes))))
        receipt = {"transaction_id": "txn_1", "checkpoint": note, "leaves": leaves}
        lines = "".join(f"{entry}\n" for entry in entries[:size])

        assert run(language, tmp_path, receipt, signer.verifier) == (0, lines)


def moved(receipt: dict[str, Any], **changes: object) -> dict[str, Any]:
    return receipt | {"leaves": [leaf | changes for leaf in receipt["leaves"]]}
