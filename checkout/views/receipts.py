"""The receipt: page, PDF, and by e-mail."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from checkout.forms import EmailForm
from checkout.pages import Detour, PaymentPage, SeeOther
from checkout.receipts import (
    mail_receipt,
    proof_of,
    receipt_of_payment,
    receipt_state_of,
    refunds_of,
)
from core.errors import ApiError
from core.formats import moment_of
from payments.statuses import PaymentStatus


class ReceiptPage(PaymentPage):
    """The proof of a payment, as it stands now."""

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
                    payment=self.payment, email=email, language=self.language, now=self.now
                )
                return SeeOther(f"{reverse('receipt', args=[payment_id])}?mailed=1")
            except ApiError as error:
                self.show_error(form, error)
        return self.show(form)

    def show(self, form: EmailForm) -> HttpResponse:
        return self.form_page(
            "receipt.html",
            form,
            state=receipt_state_of(self.payment),
            refunds=refunds_of(self.payment),
            mailed="mailed" in self.request.GET,
        )


class ReceiptProof(ReceiptPage):
    """What shows that the payment stands in the log, and a file that shows it without us."""

    http_method_names = ("get", "head")

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        receipt = receipt_of_payment(self.payment)
        return self.page("proof.html", proof=proof_of(receipt))


class ReceiptFile(ReceiptPage):
    http_method_names = ("get", "head")

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        response = JsonResponse(receipt_of_payment(self.payment).as_json())
        response["Content-Disposition"] = f'attachment; filename="receipt-{payment_id}.json"'
        return response


class ReceiptPdf(ReceiptPage):
    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        # Its way of drawing takes 4 MB of memory, which a process that prints nothing is spared.
        from checkout.receipt_pdf import receipt_pdf

        content = receipt_pdf(
            self.payment_view,
            state=receipt_state_of(self.payment),
            refunds=refunds_of(self.payment),
            service=settings.SERVICE_NAME,
            printed=moment_of(self.now, self.payment_view.zone),
        )
        response = HttpResponse(content, content_type="application/pdf")
        response["Content-Disposition"] = f'inline; filename="receipt-{payment_id}.pdf"'
        return response
