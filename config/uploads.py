"""Refuse uploads larger than any accepted file, before they are read.

Django writes uploads to disk before the view runs and the CSRF token is checked.
"""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from payouts.bank.safe_xml import MAX_FILE_BYTES

FIELDS_BYTES = 256 * 1024  # for the other fields of the form
MOST_BYTES = MAX_FILE_BYTES + FIELDS_BYTES


class BoundedUpload(FileUploadHandler):
    """Only checks the size: the handlers after it store the file."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *more: Any) -> None:  # noqa: N803  # Django's name
        if content_length > MOST_BYTES:
            raise RequestDataTooBig

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
