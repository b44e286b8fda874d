"""What ISO 20022 says of the parts of pain.001.001.09 that we write: order, occurrence, form.

Each element is a name with `?` (may be absent) or `+` (once or more), and either the pattern of its
text or the elements in it. A list in braces is a choice of exactly one.
"""

import re
from typing import Any
from xml.etree import ElementTree

MAX35 = r"\S(.{0,33}\S)?"
MAX140 = r"\S(.{0,138}\S)?"
AMOUNT = r"(0|[1-9][0-9]{0,12})(\.[0-9]{1,5})?"
BIC = r"[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?"
IBAN = r"[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}"
DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
CURRENCY = r"[A-Z]{3}"

SUMS = [("NbOfTxs", r"[0-9]{1,15}"), ("CtrlSum?", AMOUNT)]
ACCOUNT = [
    ("Id", {"IBAN": IBAN, "Othr": [("Id", r"\S{1,34}")]}),
    ("Ccy?", CURRENCY),
]
BANK = [("FinInstnId", [("BICFI?", BIC), ("ClrSysMmbId?", [("MmbId", MAX35)])])]
TRANSFER = [
    ("PmtId", [("EndToEndId", MAX35)]),
    ("Amt", [("InstdAmt", AMOUNT)]),
    ("CdtrAgt?", BANK),
    ("Cdtr?", [("Nm?", MAX140)]),
    ("CdtrAcct?", ACCOUNT),
    ("RmtInf?", [("Ustrd+", MAX140)]),
]
PAYMENT = [
    ("PmtInfId", MAX35),
    ("PmtMtd", "CHK|TRF|TRA"),
    *SUMS,
    ("ReqdExctnDt", {"Dt": DATE}),
    ("Dbtr", [("Nm?", MAX140)]),
    ("DbtrAcct", ACCOUNT),
    ("DbtrAgt", BANK),
    ("ChrgBr?", "DEBT|CRED|SHAR|SLEV"),
    ("CdtTrfTxInf+", TRANSFER),
]
HEADER = [
    ("MsgId", MAX35),
    ("CreDtTm", rf"{DATE}T[0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(\.[0-9]+)?Z"),
    *SUMS,
    ("InitgPty", [("Nm?", MAX140)]),
]
DOCUMENT = [("CstmrCdtTrfInitn", [("GrpHdr", HEADER), ("PmtInf+", PAYMENT)])]
NAMESPACE = "{urn:iso:std:iso:20022:tech:xsd:pain.001.001.09}"


def faults_of(document: bytes) -> list[str]:
    """Return what is wrong with a document, by the schema's rules."""
    root = ElementTree.fromstring(document)
    if root.tag != f"{NAMESPACE}Document":
        return [f"{root.tag} is not the Document of pain.001.001.09"]
    return _faults(root, DOCUMENT, "Document")


def _faults(element: ElementTree.Element, rule: Any, path: str) -> list[str]:
    if isinstance(rule, str):
        fits = len(element) == 0 and re.fullmatch(rule, element.text or "")
        return [] if fits else [f"{path} is {element.text!r}"]
    if (element.text or "").strip():
        return [f"{path} has a text"]
    if isinstance(rule, dict):
        return _faults_of_choice(element, rule, path)
    return _faults_of_sequence(element, rule, path)


def _faults_of_choice(element: ElementTree.Element, rule: dict[str, Any], path: str) -> list[str]:
    names = [child.tag.removeprefix(NAMESPACE) for child in element]
    if len(names) != 1 or names[0] not in rule:
        return [f"{path} holds {names}, not one of {list(rule)}"]
    return _faults(element[0], rule[names[0]], f"{path}/{names[0]}")


def _faults_of_sequence(
    element: ElementTree.Element, rule: list[tuple[str, Any]], path: str
) -> list[str]:
    children, faults = list(element), []
    for name, inner in rule:
        tag = name.rstrip("?+")
        found = 0
        while children and children[0].tag == f"{NAMESPACE}{tag}":
            faults += _faults(children.pop(0), inner, f"{path}/{tag}")
            found += 1
        least, most = (0 if name.endswith("?") else 1), (None if name.endswith("+") else 1)
        if found < least or (most is not None and found > most):
            faults.append(f"{path}/{tag} occurs {found} times")
    return faults + [f"{path} holds {child.tag}, out of place" for child in children]
