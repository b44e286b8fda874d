"""Which model is shown by which ModelAdmin: all there is in the back office."""

from django.db.models import Model

from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payments import PaymentAdmin
from backoffice.admin.refunds import RefundAdmin
from backoffice.site import office as office
from payments.models import Payment
from refunds.models import Refund

ADMINS: dict[type[Model], type[OfficeAdmin]] = {
    Payment: PaymentAdmin,
    Refund: RefundAdmin,
}

for model, admin in ADMINS.items():
    office.register(model, admin)
