"""Where an endpoint may be: checked at registration and again before every attempt.

Nothing is looked up here: what a name resolves to matters when it is called, and the connection
itself checks every address with `Policy.allows`.
"""

import re
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.http.request import validate_host

from core.web_urls import HTTPS_RULE, WEB_URL_RULE, is_web_url
from outbound.ip_addresses import Address, is_loopback, is_public, parse_address

PORTS = {"https": 443, "http": 80}
HIGH_PORTS = 8_000
UNPRIVILEGED_PORTS = 1_024

_NAME = re.compile(r"(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9-]{1,63}")
_ENDS_IN_A_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
# Names that mean something only inside a network.
_INNER_NAMES = re.compile(
    r"(?:.*\.)?(?:local|localdomain|internal|intranet|private|corp|home|lan|arpa|invalid|onion)"
)
_LOCALHOST = re.compile(r"(?:.*\.)?localhost")
# Services that could mistake the bytes of an HTTP request for commands.
_OTHER_SERVICES = frozenset(
    {
        1433,  # SQL Server
        1521,  # Oracle
        2049,  # NFS
        2375,  # Docker
        2379,  # etcd
        3306,  # MySQL
        4369,  # Erlang's port mapper
        5432,  # PostgreSQL
        5672,  # RabbitMQ
        6000,  # X11
        6379,  # Redis
        9042,  # Cassandra
        9200,  # Elasticsearch
        9300,  # Elasticsearch, between its nodes
        11211,  # memcached
        27017,  # MongoDB
    }
)


@dataclass(frozen=True)
class Policy:
    """What an endpoint of one mode may use; `loopback`: this machine, too."""

    livemode: bool
    loopback: bool

    def allows(self, address: Address) -> bool:
        """Return whether a connection may go to the address."""
        return is_public(address) or (self.loopback and is_loopback(address))

    def allows_port(self, port: int) -> bool:
        """Return whether a URL may name the port: live only 443, in test no other service's."""
        if self.livemode:
            return port == PORTS["https"]
        return port in PORTS.values() or (port >= self._lowest and port not in _OTHER_SERVICES)

    @property
    def port_rule(self) -> str:
        """What the port of a URL must be, as a sentence for `details`."""
        if self.livemode:
            return "must use port 443"
        others = f"one from {self._lowest} that no other kind of server uses"
        return f"must use port 80 or 443, or {others}"

    @property
    def _lowest(self) -> int:
        return UNPRIVILEGED_PORTS if self.loopback else HIGH_PORTS


def policy_for(*, livemode: bool) -> Policy:
    """Return the policy of a mode: only test endpoints may be on this machine, if allowed."""
    return Policy(livemode, loopback=settings.WEBHOOK_ALLOW_PRIVATE and not livemode)


def fault_of(url: str, policy: Policy) -> str | None:
    """Return the rule that the URL of an endpoint breaks; None if it may be used."""
    if not is_web_url(url):
        return WEB_URL_RULE
    parts = urlsplit(url)
    if parts.scheme != "https" and not policy.loopback:
        return HTTPS_RULE
    port, host = parts.port or PORTS[parts.scheme], _normal_host(parts.hostname or "")
    if not policy.allows_port(port):
        return policy.port_rule
    return (
        "must not be this service itself" if _is_ours(host, port) else _fault_of_host(host, policy)
    )


def _normal_host(given: str) -> str:
    return given if ":" in given else given.encode("idna").decode().lower()


def _is_ours(host: str, port: int) -> bool:
    """Return whether a request would come back to us, so that each event could cause another.

    Pressing a button needs no key: an event sent to its URL would create a payment, and events.
    """
    own = (urlsplit(address) for address in (settings.BASE_URL, settings.CHECKOUT_URL))
    named = f"[{host}]" if ":" in host else host.removesuffix(".")
    return port in {each.port or PORTS[each.scheme] for each in own} and validate_host(
        named, settings.ALLOWED_HOSTS
    )


def _fault_of_host(host: str, policy: Policy) -> str | None:
    literal = _literal(host.rstrip("."))
    if literal is not None:
        if policy.livemode:
            return "must name a host, not an address"
        return None if policy.allows(literal) else "must be a public address"
    return _fault_of_name(host.removesuffix("."), policy)


def _fault_of_name(name: str, policy: Policy) -> str | None:
    if _LOCALHOST.fullmatch(name):
        return None if policy.loopback else "must be a public host"
    if not _NAME.fullmatch(name) or _ENDS_IN_A_NUMBER.fullmatch(name):
        return "must name a host"
    if "." not in name or _INNER_NAMES.fullmatch(name):
        return "must be a public host"
    return None


def _literal(host: str) -> Address | None:
    """Parse a numeric host as the system's resolver does: `127.1`, `0x7f000001`, `017700000001`.

    No query leaves this machine.
    """
    try:
        found = socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None
    return parse_address(str(found[0][4][0]))
