"""The customer's own page: balance, payments, passkeys, PIN, e-mail address, signing out."""

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from checkout.account import PAGE, entries_of, wallets_of
from checkout.adding import top_up_view_of, top_ups_of
from checkout.browser_session import (
    AskedCode,
    asked_code,
    forget_code,
    forget_sign_in,
)
from checkout.endings import which_shop
from checkout.forms import ChangePinForm, ResetPinForm
from checkout.languages import is_readers_own
from checkout.marks import SIGNED_OUT, marked
from checkout.pages import NOT_FOUND, CheckoutPage, Detour, SeeOther
from checkout.refused_forms import say_done
from checkout.views.sending import send_code
from checkout.views.signing_in import AgainAction, CodePage, SigningIn, Way
from core.errors import ApiError
from core.ids import is_id
from customers.models import CodePurpose, CustomerSession
from customers.new_proofs import doubtful_until
from customers.own_email import named_from
from customers.pins import change_pin, needs_passkey_to_reset, reset_pin
from customers.sessions import end_session, is_proven_by_code_only, set_message_language
from links.models import PaymentLink
from payments.models import Payment

UNNAMED = ("", "1")  # values of `?test` that only name the mode
BY_PHONE = "number"  # in the query: ask for a phone number even on a known device


class OwnPage(CheckoutPage):
    """One of the customer's own pages, in the mode of `?test`, or else of the session.

    `?test=pay_…` or `?test=link_…` is the test payment or link that the customer came from: test
    customers of its merchant can sign in here too.
    """

    def prepare(self) -> None:
        self.livemode = "test" not in self.request.GET and not settings.DEVELOPMENT_MODE
        self.merchant_id = _merchant_of(self.request.GET.get("test", ""))
        super().prepare()
        if self.browser.session is None:
            other = self.browser_session(livemode=not self.livemode)
            if other.session is not None:
                self.browser, self.livemode = other, not self.livemode

    @property
    def mode(self) -> str:
        named = self.request.GET.get("test", "")
        return "" if self.livemode else f"?test={named if _entry(named) else 1}"

    def own(self, name: str, **kwargs: object) -> str:
        """Return the path of one of the customer's own pages, in the same mode."""
        return reverse(name, kwargs=kwargs) + self.mode


class SignedInPage(OwnPage):
    """Only for a signed-in customer."""

    def prepare(self) -> None:
        super().prepare()
        if self.browser.session is None:
            phone = self.own("account-phone")
            was_at_work = self.request.method == "POST"
            raise Detour(SeeOther(marked(phone, SIGNED_OUT) if was_at_work else phone))

    @property
    def session(self) -> CustomerSession:
        assert self.browser.session is not None  # noqa: S101  # prepare() has looked
        return self.browser.session

    def done(self, what: str) -> HttpResponse:
        """Redirect to the customer's own page, which confirms once what was done."""
        return say_done(SeeOther(self.own("account")), what)


class ForAccount(OwnPage, SigningIn):
    """Sign-in to the customer's own page; in test mode, from a payment, a link or a session.

    Without one of these, a page says where a test phone can sign in: not found, if one was named.
    """

    def prepare(self) -> None:
        super().prepare()
        customer = self.browser.customer
        self.merchant_id = self.merchant_id or (customer.merchant_id if customer else None)
        if not self.livemode and self.merchant_id is None:
            is_named = self.request.GET.get("test", "") not in UNNAMED
            status = NOT_FOUND if is_named else 200
            raise Detour(self.page("stopped.html", end=which_shop(), status=status))

    @property
    def way(self) -> Way:
        """Return the sign-in by phone number, even on a device that is known to hold a passkey."""
        by_phone = marked(self.own("account-phone"), BY_PHONE)
        return Way(by_phone, self.own("account-code"), self.own("account-code-again"))


class AccountCodePage(ForAccount, CodePage):
    def after_sign_in(self) -> HttpResponse:
        return SeeOther(self.own("account"))


class AccountAgainAction(ForAccount, AgainAction):
    pass


class AccountPage(SignedInPage):
    def get(self, request: HttpRequest) -> HttpResponse:
        customer = self.session.customer
        before, hidden_until = request.GET.get("before", ""), doubtful_until(customer, self.now)
        is_hidden = hidden_until is not None or is_proven_by_code_only(self.session)
        if is_readers_own(request):
            set_message_language(self.session, self.language, now=self.now)
        before = before if is_id("pay", before) else ""
        entries = [] if is_hidden else entries_of(customer, before=before)
        top_ups = top_ups_of(customer, are_payments_hidden=is_hidden)
        more = len(entries) == PAGE
        return self.page(
            "account.html",
            balances=wallets_of(customer, settings.DEFAULT_CURRENCY),
            entries=entries,
            is_hidden=is_hidden,
            hidden_until=hidden_until,
            email_from=hidden_until or named_from(customer, self.now),
            top_ups=[top_up_view_of(each, now=self.now) for each in top_ups],
            older=entries[-1].payment.id if more else "",
            and_test=self.mode.replace("?", "&"),
            passkeys=customer.passkeys.usable().order_by("-created_at", "-id"),
            zone=self.zone,
            support_email=settings.SUPPORT_EMAIL,
            done=DONE.get(self.refusal.done, "") if self.refusal else "",
        )


class SignOutAction(OwnPage):
    def post(self, request: HttpRequest) -> HttpResponse:
        end_session(self.browser.token, now=self.now)
        response = SeeOther(self.own("account-phone"))
        forget_sign_in(response, livemode=self.livemode)
        return response


class ChangePinPage(SignedInPage):
    def get(self, request: HttpRequest) -> HttpResponse:
        if not self.session.customer.has_pin:
            return SeeOther(self.own("account-pin-forgotten"))
        return self.show(ChangePinForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        form = ChangePinForm(request.POST)
        if form.is_valid():
            try:
                change_pin(
                    customer_id=self.session.customer_id,
                    pin=form.cleaned_data["old"],
                    new_pin=form.cleaned_data["pin"],
                    address=self.address,
                    session_id=self.session.pk,
                    now=self.now,
                )
                return self.done("pin")
            except ApiError as error:
                self.show_error(form, error)
        return self.show(form)

    def show(self, form: ChangePinForm) -> HttpResponse:
        locked = self.lock_words(self.session.customer)
        back = self.own("account")
        return self.form_page("new_pin.html", form, back_address=back, locked=locked)


class ForgottenPinPage(SignedInPage):
    """Set a new PIN with a fresh code, if the PIN is forgotten, locked or missing.

    A customer with a passkey has to use it first: a stolen phone number must not be enough.
    """

    def prepare(self) -> None:
        super().prepare()
        if needs_passkey_to_reset(self.session, now=self.now):
            raise Detour(SeeOther(self.own("account-pin-proof")))

    @property
    def session_payment_id(self) -> str:
        return self.payment_id

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(ResetPinForm())

    def post(self, request: HttpRequest) -> HttpResponse:
        if "again" in request.POST:
            return self.send()
        form, asked = ResetPinForm(request.POST), self.asked()
        if asked is None or not form.is_valid():
            return self.show(form)
        try:
            reset_pin(
                customer_id=self.session.customer_id,
                handle=asked.handle,
                code=form.cleaned_data["code"],
                new_pin=form.cleaned_data["pin"],
                session_id=self.session.pk,
                now=self.now,
            )
        except ApiError as error:
            self.show_error(form, error)
            return self.show(form)
        onward = payment_page(asked.payment_id)
        response = say_done(SeeOther(onward), "pin") if onward else self.done("pin")
        forget_code(response)
        return response

    def send(self) -> HttpResponse:
        return send_code(
            self,
            self.session.customer.phone,
            CodePurpose.RESET_PIN,
            enter_at=self.own("account-pin-forgotten"),
            payment_id=self.payment_id,
        )

    def asked(self) -> AskedCode | None:
        return asked_code(self.request, purpose=CodePurpose.RESET_PIN)

    def show(self, form: ResetPinForm) -> HttpResponse:
        phone = self.session.customer.phone if self.asked() else ""
        back = payment_page(self.payment_id) or self.own("account")
        context = {"phone": phone, "payment_id": self.payment_id, "back_address": back}
        return self.form_page("reset_pin.html", form, **context)

    @property
    def payment_id(self) -> str:
        """The payment that the customer came from and will return to."""
        given = self.request.POST.get("payment") or self.request.GET.get("payment", "")
        asked = self.asked()
        found = given or (asked.payment_id if asked else "")
        return found if is_id("pay", found) else ""


def payment_page(payment_id: str) -> str:
    """Return the path of the payment to return to, or ""."""
    return reverse("checkout", args=[payment_id]) if payment_id else ""


def _entry(named: str) -> QuerySet[Payment] | QuerySet[PaymentLink] | None:
    """Return the query for the test payment or link with this id; None for any other id."""
    if is_id("pay", named):
        return Payment.objects.filter(pk=named, livemode=False)
    return PaymentLink.objects.filter(pk=named, livemode=False) if is_id("link", named) else None


def _merchant_of(named: str) -> str | None:
    entry = _entry(named)
    return None if entry is None else entry.values_list("merchant_id", flat=True).first()


DONE = {
    "pin": _("Your PIN has been changed."),
    "passkey": _("Your passkey is ready."),
    "removed": _("The passkey has been removed."),
    "email": _(
        "Look for our link in your mailbox: the address counts once you have confirmed it there. If"
        " none comes, try again tomorrow: a mailbox gets few a day."
    ),
    "email-removed": _("Your e-mail address has been removed."),
}
