"""Make many copies of a sale, with every row signed, sealed and logged as by the service.

On PostgreSQL rows are written by COPY, without the triggers that would log them a second time.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from core import merkle
from core.signatures import sign, signature_field
from ledger.chain import SEALED_FIELDS, seal_hash
from ledger.log_entries import TRANSFER, TRANSFER_ENTRY, row_entry, transfer_entry
from ledger.log_tree import complete_subtrees, log_size
from ledger.models import Account, LogLeaf, Seal, Transfer
from payments.models import Payment, PaymentTransition
from refunds.models import Refund, RefundTransition

BATCH = 5_000
FIRST_NUMBER = 1_000_000_000
Row = dict[str, Any]


class CopiedRows:
    """Copies of an existing row, with other values in some columns."""

    def __init__(self, like: Model) -> None:
        self.model, self.rows = type(like), list[Sequence[Any]]()
        fields = self.model._meta.concrete_fields
        self.columns = [str(field.column) for field in fields]
        self.known = {field.attname: field.value_from_object(like) for field in fields}
        self._stored = {
            field.attname: field.get_db_prep_save(field.value_from_object(like), connection)
            for field in fields
        }
        self._signs = signature_field(self.model)

    def add(self, changes: Row, *, beside: Row | None = None) -> str:
        """Add a row and return its signature; `beside` has values of other rows that it covers."""
        signature = ""
        if self._signs:
            known = self.known | changes | (beside or {})
            signature = sign(self._signs.signed_form(known[name] for name in self._signs.signed))
            changes = changes | {"signature": signature}
        self.rows.append(tuple((self._stored | changes).values()))
        return signature

    def write(self) -> None:
        """Write what was added."""
        copy_rows(self.model, self.columns, self.rows)
        self.rows = []


class SalesTemplate:
    """Sales between existing accounts, whose owners are `shops` and `payers`."""

    def __init__(self, sale: Payment, *, shops: Sequence[str], payers: Sequence[str]) -> None:
        self.sale, self.shops, self.payers = sale, shops, payers
        self.price = sale.amount or 0
        self.accounts = {(one.owner, one.purpose): one for one in Account.objects.all()}
        self.payments = CopiedRows(sale)
        moves = PaymentTransition.objects.filter(payment=sale).order_by("id")
        self.moves = [CopiedRows(move) for move in moves]
        self.transfers = CopiedRows(Transfer.objects.filter(reference=sale.pk).latest("id"))
        self.refunds: list[tuple[Refund, RefundTransition]] = []
        self.seals: list[Sequence[Any]] = []
        self.leaves: list[Sequence[Any]] = []
        head = Seal.objects.latest("sequence")
        self.sequence, self.hash, self.size = head.sequence, head.hash, log_size()
        self.transfer_id = Transfer.objects.latest("id").pk
        self.move_id = PaymentTransition.objects.latest("id").pk
        self.sums: Counter[int] = Counter()

    def sell(self, number: int, *, refunded: bool) -> None:
        """Add a sale and, if `refunded`, its refund."""
        shop, payer = self.shops[number % len(self.shops)], self.payers[number % len(self.payers)]
        key, transaction_id = f"pay_{FIRST_NUMBER + number}", f"txn_{FIRST_NUMBER + number}"
        price, fee = self.price, self.sale.fee or 0
        signature = self.payments.add(
            {
                "id": key,
                "merchant_id": shop,
                "customer_id": payer,
                "transaction_id": transaction_id,
                "amount_refunded": price if refunded else 0,
            }
        )
        self._log("payments_payment", key, signature)
        for move in self.moves:
            self.move_id += 1
            move.add({"id": self.move_id, "payment_id": key})
        wallet, till, fees = (payer, "wallet"), (shop, "merchant"), (shop, "fees")
        self._move("payment", key, transaction_id, wallet, till, price)
        self._move("fee", key, transaction_id, till, fees, fee)
        if refunded:
            self._refund(number, key, shop)
            transaction_id = f"txn_{2 * FIRST_NUMBER + number}"
            self._move(
                "refund_fee", f"ref_{FIRST_NUMBER + number}", transaction_id, fees, till, fee
            )
            self._move(
                "refund", f"ref_{FIRST_NUMBER + number}", transaction_id, till, wallet, price
            )

    def write(self) -> None:
        """Write the added rows, with their seals, log leaves and balances."""
        first = self.size - len(self.leaves)
        with transaction.atomic():
            _past_triggers()
            for copied in (self.payments, *self.moves, self.transfers):
                copied.write()
            Refund.objects.bulk_create([refund for refund, _ in self.refunds])
            RefundTransition.objects.bulk_create([move for _, move in self.refunds])
            copy_rows(Seal, ("sequence", "transfer_id", "hash", "sealed_at"), self.seals)
            names = ("index", "kind", "subject", "signature", "hash", "logged_at")
            copy_rows(LogLeaf, names, self.leaves)
            complete_subtrees(first, self.size)
            with connection.cursor() as cursor:
                cursor.executemany(
                    "UPDATE ledger_account SET balance = balance + %s WHERE id = %s",
                    [(amount, pk) for pk, amount in self.sums.items()],
                )
                _forget_what_triggers_noted(cursor)
        self.refunds, self.seals, self.leaves = [], [], []
        self.sums.clear()

    def _refund(self, number: int, key: str, shop: str) -> None:
        sale, at = self.sale, self.sale.created_at
        refund = Refund(
            id=f"ref_{FIRST_NUMBER + number}", payment_id=key, merchant_id=shop,
            livemode=True, amount=self.price, currency=sale.currency, status="succeeded",
            transaction_id=f"txn_{2 * FIRST_NUMBER + number}", fee_returned=sale.fee or 0,
            created_by="bench", created_at=at, updated_at=at, succeeded_at=at,
        )  # fmt: skip
        field = signature_field(Refund)
        assert field is not None  # refunds are signed
        self._log("refunds_refund", refund.pk, sign(field.values_of(refund)))
        move = RefundTransition(
            refund=refund, from_status="pending", to_status="succeeded", at=at, actor="bench"
        )
        self.refunds.append((refund, move))

    def _move(
        self, kind: str, reference: str, transaction_id: str, debit: Any, credit: Any, amount: int
    ) -> None:
        self.transfer_id += 1
        debited, credited = self.accounts[debit], self.accounts[credit]
        row = {
            "id": self.transfer_id,
            "transaction_id": transaction_id,
            "kind": kind,
            "reference": reference,
            "debit_account_id": debited.pk,
            "credit_account_id": credited.pk,
            "amount": amount,
        }
        beside = {
            "debit_account.owner": debited.owner,
            "debit_account.purpose": debited.purpose,
            "credit_account.owner": credited.owner,
            "credit_account.purpose": credited.purpose,
        }
        signature = self.transfers.add(row, beside=beside)
        self.sums[debited.pk] -= amount
        self.sums[credited.pk] += amount
        columns = self.transfers.known | row | {"pk": self.transfer_id}
        columns |= {name.replace(".", "__"): value for name, value in beside.items()}
        entry = transfer_entry([columns[name] for name in TRANSFER_ENTRY], signature)
        self._append(TRANSFER, str(row["id"]), signature, entry)
        self._seal(columns, debited, credited)

    def _seal(self, columns: Row, debited: Account, credited: Account) -> None:
        values = {"transfer_id": columns["pk"]}
        values |= {f"transfer__{name}": value for name, value in columns.items()}
        for side, account in (("debit", debited), ("credit", credited)):
            values[f"transfer__{side}_account__currency"] = account.currency
            values[f"transfer__{side}_account__livemode"] = account.livemode
        self.sequence += 1
        self.hash = seal_hash(
            self.hash,
            sequence=self.sequence,
            sealed_at=columns["created_at"],
            fields=[values[name] for name in SEALED_FIELDS],
        )
        self.seals.append((self.sequence, columns["pk"], self.hash, columns["created_at"]))

    def _log(self, kind: str, subject: str, signature: str) -> None:
        self._append(kind, subject, signature, row_entry(kind, subject, signature))

    def _append(self, kind: str, subject: str, signature: str, entry: bytes) -> None:
        at: datetime = self.sale.created_at
        leaf = (self.size, kind, subject, signature, merkle.leaf_hash(entry), at)
        self.leaves.append(leaf)
        self.size += 1


def sell_many(sales: SalesTemplate, count: int, *, refund_every: int) -> None:
    """Copy the sale `count` times."""
    for first in range(1, count + 1, BATCH):
        for number in range(first, min(first + BATCH, count + 1)):
            sales.sell(number, refunded=number % refund_every == 0)
        sales.write()
    set_sequences((Transfer, PaymentTransition))


def copy_rows(model: type[Model], columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values in the database's own format."""
    table, names = model._meta.db_table, ", ".join(f'"{name}"' for name in columns)
    if connection.vendor == "postgresql":
        cursor = connection.connection.cursor()
        with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
        return
    written = [[_for_sqlite(value) for value in row] for row in rows]
    places = ", ".join("%s" for _ in names.split(", "))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", written)  # noqa: S608  # our own names


def _for_sqlite(value: Any) -> Any:
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value


def _past_triggers() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            cursor.execute("SET LOCAL statement_timeout = 0")


def _forget_what_triggers_noted(cursor: Any) -> None:
    cursor.execute("DELETE FROM ledger_waitingentry")


def set_sequences(models: Iterable[type[Model]]) -> None:
    """Set the sequences to continue after the keys that were written."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            for model in models:
                table = model._meta.db_table
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"  # noqa: S608  # our own names
                )
