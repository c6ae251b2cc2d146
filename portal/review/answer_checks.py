"""What stands out in the answers of a submission that waits for review: computed by the sweeper,
for it takes seconds, and read by the pages of reviewers."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.db.models import F, Max, Q
from django.db.models.functions import Left

from portal.models import AnswerCheck, Evaluation, ExampleResult, Submission, User
from portal.permissions import REQUESTED, with_verdicts_for
from portal.review.answer_shares import Flag, answer_shares, flag_counts, flags_of
from portal.review.shared_answers import SEEN, nearest_answering, shared_rows
from scoring.catalog import BOARD_ORDER, TASKS, Kind, Task
from scoring.item_analysis.near_copies import (
    LONG,
    Shingles,
    nearly_equal,
    normal_form,
    shingles,
)
from scoring.item_analysis.wrong_answers import SOLVED

_AT_ONCE = 5  # submissions: other chores of the sweeper wait meanwhile
_COMPARED = 1_000  # characters of an answer
# Of the long wrong answers to questions that both miss, in one task. Of the released files no two
# models have more than 0.28 (En.QA); of copies in which one character in thirty was changed, none
# had less than 0.8.
_COPIED = 0.5
_LEAST = 10  # questions that both miss

log = logging.getLogger(__name__)


class TaskCopies(NamedTuple):
    """Of the questions of a task that both miss."""

    task: str
    same: int  # answers that are nearly the same
    both: int  # that were compared

    @property
    def title(self) -> str:
        return TASKS[self.task].title

    @property
    def percent(self) -> int:
        return round(100 * self.same / self.both)


Copies = Mapping[int, Sequence[TaskCopies]]  # by the number of the other evaluation


@dataclass(frozen=True, slots=True)
class NearCopy:
    """Another submission with nearly the same wrong answers."""

    submission: Submission
    tasks: Sequence[TaskCopies]  # in which they are, in the order of boards

    @property
    def same(self) -> int:
        return sum(one.same for one in self.tasks)

    @property
    def both(self) -> int:
        return sum(one.both for one in self.tasks)

    @property
    def percent(self) -> int:
        return round(100 * self.same / self.both)

    @property
    def most_telling(self) -> str:
        """The task with the most such answers."""
        return max(self.tasks, key=lambda one: one.same).task


class Checked(NamedTuple):
    """Of a submission, as far as the reader may see it."""

    flags: Sequence[Flag]
    copies: Sequence[NearCopy]  # the most alike first


def read_checks(reader: User, evaluations: Collection[Evaluation]) -> dict[int, Checked]:
    """By number of the evaluation; without those that were not checked yet. Three queries."""
    checks = AnswerCheck.objects.in_bulk([one.pk for one in evaluations])
    wanted = {int(other) for check in checks.values() for other in check.copies}
    of_others = Submission.objects.filter(evaluations__in=wanted, state__in=SEEN)
    loaded = of_others.select_related("language_model", "release", "owner").annotate(
        compared=F("evaluations")
    )
    others = {getattr(one, "compared", None): one for one in loaded}
    submissions = [one.submission for one in evaluations]
    visible = with_verdicts_for(reader, [*submissions, *others.values()])
    found = {}
    for one in evaluations:
        if check := checks.get(one.pk):
            verdicts = one.submission_id in visible
            copies = [
                NearCopy(others[int(number)], [TaskCopies(*counts) for counts in tasks])
                for number, tasks in check.copies.items()
                if verdicts and int(number) in others and others[int(number)].pk in visible
            ]
            copies.sort(key=lambda copy: -copy.same)
            found[one.pk] = Checked(flags_of(check.flags, verdicts=verdicts), copies)
    return found


def update_answer_checks() -> int:
    """Check those that wait for a decision, and were not compared with the newest scores yet; some
    of them at a time. Returns how many.

    Raises ``ExceptionGroup`` for those that could not be checked, after all others."""
    seen = Evaluation.objects.scored().filter(submission__state__in=SEEN).order_by()
    newest = seen.aggregate(newest=Max("pk"))["newest"]
    if newest is None:
        return 0
    waiting = Evaluation.objects.scored().filter(submission__state__in=REQUESTED)
    current = Evaluation.objects.filter(pk__in=waiting.newest_of_each().values("pk"))
    outdated = current.filter(Q(answer_check=None) | Q(answer_check__newest__lt=newest))
    in_turn = outdated.order_by(F("answer_check__newest").asc(nulls_first=True), "pk")
    loaded = list(in_turn.select_related("submission__release")[:_AT_ONCE])
    errors = []
    for evaluation in loaded:
        try:
            found = {
                "newest": newest,
                "flags": flag_counts(answer_shares(evaluation, verdicts=True)),
                "copies": near_copies(evaluation),
            }
            AnswerCheck.objects.update_or_create(found, evaluation=evaluation)
        except Exception as error:  # one submission must not stop the others
            errors.append(error)
        else:
            log.info("answers checked", extra={"evaluation": evaluation.pk})
    if errors:
        raise ExceptionGroup("answers that could not be checked", errors)
    return len(loaded)


def near_copies(evaluation: Evaluation) -> Copies:
    """By evaluation, the tasks in which the wrong answers of another author are nearly the same.

    Long answers are compared as texts. Of short ones, which honest models may share, the same wrong
    answers have to be beyond chance; of tasks with options they never say enough.
    """
    submitted = set(evaluation.task_scores.values_list("task", flat=True))
    found: defaultdict[int, list[TaskCopies]] = defaultdict(list)
    for name in BOARD_ORDER:
        if name in submitted:
            for other, counts in _copies_in(evaluation, TASKS[name]).items():
                found[other].append(counts)
    return found


def _copies_in(evaluation: Evaluation, task: Task) -> dict[int, TaskCopies]:
    owner = evaluation.submission.owner_id
    nearest, places, _ = nearest_answering(None, evaluation.submission, evaluation, task)
    own, *others = nearest
    others = [one for one in others if one.submission.owner_id != owner]
    texts = _long_wrong_answers([own.evaluation, *(one.evaluation for one in others)], task)
    found = {}
    for other in others:
        theirs, where = texts[other.evaluation], places[other.data_set]
        pairs = [
            (text, theirs[where[index]])
            for index, text in texts[own.evaluation].items()
            if where.get(index) in theirs
        ]
        same = sum(one.is_nearly(another) for one, another in pairs)
        if len(pairs) >= _LEAST and same >= _COPIED * len(pairs):
            found[other.evaluation] = TaskCopies(task.id, same, len(pairs))
    if others and task.kind is not Kind.CHOICE:
        by_submission = {one.submission.pk: one.evaluation for one in others}
        for row in shared_rows(evaluation, task):
            other_one = by_submission.get(row.submission.pk)
            if other_one and row.looks_copied and row.shared.both >= _LEAST:
                counts = TaskCopies(task.id, row.shared.same, row.shared.both)
                found.setdefault(other_one, counts)
    return found


class _Text:
    """An answer, of which the shingles are made once, when it is compared."""

    def __init__(self, form: str) -> None:
        self.form = form

    @cached_property
    def shingles(self) -> Shingles:
        return shingles(self.form)

    def is_nearly(self, other: "_Text") -> bool:
        return self.form == other.form or nearly_equal(self.shingles, other.shingles)


def _long_wrong_answers(evaluations: Iterable[int], task: Task) -> dict[int, dict[int, _Text]]:
    """By evaluation and index."""
    found: dict[int, dict[int, _Text]] = {one: {} for one in evaluations}
    wrong = ExampleResult.objects.filter(
        evaluation__in=found, task=task.id, prediction__isnull=False, strict__lt=SOLVED
    )
    columns = wrong.order_by().annotate(start=Left("prediction", _COMPARED))
    for evaluation, index, start in columns.values_list("evaluation", "index", "start"):
        form = normal_form(start)
        if len(form.encode()) >= LONG:
            found[evaluation][index] = _Text(form)
    return found
