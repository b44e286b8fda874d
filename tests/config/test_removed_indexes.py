"""An index is removed, and built again as it was: on the way back, or after an interruption."""

import pytest
from django.apps import apps
from django.db import connection
from django.db.migrations.state import ProjectState

from core.schema import AddIndexOnline, RemoveIndexOnline
from refunds.models import Inquiry

NAME = "inquiry_open"


def _index() -> list[tuple[list[str], bool]]:
    """Return the columns of the index and whether it is one: nothing if it is not there."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Inquiry._meta.db_table)
    return [(each["columns"], each["index"]) for name, each in found.items() if name == NAME]


@pytest.mark.django_db(transaction=True)
@pytest.mark.each_on_postgres("its own statements")
def test_an_index_that_was_removed_is_built_again_as_it_was() -> None:
    before, after = (ProjectState.from_apps(apps) for _ in range(2))
    removal, built = RemoveIndexOnline("inquiry", NAME), _index()
    removal.state_forwards("refunds", after)
    assert built == [(["livemode", "open_since"], True)]

    with connection.schema_editor(atomic=False) as editor:
        removal.database_forwards("refunds", editor, before, after)
    removed = _index()
    with connection.schema_editor(atomic=False) as editor:
        removal.database_backwards("refunds", editor, after, before)

    assert (removed, _index()) == ([], built)


@pytest.mark.django_db(transaction=True)
@pytest.mark.each_on_postgres("its own statements")
def test_one_that_was_added_before_the_interruption_is_added_again() -> None:
    """A first `make run` that was stopped there could never be started again."""
    state, built = ProjectState.from_apps(apps), _index()
    index = state.models["refunds", "inquiry"].get_index_by_name(NAME)

    with connection.schema_editor(atomic=False) as editor:
        AddIndexOnline("inquiry", index).database_forwards("refunds", editor, state, state)

    assert _index() == built
