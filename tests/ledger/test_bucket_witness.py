"""A bucket with object lock keeps every signed head, and tells of a log that was changed."""

import base64
import hashlib
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from pytest_django import Settings
from structlog.testing import capture_logs

from core.signed_notes import LogHead, NoteSigner
from ledger import bucket_witness
from ledger.bucket_witness import notes_in
from ledger.models import Checkpoint, WitnessState
from ledger.witnesses import check_witnesses, inform_witnesses
from outbound.policy import policy_for
from outbound.results import HttpResult
from tests.ledger.command import verify
from tests.ledger.funding import NOW
from tests.ledger.growing import grow
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = "s3://s3.example.com/heads/bank"
OBJECT = re.compile(r"/heads/(bank/[0-9]{18}\.checkpoint)")


class LockedBucket:
    """What S3 does with conditional writes, object lock and lists."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {}
        self.locks: list[str] = []
        self.is_up, self.is_made, self.requests = True, True, 0

    def put(self, url: str, *, body: bytes, headers: dict[str, str], **how: Any) -> HttpResult:
        found = OBJECT.fullmatch(urlsplit(url).path)
        assert how == {"policy": policy_for(livemode=True), "seconds": 10}
        assert headers["Content-Type"] == "text/plain; charset=utf-8"
        assert url.startswith("https://s3.example.com/")
        assert found
        assert headers["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=ID/")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        assert headers["x-amz-checksum-sha256"] == digest
        assert headers["x-amz-sdk-checksum-algorithm"] == "SHA256"
        assert headers["x-amz-object-lock-mode"] == "COMPLIANCE"
        assert headers["If-None-Match"] == "*"
        if not self.is_up:
            return HttpResult(ms=1, error="The connection was refused.")
        if not self.is_made:
            said = "<Error><Code>NoSuchBucket</Code></Error>"
            return HttpResult(ms=1, status=404, excerpt=said, error="Answered 404.")
        if found[1] in self.objects:
            return HttpResult(ms=1, status=412, error="Answered 412.")
        self.objects[found[1]] = body
        self.locks.append(headers["x-amz-object-lock-retain-until-date"])
        return HttpResult(ms=1, status=200)

    def get(self, url: str, **how: Any) -> tuple[HttpResult, bytes]:
        assert how.pop("headers")["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=ID/")
        assert how == {"policy": policy_for(livemode=True), "seconds": 10}
        self.requests += 1
        if not self.is_up:
            return HttpResult(ms=1, error="The connection was refused."), b""
        address = urlsplit(url)
        if found := OBJECT.fullmatch(address.path):
            return HttpResult(ms=1, status=200), self.objects[found[1]]
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        after = asked.pop("start-after")
        assert after.startswith("bank/")
        assert address.path == "/heads"
        assert asked == {"list-type": "2", "max-keys": "1", "prefix": "bank/"}
        later = [name for name in sorted(self.objects) if name > after]
        listed = "".join(f"<Contents><Key>{name}</Key></Contents>" for name in later[:1])
        return HttpResult(ms=1, status=200), f"<ListBucketResult>{listed}</>".encode()


@pytest.fixture
def bucket(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> LockedBucket:
    settings.CHECKPOINT_WITNESSES = [ADDRESS]
    settings.CHECKPOINT_BUCKET_KEY = "ID:secret"
    made = LockedBucket()
    monkeypatch.setattr(bucket_witness, "put", made.put)
    monkeypatch.setattr(bucket_witness, "get", made.get)
    return made


def forget_all_but_the_transfers() -> None:
    with all_rights(), connection.cursor() as cursor:
        for table in ("checkpoint", "logsubtree", "logleaf", "witnessstate"):
            cursor.execute(f"DELETE FROM ledger_{table}")


def test_it_gets_each_checkpoint_locked(bucket: LockedBucket) -> None:
    grow(2)

    notes = dict(Checkpoint.objects.values_list("size", "note"))
    assert bucket.objects == {
        f"bank/{size:018}.checkpoint": note.encode() for size, note in notes.items()
    }
    assert bucket.locks == [f"{NOW.year + 10}-03-01T05:06:07Z"] * 2
    assert verify()[0] == 0


def test_one_that_was_away_is_caught_up(bucket: LockedBucket) -> None:
    bucket.is_up = False
    grow(3)
    assert WitnessState.objects.get().problem == "The connection was refused."
    bucket.is_up = True

    grow()

    assert len(bucket.objects) == 4
    assert WitnessState.objects.get().problem == ""


def test_a_check_tells_of_one_that_is_away_and_finds_nothing_wrong(bucket: LockedBucket) -> None:
    grow()
    bucket.is_up = False

    with capture_logs() as logs:
        assert list(check_witnesses()) == []

    assert [(log["event"], log["problem"]) for log in logs] == [
        ("witness_away", "The connection was refused.")
    ]


def test_what_a_bucket_says_is_told(bucket: LockedBucket) -> None:
    bucket.is_made = False

    grow()

    assert WitnessState.objects.get().problem == "Answered 404. NoSuchBucket"


def test_it_tells_of_a_log_that_was_cut_off(bucket: LockedBucket) -> None:
    grow(3)
    forget_all_but_the_transfers()

    assert f"Checkpoint of witness {ADDRESS}: 2 is not of this log" in verify("--all")[1]


def test_another_head_of_the_same_size_is_refused(bucket: LockedBucket) -> None:
    grow()
    [name] = bucket.objects
    signer = NoteSigner.generate("testserver/ledger")
    bucket.objects[name] = signer.sign(str(LogHead(signer.name, 2, b"x"))).encode()
    WitnessState.objects.update(size=0)

    inform_witnesses(now=NOW)

    assert WitnessState.objects.get().problem == "it has another 000000000000000002.checkpoint."
    assert "which no key of ours has signed" in verify("--all")[1]


def test_a_check_reads_some_of_many(bucket: LockedBucket, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bucket_witness, "SAMPLES", 3)
    grow(12)
    bucket.requests = 0

    assert verify()[0] == 0

    assert bucket.requests <= 2 * 5 + 1
    read = {since: notes_in(ADDRESS, since=since, size=13) for since in (0, 3, 12, 14)}
    assert {since: [int(name[:18]) for name, _ in notes] for since, notes in read.items()} == {
        0: [2, 6, 10, 13],
        3: [3, 6, 9, 12, 13],
        12: [12, 13],
        14: [],
    }
