"""A file that no one takes is refused by its length, before it fills the disk"""

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from config import uploads

pytestmark = pytest.mark.django_db


def uploaded(size: int) -> int:
    """Send a file with a token that looks right, as anyone can; return the status."""
    browser = Client(enforce_csrf_checks=True)
    browser.get("/admin/login/")
    token = browser.cookies[settings.CSRF_COOKIE_NAME].value
    file = SimpleUploadedFile("answer.xml", b" " * size)
    sent = browser.post("/admin/login/", {"csrfmiddlewaretoken": token, "file": file})
    return sent.status_code


def test_it_refuses_a_file_that_is_too_long(monkeypatch):
    monkeypatch.setattr(uploads, "MOST_BYTES", 10_000)

    assert uploaded(10_000) == 413


def test_a_shorter_one_is_looked_at():
    assert uploaded(10_000) == 200
