"""Connections that go only where the policy allows: to an address that was just checked."""

import socket
from http.client import HTTPResponse
from typing import Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from outbound.deadline import Deadline
from outbound.ip_addresses import parse_address
from outbound.policy import Policy
from outbound.resolver import ResolutionFailed, Resolve, resolve_within

MAX_ADDRESSES_TRIED = 4


class ConnectionFailed(Exception):
    """No connection, for a reason that the owner of the endpoint may see."""


class Connector:
    """Makes the only connection of an attempt, after a single look-up."""

    def __init__(
        self, policy: Policy, deadline: Deadline, connect_seconds: float, resolve: Resolve
    ) -> None:
        self._policy = policy
        self._deadline = deadline
        self._connect_seconds = connect_seconds
        self._resolve = resolve

    def __call__(self, host: str, port: int) -> socket.socket:
        """Return a connection to an allowed address of the host. Raises ConnectionFailed."""
        addresses = self._allowed_addresses(host, port)[:MAX_ADDRESSES_TRIED]
        refused = False
        for position, address in enumerate(addresses):
            share = self._connect_seconds / (len(addresses) - position)
            try:
                return self._connect(address, port, min(share, self._deadline.seconds_left))
            except ConnectionRefusedError:
                refused = True
            except OSError:
                continue
        if refused:
            raise ConnectionFailed("The connection was refused.")
        raise ConnectionFailed(f"No connection within {self._connect_seconds:g} seconds.")

    def _allowed_addresses(self, host: str, port: int) -> list[str]:
        """Look the host up; a single address that is not allowed refuses them all."""
        try:
            found = resolve_within(self._connect_seconds, host.strip("[]"), port, self._resolve)
        except ResolutionFailed:
            raise ConnectionFailed("The host name could not be resolved.") from None
        for text in found:
            address = parse_address(text)
            if address is None or not self._policy.allows(address):
                raise ConnectionFailed("The host name leads to an address that is not allowed.")
        return found

    def _connect(self, address: str, port: int, seconds: float) -> socket.socket:
        connection = socket.create_connection((address, port), max(seconds, 0.001))
        peer = parse_address(str(connection.getpeername()[0]))
        if peer is None or not self._policy.allows(peer):
            connection.close()
            raise ConnectionFailed("The host name leads to an address that is not allowed.")
        connection.settimeout(max(self._deadline.seconds_left, 0.001))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._deadline.watch(connection)
        return connection

    def pools(self, response: type[HTTPResponse]) -> dict[str, Any]:
        """Return pools, by scheme, that connect through this connector and read with `response`."""
        connector = self

        class Plain(HTTPConnection):
            response_class = response

            def _new_conn(self) -> socket.socket:
                return connector(self._dns_host, self.port)

        class Secure(HTTPSConnection):
            response_class = response

            def _new_conn(self) -> socket.socket:
                return connector(self._dns_host, self.port)

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class SecurePool(HTTPSConnectionPool):
            ConnectionCls = Secure

        return {"http": PlainPool, "https": SecurePool}
