"""A thief with all rights on the database, past every trigger: verify_ledger names the row"""

import pytest

from core.clock import utc_now
from ledger.models import Transfer
from ledger.sealing import seal_transfers
from payments.models import Payment
from payments.reconciliation import check_payments
from refunds.models import Refund
from refunds.reconciliation import check_refunds
from tests.client import Api
from tests.factories import MerchantFactory
from tests.ledger.command import verify
from tests.ledger.thief import change as tamper_with
from tests.ledger.thief import tamper
from tests.payouts.merchant_balance import credit
from tests.refunds.refunding import refund, sell
from tests.shared_rows import check_foreign_keys_now, shared

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("undone")]


@pytest.fixture(scope="module")
def names(django_db_setup, django_db_blocker):
    """What a sentence may name."""
    with shared(django_db_blocker, sold_and_refunded) as made:
        yield made


def sold_and_refunded():
    """A sale of 1000 with a fee of 100, 400 refunded, 500 waiting; and one of a stranger."""
    api, (merchant, stranger) = Api(), MerchantFactory.create_batch(2)
    other = sell(stranger, 1_000, fee=1_000)
    sale = sell(merchant, 1_000, fee=1_000)
    refund(api, sale, 400)
    credit(merchant, -500)
    refund(api, sale, 500)
    check_foreign_keys_now()
    refunds = dict(Refund.objects.values_list("status", "pk"))
    transfers = Transfer.objects.filter(reference__in=[sale.id, *refunds.values()])
    moved = {f"{kind}_transfer": pk for kind, pk in transfers.values_list("kind", "pk")}
    return {"sale": sale.id, "stranger": other.merchant_id} | refunds | moved


def found(table, row, change, names):
    """Change a row, and return what verify_ledger answers."""
    return tamper(f"UPDATE {table} SET {change} WHERE id = '{row}'".format(**names))


def test_it_finds_nothing_wrong_with_what_happened(names):
    assert set(names) == {
        *("sale", "stranger", "pending", "succeeded", "payment_transfer", "fee_transfer"),
        *("refund_transfer", "refund_fee_transfer"),
    }
    assert verify()[0] == 0
    seal_transfers(now=utc_now())
    assert verify()[0] == 0


NO_AMOUNT = "Payment {sale} is completed without the transfer of its amount."
NO_SUM = "Payment {sale} is not refunded by the sum of its refunds."


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("amount = 1001", NO_AMOUNT),
        ("currency = 'USD'", NO_AMOUNT),
        ("livemode = NOT livemode", NO_AMOUNT),
        ("transaction_id = 'txn_x'", NO_AMOUNT),
        ("merchant_id = '{stranger}'", NO_AMOUNT),
        ("customer_id = 'cus_x'", NO_AMOUNT),
        ("fee = 1", "Payment {sale} is completed without the transfer of its fee."),
        ("fee = 0", "Transfer {fee_transfer} is the fee of no completed {sale}."),
        (
            "status = 'created', completed_at = NULL, transaction_id = NULL,"
            " amount_refunded = 0, amount_refund_pending = 0",
            "Transfer {payment_transfer} is the payment of no completed {sale}.",
        ),
        ("amount_refunded = 399", NO_SUM),
        ("amount_refund_pending = 501", NO_SUM),
    ],
)
def test_a_payment_is_changed(names, change, sentence):
    assert found("payments_payment", "{sale}", change, names) == (1, sentence.format(**names))


NO_REFUND = "Refund {succeeded} has succeeded without the transfer of its amount."
NO_RETURN = "Refund {succeeded} has succeeded without the transfer of its fee."
UNDONE = "succeeded_at = NULL, transaction_id = NULL, fee_returned = 0"


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("amount = 399", NO_REFUND),
        ("currency = 'USD'", NO_REFUND),
        ("livemode = NOT livemode", NO_REFUND),
        ("transaction_id = 'txn_x'", NO_REFUND),
        ("merchant_id = '{stranger}'", NO_REFUND),
        ("payment_id = 'pay_x'", NO_SUM),
        ("fee_returned = 1", NO_RETURN),
        (
            "fee_returned = 0",
            "Transfer {refund_fee_transfer} is the refund_fee of no succeeded {succeeded}.",
        ),
        (
            f"status = 'failed', failed_at = succeeded_at, {UNDONE}",
            "Transfer {refund_transfer} is the refund of no succeeded {succeeded}.",
        ),
        (
            f"status = 'pending', {UNDONE}",
            "Transfer {refund_transfer} is the refund of no succeeded {succeeded}.",
        ),
    ],
)
def test_a_refund_is_changed(names, change, sentence):
    assert found("refunds_refund", "{succeeded}", change, names) == (1, sentence.format(**names))


def test_no_refund_stands_for_another_one_of_the_same_amount(api, merchant):
    sale = sell(merchant, 1_000)
    first, _ = (refund(api, sale, 400).json()["id"] for _ in range(2))
    moved = Transfer.objects.get(kind="refund", reference=first)
    undone = f"UPDATE refunds_refund SET status = 'pending', {UNDONE} WHERE id = '{first}'"

    assert tamper(undone) == (1, f"Transfer {moved.pk} is the refund of no succeeded {first}.")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("amount = 501", NO_SUM),
        ("status = 'failed', failed_at = created_at", NO_SUM),
        ("payment_id = 'pay_x'", NO_SUM),
        ("merchant_id = '{stranger}'", "Refund {pending} is of another"),
        ("currency = 'USD'", "Refund {pending} is of another"),
        ("livemode = NOT livemode", "Refund {pending} is of another"),
        (
            "status = 'succeeded', succeeded_at = created_at, transaction_id = 'txn_x'",
            "Refund {pending} has succeeded without the transfer of its amount.",
        ),
    ],
)
def test_a_refund_that_waits_is_changed(names, change, sentence):
    code, printed = found("refunds_refund", "{pending}", change, names)

    assert code == 1
    assert printed.startswith(sentence.format(**names))


def test_refunds_are_removed(names):
    assert tamper("DELETE FROM refunds_refund WHERE status = 'pending'") == (
        1,
        NO_SUM.format(**names),
    )


def test_a_payment_without_a_refund_is_refunded_beside_others(names):
    other = Payment.objects.exclude(pk=names["sale"]).get()
    tamper_with(other, amount_refunded=1)

    assert f"Payment {other.pk} is refunded without a refund." in check_refunds()


def test_all_refunds_of_a_payment_are_removed_with_their_transfers(names):
    moved = "SELECT id FROM ledger_transfer WHERE kind IN ('refund', 'refund_fee')"
    payer = f"SELECT customer_id FROM payments_payment WHERE id = '{names['sale']}'"
    undo = f"UPDATE ledger_account SET balance = balance - 400 WHERE owner = ({payer})"
    tamper(f"DELETE FROM ledger_unsealedtransfer WHERE transfer_id IN ({moved})")
    tamper("DELETE FROM ledger_transfer WHERE kind IN ('refund', 'refund_fee')")
    tamper(undo)
    tamper("DELETE FROM refunds_refundtransition")

    wrong = "Payment {sale} is refunded without a refund.".format(**names)
    assert tamper("DELETE FROM refunds_refund") == (1, wrong)
    for refunded, waiting in ((0, 500), (1, 0), (0, 1)):
        sale = Payment.objects.get(pk=names["sale"])
        tamper_with(sale, amount_refunded=refunded, amount_refund_pending=waiting)
        assert wrong in check_refunds()


@pytest.mark.parametrize("kind", ["payment", "fee", "refund", "refund_fee"])
def test_a_sealed_transfer_is_changed(names, kind):
    seal_transfers(now=utc_now())
    transfer = names[f"{kind}_transfer"]
    seal = Transfer.objects.get(pk=transfer).seal.sequence

    assert found("ledger_transfer", f"{transfer}", "amount = amount + 1", names) == (
        1,
        f"Transfer {transfer} or its seal {seal} was changed.",
    )


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("payment", NO_AMOUNT),
        ("fee", "Payment {sale} is completed without the transfer of its fee."),
        ("refund", NO_REFUND),
        ("refund_fee", "Refund {succeeded} has succeeded without the transfer of its fee."),
    ],
)
def test_a_transfer_is_changed_before_its_seal_with_all_balances(names, kind, sentence):
    """Not even the ledger by itself could tell: what it says is whole, and not what happened."""
    transfer = Transfer.objects.get(pk=names[f"{kind}_transfer"])
    found("ledger_transfer", f"{transfer.pk}", "amount = amount + 1", names)
    tamper(
        f"UPDATE ledger_unsealedtransfer SET amount = amount + 1 WHERE transfer_id = {transfer.pk}"
    )
    for account, change in ((transfer.debit_account, "-"), (transfer.credit_account, "+")):
        wallets = "purpose = 'wallet' AND id"
        tamper(
            f"UPDATE ledger_account SET balance = balance {change} 1 WHERE {wallets} = {account.pk}"
        )

    assert verify() == (1, sentence.format(**names))


@pytest.mark.parametrize(
    ("kind", "check", "sentence"),
    [
        ("payment", check_payments, NO_AMOUNT),
        ("fee", check_payments, "Payment {sale} is completed without the transfer of its fee."),
        ("refund", check_refunds, NO_REFUND),
        ("refund_fee", check_refunds, NO_RETURN),
    ],
)
@pytest.mark.parametrize("side", ["debit_account", "credit_account"])
@pytest.mark.parametrize("change", [{"owner": "mer_x"}, {"purpose": "bank"}])
def test_a_transfer_is_of_another_account(names, kind, check, sentence, side, change):
    transfer = Transfer.objects.get(pk=names[f"{kind}_transfer"])
    tamper_with(getattr(transfer, side), **change)

    assert sentence.format(**names) in check()


def test_a_fee_of_a_single_cent_is_proved_as_well(names):
    tamper_with(Payment.objects.get(pk=names["sale"]), fee=1)

    assert (
        "Payment {sale} had another part of its fee returned than was refunded.".format(**names)
        in check_refunds()
    )


def test_more_of_a_fee_was_returned_than_of_its_payment(names):
    refund_fee = names["refund_fee_transfer"]
    found("ledger_transfer", f"{refund_fee}", "amount = 41", names)
    tamper(f"UPDATE ledger_unsealedtransfer SET amount = 41 WHERE transfer_id = {refund_fee}")

    assert found("refunds_refund", "{succeeded}", "fee_returned = 41", names) == (
        1,
        "Payment {sale} had another part of its fee returned than was refunded.".format(**names),
    )
