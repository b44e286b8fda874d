"""Static files are handed over whole: a reader who takes none of it must hold no thread."""

import logging
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import ManifestStaticFilesStorage
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command
from django.test import Client

from config import start_checks
from config.checks import UnsafeConfiguration
from config.static_finder import REPLACED, ThemedAdminFinder

SMALL = "/static/checkout/button.js"
LARGE = "/static/drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
# A streamed response, once closed, closes the connection that another test has left.
pytestmark = pytest.mark.django_db


def contents_of(path: str) -> bytes:
    found = finders.find(path.removeprefix("/static/"))
    return Path(str(found)).read_bytes()


def test_a_file_is_handed_over_whole() -> None:
    response = Client().get(SMALL)

    assert not response.streaming
    assert (response.status_code, response.content) == (200, contents_of(SMALL))
    assert response["Content-Type"].startswith("text/javascript")
    assert int(response["Content-Length"]) == len(response.content)


def test_a_part_of_a_large_file_is_handed_over_whole() -> None:
    response = Client().get(LARGE, headers={"range": "bytes=10-19"})

    assert (response.status_code, response.content) == (206, contents_of(LARGE)[10:20])


@pytest.mark.parametrize("path", [SMALL, LARGE])
def test_without_its_contents_only_headers_are_sent(path: str) -> None:
    response = Client().head(path)

    assert (response.status_code, response.content) == (200, b"")
    assert int(response["Content-Length"]) == len(contents_of(path))


def test_a_file_that_has_not_changed_is_not_sent_again() -> None:
    changed = Client().get(SMALL)["Last-Modified"]
    response = Client().get(SMALL, headers={"if-modified-since": changed})

    assert (response.status_code, response.content) == (304, b"")


def test_a_large_file_is_streamed_to_few_at_once(caplog: pytest.LogCaptureFixture) -> None:
    """As many as have a quarter of the threads; the next is told to come again, without alarm."""
    readers = [Client().get(LARGE) for _ in range(max(1, settings.WEB_THREADS // 4))]
    refused = Client().get(LARGE)

    assert (refused.status_code, refused["Retry-After"]) == (429, "1")
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []
    assert readers[0].streaming
    assert readers[0].getvalue() == contents_of(LARGE)
    assert readers[0]["Content-Type"].startswith("text/javascript")
    readers[0].close()
    again = Client().get(LARGE)
    assert again.status_code == 200
    for each in (*readers[1:], again):
        each.close()


def test_no_two_files_are_collected_under_one_name(tmp_path: Path, settings: Any) -> None:
    settings.STATIC_ROOT, said = tmp_path, StringIO()

    call_command("collectstatic", interactive=False, dry_run=True, stdout=said)

    assert "Found another file" not in said.getvalue()
    assert "unfold" in str(finders.find("admin/js/actions.js")), "its file, not Django's"


def test_only_what_the_theme_replaces_of_the_admin_is_left_out(tmp_path: Path) -> None:
    finder = ThemedAdminFinder()
    finder.storages = {}
    for app in ("theme", "ours", REPLACED):
        (tmp_path / app).mkdir()
        (tmp_path / app / "one.js").touch()
        finder.storages[app] = FileSystemStorage(tmp_path / app)

    listed = [(path, Path(storage.location).name) for path, storage in finder.list(None)]

    assert listed == [("one.js", "theme"), ("one.js", "ours")], "a duplicate is still reported"


def test_a_web_process_starts_only_where_all_files_are_collected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected = ManifestStaticFilesStorage(tmp_path)
    monkeypatch.setattr(start_checks, "staticfiles_storage", collected)
    with pytest.raises(UnsafeConfiguration, match="run manage"):
        start_checks.check_web_start()

    each = [path for finder in finders.get_finders() for path, _ in finder.list(None)]
    collected.hashed_files = dict.fromkeys(each, "one")
    start_checks.refuse_uncollected_files()
    del collected.hashed_files["checkout/button.js"]
    with pytest.raises(UnsafeConfiguration, match="such as checkout/button"):
        start_checks.refuse_uncollected_files()


def test_the_web_server_asks_before_it_is_ready() -> None:
    source = (settings.BASE_DIR / "config/wsgi.py").read_text()

    _, later = source.split("\ncheck_web_start()\n")
    assert "\nwarm_up()\n" in later
