from django.http import HttpResponse

from core.clock import request_now
from core.openapi import listing, operation
from core.queries import query_of, read_filters
from core.responses import Response
from merchants.caller_lists import CallerList
from merchants.callers import CallerRequest
from merchants.viewsets import CallerViewSet
from refunds.filters import INQUIRY_FILTERS
from refunds.inquiries import answer_inquiry
from refunds.models import Inquiry
from refunds.serializers import InquiryAnswer, InquiryOutput, InquirySummary


class InquiryViewSet(CallerViewSet):
    resource = "inquiry"

    @listing("List inquiries", item=InquirySummary, key="inquiries", filters=INQUIRY_FILTERS)
    def list(self, request: CallerRequest) -> Response:
        """Newest first. `status=open` lists those that are waiting for an answer.

        You are e-mailed about each report, with a link to what was written, up to a daily limit;
        in test mode once your address is confirmed.
        """
        caller, filters = request.user, read_filters(query_of(request), INQUIRY_FILTERS)
        inquiries = CallerList(Inquiry.objects.listed, caller, filters, request_now())
        return self.page(request, inquiries, InquirySummary, key="inquiries")

    @operation("Read an inquiry", response=InquiryOutput)
    def retrieve(self, request: CallerRequest, inquiry_id: str) -> Response:
        """Includes every entry, oldest first."""
        inquiries = Inquiry.objects.visible_to(request.user).select_related("payment")
        return Response(InquiryOutput.of(inquiries.one(inquiry_id)))

    @operation("Answer an inquiry", request=InquiryAnswer, response=InquiryOutput)
    def answer(self, request: CallerRequest, inquiry_id: str) -> HttpResponse:
        """The customer gets your answer by e-mail, or a text message with a link to it.

        To give the money back, refund the payment instead: that resolves its inquiry.
        """
        text = InquiryAnswer.parse(request.data)["text"]

        def work() -> Response:
            inquiry = answer_inquiry(
                caller=request.user, inquiry_id=inquiry_id, text=text, now=request_now()
            )
            return Response(InquiryOutput.of(inquiry))

        return self.once(request, work)
