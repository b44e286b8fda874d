"""Parse untrusted XML: bounded in size, without document types and thus without entities."""

import re
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from payouts.errors import BankFileUnreadable

MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_ELEMENTS = 500_000
MAX_DEPTH = 32
NAMESPACE = re.compile(
    r"urn:iso:std:iso:20022:tech:xsd:(pain\.002|camt\.053|camt\.054)\.001\.[0-9]{2}", re.ASCII
)
_FOREIGN = "foreign"
ZIP = b"PK\x03\x04"  # via EBICS, banks send a day's files as an archive


def parse_xml(content: bytes) -> tuple[str, Element]:
    """Return the message type, such as camt.053, and its root, with namespaces stripped from tags.

    Elements of any other namespace are called `foreign`. Raises BankFileUnreadable.
    """
    if len(content) > MAX_FILE_BYTES:
        raise BankFileUnreadable(file=f"must not be larger than {MAX_FILE_BYTES} bytes")
    if content.startswith(ZIP):
        raise BankFileUnreadable(file="is a ZIP archive: unpack it, and read each file in it")
    reader = _Reader()
    try:
        reader.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise BankFileUnreadable(file=f"is not well-formed XML: {error}") from None
    except (LookupError, ValueError):
        raise BankFileUnreadable(file="is in an encoding that is not read") from None
    return reader.kind, reader.tree.close()


class _Reader:
    """Build a tree from the parser's events, and refuse it as soon as a limit is exceeded."""

    def __init__(self) -> None:
        self.kind = self.namespace = ""
        self.depth = self.count = 0
        self.tree = TreeBuilder()
        self.parser = expat.ParserCreate(namespace_separator="}")
        self.parser.StartDoctypeDeclHandler = self._refuse_document_type
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self.tree.data

    def _refuse_document_type(self, *_: object) -> None:
        raise BankFileUnreadable(file="must not declare a document type")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.depth += 1
        self.count += 1
        if self.depth > MAX_DEPTH or self.count > MAX_ELEMENTS:
            raise BankFileUnreadable(file="has too many elements, or too deep ones")
        namespace, _, tag = name.rpartition("}")
        if self.count == 1:
            found = NAMESPACE.fullmatch(namespace)
            if found is None:
                raise BankFileUnreadable(file=f"has the namespace {namespace[:100]!r}")
            self.kind, self.namespace = found[1], namespace
        self.tree.start(tag if namespace == self.namespace else _FOREIGN, attributes)

    def _end(self, name: str) -> None:
        self.depth -= 1
        self.tree.end(name)
