"""The history of a submission, as shown to a reader."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.core.exceptions import FieldDoesNotExist
from django.db.models import F, Field, Min, Model
from django.utils.html import format_html
from django.utils.safestring import SafeString

from portal.models import Action, AuditEntry, LanguageModel, Role, Submission, User

DONE: Mapping[Action, str] = {  # action → what was done
    Action.ANSWER: "chose how rows match examples",
    Action.TRY_AGAIN: "retried it after a failure",
    Action.SCORE_AGAIN: "had it scored again",
    Action.EDIT_SETTINGS: "edited the run settings",
    Action.EDIT_LANGUAGE_MODEL: "edited the model details",
    Action.REQUEST_PUBLICATION: "requested publication",
    Action.CANCEL_REQUEST: "cancelled the request",
    Action.CLAIM: "started to review it",
    Action.ASK_AUTHOR: "asked the author a question",
    Action.REPLY: "replied",
    Action.PUBLISH: "published it",
    Action.CONFIRM_MAKER: "decided about the claim to be the maker",
    Action.ANSWER_FLAGS: "answered the critical flags",
    Action.SCHEDULE: "approved it for the day that was asked for",
    Action.OPEN: "published it on the day that was asked for",
    Action.RESCHEDULE: "changed the day",
    Action.SHOW_ACCOUNT: "changed whether it shows the account",
    Action.PUBLISH_HISTORICAL: "published it as a re-scored entry",
    Action.REJECT: "rejected it",
    Action.UNDO_DECISION: "undid the decision",
    Action.HIDE: "hid it from the leaderboard",
    Action.RESTORE: "restored it to the leaderboard",
    Action.WITHDRAW: "withdrew it",
    Action.DELETE: "deleted it",
}
_EDITED: Mapping[Action, type[LanguageModel | Submission]] = {  # their reason lists the changes
    Action.EDIT_SETTINGS: Submission,
    Action.RESCHEDULE: Submission,
    Action.EDIT_LANGUAGE_MODEL: LanguageModel,
}
_ARROW = " → "


class Step(NamedTuple):
    at: datetime
    who: str
    did: str
    reason: str

    @property
    def sentence(self) -> SafeString:
        return format_html("<bdi>{}</bdi> {}", self.who, self.did)


def history_of(submission: Submission, reader: User) -> list[Step]:
    """The oldest first, with the beginning, which is not logged. Authors learn that a reviewer
    decided, but not which one."""
    owner = submission.owner
    did = "submitted it" if owner else "imported it"
    steps = [Step(submission.created, _name(owner, submission, reader), did, "")]
    first_scored = submission.evaluations.scored().aggregate(at=Min("finished"))["at"]
    if first_scored:
        steps.append(Step(first_scored, "The site", "scored it", ""))
    steps += [step_of(entry, submission, reader) for entry in submission.audit_entries.history()]
    return sorted(steps, key=lambda step: step.at)


def step_of(entry: AuditEntry, submission: Submission, reader: User) -> Step:
    action, reason = Action(entry.action), entry.reason
    if edited := _EDITED.get(action):
        reason = "\n".join(_change_in_words(line, edited) for line in reason.split("\n"))
    return Step(entry.at, _name(entry.actor, submission, reader), DONE[action], reason)


def reasons_of_states(submissions: Collection[Submission]) -> dict[UUID, str]:
    """Why submissions are rejected, hidden or withdrawn, and what reviewers want to know about
    them; by id, in one query."""
    ending = AuditEntry.objects.filter(
        submission__in=submissions,
        action__in=(Action.REJECT, Action.HIDE, Action.WITHDRAW, Action.ASK_AUTHOR),
        after=F("submission__state"),
    )
    pairs = ending.order_by("number").values_list("submission", "reason")
    return {submission: reason for submission, reason in pairs if submission and reason}


def _name(actor: User | None, submission: Submission, reader: User) -> str:
    if actor is None:
        return "The site"
    if reader.is_reviewer or actor == reader:
        return actor.username
    if actor.pk == submission.owner_id:
        return "The author"
    return "An admin" if actor.role == Role.ADMIN else "A reviewer"


def _change_in_words(line: str, model: type[Model]) -> str:
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
