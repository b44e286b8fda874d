"""The periodic tasks of Celery's beat and of `manage.py worker`: one line each.

Every task may run twice, late, or on two machines at once. `threads` is the concurrency in
`manage.py worker`; with Celery, the size of the worker's pool decides. `alone` is the interval in
`manage.py worker`, where no broker wakes it up; `idle` is the interval there while nothing is
written to the database, for tasks that wait for rows and not for a time.
"""

from dataclasses import dataclass

MINUTE = 60
HOUR = 60 * MINUTE


@dataclass(frozen=True)
class Periodic:
    """A task's path, the seconds between its starts, and its concurrency."""

    task: str
    seconds: float
    threads: int = 1
    alone: float | None = None
    idle: float | None = None


SCHEDULE: dict[str, Periodic] = {
    "send webhooks": Periodic("webhooks.tasks.send_webhooks", 1, alone=0.1, idle=2),
    "tidy webhooks": Periodic("webhooks.tasks.tidy_webhooks", 5, idle=MINUTE),
    "forget deliveries": Periodic("webhooks.tasks.forget_deliveries", MINUTE),
    "send messages": Periodic("messages.tasks.send_messages", 5),
    "seal transfers": Periodic("ledger.tasks.seal_transfers", 2, idle=MINUTE),
    "sign checkpoints": Periodic("ledger.tasks.sign_checkpoint", MINUTE),
    "prove ledger": Periodic("ledger.tasks.prove_ledger", MINUTE),
    "count link uses": Periodic("links.tasks.count_uses", 10, idle=MINUTE),
    "expire links": Periodic("links.tasks.expire_links", 20),
    "expire payments": Periodic("payments.tasks.expire_payments", 15),
    "settle payments": Periodic("payments.tasks.settle_payments", 5),
    "retry refunds": Periodic("refunds.tasks.retry_refunds", MINUTE),
    "fold counts": Periodic("core.tasks.fold_counts", 5),
    "forget idempotency keys": Periodic("core.tasks.forget_idempotency_keys", HOUR),
    "refill test wallets": Periodic("customers.tasks.refill_wallets", MINUTE),
    "forget expired proofs": Periodic("customers.tasks.forget_expired_proofs", HOUR),
    "forget messages": Periodic("messages.tasks.forget_messages", HOUR),
    "forget verification attempts": Periodic("checkout.tasks.forget_attempts", HOUR),
    "forget sign-ins of staff": Periodic("backoffice.tasks.forget_sign_ins", HOUR),
    "schedule payouts": Periodic("payouts.tasks.schedule_payouts", 10 * MINUTE),
    "send payouts": Periodic("payouts.tasks.send_payouts", 10 * MINUTE),
    "collect top-ups": Periodic("funding.tasks.collect_top_ups", 3),
    "expire top-ups": Periodic("funding.tasks.expire_top_ups", 10 * MINUTE),
    "make statements": Periodic("payouts.tasks.make_statements", 5, idle=MINUTE),
    "forget statements": Periodic("payouts.tasks.forget_statements", HOUR),
    "read logos": Periodic("checkout.tasks.read_logos", MINUTE),
    "read wanted logos": Periodic("checkout.tasks.read_wanted_logos", MINUTE),
    "gather movements": Periodic("payouts.tasks.gather_movements", 5 * MINUTE),
    "count what ended lately": Periodic("backoffice.tasks.count_latest", 5 * MINUTE),
    "count finished days": Periodic("backoffice.tasks.count_days", HOUR),
    "expire instructions": Periodic("backoffice.tasks.expire_instructions", HOUR),
    "forget uncollected keys": Periodic("backoffice.tasks.forget_uncollected_keys", HOUR),
    "make exports": Periodic("backoffice.tasks.make_exports", 2, idle=MINUTE),
    "forget exports": Periodic("backoffice.tasks.forget_exports", HOUR),
    "resend webhooks": Periodic("backoffice.tasks.resend_webhooks", 2, idle=MINUTE),
}
