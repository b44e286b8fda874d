"""The response of a view of `/v1`."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse

from core.json import dump_json


class Response(HttpResponse):
    """Plain data as JSON, written at once.

    The REST framework's own response is empty until it is rendered, and is set up twice for that.
    """

    def __init__(
        self, data: Any, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(
            dump_json(data), status=status, headers=headers, content_type="application/json"
        )
