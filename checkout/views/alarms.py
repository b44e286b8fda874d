"""The "this was not me" link in messages about a new PIN, passkey or e-mail address."""

import logging
from datetime import datetime

from django.http import HttpRequest, HttpResponse

from checkout.endings import wallet_stopped
from checkout.pages import CheckoutPage
from customers.security_alerts import read_stop_link
from customers.services import freeze_by_owner

logger = logging.getLogger(__name__)


class NotMePage(CheckoutPage):
    """Asks for confirmation, as mail programs prefetch links; then freezes the wallet."""

    customer_id: str
    since: datetime

    def prepare(self) -> None:
        self.customer_id, self.since = read_stop_link(self.kwargs["token"], now=self.now)

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        return self.page("not_me.html")

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        freeze_by_owner(customer_id=self.customer_id, since=self.since, now=self.now)
        logger.warning("customer %s has stopped the wallet by a link", self.customer_id)
        return self.page("stopped.html", end=wallet_stopped())
