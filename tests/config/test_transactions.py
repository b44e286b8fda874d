"""What is one transaction: a test runs inside of another, and misses none that is gone."""

from importlib import import_module
from types import FunctionType

import pytest
from django.db.transaction import Atomic

TRANSACTIONS = {
    "backoffice.audit": "append_entry",
    "backoffice.figures": "_count_day",
    "backoffice.services.accounts": "create_account create_from_server",
    "backoffice.services.decisions": "_expire",
    "backoffice.services.development_staff": "development_account",
    "backoffice.services.exports": "_store _finish",
    "backoffice.services.merchants": "verify_merchant end_key",
    "backoffice.services.personal_data": "erase",
    "backoffice.services.staff_passkeys": "remove_passkey",
    "backoffice.services.two_factor": (
        "begin_enrolment finish_enrolment new_recovery_codes check_code remove_second_factor"
    ),
    "backoffice.services.webhooks": "_next_of_run",
    "checkout.receipts": "mail_receipt",
    "config.key_rotation": "give_up",
    "core.counts": "fold_changes",
    "core.task_runs": "_store",
    "customers.challenges": "consume",
    "customers.codes": "_count_attempt",
    "customers.erasure": "erase_customer",
    "customers.passkey_removal": "remove_passkey revoke_passkey",
    "customers.pin_locks": "unlock_pin",
    "customers.pins": "_look_up _count_attempt",
    "customers.services": "_customer_with_money top_up freeze unfreeze",
    "customers.sessions": "start_session",
    "funding.bank_transfers": "credit_by_hand",
    "funding.cash": "take_cash",
    "funding.continuing": "follow_up",
    "funding.reversal": "reverse_top_up",
    "funding.services": "order_top_up credit_top_up fail_top_up cancel_top_up expire_top_up",
    "ledger.restoring": "note_restore",
    "ledger.sealing": "seal_transfers log_rows",
    "ledger.signing_past": "sign_past",
    "links.services": "create_link update_link deactivate_link expire_link",
    "links.uses": "_count_locked",
    "merchants.email_confirmation": "confirm_email",
    "merchants.evidence": "approve_change decline_change",
    "merchants.own_keys": "create_own_key roll_own_key revoke_own_key",
    "merchants.services": "create_merchant update_merchant set_status set_fee roll_key revoke_key",
    "payments.confirming": "confirm_payment",
    "payments.counters": "pay_at_counter",
    "payments.emails": "plan_receipt_again",
    "payments.expiry": "expire_payment",
    "payments.pay_requests": "send_payment send_link",
    "payments.paying": (
        "start_payment require_action return_to_review cancel_by_customer pay fail_payment "
        "settle_due_payment"
    ),
    "payments.pressing": "ask_for_proof",
    "payments.replacements": "request_replacement",
    "payments.services": "open_payment update_payment cancel_payment",
    "payments.tickets": "open_ticket withdraw_ticket",
    "payments.tills": "update_till",
    "payouts.account_statements": "request_statement",
    "payouts.bank.by_hand": "match_by_hand match_batch_by_hand set_aside wait_again",
    "payouts.bank.reopening": "reopen",
    "payouts.bank.storage": "store_bank_file",
    "payouts.bank_accounts": "open_bank_account close_bank_account",
    "payouts.batches": "create_batch note_departure",
    "payouts.continuity": "shut confirm",
    "payouts.gathering": "_gather_one_batch",
    "payouts.own_accounts": (
        "request_bank_account close_own_account approve_bank_account decline_bank_account"
    ),
    "payouts.scheduling": "schedule_period",
    "payouts.services": (
        "schedule_payout cancel_payout mark_sent record_paid record_failed record_returned"
    ),
    "refunds.emails": "_has_room",
    "refunds.inquiries": "report_problem answer_inquiry close_inquiry",
    "refunds.services": "create_refund retry_refund fail_refund",
    "sandbox.demo": "make_demo",
    "sandbox.time_travel": "advance expire_link_now expire_payment_now",
    "webhooks.delivery.outcomes": "record_result",
    "webhooks.endpoints": "create_webhook update_webhook delete_webhook rotate_secret",
    "webhooks.numbering": "_number_some",
    "webhooks.redelivery": (
        "retry_delivery request_recovery _continue_recovery _close_undeliverable_of"
    ),
    "webhooks.retention": "_prune_some",
    "webhooks.test_event": "start_test_delivery send_sample_event",
}


@pytest.mark.parametrize("name", TRANSACTIONS)
def test_what_these_write_stands_or_falls_together(name: str) -> None:
    found = {key for key, it in vars(import_module(name)).items() if _is_transaction(it, name)}

    assert found == set(TRANSACTIONS[name].split())


def _is_transaction(it: object, module: str) -> bool:
    """Return whether it is a function of this module that is decorated as one transaction."""
    if not isinstance(it, FunctionType) or it.__module__ != module:
        return False
    return any(isinstance(cell.cell_contents, Atomic) for cell in it.__closure__ or ())
