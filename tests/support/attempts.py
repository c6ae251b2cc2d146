"""Submissions whose predictions were scored and counted."""

from portal.evaluations.results import count_attempt
from portal.models import Release, Submission, User
from portal.review.services import publish_submission
from tests.support.factories import judged, requested


def scored(owner: User, release: Release, predictions: str, name: str = "Model") -> Submission:
    """The submission as it is after these predictions were scored."""
    submission = judged(owner, release, name=name)
    submission.evaluations.update(predictions_hash=predictions)
    count_attempt(submission, predictions)
    return submission


def published(submission: Submission, *, by: User) -> Submission:
    assert submission.owner
    requested(submission, by=submission.owner)
    return publish_submission(submission, by=by, reason="It fits the paper.")
