"""What the addresses among the variables must be: what reads them would fail later, elsewhere."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

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
    "be an address that can be read, with a port up to 65535; in its user name and password,"
    " everything but letters and digits is written as %23 for #, and so on"
)
HOST_FORMS = {
    "ADMIN_HOST": (
        re.compile(rf"{_NAME}(?::\d+)?"),
        "be such as admin.example.com, in lower case, without https://",
    ),
    # `config.checks` refuses in production those that stand for any host.
    "ALLOWED_HOSTS": (
        re.compile(rf"\*|{_NAME}", re.IGNORECASE),
        "each be such as www.example.com, without https://, port or space",
    ),
}
_REDIS_DATABASE = re.compile(r"/?\d*")
_DJANGOS_OPTIONS = {"assume_role"}


def broken_url_rule(name: str, url: str) -> str:
    """Return what an address must do and does not, or nothing."""
    if name in ORIGINS and not _ORIGIN.fullmatch(url):
        return _ORIGIN_RULE
    # Celery takes several brokers, and goes from one to the next.
    servers = url.split(";") if name == "CELERY_BROKER_URL" else [url]
    try:
        return next(filter(None, (_broken_by_server(name, each) for each in servers)), "")
    except ValueError:
        return _READABLE_RULE


def _broken_by_server(name: str, url: str) -> str:
    """Return what the address of a server must do. Raises ValueError if it cannot be read."""
    if name in SCHEMES and not url.startswith(SCHEMES[name]):
        return f"begin with one of {', '.join(SCHEMES[name])}"
    if name == "DATABASE_URL":
        return _broken_by_database(url)
    parts = urlsplit(url)
    if name == "CACHE_URL" and "," in parts.netloc:
        return "name one host; a comma in a password is written as %2C"
    is_read = url.isprintable() and " " not in (parts.hostname or "")
    if parts.port == 0 or parts.fragment or not is_read:
        return _READABLE_RULE
    is_redis, is_counted = parts.scheme in ("redis", "rediss"), name == "CACHE_URL"
    is_database = _REDIS_DATABASE.fullmatch(parts.path) is not None
    if is_counted and not (parts.hostname or is_database):
        return ""  # a socket
    needs_host = parts.scheme.startswith(("smtp", "http")) or (is_redis and is_counted)
    if needs_host and not parts.hostname:
        return "name a host"
    if is_redis and not is_database:
        return "end with the number of a database of Redis, such as /0"
    return ""


def _broken_by_database(url: str) -> str:
    """Return what a database's URL must do. Raises ValueError if it cannot be read."""
    config = environ.Env.db_url_config(url)
    if url.startswith("sqlite"):
        return ""
    options = config.get("OPTIONS", {}).keys()
    if not (config["NAME"] or "service" in options):
        return "name a database, as in postgres://user:password@host/name"
    if "%" in config["HOST"]:
        return "name a socket as in postgres://user@/name?host=/run/postgresql"
    from psycopg.pq import Conninfo

    known = {option.keyword.decode() for option in Conninfo.get_defaults()} | _DJANGOS_OPTIONS
    # What is none of them is not shown: it may be part of a password with a question mark.
    return "" if options <= known else "have only options that PostgreSQL knows, such as sslmode"


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
