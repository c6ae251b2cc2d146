"""Changes of accounts, language models, releases, reported entries, notes, reports about labels and
endpoint runs, in the log.

Submissions have their own entries (``portal.states``). An entry of a record names it in ``subject``
and lists the columns that changed, so that the log shows who gave a role to whom, or what a number
on the board was before.
"""

from collections.abc import Mapping

from portal.models import (
    AuditEntry,
    EndpointRun,
    LabelAction,
    LabelReport,
    LanguageModel,
    Note,
    RecordAction,
    Release,
    ReleaseAdmission,
    ReportedEntry,
    RunAction,
    User,
)
from scoring.catalog import TASKS

Record = User | LanguageModel | Release | ReleaseAdmission | ReportedEntry
Description = Mapping[str, str]  # values as text, by column; empty where there is no record

# Passwords and addresses are not among them: nothing can be taken out of the log again.
_COLUMNS: Mapping[type[Record], tuple[str, ...]] = {
    User: ("role", "is_active", "organisation", "link"),
    LanguageModel: (
        "slug", "name", "organisation", "parameters", "licence", "weights", "context_window",
        "released", "link", "owner",
    ),
    Release: ("title", "description", "accepts_submissions"),
    ReleaseAdmission: ("release", "account"),
    ReportedEntry: ("language_model", "method", "source", "link", "note", "average"),
}  # fmt: skip


def describe(record: Record) -> dict[str, str]:
    """What the log keeps of a record; for a reported entry also its numbers by task, and for a
    language model the sources of its facts."""
    values = {name: getattr(record, name) for name in _COLUMNS[type(record)]}
    if isinstance(record, ReportedEntry):
        percents = {score.task: score.percent for score in record.scores.all()}
        values |= {task.title: percents.get(task.id) for task in TASKS.values()}
    if isinstance(record, LanguageModel) and record.pk:
        values |= {f"source of {fact.field}": fact.source for fact in record.facts.all()}
    return {name: _as_text(value) for name, value in values.items()}


def changed_columns(before: Description, after: Description) -> dict[str, str]:
    """A line for each column whose value has changed."""
    return {
        name: f"{name.replace('_', ' ')}: {before.get(name) or '–'} → {after.get(name) or '–'}"
        for name in (after or before)
        if before.get(name, "") != after.get(name, "")
    }


def log_record(
    record: Record, before: Description, after: Description, *, by: User | None
) -> dict[str, str]:
    """Write an entry if anything changed; returns the changed columns.

    To be called in the transaction of the change, as late as possible, but before the version of
    the board is raised: all others take these two locks in this order.
    """
    changes = changed_columns(before, after)
    if not changes:
        return {}
    action, roles = RecordAction.EDIT, ("", "")
    if not before:
        action = RecordAction.ADD
    elif not after:
        action = RecordAction.DELETE
    elif "role" in changes:
        action, roles = RecordAction.CHANGE_ROLE, (before["role"], after["role"])
    AuditEntry.objects.create(
        subject=subject_of(record),
        actor=by,
        action=action,
        before=roles[0],
        after=roles[1],
        reason="\n".join(changes.values()),
    )
    return changes


def log_merge(merged: LanguageModel, into: LanguageModel, *, by: User, moved: str) -> None:
    """To be called as late in the transaction as ``log_record``."""
    AuditEntry.objects.create(
        subject=subject_of(merged),
        actor=by,
        action=RecordAction.MERGE,
        before="",
        after="",
        reason=f"merged into {subject_of(into)}: {moved}",
    )


NOTES = "note:"  # how the subjects of notes begin


def log_note(note: Note, action: RecordAction, *, by: User) -> None:
    """The entry keeps the text that is written or removed, and outlives the note. To be called as
    late in the transaction as ``log_record``."""
    example = note.example
    prediction = f", prediction of {note.submission_id}" if note.submission_id else ""
    AuditEntry.objects.create(
        subject=f"{NOTES}{note.pk}: {example.data_set} {example.key}{prediction}",
        actor=by,
        action=action,
        before="",
        after="",
        reason=note.text,
    )


def log_label_report(report: LabelReport, action: LabelAction, *, by: User) -> None:
    """To be called as late in the transaction as ``log_record``."""
    AuditEntry.objects.create(
        subject=f"label report:{report.pk}: {report.example.data_set.task}/{report.example.key}",
        actor=by,
        action=action,
        before="" if action == LabelAction.REPORT else "open",
        after=report.verdict or "open",
        reason=report.explanation or report.reason,
    )


def log_run(
    run: EndpointRun, action: RunAction, before: str, *, by: User | None, reason: str = ""
) -> None:
    """To be called as late in the transaction as ``log_record``."""
    AuditEntry.objects.create(
        subject=f"run:{run.pk}: {run.title}",
        actor=by,
        action=action,
        before=before,
        after=run.state,
        reason=reason,
    )


def subject_of(record: Record) -> str:
    kind, name = _subject(record)
    return f"{kind}:{name}"


def _subject(record: Record) -> tuple[str, str]:
    match record:
        case User():
            return "user", record.username
        case LanguageModel():
            return "model", record.slug
        case Release():
            return "release", record.slug
        case ReleaseAdmission():
            return "admission", f"{record.release.slug}: {record.account.username}"
        case ReportedEntry():
            return "reported", f"{record.language_model.slug}: {record.source}"


def _as_text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.10g}" if isinstance(value, float) else " ".join(str(value).split())
