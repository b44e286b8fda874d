"""The link in a message about a new PIN or passkey: "this was not me"."""

import logging

from django.http import HttpRequest, HttpResponse

from checkout.endings import wallet_stopped
from checkout.pages import CheckoutPage
from customers.security_alerts import customer_of_link
from customers.services import freeze

logger = logging.getLogger(__name__)


class NotMePage(CheckoutPage):
    """Asks once more, as mail programs open links by themselves; then stops the wallet."""

    customer_id = ""

    def prepare(self) -> None:
        self.customer_id = customer_of_link(self.kwargs["token"], now=self.now)

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        return self.page("not_me.html")

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        freeze(
            customer_id=self.customer_id,
            actor=f"customer:{self.customer_id}",
            cause="By the link in a message: this was not me.",
            now=self.now,
        )
        logger.warning("customer %s has stopped the wallet by a link", self.customer_id)
        return self.page("stopped.html", end=wallet_stopped())
