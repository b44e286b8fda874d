"""The back office: Django's admin, for people on the phone with a customer."""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib.admin.exceptions import DisallowedModelAdminLookup
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from unfold.sites import UnfoldAdminSite

from backoffice.errors import Forbidden, advice_on
from backoffice.pages import proving
from backoffice.pages.dashboard import dashboard_page
from backoffice.pages.listing import forget_view_page, save_view_page
from backoffice.pages.search import search_page
from backoffice.pages.sign_in import InvitationPage, OwnPasswordPage, SignInForm
from backoffice.pages.two_factor import SecondFactorPages
from backoffice.staff import account_of, staff_of
from core.errors import ApiError

# Django's own pages that the back office has no use for; most show more than a role allows.
_LEFT_OUT = {"autocomplete", "view_on_site", "search", "jsi18n"}
_BEFORE_NEW_PASSWORD = {"logout", "password_change", "password_change_done"}
UNSENT = "unsent"  # in the address of the sign-in page after a form that came too late
SIGNED_OUT = "You had been signed out, and nothing was done."
COPY_FIRST = "Sign in in another tab, and copy what you wrote from here: it is kept nowhere else."
_NOT_KEPT = "Old messages, webhook deliveries, statements and exports are deleted after a while."
# What is composed or looked up. No other field is given back: a code proves something, and so do an
# amount and an address in the answers of a caller.
_PROSE = ("recipient", "description", "text", "reason", "note")

View = Callable[..., Any]  # a response; Django's own types differ in which


class BackOffice(UnfoldAdminSite):  # type: ignore[misc]  # unfold has no types
    """Admits staff with a role who have proved two factors, and shows refusals as pages."""

    login_form = SignInForm

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the visitor has a role, a password and the second factor it requires."""
        return proving.is_fully_signed_in(request)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        pages = SecondFactorPages(self)
        place, name = "two-factor/passkey/", "two_factor_passkey"
        own = [
            path("two-factor/", never_cache(pages.enter_code), name="two_factor"),
            path("two-factor/set-up/", never_cache(pages.set_up_code), name="two_factor_set_up"),
            path(place, never_cache(pages.enter_passkey), name=name),
            path(f"{place}options/", pages.passkey_options, name=f"{name}_options"),
            path(f"{place}set-up/", never_cache(pages.set_up_passkey), name=f"{name}_set_up"),
            path(
                f"{place}set-up/options/",
                pages.new_passkey_options,
                name=f"{name}_set_up_options",
            ),
            path(
                f"{place}<int:passkey_id>/remove/",
                self.admin_view(pages.remove_passkey),
                name=f"{name}_remove",
            ),
            path(
                "invitation/<str:uidb64>/<str:token>/",
                never_cache(self.invitation),
                name="invitation",
            ),
            path("search/", self.admin_view(partial(search_page, self)), name="search"),
            path("views/", self.admin_view(partial(save_view_page, self)), name="save_view"),
            path(
                "views/<int:view_id>/forget/",
                self.admin_view(partial(forget_view_page, self)),
                name="forget_view",
            ),
            path("two-factor/leave/", pages.leave, name="two_factor_leave"),
            path("two-factor/account/", self.admin_view(pages.account), name="two_factor_account"),
        ]
        known = super().get_urls()
        return own + [item for item in known if getattr(item, "name", "") not in _LEFT_OUT]

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Guard a page: sign-in, then a changed first password, and refusals in plain words."""
        inner = super().admin_view(view, cacheable)

        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if self.has_permission(request) and self._must_change_password(request):
                return redirect("admin:password_change")
            if self._is_too_late(request):
                return self._too_late(request)
            try:
                response: HttpResponse = inner(request, *args, **kwargs)
            except PermissionDenied:
                return self.refusal(request, 403, Forbidden.message, Forbidden.remedy)
            except Http404:
                return self.refusal(request, 404, "There is nothing at this address.", _NOT_KEPT)
            except DisallowedModelAdminLookup:
                return self.refusal(request, 400, "This list has no such filter.")
            except ApiError as error:
                return self.refusal(request, error.status, error.message, advice_on(error))
            return response

        return guarded

    def logout(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> TemplateResponse:
        """Sign out, and say so in the words of the button."""
        titled = {"title": "Signed out", **(extra_context or {})}
        response: TemplateResponse = super().logout(request, titled)
        return response

    def refusal(
        self, request: HttpRequest, status: int, message: str, details: str = "", **more: Any
    ) -> TemplateResponse:
        """Respond with a page that says why not, and gives back what was typed.

        `typed` are other texts to give back: those of a form without a valid token must be none,
        unless it is our own.
        """
        told = {"title": message, "details": details, "typed": typed_texts(request)}
        context = {**self.each_context(request), **told, **more}
        template = "admin/backoffice/refusal.html"
        return TemplateResponse(request, template, context, status=status)

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """Return nothing: the side bar is defined in `navigation`."""
        return []

    def index(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        return dashboard_page(self, request)

    def login(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Ask for a password, or for what is still missing after it."""
        if request.method == "GET" and staff_of(request).roles:
            return self._next_step(request)
        response: HttpResponse = super().login(request, {"title": "Sign in"})
        return response

    @method_decorator(sensitive_post_parameters())
    def invitation(self, request: HttpRequest, **claim: str) -> HttpResponse:
        """Let an invited colleague choose a password."""
        view: View = InvitationPage.as_view(extra_context=self.each_context(request))
        response: HttpResponse = view(request, **claim)
        return response

    @method_decorator(sensitive_post_parameters())
    def password_change(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Let staff change their own password."""
        if not proving.verified_recently(request):
            return proving.ask_again(request)
        context = {**self.each_context(request), **(extra_context or {})}
        view: View = OwnPasswordPage.as_view(extra_context=context)
        response: HttpResponse = view(request)
        return response

    def _is_too_late(self, request: HttpRequest) -> bool:
        """Return whether a form was submitted after the session had ended."""
        match = request.resolver_match
        is_leaving = match is not None and match.url_name == "logout"
        return request.method == "POST" and not is_leaving and not self.has_permission(request)

    def _too_late(self, request: HttpRequest) -> HttpResponse:
        """Ask to sign in, and give back what was typed: the next page no longer has it."""
        sign_in = reverse("admin:login", query={UNSENT: 1})
        to_sign_in = redirect_to_login(request.get_full_path(), sign_in)
        if not typed_texts(request):
            return to_sign_in
        return self.refusal(request, 403, SIGNED_OUT, COPY_FIRST, sign_in_url=to_sign_in.url)

    def _next_step(self, request: HttpRequest) -> HttpResponseRedirect:
        user = proving.password_given(request)
        if user is None or self.has_permission(request):
            return redirect("admin:index")
        next_step = reverse(proving.next_step(request, user), query=request.GET)
        return HttpResponseRedirect(next_step)

    def _must_change_password(self, request: HttpRequest) -> bool:
        match = request.resolver_match
        if match and match.url_name in _BEFORE_NEW_PASSWORD:
            return False
        account = account_of(request.user)
        return account is not None and account.must_change_password


def typed_texts(request: HttpRequest) -> list[str]:
    """Return what was composed in a form that was not read, for the page that says so.

    Nothing keeps it.
    """
    texts = (request.POST.get(name, "").strip() for name in _PROSE)
    return [text for text in texts if text]


def typed_here(request: HttpRequest) -> list[str]:
    """Return the same of a form without a valid token, if the browser says that it is our own."""
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return typed_texts(request) if is_ours else []


office = BackOffice(name="admin")
