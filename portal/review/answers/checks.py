"""What stands out in the answers of a submission that waits for review. The sweeper computes it,
since it takes seconds; the pages of reviewers read it."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b
from typing import NamedTuple

from django.db.models import DurationField, ExpressionWrapper, F, Q, Value
from django.db.models.functions import Coalesce, Least, Left, Now, Power
from django.utils.functional import cached_property

from portal.models import AnswerCheck, Evaluation, Example, ExampleResult, Submission, User
from portal.permissions.access import with_verdicts_for
from portal.permissions.actions import REQUESTED
from portal.review.answers.agreement import SEEN, nearest_answering, shared_rows
from portal.review.answers.shares import Flag, answer_shares, flag_counts, flags_of
from scoring.catalog import BOARD_ORDER, TASKS, Kind, Task
from scoring.item_analysis.near_copies import (
    LONG,
    Shingles,
    is_long,
    nearly_equal,
    normal_form,
    own_part,
    own_parts_alike,
    shingles,
    usual_shingles,
)
from scoring.item_analysis.wrong_answers import SOLVED

_AT_ONCE = 5  # submissions: the sweeper's other chores wait meanwhile
_COMPARED = 1_000  # characters of an answer
# Share of nearly equal ones among the long wrong answers to questions of one task that both miss.
# Among the released files no two models have more than 0.28 (En.QA), or 0.47 where both answer in
# the same long sentence; copies in which one character in thirty was changed never had less than
# 0.8.
_COPIED = 0.6
_LEAST = 10  # questions that both miss
# How long a submission rests whose check has failed: a minute, then twice as long after each
# failure, some 17 hours at most.
_MOST_FAILURES = 10
_REST = ExpressionWrapper(
    Value(timedelta(minutes=1)) * Power(Value(2), F("answer_check__failures")),
    output_field=DurationField(),
)

log = logging.getLogger(__name__)


class TaskCopies(NamedTuple):
    """How many answers are nearly the same, among the questions of a task that both miss."""

    task: str
    same: int
    both: int  # questions whose answers were compared

    @property
    def title(self) -> str:
        return TASKS[self.task].title

    @property
    def percent(self) -> int:
        return round(100 * self.same / self.both)


Copies = Mapping[int, Sequence[TaskCopies]]  # by the primary key of the other evaluation


@dataclass(frozen=True, slots=True)
class NearCopy:
    """Another submission with nearly the same wrong answers."""

    submission: Submission
    tasks: Sequence[TaskCopies]  # the tasks with copies, in the order of boards

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
    """What was found about a submission, as far as the reader may see it."""

    flags: Sequence[Flag]
    copies: Sequence[NearCopy]  # the most alike first


def read_checks(reader: User, evaluations: Collection[Evaluation]) -> dict[int, Checked]:
    """By primary key of the evaluation, without unchecked ones. Three queries."""
    done = AnswerCheck.objects.exclude(compared=None)
    checks = done.in_bulk([one.pk for one in evaluations])
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
    """Check some of the submissions that wait for a decision and have not been compared with all
    that is visible to others at present. Returns how many. A check that fails is tried again, at
    growing intervals and after all others.

    Raises ``ExceptionGroup`` for those that could not be checked, after all others."""
    seen = Evaluation.objects.scored().filter(submission__state__in=SEEN).order_by("pk")
    # A hash of all of them, not just the newest: an older one may become visible later.
    ids = " ".join(map(str, seen.values_list("pk", flat=True)))
    compared = int.from_bytes(blake2b(ids.encode(), digest_size=8).digest(), signed=True)
    waiting = Evaluation.objects.scored().filter(submission__state__in=REQUESTED)
    current = Evaluation.objects.filter(pk__in=waiting.newest_of_each().values("pk"))
    is_new, is_outdated = Q(answer_check=None), ~Q(answer_check__compared=compared)
    is_outdated |= Q(answer_check__compared=None)
    rests = Q(answer_check__failures__gt=0, answer_check__tried__gt=Now() - _REST)
    outdated = current.filter(is_new | is_outdated).exclude(rests)
    in_turn = outdated.order_by(
        Coalesce("answer_check__failures", 0), F("answer_check__tried").asc(nulls_first=True), "pk"
    )
    loaded = list(in_turn.select_related("submission__release")[:_AT_ONCE])
    errors = []
    for evaluation in loaded:
        try:
            found = {
                "compared": compared,
                "flags": flag_counts(answer_shares(evaluation, verdicts=True)),
                "copies": near_copies(evaluation),
                "failures": 0,
            }
        except Exception as error:  # one submission must not stop the others
            errors.append(error)
            _note_failure(evaluation)
        else:
            now = {"tried": Now()}
            AnswerCheck.objects.update_or_create(found | now, evaluation=evaluation)
            log.info("answers checked", extra={"evaluation": evaluation.pk})
    if errors:
        raise ExceptionGroup("answers that could not be checked", errors)
    return len(loaded)


def _note_failure(evaluation: Evaluation) -> None:
    """Count it. What was found before stays stored."""
    check, _ = AnswerCheck.objects.get_or_create(evaluation=evaluation)
    failures = Least(F("failures") + 1, _MOST_FAILURES)
    AnswerCheck.objects.filter(pk=check.pk).update(failures=failures, tried=Now())


def near_copies(evaluation: Evaluation) -> Copies:
    """By evaluation of another author, the tasks in which the wrong answers are nearly the same.

    Long answers are compared as texts, without the words that a model puts around every answer and
    without options. Of short ones half must be the same; in tasks with options they never prove
    enough.
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
    if not others:
        return {}
    wrong = _wrong_answers([own.evaluation, *(one.evaluation for one in others)], task)
    texts = {number: _texts(answers) for number, answers in wrong.items()}
    given = _given(task, own.data_set)
    found = {}
    for other in others:
        theirs, where = texts[other.evaluation], places[other.data_set]
        pairs = [
            (text, theirs[where[index]], given.get(index, frozenset()))
            for index, text in texts[own.evaluation].items()
            if where.get(index) in theirs
        ]
        verdicts = [one.is_nearly(another, known) for one, another, known in pairs]
        alike = [one for one in verdicts if one is not None]
        if len(alike) >= _LEAST and sum(alike) >= _COPIED * len(alike):
            found[other.evaluation] = TaskCopies(task.id, sum(alike), len(alike))
    evaluations = {one.submission.pk: one.evaluation for one in others}
    for row in shared_rows(evaluation, task):
        if row.looks_copied and row.submission.pk in evaluations:
            counts = TaskCopies(task.id, row.same, row.both)
            found.setdefault(evaluations[row.submission.pk], counts)
    return found


class _Text:
    """A long answer, whose shingles are computed once, when it is first compared."""

    def __init__(self, form: str, usual: frozenset[str]) -> None:
        self.form = form
        self._usual = usual  # shingles that are common in the answers of its model
        self._part: Shingles | None = None

    @cached_property
    def shingles(self) -> Shingles:
        return shingles(self.form)

    def is_nearly(self, other: "_Text", given: frozenset[str]) -> bool | None:
        """None if one of them has too little text of its own to tell. ``given``: shingles from the
        question's options."""
        mine, theirs = self._own(given), other._own(given)
        if not is_long(mine) or not is_long(theirs):
            return None
        return self.form == other.form or (
            nearly_equal(self.shingles, other.shingles) and own_parts_alike(mine, theirs)
        )

    def _own(self, given: frozenset[str]) -> Shingles:
        """``given`` depends on the question alone, so the result can be kept."""
        if self._part is None:
            self._part = own_part(self.shingles, self._usual, given)
        return self._part


def _wrong_answers(evaluations: Iterable[int], task: Task) -> dict[int, dict[int, str]]:
    """The wrong answers in their normal form, by evaluation and index."""
    found: dict[int, dict[int, str]] = {one: {} for one in evaluations}
    wrong = ExampleResult.objects.filter(
        evaluation__in=found, task=task.id, prediction__isnull=False, strict__lt=SOLVED
    )
    columns = wrong.order_by("evaluation", "index").annotate(start=Left("prediction", _COMPARED))
    for evaluation, index, start in columns.values_list("evaluation", "index", "start"):
        found[evaluation][index] = normal_form(start)
    return found


def _texts(forms: Mapping[int, str]) -> dict[int, _Text]:
    """The long answers."""
    usual = usual_shingles(list(forms.values()))
    long = {index: form for index, form in forms.items() if len(form.encode()) >= LONG}
    return {index: _Text(form, usual) for index, form in long.items()}


def _given(task: Task, data_set: int) -> dict[int, frozenset[str]]:
    """By index, the shingles of the question's options; empty for tasks without options."""
    if task.kind is not Kind.CHOICE:
        return {}
    rows = Example.objects.filter(data_set=data_set).order_by()
    return {
        index: frozenset().union(*(shingles(normal_form(str(one))) for one in options))
        for index, options in rows.values_list("index", "options")
    }
