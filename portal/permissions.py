"""Who may see what. Fetching an object is the check: what is not yours does not exist for you."""

from collections.abc import Collection
from typing import NamedTuple
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest

from portal.models import Evaluation, Release, ReleaseFile, Submission, TaskDataSet, User


def user_of(request: HttpRequest) -> User:
    """Who asks, where only people who are signed in come. Raises ``PermissionDenied``."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def reviewer_of(request: HttpRequest) -> User:
    """The same where only reviewers and admins come."""
    user = user_of(request)
    if not user.is_reviewer:
        raise PermissionDenied
    return user


def submissions_seen_by(user: User) -> QuerySet[Submission]:
    """Their own; of reviewers and admins, all."""
    if user.is_reviewer:
        return Submission.objects.all()
    return Submission.objects.filter(Q(owner=user))


def get_submission(user: User, submission_id: UUID) -> Submission:
    """Raises ``Http404`` for what this person may not know of."""
    found = submissions_seen_by(user).select_related("language_model", "release", "owner")
    submission = found.filter(pk=submission_id).first()
    if submission is None:
        raise Http404
    return submission


def may_see_verdicts(user: User, submission: Submission) -> bool:
    """Whether what tells right from wrong may be shown: of a hidden release, to reviewers only,
    and not to one who has handed it in, or the very same predictions."""
    return submission.pk in with_verdicts_for(user, [submission])


def with_verdicts_for(user: User, submissions: Collection[Submission]) -> set[UUID]:
    """Those of them of which it may be, with one query."""
    hidden = [one for one in submissions if one.release.hidden]
    public = {one.pk for one in submissions if not one.release.hidden}
    if not hidden or not user.is_reviewer:
        return public
    others = {one.pk for one in hidden if one.owner_id != user.pk}
    return public | others - with_own_answers(user, hidden)


def with_own_answers(user: User, submissions: Collection[Submission]) -> set[UUID]:
    """Those of them with the very same predictions as something that this person has handed in."""
    scored = Evaluation.objects.scored().exclude(predictions_hash="")
    own = scored.filter(submission__owner=user).values("predictions_hash")
    same = scored.filter(submission__in=submissions, predictions_hash__in=own)
    return set(same.order_by().values_list("submission", flat=True))


class PublicFiles(NamedTuple):
    """What everybody may take away of a task; None where there is no such file."""

    rows: ReleaseFile | None  # in the official format
    facets: ReleaseFile | None


def public_files(release: Release, data_set: TaskDataSet) -> PublicFiles:
    """Of a hidden release neither answers nor what points at them."""
    if release.hidden:
        return PublicFiles(data_set.questions_file, None)
    return PublicFiles(data_set.whole_file, data_set.facets_file)


def scored_evaluation(submission: Submission, wanted: str = "") -> Evaluation | None:
    """The newest with scores, or the one with that number; None where there is none."""
    scored = submission.evaluations.scored().select_related("submission__release")
    if wanted.isdecimal() and len(wanted) < 19:  # what fits into the column
        return scored.filter(pk=int(wanted)).first()
    return None if wanted else scored.first()
