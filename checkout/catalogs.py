"""The translations of texts for customers: pages, e-mails and text messages.

Extracts the texts and compiles the files that Django reads. Uses Babel, so that neither running
the service nor adding a sentence needs the gettext programs. The compiled files are committed
next to their sources; a test compares them.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.utils.translation.template import templatize

LANGUAGES = ("es", "fr", "ht")
ROOMS = ("messages", "checkout", "customers", "payments", "refunds", "funding")
TEMPLATES = ("checkout", "emails")
TEMPLATE_SUFFIXES = (".html", ".txt")
KEYWORDS = {
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "_": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
Message = str | tuple[str, ...] | list[str]
_EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def texts() -> Catalog:
    """Return every translatable text in code and templates."""
    catalog = Catalog(fuzzy=False)
    for path in _sources():
        place = str(path.relative_to(settings.BASE_DIR))
        for _line, message, _comments, context in _messages(path):
            catalog.add(message, locations=[(place, 0)], context=context)
    return catalog


def source_path(language: str) -> Path:
    return Path(settings.LOCALE_PATHS[0]) / language / "LC_MESSAGES" / "django.po"


def read_source(language: str) -> Catalog:
    """Return the translations of a language; an empty catalog if it has no file yet."""
    path = source_path(language)
    if not path.exists():
        return Catalog(locale=language, fuzzy=False)
    with path.open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalog: Catalog) -> bytes:
    """Return the form that Django reads."""
    out = BytesIO()
    write_mo(out, catalog)
    return out.getvalue()


def update(language: str, current: Catalog) -> int:
    """Merge the current texts into a language's source and compile it; return how many it lacks."""
    catalog = read_source(language)
    catalog.update(current, no_fuzzy_matching=True)
    catalog.obsolete.clear()
    catalog.header_comment = "# What customers read: see `manage.py translations`."
    catalog.project, catalog.version = "checkout", "1"
    catalog.msgid_bugs_address = catalog.last_translator = catalog.language_team = ""
    catalog.revision_date = catalog.creation_date = _EPOCH
    path = source_path(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        write_po(
            file, catalog, width=100, include_lineno=False, sort_output=True, omit_header=False
        )
    path.with_suffix(".mo").write_bytes(compiled(catalog))
    return len(missing(catalog))


def missing(catalog: Catalog) -> list[Message]:
    """Return the texts that a language has no translation for."""
    return [message.id for message in catalog if message.id and not _is_translated(message.string)]


def _is_translated(string: Message | None) -> bool:
    return all(string) if isinstance(string, tuple | list) else bool(string)


def _sources() -> Iterator[Path]:
    for room in ROOMS:
        yield from sorted((settings.BASE_DIR / room).rglob("*.py"))
    for folder in TEMPLATES:
        files = (settings.BASE_DIR / "templates" / folder).rglob("*.*")
        yield from sorted(path for path in files if path.suffix in TEMPLATE_SUFFIXES)


def _messages(path: Path) -> Iterator[tuple[int, Message, list[str], str | None]]:
    source = path.read_text()
    if path.suffix in TEMPLATE_SUFFIXES:
        source = templatize(source, origin=str(path))
    yield from extract("python", BytesIO(source.encode()), keywords=KEYWORDS)
