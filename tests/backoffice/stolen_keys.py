"""Keys of an owner and of a thief, what they make, and the act that ends it."""

from typing import Any

from backoffice.roles import Role
from core.clock import utc_now
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office
from tests.client import ApiClient
from webhooks.models import Webhook

TODAY = {"also": "on", "reason": "Stolen"}


class KeyHolder:
    """Someone with a key of their own, the owner or a thief."""

    def __init__(self, merchant: Merchant, *, live: bool = False) -> None:
        issued = issue_key(merchant=merchant, livemode=live, name="Spare", now=utc_now())
        self.key, self.api = issued.key, ApiClient(issued.secret)

    def makes(self, path: str, **body: Any) -> dict[str, Any]:
        answer = self.api.post(f"/v1/{path}", body)
        assert answer.status_code in (200, 201), answer.content
        made: dict[str, Any] = answer.json()
        return made

    def link(self) -> PaymentLink:
        return PaymentLink.objects.get(pk=self.makes("payment-links", amount=500)["id"])

    def endpoint(self, host: str = "thief.example") -> Webhook:
        made = self.makes("webhooks", url=f"https://{host}/hook", events=["*"])
        return Webhook.objects.get(pk=made["id"])


def end(office: Office, key: ApiKey, name: str = "revoke", role: Role = Role.DEVELOPER, **by: Any):
    """Press it; return what the page says afterwards."""
    browser = office(role)
    done = act(browser, key, name, **TODAY | by)
    assert done.status_code == 302, done.content.decode()
    return str(browser.get(done["Location"]).content.decode())


def active_links() -> list[str]:
    return list(PaymentLink.objects.filter(status=LinkStatus.ACTIVE).values_list("pk", flat=True))
