"""What was done to a submission, as a reader who may see it is shown."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Min, Model
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from portal.models import Action, AuditEntry, LanguageModel, Role, Submission, User

DONE: Mapping[Action, str | Promise] = {  # action → its past tense
    Action.ANSWER: gettext_lazy("chose how rows match examples"),
    Action.TRY_AGAIN: gettext_lazy("retried it after a failure"),
    Action.SCORE_AGAIN: gettext_lazy("had it scored again"),
    Action.EDIT_SETTINGS: gettext_lazy("edited the run settings"),
    Action.EDIT_LANGUAGE_MODEL: gettext_lazy("edited the model details"),
    Action.REQUEST_PUBLICATION: gettext_lazy("requested publication"),
    Action.PUBLISH: gettext_lazy("published it"),
    Action.PUBLISH_HISTORICAL: gettext_lazy("published it as a re-scored entry"),
    Action.REJECT: gettext_lazy("rejected it"),
    Action.HIDE: gettext_lazy("hid it from the leaderboard"),
    Action.RESTORE: gettext_lazy("restored it to the leaderboard"),
    Action.WITHDRAW: gettext_lazy("withdrew it"),
    Action.DELETE: gettext_lazy("deleted it"),
}
_EDITED: Mapping[Action, type[LanguageModel | Submission]] = {  # their reason lists the changes
    Action.EDIT_SETTINGS: Submission,
    Action.EDIT_LANGUAGE_MODEL: LanguageModel,
}
_ARROW = " → "


class Step(NamedTuple):
    at: datetime
    who: str
    did: str | Promise
    reason: str


def history_of(submission: Submission, reader: User) -> list[Step]:
    """The oldest first, with the beginning, which is not logged. Authors learn that a reviewer
    decided, but not which one."""
    owner = submission.owner
    did = _("submitted it") if owner else _("imported it")
    steps = [Step(submission.created, _name(owner, submission, reader), did, "")]
    first_scored = submission.evaluations.scored().aggregate(at=Min("finished"))["at"]
    if first_scored:
        steps.append(Step(first_scored, _("The site"), _("scored it"), ""))
    steps += [step_of(entry, submission, reader) for entry in submission.audit_entries.history()]
    return sorted(steps, key=lambda step: step.at)


def step_of(entry: AuditEntry, submission: Submission, reader: User) -> Step:
    action, reason = Action(entry.action), entry.reason
    if edited := _EDITED.get(action):
        reason = "\n".join(_translate_change(line, edited) for line in reason.split("\n"))
    return Step(entry.at, _name(entry.actor, submission, reader), DONE[action], reason)


def _name(actor: User | None, submission: Submission, reader: User) -> str:
    if actor is None:
        return _("The site")
    if reader.is_reviewer or actor == reader:
        return actor.username
    if actor.pk == submission.owner_id:
        return _("The author")
    return _("An admin") if actor.role == Role.ADMIN else _("A reviewer")


def _translate_change(line: str, model: type[Model]) -> str:
    """A line of the log, “column: before → after”, with columns and choices called as on pages; the
    line itself if the column is not known."""
    name, colon, values = line.partition(": ")
    try:
        field = model._meta.get_field(name.replace(" ", "_"))
    except FieldDoesNotExist:
        return line
    if not isinstance(field, Field):
        return line
    choices = {str(value): str(title) for value, title in field.flatchoices}
    shown = _ARROW.join(choices.get(value, value) for value in values.split(_ARROW))
    return f"{field.verbose_name}{colon}{shown}"
