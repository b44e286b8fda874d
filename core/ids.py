"""Public identifiers: `pay_` + 8 characters of time + 22 random ones, in base62.

The alphabet is in byte order, so that ids sort by creation and indexes grow at one end; 131 random
bits make an id an unguessable capability, as the address of a checkout page has to be.
"""

import re
import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from core.clock import epoch_milliseconds

_Set = TypeVar("_Set")
_Get = TypeVar("_Get")

if TYPE_CHECKING:

    class _Text(models.CharField[_Set, _Get]): ...

else:  # generic in the stubs only

    class _Text(models.CharField):
        def __class_getitem__(cls, types: Any) -> Any:
            return cls


ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TIME_CHARACTERS = 8
RANDOM_CHARACTERS = 22
COUNTING_CHARACTERS = 6
# The letter of each byte: four bytes share one. Those left over would favor some letters.
_LETTERS = bytes(ord(ALPHABET[byte % 62]) for byte in range(256))
_LEFT_OVER = bytes(range(256 // 62 * 62, 256))


def base62(number: int, width: int) -> str:
    """Write a non-negative number in base62, left-filled with zeros to `width`."""
    digits = ""
    for _ in range(width):
        digits = ALPHABET[number % 62] + digits
        number //= 62
    return digits


def random_base62(width: int) -> str:
    """Return `width` base62 characters from the system's random source."""
    letters = b""
    while len(letters) < width:
        letters += secrets.token_bytes(2 * width).translate(_LETTERS, _LEFT_OVER)
    return letters[:width].decode()


def new_id(prefix: str, now: datetime) -> str:
    """Return a new public id of the kind that `prefix` names."""
    stamp = base62(epoch_milliseconds(now), TIME_CHARACTERS)
    return f"{prefix}_{stamp}{random_base62(RANDOM_CHARACTERS)}"


class OrderedIds:
    """Ids of one kind that sort as a thread has made them for one owner, also in one millisecond.

    Of those that follow in it, six of the random characters count: not for what an id opens. Each
    owner has a count of its own, which begins at random: none tells what others are doing.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._made = threading.local()

    def new(self, now: datetime, *, owner: str) -> str:
        """Return the owner's next id of this thread."""
        made = new_id(self._prefix, now)
        moment = made[:-RANDOM_CHARACTERS]
        last = self._last_of(moment)
        if made < (before := last.get(owner, "")):
            counted = before[len(moment) :][:COUNTING_CHARACTERS]
            following = base62(_number_in(counted) + 1, COUNTING_CHARACTERS)
            made = moment + following + made[-RANDOM_CHARACTERS + COUNTING_CHARACTERS :]
        last[owner] = made
        return made

    def _last_of(self, moment: str) -> dict[str, str]:
        """Return this thread's last id for each owner in a millisecond; those before are gone."""
        if getattr(self._made, "moment", "") != moment:
            self._made.moment, self._made.last = moment, {}
        last: dict[str, str] = self._made.last
        return last


def millisecond_of(public_id: str) -> int:
    """Return when an id was made, in milliseconds since 1970, from its first characters."""
    return _number_in(public_id.partition("_")[2][:TIME_CHARACTERS])


def _number_in(text: str) -> int:
    number = 0
    for character in text:
        number = len(ALPHABET) * number + ALPHABET.index(character)
    return number


def made_at(public_id: str) -> datetime:
    """Return when an id was made."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millisecond_of(public_id))


def is_id(prefix: str, text: str) -> bool:
    """Return whether `text` has the form of an id of this kind."""
    return re.fullmatch(rf"{prefix}_[0-9A-Za-z]{{30}}", text) is not None


class IdConverter:
    """The path converter `<id:…>`: one part of a path, up to the dot of a file's name.

    Text that is not an id passes too and is answered as an object that does not exist; except for
    NUL, which PostgreSQL rejects.
    """

    regex = r"[^/.\x00]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


class PublicIdField(_Text[_Set, _Get]):
    """A public id as a column: compared by bytes on every database, so that it sorts by time.

    Compared by bytes, its index serves LIKE as well. For a `varchar`, Django would add a second
    index for that to every key and foreign key; under the longer name of the same type it does not.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        options.setdefault("max_length", 40)
        super().__init__(*args, **options)

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        kind = super().db_type(connection)
        if kind and connection.vendor == "postgresql":
            return kind.replace("varchar", "character varying")
        return kind

    def db_parameters(self, connection: BaseDatabaseWrapper) -> Mapping[str, Any]:  # type: ignore[override]  # the stub names a private class
        parameters = dict(super().db_parameters(connection))
        if connection.vendor == "postgresql":
            parameters["collation"] = "C"
        return parameters
