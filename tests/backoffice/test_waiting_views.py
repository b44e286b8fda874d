"""Saved views of what waits go by the name of its queue, once the service is upgraded."""

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from backoffice.models import SavedView
from backoffice.roles import Role
from core.clock import utc_now
from tests.backoffice.conftest import Office, make_user
from tests.nights import RELEASED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.night(RELEASED),
    pytest.mark.django_db(transaction=True),
]

BEFORE = [("backoffice", "0014_amount_indexes")]
MERCHANTS = "/admin/merchants/merchant/"
ACCOUNTS = "/admin/payouts/bankaccount/"
PAYOUTS = "/admin/payouts/payout/"
PAYMENTS = "/admin/payments/payment/"
# Each view as it was kept, and as it is then.
VIEWS = (
    (MERCHANTS, "change=pending", "queue=merchants-to-review"),
    (ACCOUNTS, "mode=live&state=pending", "mode=live&queue=bank-accounts-to-review"),
    (PAYOUTS, "status=unpaid&mode=test", "status=failed%2Creturned&mode=test"),
    (PAYOUTS, "status=paid", "status=paid"),
    (ACCOUNTS, "nostate=pending", "nostate=pending"),
    (PAYMENTS, "change=pending&status=unpaid", "change=pending&status=unpaid"),
    ("/admin/search/", "q=%2B12423591234", None),  # no list
)


@pytest.fixture
def _upgraded() -> None:
    """The views as the release before kept them, upgraded."""
    owner = make_user(Role.FINANCE)
    try:
        MigrationExecutor(connection).migrate(BEFORE)
        old = MigrationExecutor(connection).loader.project_state(BEFORE).apps
        for number, (path, query, _) in enumerate(VIEWS):
            old.get_model("backoffice", "SavedView").objects.create(
                name=f"View {number}",
                path=path,
                query=query,
                owner_id=owner.pk,
                created_at=utc_now(),
            )
    finally:  # whatever happens, the tables are as they should be
        executor = MigrationExecutor(connection)
        executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.usefixtures("_upgraded")
def test_views_of_what_waits_name_its_queue(office: Office) -> None:
    kept = SavedView.objects.order_by("name").values_list("path", "query")
    assert list(kept) == [(path, after) for path, _, after in VIEWS if after]

    browser, chosen = office(Role.FINANCE), []
    for view in SavedView.objects.order_by("name")[:3]:
        listed = browser.get(f"{view.path}?{view.query}").context["cl"]
        chosen += [
            spec.chosen
            for spec in listed.filter_specs
            if spec.parameter_name in ("queue", "status") and spec.chosen
        ]

    assert chosen == ["Merchants to review", "Bank accounts to review", "Failed, Returned"]
