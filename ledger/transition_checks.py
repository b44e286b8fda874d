"""Prove a status by the transitions that led to it: none is missing, and every date matches."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Exists, F, Model, OuterRef, Subquery, Value, Window
from django.db.models.functions import Coalesce, Lag

from ledger.reconciliation import Faults, any_of, name_each
from ledger.signed_row_checks import name_of


def check_transitions(
    model: type[Model], *, first: str, stamps: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a sentence for each row whose transitions do not lead from `first` to its status.

    `stamps` are pairs of a status and the column that says when it was reached.
    """
    relation: Any = model._meta.get_field("transitions")
    if any_of(model._base_manager.all(), relation.related_model._base_manager.all()):
        yield from name_each(_wrong_statuses, model, first, tuple(stamps))


def _wrong_statuses(model: type[Model], first: str, stamps: tuple[tuple[str, str], ...]) -> Faults:
    relation: Any = model._meta.get_field("transitions")
    moves, owner = relation.related_model._base_manager, relation.field.attname
    its_own = moves.filter(**{owner: OuterRef("pk")})
    before = Window(Lag("to_status"), partition_by=F(owner), order_by="pk")
    linked = moves.annotate(reached=Coalesce(before, Value(first)))
    yield (
        name_of(model, f"{{{owner}}}") + " lacks a transition.",
        linked.exclude(from_status=F("reached")),
    )
    reached = Subquery(its_own.order_by("-pk").values("to_status")[:1])
    rows = model._base_manager.annotate(reached=Coalesce(reached, Value(first)))
    yield (
        name_of(model, "{pk}") + " is in a status to which no transition led.",
        rows.exclude(status=F("reached")),
    )
    for status, column in stamps:
        then = its_own.filter(to_status=status, at=OuterRef(column))
        stamped = model._base_manager.filter(**{f"{column}__isnull": False})
        yield (
            name_of(model, "{pk}") + f" says another {column} than its transition.",
            stamped.filter(~Exists(then)),
        )
