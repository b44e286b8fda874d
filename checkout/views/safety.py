"""Where the customer is signed in, and freezing the wallet: against those who got in."""

from django.http import HttpRequest, HttpResponse

from checkout.browser_session import BrowserSession, forget_sign_in
from checkout.endings import wallet_stopped
from checkout.pages import Detour, SeeOther
from checkout.refused_forms import say_done
from checkout.views.account import SignedInPage
from customers.new_proofs import doubtful_until
from customers.own_safety import (
    MOST_SHOWN,
    end_other_session,
    end_other_sessions,
    freeze_own_wallet,
    open_sessions_of,
)
from customers.sessions import is_proven_by_code_only

ALL_OTHERS = "others"


class DevicesPage(SignedInPage):
    """The devices that are signed in. Each can be signed out, or all others together.

    By the phone number alone only this one is shown: staff ask callers who they are.
    """

    def get(self, request: HttpRequest) -> HttpResponse:
        customer, now = self.session.customer, self.now
        is_hidden = (
            is_proven_by_code_only(self.session) or doubtful_until(customer, now) is not None
        )
        shown = open_sessions_of(customer, now=now)
        others = [one for one in shown[:MOST_SHOWN] if one.pk != self.session.pk]
        return self.page(
            "devices.html",
            own=self.session,
            others=[] if is_hidden else others,
            has_others=bool(others),
            is_cut=len(shown) > MOST_SHOWN and not is_hidden,
            all_others=ALL_OTHERS,
            is_done=self.refusal is not None and self.refusal.done == "signed-out",
            zone=self.zone,
            back_address=self.own("account"),
        )

    def post(self, request: HttpRequest) -> HttpResponse:
        chosen, devices = request.POST.get("session", ""), SeeOther(self.own("account-devices"))
        if chosen == ALL_OTHERS:
            end_other_sessions(session=self.session, now=self.now)
        elif not end_other_session(session=self.session, handle=chosen, now=self.now):
            return devices
        return say_done(devices, "signed-out")


class FreezePage(SignedInPage):
    """Asks for confirmation, then freezes the wallet. In test mode, testers share it: never."""

    def prepare(self) -> None:
        super().prepare()
        if not self.session.livemode:
            raise Detour(SeeOther(self.own("account")))

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.page("freeze.html", back_address=self.own("account"))

    def post(self, request: HttpRequest) -> HttpResponse:
        freeze_own_wallet(session=self.session, now=self.now)
        self.browser = BrowserSession()
        response = self.page("stopped.html", end=wallet_stopped())
        forget_sign_in(response, livemode=True)
        return response
