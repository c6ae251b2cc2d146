"""allauth's pages about signing in, with what this site adds to them."""

from typing import Any

from allauth.account.internal.stagekit import clear_login
from allauth.account.stages import LoginStageController
from allauth.mfa.base.views import AuthenticateView
from allauth.mfa.stages import AuthenticateStage
from allauth.mfa.totp.views import ActivateTOTPView
from allauth.mfa.webauthn.views import AddWebAuthnView
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from portal.permissions.access import user_of
from portal.web.form_views import post_only


class _EndsOtherSessions:
    """A session that has begun without the second factor must not get the rights that come with
    it: a stranger may sit there, with the password."""

    def form_valid(self, form: Form) -> HttpResponse:
        response: HttpResponse = super().form_valid(form)  # type: ignore[misc]
        request: Any = self.request  # type: ignore[attr-defined]
        end_other_sessions(request, request.user)
        return response


class AddTotpView(_EndsOtherSessions, ActivateTOTPView):  # type: ignore[misc]  # a package without types
    """With an authenticator app."""


class AddPasskeyView(_EndsOtherSessions, AddWebAuthnView):  # type: ignore[misc]
    """With a passkey."""


class SecondFactorView(AuthenticateView):  # type: ignore[misc]
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """If the second factor was removed meanwhile, signing in starts again: allauth would
        redirect back here without end."""
        stage = LoginStageController.enter(request, AuthenticateStage.key)
        if stage and not stage.login.user.has_second_factor:
            clear_login(request)
            return redirect("account_login")
        response: HttpResponse = super().dispatch(request, *args, **kwargs)
        return response


@login_required
@post_only("usersessions_list")
def session_end(request: HttpRequest, session_id: int) -> HttpResponse:
    session = UserSession.objects.filter(user=user_of(request), pk=session_id).first()
    if session is None:
        raise Http404
    session.end()
    messages.success(request, "The session has ended.")
    return redirect("usersessions_list")
