"""Fields that many resources have in common."""

from backoffice.resource.shown import Actor, Amount, Badge, Instant, RowLink
from core.clock import request_now

CREATED = Instant("Created", "created_at")
BY = Actor("By", "created_by")
AMOUNT = Amount("Amount", "amount")
STATUS = Badge("Status", "status")
# Of rows that end by themselves: as it is now, whether or not a sweep has been there.
STATUS_NOW = Badge("Status", lambda row: row.status_at(request_now()))
MODE = Badge("Mode", lambda row: "live" if row.livemode else "test")
CUSTOMER = RowLink("Customer", "customer.masked_phone", to="customer", unbroken=True)
MERCHANT = RowLink("Merchant", "merchant.name", to="merchant", most=60)
