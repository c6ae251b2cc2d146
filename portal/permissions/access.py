"""Who may see what.

Fetching an object is the check for seeing it: what a user may not see does not exist for them.
"""

import re
from collections.abc import Collection
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.db.models.functions import Coalesce
from django.http import Http404, HttpRequest

from portal.errors import SecondFactorNeededError
from portal.models import (
    Evaluation,
    FormerEntry,
    HubFetch,
    Note,
    Release,
    ReleaseFile,
    ReportedEntry,
    Role,
    Submission,
    TaskDataSet,
    User,
)

_REPORTED = re.compile(r"reported-([1-9][0-9]{0,8})")  # ids of reported entries without a slug

Reader = AbstractBaseUser | AnonymousUser  # of a page


def user_of(request: HttpRequest) -> User:
    """The signed-in user. Raises ``PermissionDenied``."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def reviewer_of(request: HttpRequest) -> User:
    """The signed-in reviewer or admin. Raises ``PermissionDenied``."""
    user = user_of(request)
    if user.needs_second_factor:
        raise SecondFactorNeededError
    if not user.is_reviewer:
        raise PermissionDenied
    return user


def admin_of(request: HttpRequest) -> User:
    """The signed-in admin. Raises ``PermissionDenied``."""
    user = user_of(request)
    if user.role == Role.ADMIN and user.needs_second_factor:
        raise SecondFactorNeededError
    if not user.is_admin:
        raise PermissionDenied
    return user


class Owned(Protocol):
    """A submission, what is fetched for one, a language model, an endpoint run."""

    owner_id: Any  # None: the site itself


def owns(user: Reader, row: Owned) -> bool:
    return row.owner_id is not None and row.owner_id == user.pk


def get_fetch(user: User, fetch_id: UUID) -> HubFetch:
    """What is fetched for a submission that does not exist yet. Raises ``Http404`` where this user
    may not see it: others have nothing to do with it before there is a submission."""
    waiting = HubFetch.objects.without_submission().select_related("language_model", "release")
    fetch = waiting.filter(pk=fetch_id).first()
    if fetch is None or not owns(user, fetch):
        raise Http404
    return fetch


def submissions_seen_by(user: User) -> QuerySet[Submission]:
    """Reviewers and admins see all submissions, authors their own."""
    if user.is_reviewer:
        return Submission.objects.all()
    return Submission.objects.owned_by(user)


def get_submission(user: User, submission_id: UUID) -> Submission:
    """Raises ``Http404`` for a submission that this user may not see."""
    related = ("language_model", "release", "owner")
    visible = submissions_seen_by(user).select_related(*related)
    submission = visible.filter(pk=submission_id).first()
    if submission is None:
        raise Http404
    return submission


def parsed_uuid(text: str) -> UUID | None:
    """None unless it is spelled as in our addresses: every UUID has many other spellings."""
    try:
        uuid = UUID(text)
    except ValueError:
        return None
    return uuid if str(uuid) == text else None


def submission_at(user: User, entry_id: str) -> Submission:
    """As ``get_submission``, by the primary key or by the address of the entry."""
    submission = submissions_by_id([entry_id]).get(entry_id)
    if submission is None:
        raise Http404
    return get_submission(user, submission.pk)


def submissions_by_id(entry_ids: Collection[str]) -> dict[str, Submission]:
    """By primary key and by the address of the entry, whoever may see them. One query."""
    keys = [pk for one in entry_ids if (pk := parsed_uuid(one))]
    rows = Submission.objects.filter(Q(slug__in=entry_ids) | Q(pk__in=keys))
    submissions = list(rows.select_related("release"))
    by_slug = {one.slug: one for one in submissions if one.slug}
    return {str(one.pk): one for one in submissions} | by_slug


def current_ids(entry_ids: Collection[str]) -> dict[str, str]:
    """By any id of an entry that is public, or was, the one that its addresses have now: former
    slugs, the primary keys of submissions and the numbers of reported entries lead to it too."""
    current: dict[str, str] = {}
    keys = [pk for one in entry_ids if (pk := parsed_uuid(one))]
    submitted = Submission.objects.filter(Q(slug__in=entry_ids) | Q(pk__in=keys))
    for pk, slug in submitted.values_list("pk", "slug"):
        if slug:
            current |= {str(pk): slug, slug: slug}
    numbers = [int(match[1]) for one in entry_ids if (match := _REPORTED.fullmatch(one))]
    reported = ReportedEntry.objects.filter(Q(slug__in=entry_ids) | Q(pk__in=numbers))
    for number, slug in reported.values_list("pk", "slug"):
        if slug:
            current = {f"reported-{number}": slug} | current | {slug: slug}
    former = FormerEntry.objects.filter(slug__in=entry_ids)
    now = Coalesce("submission__slug", "reported__slug")
    return dict(former.annotate(now=now).values_list("slug", "now")) | current


def with_current_ids(entry_ids: Collection[str]) -> tuple[str, ...]:
    """The same entries, each once and by its current id; unknown ids stay."""
    current = current_ids(entry_ids) if entry_ids else {}
    return tuple(dict.fromkeys(current.get(one, one) for one in entry_ids))


def get_own_submission(user: User, submission_id: UUID) -> Submission:
    """As ``get_submission``, but only for its owner: others, even reviewers, have nothing to do
    with it."""
    submission = get_submission(user, submission_id)
    if not owns(user, submission):
        raise Http404
    return submission


def may_see_verdicts(user: User, submission: Submission) -> bool:
    """Whether correctness may be shown: for a hidden release only to reviewers, and not to one who
    submitted it, or exactly the same predictions."""
    return submission.pk in with_verdicts_for(user, [submission])


def with_verdicts_for(user: User, submissions: Collection[Submission]) -> set[UUID]:
    """The submissions whose verdicts ``user`` may see. One query."""
    hidden = [one for one in submissions if one.release.hidden]
    public = {one.pk for one in submissions if not one.release.hidden}
    if not hidden or not user.is_reviewer:
        return public
    others = {one.pk for one in hidden if not owns(user, one)}
    return public | others - with_predictions_of(user, hidden)


def with_predictions_of(user: User, submissions: Collection[Submission]) -> set[UUID]:
    """The submissions with exactly the same predictions as one of this user."""
    scored = Evaluation.objects.scored().exclude(predictions_hash="")
    theirs = Submission.objects.owned_by(user).order_by().values("pk")
    own = scored.filter(submission__in=theirs).values("predictions_hash")
    same = scored.filter(submission__in=submissions, predictions_hash__in=own)
    return set(same.order_by().values_list("submission", flat=True))


def with_notes_for(user: User, submissions: Collection[Submission]) -> set[UUID]:
    """The submissions about whose predictions ``user`` may read and write notes: as a reviewer, and
    of others, whichever account they were submitted from. One query."""
    if not user.is_reviewer:
        return set()
    others = {one.pk for one in submissions if not owns(user, one)}
    return others - with_predictions_of(user, submissions)


def notes_seen_by(user: User) -> QuerySet[Note]:
    """Those on questions, and on the predictions of ``with_notes_for``."""
    if not user.is_reviewer:
        return Note.objects.none()
    scored = Evaluation.objects.scored().exclude(predictions_hash="").order_by()
    theirs = Submission.objects.owned_by(user).order_by().values("pk")
    own = scored.filter(submission__in=theirs).values("predictions_hash")
    same = scored.filter(predictions_hash__in=own).values("submission")
    return Note.objects.exclude(submission__in=theirs).exclude(submission__in=same)


class PublicFiles(NamedTuple):
    """The public files of a task; None where there is no such file."""

    rows: ReleaseFile | None  # in the official format
    facets: ReleaseFile | None


def public_files(release: Release, data_set: TaskDataSet) -> PublicFiles:
    """For a hidden release, neither answers nor facets that reveal them."""
    if release.hidden:
        return PublicFiles(data_set.questions_file, None)
    return PublicFiles(data_set.whole_file, data_set.facets_file)


def scored_evaluation(submission: Submission, wanted: str = "") -> Evaluation | None:
    """The newest with scores, or the one with that number; None where there is none."""
    scored = submission.evaluations.scored().select_related("submission__release")
    if wanted.isdecimal() and len(wanted) < 19:  # what fits into the column
        return scored.filter(pk=int(wanted)).first()
    return None if wanted else scored.first()


def sees_labels(user: Reader, release: Release) -> bool:
    """Only reviewers see those of a hidden release."""
    return not release.hidden or (isinstance(user, User) and user.is_reviewer)
