"""Tamperings of our own: with who may do what, with signatures, with the log and its heads."""

from customers.models import Customer
from merchants.models import Merchant
from payouts.models import BankEntry
from refunds.models import Refund
from tests.tampered_rows import FORGED, OLDER
from tests.tampered_shop import copied

LOG: dict[str, tuple[list[str], str]] = {
    "customer frozen": (
        [f"UPDATE customers_customer SET frozen_at = {OLDER} WHERE id = '{{thief}}'"],
        f"Customer {{thief}} {FORGED}",
    ),
    "merchant verified": (
        ["UPDATE merchants_merchant SET status = 'suspended' WHERE id = '{merchant}'"],
        f"Merchant {{merchant}} {FORGED}",
    ),
    "bank account closed": (
        [f"UPDATE payouts_bankaccount SET closed_at = {OLDER} WHERE id = '{{account}}'"],
        f"Bank account {{account}} {FORGED}",
    ),
    "instruction's arguments": (
        ["UPDATE backoffice_instruction SET amount = 99999"],
        f"Instruction {{instruction}} {FORGED}",
    ),
    "glass broken a day ago": (
        [f"UPDATE backoffice_instruction SET glass_broken_at = {OLDER}"],
        f"Instruction {{instruction}} {FORGED}",
    ),
    "order's payee": (
        ["UPDATE payouts_payoutorder SET holder_name = 'Thief' WHERE payout_id = '{sent}'"],
        "The orders of batch {batch} were changed.",
    ),
    "batch's date": (
        ["UPDATE payouts_payoutbatch SET execution_date = '2030-01-01'"],
        f"Payout batch {{batch}} {FORGED}",
    ),
    "batch's file": (
        ["UPDATE payouts_payoutbatch SET file_hash = 'x'"],
        f"Payout batch {{batch}} {FORGED}",
    ),
    "payout's merchant": (
        ["UPDATE payouts_payout SET merchant_id = '{stranger}' WHERE id = '{scheduled}'"],
        f"Payout {{scheduled}} {FORGED}",
    ),
    "payout's transitions deleted": (
        ["DELETE FROM payouts_payouttransition WHERE payout_id = '{sent}'"],
        "Payout {sent} is in a status to which no transition led.",
    ),
    "who paid out": (
        ["UPDATE payouts_payouttransition SET actor = 'staff:eve' WHERE payout_id = '{sent}'"],
        "Payout transition",
    ),
    "refund inserted": (
        [copied(Refund, "{refund}", id="'ref_x'", transaction_id="'txn_x'")],
        f"Refund ref_x {FORGED}",
    ),
    "signature of another row": (
        [
            "UPDATE payments_payment SET signature = (SELECT signature FROM payments_payment"
            " WHERE id = '{sale}') WHERE id = '{open}'"
        ],
        f"Payment {{open}} {FORGED}",
    ),
    "signature removed with a change": (
        ["UPDATE payments_payment SET signature = NULL, amount = 1 WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
    "leaf deleted": (
        ["DELETE FROM ledger_logleaf WHERE \"index\" = 3"],
        "Leaf 3 is missing.",
    ),
    "leaf changed": (
        ["UPDATE ledger_logleaf SET signature = 'x' WHERE \"index\" = 3"],
        "or its leaf 3 was changed.",
    ),
    "opening of the log": (
        ["UPDATE ledger_logleaf SET subject = '7' WHERE \"index\" = 0"],
        "Leaf 0 does not say how the chain stood when the log began.",
    ),
    "end of the log cut off": (
        [
            "DELETE FROM ledger_logleaf WHERE \"index\" >= 5",
            "DELETE FROM ledger_checkpoint",
            "DELETE FROM ledger_witnessstate",
        ],
        "is not of this log: it has fewer leaves by now.",
    ),
    "checkpoint forged": (
        ["UPDATE ledger_checkpoint SET root = signed.hash FROM ledger_logleaf AS signed"
         " WHERE signed.\"index\" = 0"],
        "is not of this log: what it covers was changed since.",
    ),
    "event given to another": (
        ["UPDATE webhooks_event SET merchant_id = '{stranger}' WHERE id = '{event}'"],
        f"Event {{event}} {FORGED}",
    ),
    "why it moved": (
        ["UPDATE payments_paymenttransition SET cause = 'x' WHERE payment_id = '{sale}'"],
        "Payment transition",
    ),
    "log entry deleted": (
        ["DELETE FROM ledger_waitingentry"],
        "Payment {late} is not in the log.",
    ),
    "written with triggers off": (
        [copied(Customer, "{thief}", id="'cus_x'", phone="'+12425550198'")],
        f"Customer cus_x {FORGED}",
    ),
    "merchant inserted": (
        [copied(Merchant, "{merchant}", id="'mer_x'", slug="'x'")],
        f"Merchant mer_x {FORGED}",
    ),
    "awaited top-up's customer": (
        ["UPDATE funding_topup SET customer_id = '{thief}' WHERE id = '{coming}'"],
        f"Top-up {{coming}} {FORGED}",
    ),
    "top-up's transition": (
        ["DELETE FROM funding_topuptransition WHERE top_up_id = '{coming}'"],
        "Top-up {coming} is in a status to which no transition led.",
    ),
    "what the bank said": (
        ["UPDATE payouts_bankentry SET message = 'TU-THIEF' WHERE id = '{entry}'"],
        f"Bank entry {{entry}} {FORGED}",
    ),
    "bank entry inserted": (
        [copied(BankEntry, "{entry}", id="'ben_x'", key="'x'")],
        f"Bank entry ben_x {FORGED}",
    ),
    "payment mode": (
        ["UPDATE payments_payment SET payment_mode = 'REFERENCE_PAY' WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
}  # fmt: skip
