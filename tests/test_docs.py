"""What the documents name exists."""

import re
from pathlib import Path

import pytest

from tests.source_tree import ROOT

DOCUMENTS = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
FILES = re.compile(r"`((?:[a-z_]+/)+[a-z_]+\.(?:py|md|txt))`")
LINKS = re.compile(r"\]\(([^)#:]+)\)")
DECISION_LINES = 50
GLOSSARY_LINES = 40  # a newcomer reads it at one go


def _names(pattern: re.Pattern[str]) -> list[tuple[Path, str]]:
    return [(path, name) for path in DOCUMENTS for name in pattern.findall(path.read_text())]


@pytest.mark.parametrize(("document", "name"), _names(FILES), ids=str)
def test_each_file_named_exists(document: Path, name: str) -> None:
    assert (ROOT / name).exists()


@pytest.mark.parametrize(("document", "link"), _names(LINKS), ids=str)
def test_each_link_leads_somewhere(document: Path, link: str) -> None:
    assert (document.parent / link).exists()


@pytest.mark.parametrize(
    "page", sorted((ROOT / "docs/decisions").glob("*.md")), ids=lambda p: p.stem
)
def test_each_decision_is_short_and_whole(page: Path) -> None:
    text = page.read_text()

    assert len(text.splitlines()) <= DECISION_LINES
    for part in ("**Context.**", "**Decision.**", "**Consequences.**", "**Alternatives.**"):
        assert part in text


def test_the_glossary_has_only_what_the_trade_does_not_know() -> None:
    assert len((ROOT / "docs/glossary.md").read_text().splitlines()) <= GLOSSARY_LINES
