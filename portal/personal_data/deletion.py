"""Delete an account. What is published stays, and so does the audit log, which names an
account by its number; the row of that number stays without a name."""

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.template.loader import render_to_string

from portal.audit.records import describe, log_record
from portal.board_version import raise_board_version
from portal.endpoint_runs.configuration.drafts import delete_draft
from portal.errors import StateError
from portal.language_models.services import delete_language_model
from portal.mail.outbox import queue_account_email
from portal.models import (
    Action,
    EndpointRun,
    HubFetch,
    HubJobState,
    Notice,
    Role,
    RunState,
    Submission,
    User,
)
from portal.permissions.actions import can
from portal.review.services import withdraw_submission
from portal.submissions.services import delete_submission

_OPEN_RUNS = (RunState.RUNNING, RunState.PAUSED)


def delete_account(user: User) -> None:
    """Raises ``StateError``, and changes nothing, if something has to be done first."""
    with transaction.atomic():
        locked = User.objects.select_for_update().get(pk=user.pk)
        _check_deletable(locked)
        before = _logged(locked)
        name, address = locked.username, locked.email
        _delete_work(locked)
        _delete_sign_in_data(locked)
        _anonymise(locked)
        log_record(locked, before, _logged(locked), by=locked)
        if address:  # which is deleted when the mail is sent; somebody else may have done this
            context = {"who": name, "site": settings.SITE_URL}
            body = render_to_string("mail/account_deleted.txt", context)
            subject = "Your account was deleted"
            queue_account_email(subject, body, address=address, user=None)
        raise_board_version()  # entries name who has submitted them


def _logged(user: User) -> dict[str, str]:
    """No text about the person: it could not be removed from the log again."""
    described = describe(user)
    return {name: described[name] for name in ("role", "is_active")}


def _check_deletable(user: User) -> None:
    """Raises ``StateError``."""
    if EndpointRun.objects.filter(owner=user, state__in=_OPEN_RUNS).exists():
        raise StateError("An endpoint run is open: stop it first.", "open_run")
    admins = User.objects.filter(role=Role.ADMIN, is_active=True)
    if user.role == Role.ADMIN and not admins.exclude(pk=user.pk).exists():
        raise StateError("You are the only admin: first make somebody else one.", "last_admin")


def _delete_work(user: User) -> None:
    """Delete what concerns nobody else. Submissions that have been in review are withdrawn instead,
    since reviewers have decided about them."""
    for run in EndpointRun.objects.filter(owner=user, state=RunState.DRAFT):
        delete_draft(run)
    HubFetch.objects.filter(owner=user).end(HubJobState.CANCELLED)
    own = Submission.objects.filter(owner=user)
    for submission in own.unpublished().select_related("release", "owner"):
        if can(user, Action.DELETE, submission):
            delete_submission(submission, by=user)
        else:
            withdraw_submission(submission, by=user)
    EndpointRun.objects.filter(owner=user, submission=None).delete()
    HubFetch.objects.filter(owner=user, original=None).delete()
    for model in user.language_models.all():
        in_use = (model.submissions, model.reported_entries, model.endpoint_runs)
        if not any(rows.exists() for rows in in_use) and not model.hub_fetches.exists():
            delete_language_model(model, by=user)
    Submission.objects.filter(claimed_by=user).update(claimed_by=None, claimed_at=None)


def _delete_sign_in_data(user: User) -> None:
    for session in UserSession.objects.filter(user=user):
        session.end()
    own = EmailAddress.objects.filter(user=user).values("email")
    Notice.objects.filter(Q(recipient=user) | Q(address__in=own)).delete()
    for rows in (
        EmailAddress.objects.filter(user=user),
        Authenticator.objects.filter(user=user),
        SocialAccount.objects.filter(user=user),
        user.api_tokens.all(),
        user.request_keys.all(),
        LogEntry.objects.filter(
            content_type=ContentType.objects.get_for_model(User), object_id=str(user.pk)
        ),
    ):
        rows.delete()


def _anonymise(user: User) -> None:
    user.username = f"former-member-{user.pk}"
    user.first_name = user.last_name = user.email = user.organisation = user.link = ""
    user.role = Role.AUTHOR
    user.is_active = user.is_staff = user.is_superuser = False
    user.email_decisions = user.email_reviews = False
    user.last_login = None
    user.set_unusable_password()
    user.save()
    User.objects.filter(pk=user.pk).update(deleted=Now())
