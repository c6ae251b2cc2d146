"""What was done to a submission, told to somebody who may see it."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

from django.db.models import Min
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.audit.changes import changes_told
from portal.models import Action, AuditEntry, LanguageModel, Role, Submission, User

DONE: Mapping[Action, str | Promise] = {  # action → what it is called afterwards
    Action.ANSWER: gettext_lazy("said how rows and examples belong together"),
    Action.TRY_AGAIN: gettext_lazy("had it scored once more, after it had failed"),
    Action.SCORE_AGAIN: gettext_lazy("had it scored again"),
    Action.EDIT_SETTINGS: gettext_lazy("changed what is told of the run"),
    Action.EDIT_LANGUAGE_MODEL: gettext_lazy("changed what is told of the language model"),
    Action.REQUEST_PUBLICATION: gettext_lazy("asked for publication"),
    Action.PUBLISH: gettext_lazy("published it"),
    Action.PUBLISH_HISTORICAL: gettext_lazy("published it as a historical entry"),
    Action.REJECT: gettext_lazy("rejected it"),
    Action.HIDE: gettext_lazy("hid it from the board"),
    Action.RESTORE: gettext_lazy("put it on the board again"),
    Action.WITHDRAW: gettext_lazy("withdrew it"),
    Action.DELETE: gettext_lazy("deleted it"),
}
_EDITED: Mapping[Action, type[LanguageModel | Submission]] = {  # the reason lists the changes
    Action.EDIT_SETTINGS: Submission,
    Action.EDIT_LANGUAGE_MODEL: LanguageModel,
}


class Step(NamedTuple):
    at: datetime
    who: str
    did: str | Promise
    reason: str


def history_of(submission: Submission, reader: User) -> list[Step]:
    """The oldest first. Authors are told that a reviewer decided, not which one."""
    entries = submission.audit_entries.history()
    told = [step_of(entry, submission, reader) for entry in entries]
    return sorted([*_began(submission, reader), *told], key=lambda step: step.at)


def step_of(entry: AuditEntry, submission: Submission, reader: User) -> Step:
    who = _named(entry.actor, submission, reader)
    return Step(entry.at, who, DONE[Action(entry.action)], _reason(entry))


def _began(submission: Submission, reader: User) -> Iterator[Step]:
    """What everything else follows from, and stands in no log."""
    owner = submission.owner
    did = _("handed it in") if owner else _("imported it")
    yield Step(submission.created, _named(owner, submission, reader), did, "")
    first = submission.evaluations.scored().aggregate(at=Min("finished"))["at"]
    if first:
        yield Step(first, _("The site"), _("scored it"), "")


def _reason(entry: AuditEntry) -> str:
    edited = _EDITED.get(Action(entry.action))
    return changes_told(entry.reason, edited) if edited else entry.reason


def _named(actor: User | None, submission: Submission, reader: User) -> str:
    if actor is None:
        return _("The site")
    if reader.is_reviewer or actor == reader:
        return actor.username
    if actor.pk == submission.owner_id:
        return _("The author")
    return _("An admin") if actor.role == Role.ADMIN else _("A reviewer")
