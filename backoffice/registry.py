"""Which model is shown by which ModelAdmin: all there is in the back office."""

from django.contrib.auth.models import User
from django.db.models import Model

from backoffice.admin.accounts import StaffAdmin
from backoffice.admin.api_keys import ApiKeyAdmin
from backoffice.admin.bank_entries import BankEntryAdmin, BankStatementAdmin
from backoffice.admin.customers import CustomerAdmin
from backoffice.admin.exports import ExportRunAdmin
from backoffice.admin.inquiries import InquiryAdmin
from backoffice.admin.instructions import InstructionAdmin
from backoffice.admin.ledger import AccountAdmin, TransferAdmin
from backoffice.admin.links import PaymentLinkAdmin
from backoffice.admin.merchants import MerchantAdmin
from backoffice.admin.messages import MessageAdmin
from backoffice.admin.movements import MovementAdmin
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.passkeys import PasskeyAdmin
from backoffice.admin.payments import PaymentAdmin
from backoffice.admin.payouts import (
    BankAccountAdmin,
    BankHolidayAdmin,
    PayoutAdmin,
    PayoutBatchAdmin,
)
from backoffice.admin.records import AuditEntryAdmin, NoteAdmin, ResendRunAdmin
from backoffice.admin.refunds import RefundAdmin
from backoffice.admin.statements import AccountStatementAdmin
from backoffice.admin.top_ups import TopUpAdmin
from backoffice.admin.webhooks import DeliveryAdmin, EventAdmin, WebhookAdmin
from backoffice.models import AuditEntry, ExportRun, Instruction, Note, ResendRun
from backoffice.resource.catalog import CATALOG
from backoffice.site import office as office
from customers.models import Customer, Passkey
from funding.models import TopUp
from ledger.models import Account, Transfer
from links.models import PaymentLink
from merchants.models import ApiKey, Merchant
from messages.models import Message
from payments.models import Payment
from payouts.models import (
    AccountStatement,
    BankAccount,
    BankEntry,
    BankHoliday,
    BankStatement,
    Payout,
    PayoutBatch,
    StatementLine,
)
from refunds.models import Inquiry, Refund
from webhooks.models import Delivery, Event, Webhook

ADMINS: dict[type[Model], type[OfficeAdmin]] = {
    Payment: PaymentAdmin,
    Refund: RefundAdmin,
    Inquiry: InquiryAdmin,
    PaymentLink: PaymentLinkAdmin,
    Message: MessageAdmin,
    Customer: CustomerAdmin,
    TopUp: TopUpAdmin,
    Passkey: PasskeyAdmin,
    Merchant: MerchantAdmin,
    ApiKey: ApiKeyAdmin,
    BankAccount: BankAccountAdmin,
    Instruction: InstructionAdmin,
    Payout: PayoutAdmin,
    PayoutBatch: PayoutBatchAdmin,
    BankEntry: BankEntryAdmin,
    AccountStatement: AccountStatementAdmin,
    StatementLine: MovementAdmin,
    BankStatement: BankStatementAdmin,
    BankHoliday: BankHolidayAdmin,
    Account: AccountAdmin,
    Transfer: TransferAdmin,
    Webhook: WebhookAdmin,
    Delivery: DeliveryAdmin,
    Event: EventAdmin,
    ResendRun: ResendRunAdmin,
    Note: NoteAdmin,
    ExportRun: ExportRunAdmin,
    AuditEntry: AuditEntryAdmin,
    User: StaffAdmin,
}

for model in CATALOG:
    office.register(model, ADMINS[model])
