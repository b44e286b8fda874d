"""The parts of a proof: each reads some of the rows, and many can resume where they stopped.

A part yields a sentence for each wrong row, and how far it has come: another process can resume
from there, at any later time. What lies behind that mark is not read twice.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.utils.module_loading import import_string

from ledger.balance_checks import check_balances
from ledger.chain_checks import check_chain
from ledger.log_checks import (
    check_adoptions,
    check_heads,
    check_leaves,
    check_opening,
    check_subtrees,
)
from ledger.proof_marks import Finding
from ledger.schema_evidence import check_schema
from ledger.signed_row_checks import check_all_rows, check_rows_since, signed_fields
from ledger.snapshot import snapshot
from ledger.transfer_checks import check_exponents, check_transfers
from ledger.triggers import check_triggers
from ledger.witnesses import check_witnesses

Check = Callable[[], Iterable[str]]


@dataclass(frozen=True)
class ProofPart:
    """A part of a proof; `run` takes the mark to resume from, empty at first."""

    name: str
    run: Callable[[str], Iterator[Finding]]


def whole_parts() -> list[ProofPart]:
    """Return the parts of a proof of everything.

    LEDGER_CHECKS names some of them: functions without arguments that yield sentences. Each of
    those sees a single instant, for no longer than it takes: while a snapshot is held, PostgreSQL
    keeps every row that is sealed and counted meanwhile, and readers of a balance step over each.
    """
    checks: list[tuple[str, Check]] = [
        ("transfers", check_transfers),
        ("exponents", check_exponents),
        ("balances", check_balances),
    ]
    checks += [(name, import_string(name)) for name in settings.LEDGER_CHECKS]
    return [
        ProofPart("triggers", partial(_at_once, check_triggers)),
        ProofPart("chain", check_chain),
        *(ProofPart(name, partial(_in_snapshot, check)) for name, check in checks),
        *(
            ProofPart(field.model._meta.db_table, partial(check_all_rows, field))
            for field in signed_fields()
        ),
        ProofPart("schema", partial(_at_once, check_schema)),
        ProofPart("opening", partial(_at_once, check_opening)),
        ProofPart("leaves", check_leaves),
        ProofPart("subtrees", check_subtrees),
        ProofPart("adoptions", check_adoptions),
        ProofPart("heads", check_heads),
        ProofPart("witnesses", partial(_at_once, check_witnesses)),
    ]


def recent_parts(*, leaf: int, seal: int) -> list[ProofPart]:
    """Return the parts of a proof of what came after the first `leaf` leaves, and after a seal.

    They cost only as much as there is new to read.
    """
    return [
        ProofPart("triggers", partial(_at_once, check_triggers)),
        ProofPart("chain", partial(_from, check_chain, seal or "")),
        *(
            ProofPart(
                field.model._meta.db_table,
                partial(_at_once, partial(check_rows_since, field, leaf)),
            )
            for field in signed_fields()
        ),
        ProofPart("schema", partial(_at_once, check_schema)),
        ProofPart("opening", partial(_at_once, check_opening)),
        ProofPart("leaves", partial(_from, check_leaves, leaf)),
        ProofPart("subtrees", partial(_from, check_subtrees, leaf)),
        ProofPart("adoptions", partial(_from, check_adoptions, leaf)),
        ProofPart("heads", partial(_from, check_heads, leaf)),
        ProofPart("witnesses", partial(_at_once, partial(check_witnesses, since=leaf))),
    ]


def _at_once(check: Check, mark: str) -> Iterator[Finding]:
    yield from check()


def _from(
    check: Callable[[str], Iterator[Finding]], first: int | str, mark: str
) -> Iterator[Finding]:
    yield from check(mark or str(first))


def _in_snapshot(check: Check, mark: str) -> Iterator[Finding]:
    with snapshot():
        yield from check()
