"""What a caller reaches: its merchant's rows, and none by leaving something out."""

from contextlib import nullcontext
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import Model
from django.db.transaction import TransactionManagementError

from core.clock import utc_now
from core.errors import ValidationFailed
from merchants import scoping
from merchants.caller_lists import CallerList
from merchants.callers import Caller
from merchants.models import ApiKey, Merchant, MerchantChange
from merchants.scoping import CallerScoped
from merchants.services import issue_key
from payments.counts import total_of
from payments.errors import PaymentNotFound
from payments.models import Payment
from tests.client import Api
from tests.factories import MerchantFactory, PaymentFactory

SCOPED = [
    model for model in apps.get_models() if isinstance(model._default_manager.all(), CallerScoped)
]


def reaches(model: type[Model], caller: Caller) -> str:
    """Return the condition that the caller's reads carry; `nothing` where none can match."""
    try:
        return str(model._default_manager.all().visible_to(caller).order_by().query)  # type: ignore[attr-defined]  # CallerScoped
    except EmptyResultSet:
        return "nothing"


def test_it_covers_every_resource() -> None:
    assert {model.__name__ for model in SCOPED} == {
        "AccountStatement", "ApiKey", "BankAccount", "BankEntry", "Customer", "Event",
        "Inquiry", "Instruction", "Merchant", "MerchantChange", "Payment", "PaymentLink", "Payout",
        "Refund", "TopUp", "Webhook",
    }  # fmt: skip


@pytest.mark.parametrize("livemode", [True, False])
@pytest.mark.parametrize("model", SCOPED, ids=lambda model: model.__name__)
def test_without_a_merchant_it_reaches_nothing(model: type[Model], livemode: bool) -> None:
    assert (
        reaches(model, Caller(None, livemode=livemode, actor="a forgotten argument")) == "nothing"
    )


@pytest.mark.parametrize(
    "model",
    [model for model in SCOPED if model.__name__ not in ("BankEntry", "TopUp")],
    ids=lambda model: model.__name__,
)
def test_a_merchant_reaches_its_own(model: type[Model]) -> None:
    merchant = Merchant(id="mer_0000000000000000000000000000a1")

    assert merchant.id in reaches(model, Caller(merchant, livemode=True, actor="key"))


@pytest.mark.parametrize("model", SCOPED, ids=lambda model: model.__name__)
def test_staff_reach_the_rows_of_one_mode(model: type[Model]) -> None:
    reached = reaches(model, Caller.for_staff(livemode=True, actor="staff:1"))

    assert reached != "nothing"
    assert 'merchant_id" =' not in reached
    of_both_modes = model in (Merchant, MerchantChange)
    assert ("livemode" in reached.partition("WHERE")[2]) == (not of_both_modes)


def test_development_reaches_test_rows_only() -> None:
    assert not Caller.for_development().livemode


@pytest.mark.parametrize(
    ("scopes", "allowed"),
    [
        ("*", True),
        ("*:read", False),
        ("refunds:write payments:read", False),
        ("refunds:read payments:write", True),
    ],
)
def test_who_may_write(scopes: str, allowed: bool) -> None:
    caller = Caller(None, livemode=True, actor="key", scopes=scopes)

    assert caller.may_write("payments") is allowed


@pytest.mark.parametrize(
    "caller", [Caller.for_development(), Caller.for_staff(livemode=True, actor="staff:1")]
)
def test_without_a_merchant_nothing_new_has_an_owner(caller: Caller) -> None:
    with pytest.raises(ValidationFailed):
        _ = caller.owner


def test_what_is_read_to_be_changed_wants_a_transaction_and_nothing_else_does(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller = Caller(merchant, livemode=False, actor="key")
    key = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()).key
    assert ApiKey.objects.locked_of(caller, key.pk, "merchant") == key

    with monkeypatch.context() as outside:
        outside.setattr(connections["default"], "in_atomic_block", False)
        found = ApiKey.objects.one_of(caller, key.pk)
        with pytest.raises(TransactionManagementError):
            ApiKey.objects.locked_of(caller, key.pk)

    assert (found, found._state.fields_cache) == (key, {})


@pytest.mark.parametrize("backwards", [False, True])
def test_a_statement_kept_for_one_kind_of_caller_serves_no_other(
    merchant: Merchant, backwards: bool
) -> None:
    payment = PaymentFactory(merchant=merchant)
    sees = {
        Caller.for_development(): True,
        Caller.for_staff(livemode=True, actor="staff:1"): False,
        Caller(merchant, livemode=False, actor="key"): True,
        Caller(merchant, livemode=True, actor="key"): False,
        Caller(MerchantFactory(), livemode=False, actor="key"): False,
        Caller(None, livemode=False, actor="a forgotten argument"): False,
    }
    scoping._prepared.cache_clear()

    for caller in sorted(sees, key=sees.__getitem__, reverse=backwards):
        for read in (Payment.objects.one_of, Payment.objects.locked_of):
            with nullcontext() if sees[caller] else pytest.raises(PaymentNotFound):
                assert read(caller, payment.id) == payment


def test_a_list_has_the_words_that_are_asked_for(merchant: Merchant) -> None:
    for text in ("Conch fritters", "Johnny cake"):
        PaymentFactory(merchant=merchant, description=text)
    lookups = {"livemode": False}

    def found(**words: tuple[str, ...]) -> list[str]:
        rows = Payment.objects.all().matching(lookups | words).order_by("description")
        return list(rows.values_list("description", flat=True))

    assert found() == ["Conch fritters", "Johnny cake"]
    assert found(words=("john",)) == ["Johnny cake"]
    assert not Payment.objects.all().matching({"livemode": True}).exists()


def test_a_page_of_a_list_has_the_total_of_all(api: Api, merchant: Merchant) -> None:
    for _ in range(3):
        api(merchant).post("/v1/payments", {"amount": 100})

    pages = [api(merchant).get(f"/v1/payments?{of}") for of in ("limit=1", "limit=1&status=paid")]

    assert [page.json().get("total") for page in pages] == [3, None]
    assert len(pages[0].json()["payments"]) == 1


def test_the_first_page_and_its_total_are_of_one_statement(
    merchant: Merchant, django_assert_num_queries: Any
) -> None:
    PaymentFactory.create_batch(3, merchant=merchant)
    caller = Caller(merchant, livemode=False, actor="key")
    listed = CallerList(Payment.objects.listed, caller, {}, utc_now(), total_of)

    with django_assert_num_queries(1):
        rows, total = listed.first_page(1)
        assert (len(rows), total()) == (1, 3)
