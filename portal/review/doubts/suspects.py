"""For reviewers: questions whose label may be wrong, because entries of several organisations give
the same wrong answer. The strongest evidence comes first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from django.core.cache import caches
from django.db.models import Q
from django.db.models.functions import Left, Right
from django.http import QueryDict

from portal.models import (
    Example,
    ExampleResult,
    Submission,
    SubmissionState,
    TaskScore,
    User,
    spelled_alike,
)
from portal.review.answers.makers import Answering, Places, answering_task, labels_of, places_of
from portal.review.doubts.task_choice import TaskChoice, choose_task
from portal.scores.questions.gold import gold_answers, label_of
from portal.scores.questions.items import question_scores
from scoring import __version__
from scoring.catalog import Kind, Task
from scoring.item_analysis.suspects import LEAST_ORGANISATIONS, Suspect, suspects
from scoring.item_analysis.wrong_answers import SOLVED, contains_label, wrong_answer
from scoring.labels import LETTERS
from scoring.metrics import PAPER_SET
from scoring.metrics.verdict import shortened
from scoring.problems import visible

LISTED = 50
# Judging their answers takes about a second, once. More would add little: each organisation has one
# vote, and weak entries hardly count.
MOST_ENTRIES = 60
_RULES = "strict"  # the metric set that reads wrong answers
_NOT_COMPARED = frozenset({"longbook_sum_eng"})  # no two summaries are the same
_SHOWN_QUESTION = 240  # characters, the last ones
_SHOWN_ANSWER = 160
_SHOWN_VALUES, _SHOWN_GOLD = 12, 3  # values of a calculation; right answers
_SHOWN_MAKERS = 6
_OPENED = 3  # answers opened on the page of the example, each of another organisation
_STRONG = 3.0  # reached by five in 1,000 questions with right labels (test_suspects)
_KEPT = 30 * 24 * 3600  # seconds


class Maker(NamedTuple):
    """An organisation, with its entries that give the answer."""

    name: str
    entries: Sequence[Submission]


class SuspectRow(NamedTuple):
    key: str
    url: str  # of the page of the example, with some of the answers opened
    question: str  # its end
    gold: Sequence[str]
    answer: str  # the wrong one, in its normal form
    makers: Sequence[Maker]  # the first ones
    others: int  # how many further makers
    share: float  # of all wrong answers to the question, in percent
    evidence: float  # natural logarithm of the odds that the label is wrong

    @property
    def is_strong(self) -> bool:
        return self.evidence >= _STRONG


@dataclass(frozen=True, slots=True)
class SuspectList:
    choice: TaskChoice
    entries: int  # published ones that have answered the task
    compared: int  # how many of these
    organisations: Sequence[str]  # of those compared, the best first; an empty name: not stated
    is_comparable: bool
    total: int  # suspects
    rows: Sequence[SuspectRow]

    @property
    def is_enough(self) -> bool:
        return len(self.organisations) >= LEAST_ORGANISATIONS


def suspect_list(reader: User, query: QueryDict) -> SuspectList | None:
    """For the release and task of the query string, or the first ones; None if there is no release.
    A fixed number of queries."""
    choice = choose_task(query)
    if choice is None:
        return None
    published = answering_task(reader, choice.task, {SubmissionState.PUBLISHED})
    places = places_of(choice.data_set.pk, {one.data_set for one in published})
    answering = [one for one in published if places[one.data_set]]
    compared = _compared(answering, choice.task)
    makers: dict[str, str] = {}
    for one in compared:
        makers.setdefault(_maker(one), one.submission.language_model.organisation)
    is_comparable = choice.task.id not in _NOT_COMPARED
    total, found = 0, list[Suspect]()
    if is_comparable:
        total, found = _known_suspects(choice, compared, places)
    return SuspectList(
        choice,
        len(answering),
        len(compared),
        list(makers.values()),
        is_comparable,
        total,
        _rows(choice, compared, found),
    )


def _maker(one: Answering) -> str:
    return spelled_alike(one.submission.language_model.organisation)


def _compared(answering: Sequence[Answering], task: Task) -> list[Answering]:
    """The best entry of each organisation, then the second best of each, until there are enough."""
    evaluations = [one.evaluation for one in answering]
    scores = TaskScore.objects.filter(
        evaluation__in=evaluations, task=task.id, metric_set=PAPER_SET
    )
    means = dict(scores.order_by().values_list("evaluation", "mean"))
    best = sorted(answering, key=lambda one: (-means[one.evaluation], one.evaluation))
    ranks = {maker: count() for maker in map(_maker, best)}
    ranked = [(next(ranks[_maker(one)]), place, one) for place, one in enumerate(best)]
    return [one for _rank, _place, one in sorted(ranked, key=lambda row: row[:2])][:MOST_ENTRIES]


def _known_suspects(
    choice: TaskChoice, compared: Sequence[Answering], places: Mapping[int, Places]
) -> tuple[int, list[Suspect]]:
    """How many there are, and the first ones. Cached for all processes: the answers never
    change."""
    about = [choice.task.id, choice.data_set.pk, __version__]
    about += [(one.evaluation, _maker(one)) for one in compared]
    name = f"suspects/{sha256(repr(about).encode()).hexdigest()}"
    known: tuple[int, list[Suspect]] | None = caches["results"].get(name)
    if known is None:
        found = _find_suspects(choice, compared, places)
        known = len(found), found[:LISTED]
        caches["results"].set(name, known, _KEPT)
    return known


def _find_suspects(
    choice: TaskChoice, compared: Sequence[Answering], places: Mapping[int, Places]
) -> list[Suspect]:
    task, data_set = choice.task, choice.data_set
    rows = {one.evaluation: row for row, one in enumerate(compared)}
    own_places = {one.evaluation: places[one.data_set] for one in compared}
    scores = question_scores(own_places, task.id, data_set.size, _RULES)
    wrong: list[list[str | None]] = [[None] * data_set.size for _one in compared]
    labels = labels_of(task, data_set.pk)
    indices = {
        one: {place: index for index, place in there.items()} for one, there in places.items()
    }
    for evaluation, place, text in _missed(choice, compared):
        one = compared[rows[evaluation]]
        index = indices[one.data_set].get(place)
        if index is None:
            continue
        label, question = labels[index]
        if label is not None:
            asked = question._replace(drop_first=one.submission.drop_first)
            answer = wrong_answer(task.id, text, label, asked)
            if answer and not contains_label(task.id, answer, label):
                wrong[rows[evaluation]][index] = answer
    return suspects(scores, wrong, [_maker(one) for one in compared])


def _missed(choice: TaskChoice, compared: Sequence[Answering]) -> "list[tuple[int, int, str]]":
    """Evaluation, index and text of the answers that may be wrong: also all that were scored with
    the labels of another data set, under which they may have been right."""
    own = [one.evaluation for one in compared if one.data_set == choice.data_set.pk]
    others = [one.evaluation for one in compared if one.data_set != choice.data_set.pk]
    right = 1.0 if choice.task.id == "math_calc" else SOLVED  # as in ``wrong_answer``
    wanted = Q(evaluation__in=own, strict__lt=right) | Q(evaluation__in=others)
    results = ExampleResult.objects.filter(wanted, task=choice.task.id, prediction__isnull=False)
    text = Left("prediction", choice.task.prediction_cap)
    return list(results.order_by().values_list("evaluation", "index", text))


def _rows(
    choice: TaskChoice, compared: Sequence[Answering], found: Sequence[Suspect]
) -> list[SuspectRow]:
    listed = {one.question for one in found}
    examples = Example.objects.filter(data_set=choice.data_set, index__in=listed).order_by()
    columns = examples.annotate(asked=Right("question", _SHOWN_QUESTION))
    texts = {one.index: one for one in columns.only("index", "key", "label", "options")}
    rows = []
    for one in found:
        example, by_maker = texts[one.question], dict[str, list[Submission]]()
        for entry in one.entries:
            by_maker.setdefault(_maker(compared[entry]), []).append(compared[entry].submission)
        makers = [Maker(of[0].language_model.organisation, of) for of in by_maker.values()]
        opened = [str(maker.entries[0].pk) for maker in makers[:_OPENED]]
        gold = gold_answers(choice.task, label_of(choice.task, example), _SHOWN_VALUES)
        rows.append(
            SuspectRow(
                example.key,
                choice.example_address(example.key, opened),
                visible(" ".join(getattr(example, "asked", "").split()), _SHOWN_QUESTION),
                [visible(answer, _SHOWN_ANSWER) for answer in gold[:_SHOWN_GOLD]],
                visible(shortened(_named(choice.task, one.answer, example), _SHOWN_ANSWER)),
                makers[:_SHOWN_MAKERS],
                max(0, len(makers) - _SHOWN_MAKERS),
                100 * one.share,
                one.evidence,
            )
        )
    return rows


def _named(task: Task, answer: str, example: Example) -> str:
    """The answer; an option's letter with its text."""
    place = LETTERS.find(answer) if task.kind is Kind.CHOICE and len(answer) == 1 else -1
    return f"{answer}. {example.options[place]}" if 0 <= place < len(example.options) else answer
