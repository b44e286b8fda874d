from django.conf import settings
from django.http import HttpResponse

from core.clock import request_now
from core.openapi import listing, operation
from core.pagination import PageQuery, page_from
from core.queries import query_of, read_filters
from core.responses import Response
from core.spreadsheets import CSV_LINES, is_csv
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet, page_body
from payouts.account_statements import refuse_pending, request_statement, stored_lines
from payouts.balances import balances_of
from payouts.filters import (
    FILTERS,
    MOVEMENT_PAGE,
    STATEMENT_FILTERS,
    STATEMENT_LINES,
)
from payouts.gathering import gather_before_payout
from payouts.ledger_proofs import receipt_for
from payouts.models import AccountStatement, Payout
from payouts.serializers import (
    AccountStatementLines,
    AccountStatementOutput,
    BalanceOutput,
    LedgerProofOutput,
    MovementOutput,
    MovementPage,
    NewAccountStatement,
    NewPayout,
    PayoutOutput,
    PayoutWithMovements,
)
from payouts.services import cancel_payout, request_payout
from payouts.statement_file import file_of_lines
from payouts.statements import movements_of

MOVEMENTS_SHOWN = 100


class PayoutViewSet(CallerViewSet):
    resource = "payout"

    @operation("Pay out on demand", request=NewPayout, response=PayoutOutput, status=201)
    def create(self, request: CallerRequest) -> HttpResponse:
        """Pays out in addition to your schedule; without an amount, the whole available balance.

        The money goes to your `open` bank account in the currency; no field selects another. Any
        unknown field is refused with 422 rather than only named in `X-Service-Warning`, because a
        misspelled `amount` would otherwise pay out everything.
        """
        values = NewPayout.parse(request.data)
        caller, currency = request.user, values.get("currency", settings.DEFAULT_CURRENCY)
        gather_before_payout(
            merchant_id=caller.owner.id, livemode=caller.livemode, currency=currency
        )

        def work() -> Response:
            payout = request_payout(
                caller=caller,
                currency=currency,
                amount=values.get("amount"),
                description=values.get("description", ""),
                now=request_now(),
            )
            return self.created(PayoutOutput.of(payout), f"/v1/payouts/{payout.id}")

        return self.once(request, work)

    @listing("List payouts", item=PayoutOutput, key="payouts", filters=FILTERS)
    def list(self, request: CallerRequest) -> Response:
        """Newest first."""
        payouts = Payout.objects.visible_to(request.user).to_show()
        payouts = payouts.filter(**read_filters(query_of(request), FILTERS))
        return self.page(request, payouts, PayoutOutput, key="payouts")

    @operation("Read a payout with its movements", response=PayoutWithMovements)
    def retrieve(self, request: CallerRequest, payout_id: str) -> Response:
        """Includes the newest [[movements_shown]] of the movements that make it up."""
        payout = Payout.objects.visible_to(request.user).to_show().one(payout_id)
        movements = MovementOutput.each(movements_of(payout, limit=MOVEMENTS_SHOWN))
        return Response({**PayoutOutput.of(payout), "movements": movements})

    @operation(
        "List the movements of a payout",
        response=MovementPage,
        parameters=MOVEMENT_PAGE,
        operation_id="listPayoutMovements",
    )
    def movements(self, request: CallerRequest, payout_id: str) -> Response:
        """All movements that make it up: payments, fees, refunds. Newest first."""
        payouts = Payout.objects.visible_to(request.user).select_related("statement")
        payout, query = payouts.one(payout_id), PageQuery.parse(query_of(request))
        found = movements_of(payout, offset=query.offset, limit=query.limit + 1)
        page = page_from(found, query, lambda: payout.statement.movements_count)
        return Response(page_body(page, MovementOutput, key="movements"))

    @operation("Cancel a scheduled payout", response=PayoutOutput)
    def cancel(self, request: CallerRequest, payout_id: str) -> HttpResponse:
        """Only while it is `scheduled`; the money is then available again."""

        def work() -> Response:
            payout = cancel_payout(caller=request.user, payout_id=payout_id, now=request_now())
            return Response(PayoutOutput.of(payout))

        return self.once(request, work)


class AccountStatementViewSet(CallerViewSet):
    resource = "statement"

    @operation(
        "Create a statement",
        request=NewAccountStatement,
        response=AccountStatementOutput,
        status=201,
    )
    def create(self, request: CallerRequest) -> HttpResponse:
        """For any past period. `ready` immediately, unless it is long or ended within a minute."""
        values = NewAccountStatement.parse(request.data)

        def work() -> Response:
            statement = request_statement(
                caller=request.user,
                currency=values.get("currency", settings.DEFAULT_CURRENCY),
                start_at=values["start_at"],
                end_at=values["end_at"],
                now=request_now(),
            )
            data = AccountStatementOutput.of(statement)
            return self.created(data, f"/v1/statements/{statement.id}")

        return self.once(request, work)

    @listing(
        "List statements", item=AccountStatementOutput, key="statements", filters=STATEMENT_FILTERS
    )
    def list(self, request: CallerRequest) -> Response:
        """Newest first; each is kept for [[statements_kept]]."""
        statements = AccountStatement.objects.visible_to(request.user)
        statements = statements.filter(**read_filters(query_of(request), STATEMENT_FILTERS))
        return self.page(request, statements, AccountStatementOutput, key="statements")

    @operation("Read a statement", response=AccountStatementOutput)
    def retrieve(self, request: CallerRequest, statement_id: str) -> Response:
        """Opening balance, total of each kind of movement, and closing balance."""
        statement = AccountStatement.objects.visible_to(request.user).one(statement_id)
        return Response(AccountStatementOutput.of(statement))

    @operation(
        "List the lines of a statement",
        response=AccountStatementLines,
        parameters=STATEMENT_LINES,
        operation_id="listStatementLines",
    )
    def lines(self, request: CallerRequest, statement_id: str) -> HttpResponse:
        """Each line is a ledger transfer, oldest first; as JSON or CSV."""
        query = query_of(request)
        statement = AccountStatement.objects.visible_to(request.user).one(statement_id)
        as_file = is_csv(query, request.headers.get("Accept", ""))
        if as_file:
            page = PageQuery.parse({"limit": str(CSV_LINES), **query}, most=CSV_LINES)
        else:
            page = PageQuery.parse(query)
        refuse_pending(statement, now=request_now())
        lines = stored_lines(statement, offset=page.offset, limit=page.limit)
        if as_file:
            return file_of_lines(statement, lines)
        total = statement.lines_count
        shown = {"lines": lines, "total": total, "limit": page.limit, "offset": page.offset}
        has_more = page.offset + len(lines) < total
        return Response(AccountStatementLines.of({**shown, "has_more": has_more}))


class LedgerProofViewSet(CallerViewSet):
    resource = "ledger proof"

    @operation("Prove a transaction", response=LedgerProofOutput)
    def retrieve(self, request: CallerRequest, transaction_id: str) -> Response:
        """`pending` for a minute or two, then the path from each leaf to a signed head of the log.

        It covers your own transfers only. Once `proven`, it can be verified without the service,
        using the public key from `/.well-known/checkpoint-keys`.
        """
        receipt = receipt_for(caller=request.user, transaction_id=transaction_id)
        return Response(LedgerProofOutput.of(receipt))


class BalanceViewSet(CallerViewSet):
    resource = "balance"

    @operation("Read the balance", response=BalanceOutput)
    def retrieve(self, request: CallerRequest) -> Response:
        """The amounts available, pending, and in transit to the bank, for each currency."""
        caller = request.user
        balances = balances_of(merchant_id=caller.owner.id, livemode=caller.livemode)
        return Response(BalanceOutput.of(balances))
