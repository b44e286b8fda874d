"""Refuse an upload above the size of any file that is taken, before it is read.

Django puts what is uploaded on disk before a view, or the token of the form, is looked at.
"""

from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

from payouts.bank.safe_xml import MAX_FILE_BYTES

FIELDS_BYTES = 256 * 1024  # beside the file
MOST_BYTES = MAX_FILE_BYTES + FIELDS_BYTES


class BoundedUpload(FileUploadHandler):
    """Keeps nothing: the handlers after it do."""

    def handle_raw_input(self, input_data: Any, META: Any, content_length: int, *more: Any) -> None:  # noqa: N803  # Django's name
        if content_length > MOST_BYTES:
            raise RequestDataTooBig

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        return raw_data

    def file_complete(self, file_size: int) -> None:
        return None
