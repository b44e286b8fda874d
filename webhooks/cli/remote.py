"""The service as seen by a command that has a key: its API, and no database."""

import os
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

import requests
from django.core.management.base import CommandError

KEY_VARIABLE = "SERVICE_KEY"
TEST_KEY = "sk_test_"
SECONDS = 40  # longer than the service waits for news
PAGE = 100


class RemoteService:
    """Calls a service with a test key. Every refusal is a CommandError in its words."""

    def __init__(self, url: str, key: str) -> None:
        self.url = url.rstrip("/").removesuffix("/v1")
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {key}"

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        return self._call("GET", path, params=query)

    def post(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._call("POST", path, json=body or {})

    def has(self, path: str) -> bool:
        """Return whether there is such an object."""
        return bool(self._answer("GET", path).ok)

    def each(self, path: str, key: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield every item of a list, page by page."""
        page: dict[str, Any] = {"has_more": True}
        while page["has_more"]:
            page = self.get(path, limit=PAGE, **query)
            yield from page[key]
            query["starting_after"] = page[key][-1]["id"] if page[key] else None

    def merchant_name(self) -> str:
        """Return the name of the merchant that the key belongs to."""
        merchant_id = self.get("/balance")["merchant_id"]
        return str(self.get(f"/merchants/{merchant_id}")["name"])

    def _call(self, method: str, path: str, **options: Any) -> dict[str, Any]:
        answer = self._answer(method, path, **options)
        try:
            body: dict[str, Any] = answer.json()
        except ValueError:
            raise CommandError(f"{self.url} is not the service: {answer.status_code}.") from None
        if not answer.ok:
            message = f"{body.get('code', answer.status_code)}: {body.get('error', '')}"
            raise CommandError(f"{message} {body.get('details', '')}".strip())
        return body

    def _answer(self, method: str, path: str, **options: Any) -> requests.Response:
        try:
            return self._session.request(
                method, f"{self.url}/v1{path}", timeout=SECONDS, allow_redirects=False, **options
            )
        except requests.RequestException as error:
            raise CommandError(f"{self.url} does not answer: {type(error).__name__}.") from None


def add_remote_arguments(parser: ArgumentParser) -> None:
    """Add the arguments with which a command works by key, and without a database."""
    parser.add_argument(
        "--api", metavar="URL", help="the service to call; default: the database in the settings"
    )
    parser.add_argument(
        "--key", metavar=f"{TEST_KEY}…", help=f"with --api; default: {KEY_VARIABLE} as it is set"
    )


def remote_of(options: dict[str, Any]) -> RemoteService | None:
    """Return the service that `--api` names, or None. Raises CommandError without a test key."""
    if not options["api"]:
        if options["key"]:
            raise CommandError("--key requires --api, the address of the service.")
        return None
    key = options["key"] or os.environ.get(KEY_VARIABLE, "")
    if not key.startswith(TEST_KEY):
        raise CommandError(f"--api needs a test key: --key {TEST_KEY}… or {KEY_VARIABLE}.")
    return RemoteService(options["api"], key)
