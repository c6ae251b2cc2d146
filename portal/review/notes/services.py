"""Writing, editing and removing notes, each with an audit entry that keeps the text."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Min
from django.db.models.functions import Now

from portal.audit.records import NOTES, log_note
from portal.errors import NotAllowedError, QuotaError
from portal.models import AuditEntry, Example, Note, RecordAction, Submission, User
from portal.permissions.access import with_notes_for

# Limited because the audit log keeps every text for good.
MOST_NOTES, WINDOW = 60, timedelta(hours=1)


def write_note(
    example: Example, text: str, *, by: User, submission: Submission | None = None
) -> Note:
    """On the question, or on a submission's prediction. Raises ``NotAllowedError`` and
    ``QuotaError``."""
    _check_allowed(by, submission)
    with transaction.atomic():
        _check_quota(by)
        note = Note.objects.create(example=example, submission=submission, author=by, text=text)
        log_note(note, RecordAction.ADD, by=by)
    return note


def edit_note(note: Note, text: str, *, by: User) -> Note:
    """Only its author may. Raises ``NotAllowedError`` and ``QuotaError``."""
    with transaction.atomic():
        _check_quota(by)
        locked = _lock(note)
        _check_allowed(by, locked.submission)
        if locked.author_id != by.pk:
            raise NotAllowedError
        if locked.text != text:
            locked.text, locked.edited = text, Now()
            locked.save(update_fields=["text", "edited"])
            log_note(locked, RecordAction.EDIT, by=by)
    return locked


def remove_note(note: Note, *, by: User) -> None:
    """Its author may, and admins. Raises ``NotAllowedError``."""
    with transaction.atomic():
        locked = _lock(note)
        _check_allowed(by, locked.submission)
        if locked.author_id != by.pk and not by.is_admin:
            raise NotAllowedError
        log_note(locked, RecordAction.DELETE, by=by)
        locked.delete()


def _lock(note: Note) -> Note:
    locked = Note.objects.select_for_update(of=("self",))
    return locked.select_related("example__data_set", "submission").get(pk=note.pk)


def _check_allowed(user: User, submission: Submission | None) -> None:
    if not user.is_reviewer or (submission and not with_notes_for(user, [submission])):
        raise NotAllowedError


def _check_quota(user: User) -> None:
    """Locks the user's row, so that of two concurrent requests the second sees the first."""
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    written = (RecordAction.ADD, RecordAction.EDIT)
    recent = AuditEntry.objects.filter(  # which also has notes that were removed since
        actor=user, action__in=written, subject__startswith=NOTES, at__gt=Now() - WINDOW
    )
    if recent.count() >= MOST_NOTES:
        first = recent.aggregate(at=Min("at"))["at"]
        message = "You have written %(count)s notes in an hour. Go on at %(when)s UTC."
        raise QuotaError(first + WINDOW, message, "too_many_notes", count=MOST_NOTES)
