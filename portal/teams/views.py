"""Teams in the account area: who is in them, invitations, and what moves to them."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import NotAllowedError, UserError
from portal.models import LanguageModel, Membership, Team, TeamInvitation, TeamRole
from portal.permissions.access import get_team, team_role, user_of
from portal.submissions.quotas import quota_of_team
from portal.teams.forms import InvitationForm, MemberForm, MoveForm, TeamForm
from portal.teams.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_for,
    invite,
    revoke_invitation,
)
from portal.teams.services import (
    change_role,
    create_team,
    delete_team,
    edit_team,
    is_deletable,
    leave_team,
    move_model,
    remove_member,
    show_in_team,
)
from portal.web.form_views import post_only, posted_data, render_form, user_errors_as_messages

_BOTH = ["GET", "HEAD", "POST"]


@login_required
@require_http_methods(_BOTH)
def my_teams(request: HttpRequest) -> HttpResponse:
    """Those that the user is in, invitations to others, and the form for a new one."""
    user = user_of(request)
    form = TeamForm(posted_data(request))
    if form.is_valid():
        try:
            team = create_team(**form.cleaned_data, by=user)
            messages.success(request, "The team has been created. Now invite others to it.")
            return redirect("my-team", team.slug)
        except UserError as error:
            form.add_error("name", ValidationError(str(error), error.code))
    context = {
        "memberships": Membership.objects.current().filter(user=user).select_related("team"),
        "invitations": invitations_for(user),
    }
    return render_form(request, "teams/list.html", form, context)


@login_required
@require_safe
def my_team(request: HttpRequest, slug: str) -> HttpResponse:
    team = get_team(user_of(request), slug)
    return _team_page(request, team, InvitationForm())


def _team_page(request: HttpRequest, team: Team, form: InvitationForm) -> HttpResponse:
    members = list(team.memberships.current().select_related("user"))
    own = next((one for one in members if one.user_id == user_of(request).pk), None)
    if own is None:  # just removed
        raise Http404
    context = {
        "team": team,
        "members": members,
        "own": own,
        "is_owner": own.role == TeamRole.OWNER,
        "is_last_owner": own.role == TeamRole.OWNER
        and not any(one.role == TeamRole.OWNER and one != own for one in members),
        "invitations": team.invitations.open().select_related("invited_by"),
        "models": LanguageModel.objects.filter(team=team).with_uses(),
        "quota": quota_of_team(team),
    }
    return render_form(request, "teams/team.html", form, context)


@login_required
@post_only("my-team", "slug")
def my_team_invite(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    if team_role(user, team.pk) != TeamRole.OWNER:  # the page has no form, so no place for errors
        with user_errors_as_messages(request):
            raise NotAllowedError
        return redirect("my-team", team.slug)
    form = InvitationForm(request.POST)
    if form.is_valid():
        try:
            invite(team, form.cleaned_data["invited"], form.cleaned_data["role"], by=user)
            messages.success(request, "Invited. The invitation can be accepted within two weeks.")
            return redirect("my-team", team.slug)
        except UserError as error:
            form.add_error("invited", ValidationError(str(error), error.code))
    return _team_page(request, team, form)


@login_required
@post_only("my-team", "slug")
def my_team_revoke(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    invitation = get_object_or_404(team.invitations.all(), pk=invitation_id)
    with user_errors_as_messages(request):
        revoke_invitation(invitation, by=user)
        messages.success(request, "The invitation was taken back.")
    return redirect("my-team", team.slug)


@login_required
@post_only("my-team", "slug")
def my_team_role(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    form = _member_form(request, team)
    with user_errors_as_messages(request):
        change_role(team, form.cleaned_data["member"], form.cleaned_data["role"], by=user)
        messages.success(request, "Saved.")
    return redirect("my-team", team.slug)


@login_required
@post_only("my-team", "slug")
def my_team_remove(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    form = _member_form(request, team)
    with user_errors_as_messages(request):
        remove_member(team, form.cleaned_data["member"], by=user)
        messages.success(request, "They are no longer in the team.")
    return redirect("my-team", team.slug)


def _member_form(request: HttpRequest, team: Team) -> MemberForm:
    """What a button sends. Raises ``Http404`` for a person who may just have left the team."""
    form = MemberForm({"role": TeamRole.MEMBER, **request.POST.dict()}, team=team)
    if not form.is_valid():
        raise Http404
    return form


@login_required
@post_only("my-team", "slug")
def my_team_show(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether the public page of the team names the user."""
    user = user_of(request)
    team = get_team(user, slug)
    with user_errors_as_messages(request):
        show_in_team(team, by=user, shown="shown" in request.POST)
        messages.success(request, "Saved.")
    return redirect("my-team", team.slug)


@login_required
@require_http_methods(_BOTH)
def my_team_edit(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    form = TeamForm(posted_data(request), initial={"name": team.name, "link": team.link})
    if team.is_public:
        form.fields["name"].disabled = True
    if form.is_valid():
        try:
            edit_team(team, **form.cleaned_data, by=user)
            messages.success(request, "Saved.")
            return redirect("my-team", team.slug)
        except UserError as error:
            form.add_error("name", ValidationError(str(error), error.code))
    context = {"team": team, "is_owner": team_role(user, team.pk) == TeamRole.OWNER}
    return render_form(request, "teams/edit.html", form, context)


@login_required
@require_http_methods(_BOTH)
def my_team_leave(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    if request.method != "POST":
        return render(request, "teams/leave.html", {"team": team})
    with user_errors_as_messages(request):
        leave_team(team, by=user)
        messages.success(request, "You have left the team.")
        return redirect("my-teams")
    return redirect("my-team", team.slug)


@login_required
@require_http_methods(_BOTH)
def my_team_delete(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    team = get_team(user, slug)
    if request.method != "POST":
        allowed = team_role(user, team.pk) == TeamRole.OWNER and is_deletable(team)
        return render(request, "teams/delete.html", {"team": team, "allowed": allowed})
    with user_errors_as_messages(request):
        delete_team(team, by=user)
        messages.success(request, "Team deleted.")
        return redirect("my-teams")
    return redirect("my-team", team.slug)


@login_required
@post_only("my-teams")
def invitation_accept(request: HttpRequest, invitation_id: int) -> HttpResponse:
    user = user_of(request)
    invitation = _invitation(request, invitation_id)
    with user_errors_as_messages(request):
        accept_invitation(invitation, by=user)
        messages.success(request, f"You are now in the team “{invitation.team.name}”.")
        return redirect("my-team", invitation.team.slug)
    return redirect("my-teams")


@login_required
@post_only("my-teams")
def invitation_decline(request: HttpRequest, invitation_id: int) -> HttpResponse:
    invitation = _invitation(request, invitation_id)
    with user_errors_as_messages(request):
        decline_invitation(invitation, by=user_of(request))
        messages.success(request, "You have declined the invitation.")
    return redirect("my-teams")


def _invitation(request: HttpRequest, invitation_id: int) -> TeamInvitation:
    return get_object_or_404(invitations_for(user_of(request)), pk=invitation_id)


@login_required
@require_http_methods(_BOTH)
def my_model_move(request: HttpRequest, slug: str) -> HttpResponse:
    """Move the user's own model to a team, after a page that says what moves with it."""
    user = user_of(request)
    own = LanguageModel.objects.filter(owner=user, team=None)
    model = get_object_or_404(own.with_uses(), slug=slug)
    form = MoveForm(posted_data(request), user=user)
    if form.is_valid():
        with user_errors_as_messages(request):
            move_model(model, form.cleaned_data["team"], by=user)
            messages.success(request, "The model now belongs to the team.")
        return redirect("my-models")
    return render_form(request, "teams/move_model.html", form, {"model": model})
