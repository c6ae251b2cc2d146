"""The alignment question as its page asks it: match the rows of a file by id or by order?"""

from typing import Any, NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from portal.models import Evaluation
from scoring.alignment import Method
from scoring.catalog import TASKS

METHODS: dict[Method, str | Promise] = {"id": _("by id"), "order": _("by order")}


class TaskQuestion(NamedTuple):
    title: str
    files: list[str]
    has_ids: bool  # without them the order counts, whatever is answered
    rows: int
    examples: int
    unknown: int  # ids that the release does not have
    labelled: int | None  # rows with a label; None: agreement is not shown
    by_id: int | None  # labels that are the release's
    by_order: int | None

    @property
    def fits(self) -> Method | None:
        """The way that explains more of the labels; None where neither does, or there are none."""
        by_id, by_order = self.by_id or 0, self.by_order or 0
        if self.fits_neither or by_id == by_order:
            return None
        return "order" if by_order > by_id else "id"

    @property
    def fits_neither(self) -> bool:
        """Whether the labels are rather those of another release."""
        return max(self.by_id or 0, self.by_order or 0) < (self.labelled or 0) / 2

    @property
    def advice(self) -> str | Promise:
        if not self.has_ids:
            return _("by order: the rows have no ids")
        if self.fits_neither:
            return _("neither fits: look for another release")
        return METHODS[self.fits] if self.fits else _("cannot be told")


class Question(NamedTuple):
    tasks: list[TaskQuestion]
    shows_agreement: bool

    @property
    def only_by_order(self) -> bool:
        """Whether there is nothing to choose, only to agree to."""
        return not any(task.has_ids for task in self.tasks)

    @property
    def advice(self) -> Method | None:
        """What fits every task for which anything can be told."""
        found = {task.fits for task in self.tasks if task.has_ids} - {None}
        return found.pop() if len(found) == 1 else None


def question_of(evaluation: Evaluation, *, with_agreement: bool) -> Question | None:
    """What has to be answered; of a hidden release without what tells how many labels are right."""
    if not evaluation.question:
        return None
    tasks = [_task(found, with_agreement=with_agreement) for found in evaluation.question]
    return Question(tasks, with_agreement)


def _task(found: dict[str, Any], *, with_agreement: bool) -> TaskQuestion:
    agreement = ("labelled", "by_id", "by_order")
    return TaskQuestion(
        title=TASKS[found["task"]].title,
        files=found["files"],
        has_ids=found.get("has_ids", True),
        rows=found["rows"],
        examples=found["examples"],
        unknown=found["unknown"],
        **{name: found[name] if with_agreement else None for name in agreement},
    )
