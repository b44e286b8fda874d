"""One chain of middleware for all clients of the tests, as one serves all requests of a process.

Django builds another for each client, which takes longer than most requests. A changed setting
may change what the chain does: the next client builds it anew.
"""

from typing import Any

from django.core.signals import setting_changed
from django.test.client import ClientHandler

PARTS = (
    "_view_middleware",
    "_template_response_middleware",
    "_exception_middleware",
    "_middleware_chain",
)
_chain: dict[str, Any] = {}
_build = ClientHandler.load_middleware


def share_chain() -> None:
    """Let every client take the chain that the first one builds."""
    handler: Any = ClientHandler
    handler.load_middleware = _load
    setting_changed.connect(_drop)


def _load(self: ClientHandler, is_async: bool = False) -> None:
    if not _chain:
        _build(self, is_async)
        _chain.update({part: getattr(self, part) for part in PARTS})
    for part, value in _chain.items():
        setattr(self, part, value)


def _drop(**_: object) -> None:
    _chain.clear()
