"""The notes that a reviewer may see, and what they may write about."""

from uuid import UUID

from django.http import Http404
from django.shortcuts import get_object_or_404

from portal.models import Example, Note, Submission, TaskScore, User
from portal.permissions.access import get_submission, notes_seen_by, with_notes_for


def find_note(user: User, note_id: int) -> Note:
    """Raises ``Http404``."""
    notes = notes_seen_by(user).select_related("example__data_set", "submission", "author")
    return get_object_or_404(notes, pk=note_id)


def answering_submission(user: User, example: Example, entry: str) -> Submission:
    """The submission ``entry``. Raises ``Http404`` unless it has answered the task of the example,
    and this reviewer may write notes on its predictions."""
    try:
        submission = get_submission(user, UUID(entry))
    except ValueError as error:
        raise Http404 from error
    scores = TaskScore.objects.filter(evaluation__submission=submission, task=example.data_set.task)
    if not scores.exists() or not with_notes_for(user, [submission]):
        raise Http404
    return submission
