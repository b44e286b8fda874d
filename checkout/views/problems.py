"""Report a problem on a receipt, and read what was answered."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from checkout.pages import SeeOther
from checkout.problems import ProblemForm, entries_of, send_report
from checkout.refused_forms import say_done
from checkout.views.receipts import ReceiptPage
from core.errors import ApiError
from refunds.emails import channel_to_payer
from refunds.report_mails import is_told_by_mail


class ProblemPage(ReceiptPage):
    """Anyone who has the receipt may report; answers go only to the customer who paid.

    A report is attributed to the customer only if they are signed in.
    """

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.ask(ProblemForm())

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        form = ProblemForm(request.POST)
        if form.is_valid():
            try:
                inquiry = send_report(
                    payment=self.payment,
                    form=form,
                    actor=self.browser.actor,
                    is_payer=self.is_payer,
                    now=self.now,
                )
                response = SeeOther(reverse("receipt-problem", args=[payment_id]))
                return say_done(response, "told" if is_told_by_mail(inquiry) else "reported")
            except ApiError as error:
                self.show_error(form, error)
        return self.ask(form)

    def ask(self, form: ProblemForm) -> HttpResponse:
        return self.form_page(
            "problem.html",
            form,
            entries=entries_of(self.payment_view, is_payer=self.is_payer),
            is_payer=self.is_payer,
            is_answer_sent=self.is_payer and channel_to_payer(self.payment) is not None,
            sign_in_address=f"{reverse('account')}{self.mode}",
        )
