"""What the addresses among the variables must be: what reads them would fail later, elsewhere."""

import re
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

import environ

SCHEMES = {
    "CACHE_URL": ("locmemcache://", "redis://", "rediss://"),
    "CELERY_BROKER_URL": (
        *("redis://", "rediss://", "redis+socket://"),
        *("amqp://", "amqps://", "memory://"),
    ),
    "DATABASE_URL": ("sqlite://", "postgres://", "postgresql://"),
    "EMAIL_URL": tuple(f"{scheme}://" for scheme in environ.Env.EMAIL_SCHEMES),
    "SMS_URL": ("https://", "http://", "console://"),
}
ORIGINS = ("BASE_URL", "CHECKOUT_URL")
_NAME = r"(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])"
_ORIGIN = re.compile(rf"https?://{_NAME}(?::\d+)?/?")
_ORIGIN_RULE = "be such as https://pay.example.com, in lower case, without a path"
_READABLE_RULE = (
    "be an address that can be read: in its user name and password, everything but letters and"
    " digits is written as %23 for #, and so on"
)
HOST_FORMS = {
    "ADMIN_HOST": (
        re.compile(rf"{_NAME}(?::\d+)?"),
        "be such as admin.example.com, in lower case, without https://",
    ),
    # `config.checks` refuses in production those that stand for any host.
    "ALLOWED_HOSTS": (
        re.compile(rf"\*|\.?{_NAME}", re.IGNORECASE),
        "each be such as www.example.com, without https://, port or space",
    ),
}
_REDIS_DATABASE = re.compile(r"/?\d*(;.*)?")  # and further addresses, as Celery takes them
_DJANGOS_OPTIONS = ("assume_role",)


def broken_url_rule(name: str, url: str) -> str:
    """Return what an address must do and does not, or nothing."""
    if name in SCHEMES and not url.startswith(SCHEMES[name]):
        return f"begin with one of {', '.join(SCHEMES[name])}"
    try:
        if name == "DATABASE_URL":
            return _broken_by_database(url)
        parts = urlsplit(url)
        is_read = not (parts.port == 0 or parts.fragment or re.search(r"\s", url))
    except ValueError:
        is_read = False
    if not is_read:
        return _READABLE_RULE
    if name in ORIGINS:
        return "" if _ORIGIN.fullmatch(url) else _ORIGIN_RULE
    return _broken_by_server(name, parts)


def _broken_by_server(name: str, parts: SplitResult) -> str:
    needs_host = parts.scheme.startswith(("smtp", "http")) or name == "CACHE_URL"
    if needs_host and not (parts.hostname or parts.scheme == "locmemcache"):
        is_socket = name == "CACHE_URL" and len(parts.path) > 1
        return "" if is_socket else "name a host"
    if parts.scheme in ("redis", "rediss") and not _REDIS_DATABASE.fullmatch(parts.path):
        return "end with the number of a database of Redis, such as /0"
    return ""


def _broken_by_database(url: str) -> str:
    """Return what a database's URL must do. Raises ValueError if it cannot be read."""
    config = environ.Env.db_url_config(url)
    if url.startswith("sqlite"):
        return ""
    if not config["NAME"]:
        return "name a database, as in postgres://user:password@host/name"
    from psycopg import ProgrammingError
    from psycopg.conninfo import make_conninfo

    for option in config.get("OPTIONS", {}).keys() - _DJANGOS_OPTIONS:
        try:
            make_conninfo(**{option: ""})
        except ProgrammingError:
            return f"have options that PostgreSQL knows: not {option}"
    return ""


def broken_host_rule(name: str, hosts: list[str]) -> str:
    """Return what host names must be and are not, or nothing."""
    form, rule = HOST_FORMS[name]
    return "" if all(map(form.fullmatch, hosts)) else rule


def is_address(host: str) -> bool:
    """Return whether this is an IP address, not a name."""
    try:
        return bool(ip_address(host))
    except ValueError:
        return False
