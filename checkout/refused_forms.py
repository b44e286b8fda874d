"""Results of a POST, shown once by the page that it redirects to.

Every POST is answered by a redirect, so that Back, Forward and reload repeat nothing. A signed
cookie carries the messages and the input, except a PIN, to the next page. Confirmations use it
too: in the URL, a stranger's link could forge them.
"""

from dataclasses import asdict, dataclass, field
from datetime import timedelta
from urllib.parse import urlsplit

from django import forms
from django.core import signing
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from checkout.browser_session import cookie_name, delete_cookie, set_cookie
from checkout.forms import Form
from core.limits import MAX_TEXT

REFUSED_COOKIE = "refused"
OK = 200
KEPT = timedelta(minutes=2)
MAX_TYPED = MAX_TEXT
_SALT = "checkout.refused"


@dataclass(frozen=True)
class RefusedForm:
    """A refusal to be shown at the path `at`. `end` has the text of a whole page, if it takes one.

    If nothing was refused, `done` names what was done.
    """

    at: str
    status: int
    typed: dict[str, str] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=dict)
    problem: str = ""
    end: dict[str, str] = field(default_factory=dict)
    done: str = ""


def refused_form(form: Form, *, at: str, status: int) -> RefusedForm:
    """Return the errors of a form, and its input except for a PIN.

    A line break is cut to the one character that browsers and limits count it as.
    """
    typed = {
        name: form.data.get(name, "").replace("\r\n", "\n")[:MAX_TYPED]
        for name, each in form.fields.items()
        if not isinstance(each.widget, forms.PasswordInput)
    }
    errors = {name: [str(error) for error in found] for name, found in form.errors.items()}
    return RefusedForm(at, status, typed, errors)


def restore(form: Form, refused: RefusedForm) -> None:
    """Restore the input and errors of a refused form."""
    known = {name: found for name, found in refused.errors.items() if name in form.fields}
    if known:
        form.refill(refused.typed, known)


def remember_refusal(response: HttpResponse, refused: RefusedForm) -> None:
    """Let the page that the response redirects to show the refusal."""
    value = signing.dumps(asdict(refused), salt=_SALT, compress=True)
    set_cookie(response, cookie_name(REFUSED_COOKIE), value, max_age=KEPT)


def say_done(response: HttpResponseRedirect, what: str) -> HttpResponseRedirect:
    """Let the page that the response redirects to confirm what was done."""
    remember_refusal(response, RefusedForm(urlsplit(response.url).path, OK, done=what))
    return response


def refusal_at(request: HttpRequest) -> RefusedForm | None:
    """Return the stored result for this page, if any."""
    value = request.COOKIES.get(cookie_name(REFUSED_COOKIE), "")
    if not value or request.method != "GET":
        return None
    try:
        refused = RefusedForm(**signing.loads(value, salt=_SALT, max_age=KEPT))
    except (signing.BadSignature, TypeError):
        return None
    return refused if refused.at == request.path else None


def forget_refusal(response: HttpResponse) -> None:
    """Delete the stored result, which is shown only once."""
    delete_cookie(response, cookie_name(REFUSED_COOKIE))
