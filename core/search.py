"""How lists are filtered beyond equality: by pairs of metadata, and by words in texts.

PostgreSQL answers both from a GIN index; SQLite scans the merchant's rows. Words are compared in
Unicode's composed form, NFC, because some keyboards write an accent separately.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import BooleanField, F, Func

Compiled = tuple[str, list[Any]]

_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,6})?")
_WORD = re.compile(r"[^\W_]+")
_PAIR = """EXISTS (SELECT 1 FROM json_each({column}) AS pair WHERE pair.key = %s AND (
    pair.type = 'text' AND pair.atom = %s OR pair.type = %s
    OR pair.type IN ('integer', 'real') AND pair.atom = %s))"""


class HoldsPairs(Func):
    """Whether the metadata of a row has all these pairs of key and text.

    A number or boolean in it matches the text that JSON writes for it. With a merchant, PostgreSQL
    finds the pairs of the merchant's rows only: the index has each under the id of its owner. It
    has no rows without metadata, and serves only what says so.
    """

    output_field = BooleanField()

    def __init__(self, pairs: Mapping[str, str], *, merchant_id: str | None = None) -> None:
        super().__init__(F("metadata"), F("merchant_id"))
        self.pairs, self._merchant_id = pairs, merchant_id

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Compiled:
        column, owner = self._columns(compiler)
        place = column if self._merchant_id is None else owned_pairs_sql(column, owner)
        conditions, params = [f"NOT ({column} = '{{}}')"], []
        for key, text in self.pairs.items():
            values = [text, *_other_readings(text)]
            conditions.append("(" + " OR ".join([f"{place} @> %s::jsonb"] * len(values)) + ")")
            params += [self._document({key: value}) for value in values]
        return f"({' AND '.join(conditions)})", params

    def as_sqlite(self, compiler: Any, connection: Any, **_: Any) -> tuple[str, tuple[Any, ...]]:
        column, _owner = self._columns(compiler)
        params: list[Any] = []
        for key, text in self.pairs.items():
            other = next(iter(_other_readings(text)), None)
            is_boolean = isinstance(other, bool)
            params += [key, text, text if is_boolean else "", None if is_boolean else other]
        return " AND ".join([_PAIR.format(column=column)] * len(self.pairs)), tuple(params)

    def _columns(self, compiler: Any) -> list[str]:
        """Return the column with the metadata, and the one with the owner."""
        return [compiler.compile(column)[0] for column in self.get_source_expressions()]

    def _document(self, pair: Mapping[str, Any]) -> str:
        return json.dumps(pair if self._merchant_id is None else {self._merchant_id: pair})


def owned_pairs_sql(column: str, owner: str) -> str:
    """Return PostgreSQL's SQL for metadata under the id of its owner.

    An index serves it only if a migration wrote the same expression: a change needs a new one.
    """
    return f"jsonb_set('{{}}', ARRAY[{owner}::text], {column})"


def _other_readings(text: str) -> list[Any]:
    """Return what else a text in the query string may stand for in JSON."""
    is_other = text in ("true", "false") or _NUMBER.fullmatch(text)
    return [json.loads(text)] if is_other else []


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text: runs of letters and digits, composed and in lower case.

    Each letter becomes one, as in the index, whatever stands beside it: Python makes two characters
    of the Turkish capital İ, and another letter of a capital Σ that ends a word.
    """
    composed = unicodedata.normalize("NFC", text)
    lowered = "".join(letter.lower()[0] for letter in composed)
    return tuple(dict.fromkeys(_WORD.findall(lowered)))


def rarest_of(words: Sequence[str]) -> str:
    """Return which of the words of a search the fewest rows are likely to have.

    Of "ORD-1042", "order 2026/0007" and "conch salad" that is 1042, 0007 and salad.
    """
    return max(reversed(words), key=lambda word: (any(map(str.isdecimal, word)), len(word)))


def words_sql(columns: Iterable[str], owner: str) -> str:
    """Return PostgreSQL's SQL for the words of these columns, and the owner as one more.

    An index serves it only if a migration wrote the same expression: a change needs a new one.
    """
    spaced = f"regexp_replace(lower({_composed(columns)}), '[^[:alnum:]]+', ' ', 'g')"
    words = f"to_tsvector('simple'::regconfig, {spaced})"
    return f"({words} || {_owner_sql(owner)})"


def _owner_sql(owner: str) -> str:
    return f"array_to_tsvector(ARRAY['@' || {owner}])"


def _composed(columns: Iterable[str]) -> str:
    """Return the SQL of the text of these columns; SQLite has `normalize` from our connection."""
    return f"normalize({_joined(columns)})"


def _joined(columns: Iterable[str]) -> str:
    return " || ' ' || ".join(f"coalesce({column}, '')" for column in columns)


class BeginsWords(Func):
    """Whether each of the words is a prefix of some word in these columns.

    With a merchant, PostgreSQL finds only the merchant's rows: those of others with the same words
    may be millions. The merchant is a word of its own, with a sign that no other word has.
    """

    output_field = BooleanField()
    before = r"(?<![^\W_])"  # what SQLite wants to find before a word

    def __init__(
        self,
        words: Iterable[str],
        *columns: str,
        merchant_id: str | None = None,
        are_common: bool = False,
    ) -> None:
        super().__init__(*map(F, (*columns, "merchant_id")))
        self.words, self._are_common = tuple(words), are_common
        self._merchant_id = merchant_id

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Compiled:
        """Add that a row has an owner, as all have, unless the words are known to be common.

        PostgreSQL assumes that one row in fifty has any beginning of a word. It would read the
        newest rows until a page is full, which for a rare word are all of them. Of two conditions
        it assumes one in 2,500, and takes the index of words; rows found there have to be sorted.
        To state the words twice would gather all that have them twice.
        """
        *columns, owner = self._columns(compiler)
        wanted = " & ".join(f"{word}:*" for word in self.words)
        query, params = "to_tsquery('simple'::regconfig, %s)", [wanted]
        if self._merchant_id is not None:
            query, params = f"({query} && %s::tsquery)", [*params, f"'@{self._merchant_id}'"]
        has_words = f"{words_sql(columns, owner)} @@ {query}"
        if self._are_common:
            return f"({has_words})", params
        return f"({has_words} AND {_owner_sql(owner)} @@ '''@'':*'::tsquery)", params

    def as_sqlite(
        self, compiler: Any, connection: Any, **_: Any
    ) -> tuple[str, tuple[str | int, ...]]:
        conditions = [f"{_composed(self._columns(compiler)[:-1])} REGEXP %s"] * len(self.words)
        words = tuple(f"(?i){self.before}{word}" for word in self.words)
        return f"({' AND '.join(conditions)})", words

    def _columns(self, compiler: Any) -> list[str]:
        """Return the columns with the words, and the one with the owner."""
        return [compiler.compile(column)[0] for column in self.get_source_expressions()]


class ReadsWords(BeginsWords):
    """The same of rows that are read one by one: no index answers it."""

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Compiled:
        *columns, owner = self._columns(compiler)
        wanted = " & ".join(f"{word}:*" for word in self.words)
        words = f"{words_sql(columns, owner)} || ''::tsvector"
        return f"({words} @@ to_tsquery('simple'::regconfig, %s))", [wanted]


class HasWords(BeginsWords):
    """Whether each of the words stands anywhere in these columns. No index answers that."""

    before = ""

    def as_postgresql(self, compiler: Any, connection: Any, **_: Any) -> Compiled:
        """Look at the text as it is first, for words of plain letters: composing takes as long.

        There, the i that composing makes of a Turkish İ may have its dot behind it.
        """
        columns, wanted = self._columns(compiler)[:-1], [f"%{word}%" for word in self.words]
        has_words = f"lower({_composed(columns)}) LIKE ALL(%s)"
        if not "".join(self.words).isascii():
            return f"({has_words})", [wanted]
        spaced = [word.replace("i", "i%") for word in wanted]
        return f"(lower({_joined(columns)}) LIKE ALL(%s) AND {has_words})", [spaced, wanted]
