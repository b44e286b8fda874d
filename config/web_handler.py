"""What calls Django for each request that the web server receives."""

from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpRequest, HttpResponse

from config.request_head import Utf8Request
from core.checked_headers import sent_headers


class WebHandler(WSGIHandler):
    """Django's handler, without what is the same for every request here.

    There is one set of URLs, below no prefix, so neither is set for the thread; nothing listens to
    the signal that a request has begun, nor to the log of refused ones: every request has a line.
    """

    request_class = Utf8Request

    def __call__(  # type: ignore[override]  # the stub takes a response for what WSGI is given
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Return a response to the server as one piece of bytes, unless it is streamed.

        The server sends an iterated response in pieces, through a queue between two threads.
        """
        response: Any = self.get_response(self.request_class(environ))
        cookies = [("Set-Cookie", each.output(header="")) for each in response.cookies.values()]
        status = f"{response.status_code} {response.reason_phrase}"
        start_response(status, [*sent_headers(response), *cookies])
        if not isinstance(response, HttpResponse):
            streamed: Iterable[bytes] = response
            return streamed
        response.close()  # frees what the request held before the response is sent
        return [response.content]

    def get_response(self, request: HttpRequest) -> Any:
        response: Any = self._middleware_chain(request)  # type: ignore[attr-defined]  # the stub lacks it
        response._resource_closers.append(request.close)
        return response
