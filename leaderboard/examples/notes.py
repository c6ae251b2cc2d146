"""Notes of reviewers on examples and predictions, for reviewers. ``portal.review.notes`` writes
them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count

from leaderboard.pages.entries.entry import parsed_uuid
from portal.models import NOTE_CAP, Example, Note, Submission, TaskDataSet, User
from portal.permissions.access import Reader, notes_seen_by, with_notes_for


@dataclass(frozen=True, slots=True)
class NotesOn:
    """The notes on a question, or on a prediction."""

    example: int
    entry: str  # empty: the notes are on the question
    reader: User
    notes: list[Note] = field(default_factory=list)  # oldest first
    cap: int = NOTE_CAP

    @property
    def place(self) -> str:
        """The id of its element."""
        return f"notes-{self.entry}" if self.entry else "notes"

    @property
    def may_remove_all(self) -> bool:
        return self.reader.is_admin


def notes_on(reader: Reader, example: Example, entries: Sequence[str]) -> Mapping[str, NotesOn]:
    """By entry, with the notes on the question under an empty id: those that the reader may see. At
    most three queries."""
    if not isinstance(reader, User) or not reader.is_reviewer:
        return {}
    ids = [pk for entry in entries if (pk := parsed_uuid(entry))]
    submissions = Submission.objects.filter(pk__in=ids) if ids else ()
    seen: set[UUID] = with_notes_for(reader, list(submissions)) if ids else set()
    found = {entry: NotesOn(example.pk, entry, reader) for entry in ("", *map(str, seen))}
    notes = notes_seen_by(reader).filter(example=example).select_related("author")
    for note in notes:
        if on := found.get(str(note.submission_id or "")):
            on.notes.append(note)
    return found


def count_notes(reader: Reader, data_set: TaskDataSet) -> Mapping[int, int] | None:
    """By question index, the number of notes on it and its predictions; None: the reader is no
    reviewer."""
    if not isinstance(reader, User) or not reader.is_reviewer:
        return None
    notes = notes_seen_by(reader).filter(example__data_set=data_set).order_by()
    return dict(notes.values_list("example__index").annotate(count=Count("pk")))
