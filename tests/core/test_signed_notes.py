"""Signed notes and checkpoints: each is read as it is written, and nothing else is."""

import base64
from typing import TypeAlias

import pytest

from core.signed_notes import LogHead, NoteSigner, NoteVerifier

Key: TypeAlias = type[NoteSigner] | type[NoteVerifier]
NAME = "host/ledger"
SIGNER = NoteSigner(NAME, b"\x3e" * 32)
VERIFIER = SIGNER.verifier
SECRET = "PRIVATE+KEY+host/ledger+87e02d35+AT4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+"
PUBLIC = "host/ledger+87e02d35+Aflcal3/Ax+sexpqVLZhDK64Ozn36KZr4W/1+qSlEe0t"
NOTE = SIGNER.sign("host/ledger\n3\nAAAA\n")


def written(*parts: str, key: bytes) -> str:
    return "+".join([*parts, base64.b64encode(key).decode()])


def hash_of(name: str, public: bytes = VERIFIER.public) -> str:
    return NoteVerifier(name, public).key_hash.hex()


def test_a_key_is_written_so() -> None:
    assert (str(SIGNER), str(VERIFIER)) == (SECRET, PUBLIC)


@pytest.mark.parametrize(("text", "key"), [(SECRET, SIGNER), (PUBLIC, VERIFIER)])
def test_a_key_is_read_with_what_stands_around_it(
    text: str, key: NoteSigner | NoteVerifier
) -> None:
    assert type(key).parse(f" {text}\n") == key


SHORT = VERIFIER.public[:31]
WRONG: list[tuple[Key, str]] = [
    (NoteVerifier, ""),
    (NoteVerifier, "host/ledger"),
    (NoteVerifier, f"{PUBLIC[:30]}!{PUBLIC[30:]}"),
    (NoteVerifier, PUBLIC.replace("87e02d35", "87e02d36")),
    (NoteVerifier, written(NAME, hash_of(NAME), key=b"\x02" + VERIFIER.public)),
    (NoteVerifier, written(NAME, hash_of(NAME, SHORT), key=b"\x01" + SHORT)),
    (NoteSigner, ""),
    (NoteSigner, f"{SECRET[:50]}!{SECRET[50:]}"),
    (NoteSigner, SECRET.replace("87e02d35", "87e02d36")),
    (NoteSigner, SECRET.replace("PRIVATE", "PUBLIC")),
    (NoteSigner, written("PRIVATE+KEY", NAME, hash_of(NAME), key=b"\x02" + SIGNER.seed)),
    (NoteSigner, written("PRIVATE+KEY", NAME, hash_of(NAME), key=b"\x01" + SIGNER.seed[:31])),
    (NoteSigner, written("PRIVATE+KEY", "", hash_of(""), key=b"\x01" + SIGNER.seed)),
]


@pytest.mark.parametrize(("kind", "text"), WRONG)
def test_what_is_no_key_is_refused(kind: Key, text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
        kind.parse(text)


def test_a_note_is_signed_by_any_of_its_lines() -> None:
    text, line = NOTE.split("\n\n")
    other = NoteSigner.generate("other").sign(f"{text}\n").split("\n\n")[1]

    assert VERIFIER.has_signed(NOTE)
    assert VERIFIER.has_signed(f"{text}\n\n{other}{line}")


def test_what_is_not_its_signature_is_none() -> None:
    text, line = NOTE.split("\n\n")
    encoded = line.split()[-1]
    forged = base64.b64decode(encoded)
    lines = [
        *("", line.replace("\u2014", "-"), line.replace(NAME, "other/ledger")),
        *(line.replace(encoded, f"{encoded[:20]}{it}{encoded[20:]}") for it in ("!", "\ufffd")),
        f"\u2014 {NAME} {base64.b64encode(b'four' + forged[4:]).decode()}\n",
        f"\u2014 {NAME} {base64.b64encode(forged[:-1] + b'x').decode()}\n",
    ]

    assert [VERIFIER.has_signed(f"{text}\n\n{each}") for each in lines] == [False] * 7
    assert not VERIFIER.has_signed(NOTE.replace("\n3\n", "\n4\n"))


def test_a_head_is_read_as_it_is_written() -> None:
    head = LogHead(NAME, 10, b"\x00\x01\x02")

    assert str(head) == "host/ledger\n10\nAAEC\n"
    assert LogHead.parse(SIGNER.sign(str(head))) == head


@pytest.mark.parametrize(
    "head", ["", "host/ledger\n", "h\n010\nAAEC\n", "h\n\u0661\nAAEC\n", "h\n1\nAA!EC\n"]
)
def test_what_is_no_head_is_refused(head: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of several kinds
        LogHead.parse(head)
