"""For reviewers: wrong answers that a submission shares with others, which are a sign of
copying."""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote
from uuid import UUID

from django.urls import reverse

from portal.models import (
    Evaluation,
    Example,
    ExampleResult,
    ScoreVector,
    Submission,
    SubmissionState,
    TaskScore,
    User,
)
from portal.review.answers.makers import Answering, Places, answering_task, labels_of, places_of
from portal.review.answers.samples import example_slugs
from portal.scores.comparison.differences import p_text
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.item_analysis.shared_answers import SharedAnswers, shared_wrong_answers
from scoring.item_analysis.wrong_answers import SOLVED, wrong_answer
from scoring.labels import Label
from scoring.metrics import Question
from scoring.metrics.verdict import shortened
from scoring.problems import visible

MOST_ENTRIES = 15  # that a submission is compared with
LEAST_ENTRIES = 2  # with fewer others, chance cannot be told from copying
_MOST_ANSWERS = 10  # that are listed
_SHOWN = 120  # characters of an answer
_MORE_THAN_CHANCE = 0.01  # p, for all entries together
_COPIED = 0.5  # share of equal answers, among questions that both miss, that is no coincidence
_FIRST = "longbook_qa_eng"  # the task whose wrong answers vary most
_RULES = "strict"  # the metric set that reads wrong answers
_NOT_COMPARED = frozenset({"longbook_sum_eng"})  # no two summaries are the same
# States of submissions that people besides their owners have seen.
SEEN = frozenset(SubmissionState) - {SubmissionState.PRIVATE, SubmissionState.WITHDRAWN}

Wrong = Sequence[str | None]  # by question


class SharedRow(NamedTuple):
    """What the submission has in common with another one."""

    submission: Submission
    shared: SharedAnswers
    is_by_same_author: bool  # versions by one author are alike anyway

    @property
    def p_text(self) -> str:
        return p_text(self.shared.adjusted)

    @property
    def is_beyond_chance(self) -> bool:
        return self.shared.adjusted < _MORE_THAN_CHANCE

    @property
    def looks_copied(self) -> bool:
        alike = self.shared.same >= _COPIED * self.shared.both
        return self.is_beyond_chance and alike and not self.is_by_same_author


class SharedAnswer(NamedTuple):
    """A wrong answer that both give."""

    key: str
    url: str  # of the page of its example, with both answers opened; empty: it has none
    answer: str  # in its normal form
    others: int  # further submissions that give it


@dataclass(frozen=True, slots=True)
class SharedPage:
    task: Task
    tasks: Sequence[Task]  # whose answers can be compared
    missed: int  # questions that the submission answers wrongly
    rows: Sequence[SharedRow]  # the least likely first
    total: int  # all other submissions, also those not compared
    closest: SharedRow | None  # the first, if it is beyond chance
    answers: Sequence[SharedAnswer]  # shared with the closest, the rarest first

    @property
    def is_enough(self) -> bool:
        return len(self.rows) >= LEAST_ENTRIES


def tasks_to_compare(evaluation: Evaluation) -> list[Task]:
    scores = TaskScore.objects.filter(evaluation=evaluation).order_by()
    found = set(scores.values_list("task", flat=True)) - _NOT_COMPARED
    return [TASKS[task] for task in BOARD_ORDER if task in found]


def chosen_task(tasks: Sequence[Task], name: str) -> Task | None:
    """The task of this name; by default the one whose wrong answers say most."""
    by_name = {task.id: task for task in tasks}
    return by_name.get(name) or by_name.get(_FIRST) or next(iter(tasks), None)


class _Shared(NamedTuple):
    """What a submission shares with others in one task."""

    data_set: int
    wrong: Sequence[Wrong]  # of the submission itself, then of each that it is compared with
    rows: Sequence[SharedRow]
    total: int  # all other submissions, also those not compared


def shared_rows(evaluation: Evaluation, task: Task) -> Sequence[SharedRow]:
    """Compared with all submissions that people besides their owners have seen, the least likely
    first. For the site itself; ``shared_page`` is for readers."""
    return _shared(None, evaluation.submission, evaluation, task).rows


def shared_page(
    reader: User, submission: Submission, evaluation: Evaluation, tasks: Sequence[Task], task: Task
) -> SharedPage:
    """For a reader who may see the verdicts of the submission; other submissions whose verdicts
    they may not see are left out. A fixed number of queries."""
    data_set, wrong, rows, total = _shared(reader, submission, evaluation, task)
    closest = rows[0] if rows and rows[0].is_beyond_chance else None
    return SharedPage(
        task,
        tasks,
        missed=sum(answer is not None for answer in wrong[0]),
        rows=rows,
        total=total,
        closest=closest,
        answers=_listed(submission, task, data_set, wrong, closest) if closest else (),
    )


def _shared(
    reader: User | None, submission: Submission, evaluation: Evaluation, task: Task
) -> _Shared:
    compared, places, total = nearest_answering(reader, submission, evaluation, task)
    data_set = compared[0].data_set
    wrong = _wrong_answers(task, data_set, compared, places)
    rows = [
        SharedRow(other, shared, other.owner_id == submission.owner_id)
        for shared in shared_wrong_answers(wrong, 0)
        for other in [compared[shared.entry].submission]
    ]
    return _Shared(data_set, wrong, rows, total)


def nearest_answering(
    reader: User | None, submission: Submission, evaluation: Evaluation, task: Task
) -> tuple[list[Answering], Mapping[int, Places], int]:
    """The submission itself and those that it is compared with; by data set, where the submission's
    questions are in it; and how many other submissions there are."""
    scores = TaskScore.objects.filter(evaluation=evaluation, task=task.id).order_by()
    data_set = scores.values_list("data_set", flat=True)[:1].get()
    others = answering_task(reader, task, SEEN, but=submission)
    places = places_of(data_set, {one.data_set for one in others})
    comparable = [one for one in others if places[one.data_set]]
    nearest = _nearest(evaluation.pk, task, comparable, places)
    itself = Answering(submission, evaluation.pk, data_set)
    return [itself, *nearest], places, len(comparable)


def _nearest(
    evaluation: int, task: Task, others: Sequence[Answering], places: Mapping[int, Places]
) -> list[Answering]:
    """Those that are right and wrong on the most questions alike, as copies are."""
    if len(others) <= MOST_ENTRIES:
        return list(others)
    wanted = [evaluation, *(one.evaluation for one in others)]
    vectors = ScoreVector.objects.filter(
        task_score__evaluation__in=wanted, task_score__task=task.id, task_score__metric_set=_RULES
    )
    solved = {
        one: (unpack_scores(packed) >= SOLVED).tolist()
        for one, packed in vectors.order_by().values_list("task_score__evaluation", "scores")
    }
    own = solved.get(evaluation, [])

    def agreement(other: Answering) -> int:
        theirs = solved.get(other.evaluation, [])
        pairs = places[other.data_set].items()
        return sum(
            own[index] == theirs[place]
            for index, place in pairs
            if index < len(own) and place < len(theirs)
        )

    return sorted(others, key=agreement, reverse=True)[:MOST_ENTRIES]


def _wrong_answers(
    task: Task, data_set: int, compared: Sequence[Answering], places: Mapping[int, Places]
) -> list[Wrong]:
    """The wrong answers of each, all judged by the labels of one data set. Cached, since judging
    takes most of the time."""
    unknown = {one.evaluation: one for one in compared if _key(one, data_set) not in _cache}
    if unknown:
        labels = labels_of(task, data_set)
        texts: dict[int, dict[int, str | None]] = {one: {} for one in unknown}
        results = ExampleResult.objects.filter(evaluation__in=unknown, task=task.id).order_by()
        for evaluation, index, text in results.values_list("evaluation", "index", "prediction"):
            texts[evaluation][index] = text
        for evaluation, one in unknown.items():
            _cache[_key(one, data_set)] = _judged(
                task, texts[evaluation], labels, places[one.data_set], one.submission.drop_first
            )
    found = [_cache[_key(one, data_set)] for one in compared]
    while len(_cache) > _MOST_CACHED:
        _cache.popitem(last=False)
    return found


_MOST_CACHED = 256  # some 20 kB each
_cache: OrderedDict[tuple[UUID, int, int], Wrong] = OrderedDict()  # an evaluation never changes


def _key(one: Answering, data_set: int) -> tuple[UUID, int, int]:
    return one.submission.pk, one.evaluation, data_set


def _judged(
    task: Task,
    texts: Mapping[int, str | None],
    labels: Sequence[tuple[Label | None, Question]],
    places: Places,
    drop_first: bool,
) -> Wrong:
    found: list[str | None] = [None] * len(labels)
    for index, (label, question) in enumerate(labels):
        text = texts.get(places.get(index, -1))
        if text is not None and label is not None:
            found[index] = wrong_answer(
                task.id, text, label, question._replace(drop_first=drop_first)
            )
    return found


def _listed(
    submission: Submission, task: Task, data_set: int, wrong: Sequence[Wrong], row: SharedRow
) -> list[SharedAnswer]:
    shared = {
        index: (answer, sum(other[index] == answer for other in wrong) - 2)
        for index, answer in enumerate(wrong[0])
        if answer is not None and answer == wrong[row.shared.entry][index]
    }
    chosen = sorted(shared, key=lambda index: (shared[index][1], index))[:_MOST_ANSWERS]
    slug = example_slugs(submission, [data_set]).get(data_set, "")
    start = reverse("examples", args=[slug, task.id]) if slug else ""
    examples = Example.objects.filter(data_set=data_set, index__in=chosen).order_by()
    keys = dict(examples.values_list("index", "key"))
    query = f"?entry={submission.pk}&entry={row.submission.pk}"
    return [
        SharedAnswer(
            keys[index],
            f"{start}{quote(keys[index], safe='')}/{query}" if start else "",
            visible(shortened(shared[index][0], _SHOWN)),
            shared[index][1],
        )
        for index in chosen
    ]
