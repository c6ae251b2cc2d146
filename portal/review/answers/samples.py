"""A random sample of a submission's answers for reviewers; the same seed draws the same ones."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import or_
from typing import NamedTuple, Self
from urllib.parse import quote, urlencode

from django.db.models import F, Q, TextField, Value, Window
from django.db.models.functions import (
    MD5,
    Cast,
    Concat,
    Greatest,
    Least,
    Left,
    Length,
    Right,
    RowNumber,
)
from django.http import QueryDict
from django.urls import reverse

from portal.models import (
    SCORE_COLUMNS,
    Evaluation,
    Example,
    ExampleResult,
    Release,
    Submission,
    TaskScore,
    at_places,
)
from portal.scores.questions.gold import gold_answers, label_of
from portal.scores.questions.verdicts import SharedVerdict, shared_verdicts
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.item_analysis.wrong_answers import SOLVED
from scoring.metrics import PAPER_SET, judge
from scoring.problems import readable

OF_A_TASK = 5  # answers
_SHOWN = 1_200  # characters of an answer; the middle of longer ones is left out
_SHOWN_GOLD = 400
_SHOWN_VALUES = 60  # of a calculation, which has thousands
_SHOWN_QUESTION = 300  # characters of its end: instructions come first
_JUDGED = 200_000  # characters: only the page of the example explains verdicts on longer answers
_MAX_SEED = 1_000_000

_PAPER = SCORE_COLUMNS[PAPER_SET]
_APART = 0.5  # difference from which on two metric sets disagree
_CONDITIONS: Mapping[str, Q] = {  # under the rules of the paper
    "all": Q(),
    "right": Q(**{f"{_PAPER}__gte": SOLVED}),
    "wrong": Q(**{f"{_PAPER}__lt": SOLVED}),
    "empty": Q(prediction__regex=r"^\s*$"),
    "disagree": Q(range__gte=_APART),
}
SHOWN_TITLES: Mapping[str, str] = {
    "all": "All",
    "right": "Right",
    "wrong": "Wrong",
    "empty": "Empty",
    "disagree": "Metrics disagree",
}
_WITHOUT_VERDICTS = ("all", "empty")


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """Which answers are drawn: read from a query string."""

    show: str = "all"
    seed: int = 1
    task: str = ""  # whose answers are unfolded; empty: the first

    @classmethod
    def from_query(cls, query: QueryDict, *, verdicts: bool) -> Self:
        """Never an error, whatever the query string says."""
        show, seed, task = (query.get(name, "") for name in ("show", "seed", "task"))
        is_number = seed.isascii() and seed.isdecimal() and len(seed) < 9
        return cls(
            show if show in (SHOWN_TITLES if verdicts else _WITHOUT_VERDICTS) else "all",
            min(max(1, int(seed)), _MAX_SEED) if is_number else 1,
            task if task in TASKS else "",
        )

    def __str__(self) -> str:
        default = AnswerChoice()
        pairs = {
            name: getattr(self, name)
            for name in ("show", "seed", "task")
            if getattr(self, name) != getattr(default, name)
        }
        return f"?{urlencode(pairs)}"


@dataclass(frozen=True, slots=True)
class DrawnAnswer:
    key: str  # of the example; empty: the examples of the data set are not stored
    url: str  # of the example's page, with this answer opened; empty: it has none
    question: str  # its end
    gold: Sequence[str]  # empty if they may not be shown, or are not known
    text: str  # with control characters written out
    length: int  # characters of the whole answer
    verdicts: Sequence[SharedVerdict]  # empty if they may not be shown

    @property
    def is_empty(self) -> bool:
        return not self.text.strip()

    @property
    def is_cut(self) -> bool:
        return self.length > _SHOWN


class DrawnTask(NamedTuple):
    task: Task
    answers: Sequence[DrawnAnswer]
    is_open: bool
    others: AnswerChoice  # for five other answers of this task


class Choices(NamedTuple):
    """What is drawn, and links to other draws."""

    choice: AnswerChoice
    filters: Sequence[tuple[AnswerChoice, str]]
    others: AnswerChoice


def choices_of(choice: AnswerChoice, *, verdicts: bool) -> Choices:
    shown = SHOWN_TITLES if verdicts else _WITHOUT_VERDICTS
    filters = [(replace(choice, show=show), SHOWN_TITLES[show]) for show in shown]
    return Choices(choice, filters, replace(choice, seed=choice.seed % _MAX_SEED + 1))


def draw_answers(
    submission: Submission, evaluation: Evaluation, choice: AnswerChoice, *, verdicts: bool
) -> list[DrawnTask]:
    """Up to five answers to each task of the evaluation, in the order of boards.

    Without ``verdicts`` there are no gold answers either: next to an answer they tell whether it is
    right. Five queries.
    """
    scores = TaskScore.objects.filter(evaluation=evaluation).order_by()
    data_sets = dict(scores.values_list("task", "data_set"))
    drawn = _draw(evaluation, choice)
    examples = _examples(data_sets, drawn)
    slugs = example_slugs(submission, data_sets.values())
    answers: dict[str, list[DrawnAnswer]] = {task: [] for task in BOARD_ORDER if task in data_sets}
    for result in drawn:
        data_set = data_sets[result.task]
        example = examples.get((data_set, result.index))
        slug = slugs.get(data_set, "")
        answer = _drawn_answer(submission, result, example, slug, verdicts=verdicts)
        answers[result.task].append(answer)
    first = next(iter(answers), "")
    return [
        DrawnTask(
            TASKS[task],
            found,
            task == (choice.task or first),
            replace(choice, seed=choice.seed % _MAX_SEED + 1, task=task),
        )
        for task, found in answers.items()
    ]


def _draw(evaluation: Evaluation, choice: AnswerChoice) -> list[ExampleResult]:
    """In a random order, by hashes of index and seed, so that nothing drawn has to be stored."""
    columns = SCORE_COLUMNS.values()
    given = ExampleResult.objects.filter(evaluation=evaluation, prediction__isnull=False)
    chosen = given.alias(range=Greatest(*columns) - Least(*columns))
    chosen = chosen.filter(_CONDITIONS[choice.show]).order_by()
    draw = MD5(Concat(Cast("index", TextField()), Value(f"/{choice.seed}", TextField())))
    rank = Window(RowNumber(), partition_by=F("task"), order_by=[draw, F("index")])
    ranked = chosen.annotate(rank=rank).filter(rank__lte=OF_A_TASK)
    places: defaultdict[str, list[int]] = defaultdict(list)
    for task, index in ranked.values_list("task", "index"):
        places[task].append(index)
    wanted = (Q(at_places(indexes), task=task) for task, indexes in places.items())
    found = ExampleResult.objects.filter(reduce(or_, wanted, Q(task="")), evaluation=evaluation)
    texts = found.defer("prediction").annotate(
        start=Left("prediction", _JUDGED), length=Length("prediction"), draw=draw
    )
    return list(texts.order_by("draw", "index"))


def _examples(
    data_sets: Mapping[str, int], drawn: Iterable[ExampleResult]
) -> dict[tuple[int, int], Example]:
    """By data set and index."""
    indices: defaultdict[int, list[int]] = defaultdict(list)
    for one in drawn:
        indices[data_sets[one.task]].append(one.index)
    wanted = (Q(data_set=data_set, index__in=found) for data_set, found in indices.items())
    examples = Example.objects.filter(reduce(or_, wanted, Q(pk=None)))
    columns = examples.annotate(asked=Right("question", _SHOWN_QUESTION)).only(
        "data_set", "index", "key", "label", "options", "answer_type"
    )
    return {(one.data_set_id, one.index): one for one in columns}


def example_slugs(submission: Submission, data_sets: Iterable[int]) -> dict[int, str]:
    """By data set, the release of the submission's board whose pages show its examples."""
    releases = Release.objects.public().filter(
        Q(pk=submission.release_id) | Q(part_of=submission.release_id)
    )
    pairs = releases.filter(data_sets__in=set(data_sets)).values_list("data_sets", "slug")
    return dict(pairs.order_by("-part_of"))


def _drawn_answer(
    submission: Submission,
    result: ExampleResult,
    example: Example | None,
    slug: str,
    *,
    verdicts: bool,
) -> DrawnAnswer:
    task = TASKS[result.task]
    start: str = getattr(result, "start", "")
    length: int = getattr(result, "length", 0)
    url, gold, found = "", list[str](), list[SharedVerdict]()
    if example and slug:
        list_url = reverse("examples", args=[slug, task.id])
        url = f"{list_url}{quote(example.key, safe='')}/?entry={submission.pk}"
    label = label_of(task, example) if example and verdicts else None
    if example and label is not None:
        gold = [_shown(one, _SHOWN_GOLD) for one in gold_answers(task, label, _SHOWN_VALUES)]
        if length <= _JUDGED:
            question = example.for_rules(drop_first=submission.drop_first)
            found = shared_verdicts(judge(task.id, start, label, question))
    return DrawnAnswer(
        key=example.key if example else "",
        url=url,
        question=_shown(getattr(example, "asked", ""), _SHOWN_QUESTION),
        gold=gold,
        text=_shown(start, _SHOWN),
        length=length,
        verdicts=found,
    )


def _shown(text: str, most: int) -> str:
    """The text without its middle if it is longer."""
    return readable(text if len(text) <= most else f"{text[: most // 2]} … {text[-(most // 2) :]}")
