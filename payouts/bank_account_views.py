from django.conf import settings
from django.http import HttpResponse

from core.clock import request_now
from core.openapi import listing, operation
from core.responses import Response
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet
from payouts.bank_accounts import BankDetails
from payouts.models import BankAccount
from payouts.own_accounts import close_own_account, request_bank_account
from payouts.serializers import BankAccountOutput, NewBankAccount


class BankAccountViewSet(CallerViewSet):
    resource = "bank account"

    @operation("Add a bank account", request=NewBankAccount, response=BankAccountOutput, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Sets where payouts in its currency go, replacing the previous account.

        In live mode it is `pending` until it has been reviewed; payouts go to the previous account
        meanwhile. The merchant is e-mailed, within the limit of `POST /v1/api-keys`. Only the last
        four characters of the number are ever shown again.
        """
        values = NewBankAccount.parse(request.data)
        values.pop("merchant_id", None)
        details = BankDetails(**{"currency": settings.DEFAULT_CURRENCY, **values})

        def work() -> Response:
            account = request_bank_account(caller=request.user, details=details, now=request_now())
            data = BankAccountOutput.of(account)
            return self.created(data, f"/v1/bank-accounts/{account.id}")

        return self.once(request, work)

    @listing("List bank accounts", item=BankAccountOutput, key="bank_accounts")
    def list(self, request: CallerRequest) -> Response:
        """Newest first, including closed accounts."""
        accounts = BankAccount.objects.visible_to(request.user)
        return self.page(request, accounts, BankAccountOutput, key="bank_accounts")

    @operation("Read a bank account", response=BankAccountOutput)
    def retrieve(self, request: CallerRequest, bank_account_id: str) -> Response:
        """Payouts go to it while its `status` is `open`."""
        account = BankAccount.objects.visible_to(request.user).one(bank_account_id)
        return Response(BankAccountOutput.of(account))

    @operation("Close a bank account", response=BankAccountOutput)
    def close(self, request: CallerRequest, bank_account_id: str) -> HttpResponse:
        """Immediate; a `pending` account is withdrawn.

        Payouts scheduled to it fail, and their money is available again.
        """

        def work() -> Response:
            account = close_own_account(
                caller=request.user, bank_account_id=bank_account_id, now=request_now()
            )
            return Response(BankAccountOutput.of(account))

        return self.once(request, work)
