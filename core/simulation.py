"""Any error on demand, in test mode, so that integrators can test their error handling."""

from http import HTTPStatus

from django.http import HttpRequest

from core.errors import InvalidRequest
from core.intended_errors import note_intended
from core.reference import errors

HEADER = "Simulate-Error"
# Read from `META`: `request.headers` builds a mapping of all headers, for each request.
_META = "HTTP_SIMULATE_ERROR"


def raise_simulated_error(request: HttpRequest) -> None:
    """Raise the error whose code the request asks for; InvalidRequest for an unknown code."""
    code = request.META.get(_META)
    if code is None:
        return
    for error in errors():
        if error.code == code:
            simulated = error()
            simulated.details = f"{HEADER} asked for this."
            if simulated.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                note_intended()
            raise simulated
    raise InvalidRequest(f"{HEADER}: must be a code of the reference.")
