"""Notes of reviewers on examples and predictions, for reviewers. ``portal.review.notes`` writes
them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count

from portal.models import NOTE_CAP, Example, Note, TaskDataSet, User
from portal.permissions.access import Reader, notes_seen_by, submissions_by_id, with_notes_for


@dataclass(frozen=True, slots=True)
class NotesOn:
    """The notes on a question, or on a prediction."""

    example: int
    entry: str  # its id in addresses; empty: the notes are on the question
    submission: str  # its primary key; or empty
    reader: User
    notes: list[Note] = field(default_factory=list)  # oldest first
    cap: int = NOTE_CAP

    @property
    def place(self) -> str:
        """The id of its element."""
        return f"notes-{self.submission}" if self.submission else "notes"

    @property
    def may_remove_all(self) -> bool:
        return self.reader.is_admin


def notes_on(reader: Reader, example: Example, entries: Sequence[str]) -> Mapping[str, NotesOn]:
    """By entry, with the notes on the question under an empty id: those that the reader may see. At
    most three queries."""
    if not isinstance(reader, User) or not reader.is_reviewer:
        return {}
    submissions = submissions_by_id(entries) if entries else {}
    seen = with_notes_for(reader, submissions.values()) if entries else set()
    ids = {submissions[one].pk: one for one in entries if submissions[one].pk in seen}
    notes_by_entry = {"": NotesOn(example.pk, "", "", reader)} | {
        entry: NotesOn(example.pk, entry, str(pk), reader) for pk, entry in ids.items()
    }
    for note in notes_seen_by(reader).filter(example=example).select_related("author"):
        entry = ids.get(note.submission_id) if note.submission_id else ""
        if entry is not None:
            notes_by_entry[entry].notes.append(note)
    return notes_by_entry


def count_notes(reader: Reader, data_set: TaskDataSet) -> Mapping[int, int] | None:
    """By question index, the number of notes on it and its predictions; None: the reader is no
    reviewer."""
    if not isinstance(reader, User) or not reader.is_reviewer:
        return None
    notes = notes_seen_by(reader).filter(example__data_set=data_set).order_by()
    return dict(notes.values_list("example__index").annotate(count=Count("pk")))
