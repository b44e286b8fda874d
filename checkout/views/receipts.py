"""The receipt of a payment: page, PDF, e-mail, and proof."""

from datetime import datetime, timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from checkout.forms import EmailForm
from checkout.pages import Detour, SeeOther
from checkout.payment_pages import PaymentPage
from checkout.problems import has_messages
from checkout.receipts import (
    mail_receipt,
    receipt_of_payment,
    receipt_proof_view_of,
    receipt_state_of,
    refunds_of,
    seller_of,
    signed_head,
    with_logo,
)
from checkout.refused_forms import say_done
from core.errors import ApiError
from core.formats import moment_and_offset_of
from payments.statuses import PaymentStatus
from refunds.models import Refund
from refunds.statuses import RefundStatus

# Marks in the query: this browser has just paid, or waited for a top-up.
JUST_PAID = ("paid", "added")
RIGHT_AFTER = timedelta(minutes=10)


def show_receipt(page: PaymentPage, form: EmailForm, *, head: str = "") -> HttpResponse:
    """Show the current receipt of a completed payment, at its own URL or the receipt's.

    Only a browser that has just paid, or waited for that, is sent on to the shop, and only once.
    If no one is signed in, the page's script knows whether it has waited. If another customer is
    signed in, the page says that someone else has paid.
    """
    marks, refunds = page.request.GET, refunds_of(page.payment)
    is_another = page.browser.customer is not None and not page.is_payer
    is_just_paid = not marks.keys().isdisjoint(JUST_PAID)
    returned = [refund for refund in refunds if refund.status == RefundStatus.SUCCEEDED]
    return page.form_page(
        "receipt.html",
        form,
        state=receipt_state_of(page.payment),
        seller=seller_of(page.payment),
        refunds=refunds,
        last_refund=max(returned, key=_given_back_at, default=None),
        goes_on=is_just_paid and not is_another and _is_fresh(page),
        is_payer=page.is_payer,
        paid_before=(is_just_paid and is_another) or ("already" in marks and not page.is_payer),
        paid_by_another=is_another,
        has_messages=has_messages(page.payment),
        head=head,
    )


def _is_fresh(page: PaymentPage) -> bool:
    """Return whether the payment has just been made: a URL with the mark may be saved or shared."""
    completed_at = page.payment.completed_at
    return completed_at is not None and page.now - completed_at < RIGHT_AFTER


def _given_back_at(refund: Refund) -> datetime:
    return refund.succeeded_at or refund.created_at


class ReceiptPage(PaymentPage):
    """The receipt, at its own URL."""

    def prepare(self) -> None:
        super().prepare()
        if self.payment.status != PaymentStatus.COMPLETED:
            raise Detour(SeeOther(self.payment.hosted_url))

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show(EmailForm())

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        form = EmailForm(request.POST)
        if form.is_valid():
            try:
                email = form.cleaned_data["email"]
                mail_receipt(
                    payment=self.payment,
                    email=email,
                    language=self.language,
                    is_payer=self.is_payer,
                    now=self.now,
                )
                return say_done(SeeOther(reverse("receipt", args=[payment_id])), "mailed")
            except ApiError as error:
                self.show_error(form, error)
        return self.show(form)

    def show(self, form: EmailForm) -> HttpResponse:
        return show_receipt(self, form, head=signed_head())


class _ReadReceipt(ReceiptPage):
    """A form of the receipt that is only read."""

    http_method_names = ("get", "head")


class ReceiptProof(_ReadReceipt):
    """The proof that the payment is in the log, and a file to verify it without us."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        receipt = receipt_of_payment(self.payment)
        return self.page(
            "proof.html",
            proof=receipt_proof_view_of(receipt),
            state=receipt_state_of(self.payment),
            support_email=settings.SUPPORT_EMAIL,
        )


class ReceiptFile(_ReadReceipt):
    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        response = JsonResponse(receipt_of_payment(self.payment).as_json())
        response["Content-Disposition"] = f'attachment; filename="receipt-{payment_id}.json"'
        return response


class ReceiptPdf(_ReadReceipt):
    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        # Imported late: drawing takes 4 MB of memory that a process without PDFs need not use.
        from checkout.receipt_pdf import receipt_pdf

        content = receipt_pdf(
            self.payment_view,
            state=receipt_state_of(self.payment),
            seller=with_logo(seller_of(self.payment), self.payment),
            refunds=refunds_of(self.payment),
            service=settings.SERVICE_NAME,
            printed=moment_and_offset_of(self.now, self.payment_view.zone),
            head=signed_head(),
        )
        response = HttpResponse(content, content_type="application/pdf")
        response["Content-Disposition"] = f'inline; filename="receipt-{payment_id}.pdf"'
        return response
