"""For reviewers: wrong answers that a submission shares with others, which are a sign of
copying."""

from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote
from uuid import UUID

from django.db.models.functions import Left
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
    at_places,
)
from portal.review.answers.makers import Answering, Places, answering_task, labels_of, places_of
from portal.review.answers.samples import example_slugs
from portal.scores.vectors import unpack_scores
from scoring.catalog import BOARD_ORDER, TASKS, Kind, Task
from scoring.item_analysis.near_copies import nearly_equal, normal_form, shingles
from scoring.item_analysis.wrong_answers import SOLVED, wrong_answer
from scoring.labels import Label
from scoring.metrics import Question
from scoring.metrics.verdict import shortened
from scoring.problems import visible

MOST_ENTRIES = 15  # that a submission is compared with
_MOST_PAIRS = 10  # that are listed
_COMPARED = 1_000  # characters of an answer
_SHOWN = 240
# Share of equal answers, among the questions that both miss, that is no coincidence where answers
# are free: no two of the released files have more than 0.23 (Math.Find). In tasks with options
# they have up to 0.59, so there it proves nothing.
_COPIED = 0.5
_LEAST = 10  # questions that both miss
_FIRST = "longbook_qa_eng"  # the task whose wrong answers vary most
_RULES = "strict"  # the metric set that reads wrong answers
_NOT_COMPARED = frozenset({"longbook_sum_eng"})  # no two summaries are the same
# States of submissions that people besides their owners have seen.
SEEN = frozenset(SubmissionState) - {SubmissionState.PRIVATE, SubmissionState.WITHDRAWN}

Wrong = Sequence[str | None]  # by question


class SharedRow(NamedTuple):
    """What the submission has in common with another one."""

    submission: Submission
    both: int  # questions to which both give a wrong answer
    same: int  # of these, those to which they give the same
    is_by_same_author: bool  # versions by one author are alike anyway
    looks_copied: bool

    @property
    def percent(self) -> int:
        return round(100 * self.same / self.both) if self.both else 0


class AnswerPair(NamedTuple):
    """Wrong answers of both to one question that are equal, or nearly so."""

    key: str
    url: str  # of the page of its example, with both answers opened; empty: it has none
    own: str
    theirs: str
    others: int  # further submissions that give the same wrong answer


@dataclass(frozen=True, slots=True)
class SharedPage:
    task: Task
    tasks: Sequence[Task]  # whose answers can be compared
    missed: int  # questions that the submission answers wrongly
    rows: Sequence[SharedRow]  # with what looks copied first, then with the most equal answers
    total: int  # all other submissions, also those not compared
    closest: SharedRow | None  # a near copy, otherwise the first that shares any answer
    pairs: Sequence[AnswerPair]  # with the closest, the rarest answers first


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

    compared: Sequence[Answering]  # the submission itself, then each that it is compared with
    places: Mapping[int, Places]
    wrong: Sequence[Wrong]  # of each of them
    rows: Sequence[SharedRow]
    total: int  # all other submissions, also those not compared


def shared_rows(evaluation: Evaluation, task: Task) -> Sequence[SharedRow]:
    """Compared with submissions that people besides their owners have seen. For the site itself;
    ``shared_page`` is for readers."""
    return _shared(None, evaluation, task).rows


def shared_page(
    reader: User,
    evaluation: Evaluation,
    tasks: Sequence[Task],
    task: Task,
    near_copies: Collection[UUID] = (),
) -> SharedPage:
    """For a reader who may see the verdicts of the submission; other submissions whose verdicts
    they may not see are left out. ``near_copies`` are the submissions whose wrong answers are
    nearly equal. A fixed number of queries."""
    found = _shared(reader, evaluation, task)
    sharing = [row for row in found.rows if row.same or row.submission.pk in near_copies]
    closest = max(sharing, key=lambda row: row.submission.pk in near_copies, default=None)
    return SharedPage(
        task,
        tasks,
        missed=sum(answer is not None for answer in found.wrong[0]),
        rows=found.rows,
        total=found.total,
        closest=closest,
        pairs=_pairs(task, found, closest, near_copies) if closest else (),
    )


def _shared(reader: User | None, evaluation: Evaluation, task: Task) -> _Shared:
    submission = evaluation.submission
    compared, places, total = nearest_answering(reader, submission, evaluation, task)
    wrong = _wrong_answers(task, compared[0].data_set, compared, places)
    rows = [
        _row(task, submission, other.submission, list(zip(wrong[0], theirs, strict=True)))
        for other, theirs in zip(compared[1:], wrong[1:], strict=True)
    ]
    rows.sort(key=lambda row: (not row.looks_copied, -row.same, row.both))
    return _Shared(compared, places, wrong, rows, total)


def _row(
    task: Task,
    submission: Submission,
    other: Submission,
    answers: Sequence[tuple[str | None, str | None]],
) -> SharedRow:
    both = [pair for pair in answers if None not in pair]
    same = Counter(own for own, theirs in both if own == theirs)
    is_by_same_author = other.owner_id == submission.owner_id
    return SharedRow(
        other,
        len(both),
        same.total(),
        is_by_same_author,
        looks_copied=not is_by_same_author
        and task.kind is not Kind.CHOICE
        and len(both) >= _LEAST
        and same.total() >= _COPIED * len(both)
        # One answer again and again, such as a refusal, is no copy.
        and 2 * max(same.values(), default=0) <= same.total(),
    )


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


def _pairs(
    task: Task, found: _Shared, row: SharedRow, near_copies: Collection[UUID]
) -> list[AnswerPair]:
    """Of a near copy also answers of which a few characters differ."""
    own, *others = found.compared
    place = 1 + [one.submission.pk for one in others].index(row.submission.pk)
    other, where = found.compared[place], found.places[found.compared[place].data_set]
    missed = {
        index: mine == theirs
        for index, (mine, theirs) in enumerate(zip(found.wrong[0], found.wrong[place], strict=True))
        if mine is not None and theirs is not None
    }
    texts = _starts(own.evaluation, task, missed)
    starts = _starts(other.evaluation, task, [where[index] for index in missed])
    is_near_copy = row.submission.pk in near_copies
    alike = [
        index
        for index, is_same in missed.items()
        if is_same or (is_near_copy and _nearly_equal(texts[index], starts[where[index]]))
    ]
    third = [wrong for n, wrong in enumerate(found.wrong) if n not in (0, place)]
    counts = {
        index: sum(wrong[index] == found.wrong[0][index] for wrong in third) for index in alike
    }
    chosen = sorted(alike, key=lambda index: (counts[index], index))[:_MOST_PAIRS]
    slug = example_slugs(own.submission, [own.data_set]).get(own.data_set, "")
    start = reverse("examples", args=[slug, task.id]) if slug else ""
    examples = Example.objects.filter(data_set=own.data_set, index__in=chosen).order_by()
    keys = dict(examples.values_list("index", "key"))
    query = f"?entry={own.submission.pk}&entry={row.submission.pk}"
    return [
        AnswerPair(
            keys[index],
            f"{start}{quote(keys[index], safe='')}/{query}" if start else "",
            visible(shortened(texts[index], _SHOWN), _SHOWN),
            visible(shortened(starts[where[index]], _SHOWN), _SHOWN),
            counts[index],
        )
        for index in chosen
    ]


def _starts(evaluation: int, task: Task, indexes: Collection[int]) -> dict[int, str]:
    results = ExampleResult.objects.filter(
        at_places(indexes), evaluation=evaluation, task=task.id, prediction__isnull=False
    )
    return dict(results.order_by().values_list("index", Left("prediction", _COMPARED)))


def _nearly_equal(one: str, other: str) -> bool:
    return nearly_equal(shingles(normal_form(one)), shingles(normal_form(other)))
