"""Prove a status by the transitions that led to it: none is missing, and every date matches."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import Exists, F, Model, OuterRef, Subquery, Value, Window
from django.db.models.functions import Coalesce, Lag

from ledger.reconciliation import any_of, keys_of
from ledger.signed_row_checks import name_of


def check_transitions(
    model: type[Model], *, first: str, stamps: Iterable[tuple[str, str]]
) -> Iterator[str]:
    """Yield a sentence for each row whose transitions do not lead from `first` to its status.

    `stamps` are pairs of a status and the column that says when it was reached.
    """
    relation: Any = model._meta.get_field("transitions")
    moves, owner = relation.related_model._base_manager, relation.field.attname
    if not any_of(model._base_manager.all(), moves.all()):
        return
    its_own = moves.filter(**{owner: OuterRef("pk")})
    before = Window(Lag("to_status"), partition_by=F(owner), order_by="pk")
    linked = moves.annotate(reached=Coalesce(before, Value(first)))
    for pk in linked.exclude(from_status=F("reached")).values_list(owner, flat=True).order_by("pk"):
        yield f"{name_of(model, pk)} lacks a transition."
    reached = Subquery(its_own.order_by("-pk").values("to_status")[:1])
    rows = model._base_manager.annotate(reached=Coalesce(reached, Value(first)))
    for pk in keys_of(rows.exclude(status=F("reached"))):
        yield f"{name_of(model, pk)} is in a status to which no transition led."
    for status, column in stamps:
        then = its_own.filter(to_status=status, at=OuterRef(column))
        stamped = model._base_manager.filter(**{f"{column}__isnull": False})
        for pk in keys_of(stamped.filter(~Exists(then))):
            yield f"{name_of(model, pk)} says another {column} than its transition."
