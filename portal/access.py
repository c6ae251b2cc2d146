"""Who may see what. Fetching an object is the check: what is not yours does not exist for you."""

from uuid import UUID

from django.db.models import Q, QuerySet
from django.http import Http404

from portal.models import Submission, User


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
    """Whether what tells right from wrong may be shown: of a hidden release, to reviewers only."""
    return user.is_reviewer or not submission.release.hidden
