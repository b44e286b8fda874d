from django.urls import path

from payouts.bank_account_views import BankAccountViewSet
from payouts.views import (
    AccountStatementViewSet,
    BalanceViewSet,
    LedgerProofViewSet,
    PayoutViewSet,
)

urlpatterns = [
    path("balance", BalanceViewSet.as_view({"get": "retrieve"}), name="balance"),
    path(
        "ledger/proof/<id:transaction_id>",
        LedgerProofViewSet.as_view({"get": "retrieve"}),
        name="ledger-proof",
    ),
    path(
        "statements",
        AccountStatementViewSet.as_view({"post": "create", "get": "list"}),
        name="statements",
    ),
    path(
        "statements/<id:statement_id>",
        AccountStatementViewSet.as_view({"get": "retrieve"}),
        name="statement",
    ),
    path(
        "statements/<id:statement_id>/lines",
        AccountStatementViewSet.as_view({"get": "lines"}),
        name="statement-lines",
    ),
    path(
        "bank-accounts",
        BankAccountViewSet.as_view({"post": "create", "get": "list"}),
        name="bank-accounts",
    ),
    path(
        "bank-accounts/<id:bank_account_id>",
        BankAccountViewSet.as_view({"get": "retrieve"}),
        name="bank-account",
    ),
    path(
        "bank-accounts/<id:bank_account_id>/close",
        BankAccountViewSet.as_view({"post": "close"}),
        name="bank-account-close",
    ),
    path("payouts", PayoutViewSet.as_view({"post": "create", "get": "list"}), name="payouts"),
    path("payouts/<id:payout_id>", PayoutViewSet.as_view({"get": "retrieve"}), name="payout"),
    path(
        "payouts/<id:payout_id>/movements",
        PayoutViewSet.as_view({"get": "movements"}),
        name="payout-movements",
    ),
    path(
        "payouts/<id:payout_id>/cancel",
        PayoutViewSet.as_view({"post": "cancel"}),
        name="payout-cancel",
    ),
]
