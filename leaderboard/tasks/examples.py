"""A real example for the page of a task, and answers to it as each metric set judges them."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from django.db.models import F, Q
from django.db.models.functions import Abs

from leaderboard.entries import Entry
from leaderboard.queries import BoardRelease
from portal.models import SCORE_COLUMNS, Example, ExampleResult, TaskScore, at_places
from portal.releases.excerpts import Piece, excerpt
from portal.scores.questions.gold import label_of
from portal.scores.questions.verdicts import status_of
from portal.scores.titles import METRIC_SET_TITLES, MetricSetTitle
from scoring.catalog import Kind, Task
from scoring.labels import LETTERS, Label
from scoring.metrics import judge
from scoring.metrics.verdict import shortened
from scoring.problems import visible
from scoring.text.text_index import WindowError

log = logging.getLogger(__name__)

_MOST_ENTRIES = 6  # whose answers are searched
_LONGEST = 300  # characters of an answer
_LONGEST_QUESTION = 600
_VALUES = 8  # shown of a long list
_CLEAR = 1.0  # difference in the sum over metric sets from which one answer is plainly better
_DISAGREE = 0.5  # difference between two metric sets
BEST, WORST, DISPUTED = "best", "worst", "disputed"


class Option(NamedTuple):
    letter: str
    text: str
    is_right: bool


class Judgement(NamedTuple):
    metric_sets: Sequence[MetricSetTitle]  # that agree, for the same reason
    percent: float
    reason: str

    @property
    def status(self) -> str:
        return status_of(self.percent)


class JudgedAnswer(NamedTuple):
    entry: Entry
    prediction: str
    judgements: Sequence[Judgement]
    role: str  # ``BEST``, ``WORST``, or ``DISPUTED``: which the metric sets judge differently
    label: str  # if it belongs to another example than the one shown; otherwise empty


class ShownExample(NamedTuple):
    release: BoardRelease
    key: str
    question: str
    options: Sequence[Option]
    label: str
    tokens: int | None
    depth: float | None
    pieces: Sequence[Piece]  # of its context; empty: it is not stored
    answers: Sequence[JudgedAnswer]


class _Row(NamedTuple):
    """An answer in the database."""

    question: tuple[int, int]  # data set and index
    evaluation: int
    scores: tuple[float, ...]

    @property
    def total(self) -> float:
        return sum(self.scores)

    @property
    def disagreement(self) -> float:
        return max(self.scores) - min(self.scores)


def shown_example(
    task: Task, release: BoardRelease, entries: Sequence[Entry] = ()
) -> ShownExample | None:
    """An example of a release with public labels, with what some of these entries answered; None
    for other releases, and if no example is stored. A fixed number of queries.

    Preferably one that was answered both well and badly, otherwise one from the middle.
    """
    if release.hidden:
        return None
    chosen = _choose_answers(_read_rows(task, entries))
    examples = _read_examples(row.question for _, row in chosen)
    questions = {row.question for role, row in chosen if role != DISPUTED}
    example = examples.get(questions.pop()) if len(questions) == 1 else None
    example = example or _middle_example(task, release)
    label = None if example is None else label_of(task, example)
    if example is None or label is None:
        return None
    answers = _judged(task, chosen, examples, entries, example)
    letter = label[1] if task.kind is Kind.CHOICE and isinstance(label, tuple) else ""
    with_context = _with_context(example)
    options = zip(LETTERS, with_context.options, strict=False)
    return ShownExample(
        release,
        example.key,
        shortened(with_context.question, _LONGEST_QUESTION),
        [Option(one, text, one == letter) for one, text in options],
        label_text(task, label),
        with_context.tokens,
        with_context.depth,
        _excerpt(with_context),
        answers,
    )


def _read_rows(task: Task, entries: Sequence[Entry]) -> list[_Row]:
    """What a few of these entries, spread from first to last, answered and scored."""
    known = [entry.evaluation for entry in entries if entry.evaluation is not None]
    count = min(len(known), _MOST_ENTRIES)
    sample = {known[place * (len(known) - 1) // max(1, count - 1)] for place in range(count)}
    of_task = TaskScore.objects.filter(evaluation__in=sample, task=task.id).order_by()
    data_sets = dict(of_task.values_list("evaluation", "data_set"))
    results = ExampleResult.objects.filter(evaluation__in=data_sets, task=task.id)
    answered = results.filter(prediction__isnull=False).exclude(prediction="")
    columns = ("evaluation", "index", *SCORE_COLUMNS.values())
    return [
        _Row((data_sets[evaluation], index), evaluation, tuple(score or 0.0 for score in scores))
        for evaluation, index, *scores in answered.order_by("index").values_list(*columns)
    ]


def _choose_answers(rows: Sequence[_Row]) -> list[tuple[str, _Row]]:
    """A good and a bad answer, to the same question if possible, and one that the metric sets judge
    differently."""
    if not rows:
        return []
    by_question: dict[tuple[int, int], list[_Row]] = {}
    for row in rows:
        by_question.setdefault(row.question, []).append(row)

    def ends(found: Iterable[_Row]) -> tuple[_Row, _Row]:
        ordered = sorted(found, key=lambda row: row.total)
        return ordered[-1], ordered[0]

    def gap(pair: tuple[_Row, _Row]) -> float:
        return pair[0].total - pair[1].total

    middle = max(index for _, index in by_question) // 2
    near_the_middle = sorted(by_question, key=lambda one: abs(one[1] - middle))
    pair = max((ends(by_question[one]) for one in near_the_middle), key=gap)
    best, worst = pair if gap(pair) >= _CLEAR else ends(rows)
    chosen = [(BEST, best)] if best.total else []
    if worst.total < best.total or not best.total:
        chosen.append((WORST, worst))
    disputed = max(rows, key=lambda row: row.disagreement)
    if disputed.disagreement >= _DISAGREE and disputed not in (best, worst):
        chosen.append((DISPUTED, disputed))
    return chosen


def _read_examples(questions: Iterable[tuple[int, int]]) -> dict[tuple[int, int], Example]:
    wanted = Q(pk__in=[])
    for data_set, index in questions:
        wanted |= Q(data_set=data_set, index=index)
    found = Example.objects.filter(wanted).select_related("context")
    return {(one.data_set_id, one.index): one for one in found}


def _middle_example(task: Task, release: BoardRelease) -> Example | None:
    """With its evidence in the middle of its context, as far as that is known."""
    of_task = Example.objects.filter(data_set__releases__slug=release.slug, data_set__task=task.id)
    from_the_middle = Abs(F("depth") - 0.5).asc(nulls_last=True)
    return of_task.select_related("context").order_by(from_the_middle, "index").first()


def _with_context(example: Example) -> Example:
    """The same question from official data with contexts, if this one is only a label."""
    if example.context_id is not None or example.question_number is None:
        return example
    public = Example.objects.filter(
        data_set__task=example.data_set.task,
        data_set__releases__official=True,
        data_set__releases__hidden=False,
    )
    same = public.filter(question_number=example.question_number, label=example.label)
    found = same.filter(context__isnull=False).select_related("context")
    return found.order_by("pk").first() or example


def _excerpt(example: Example) -> list[Piece]:
    if example.context is None:
        return []
    try:
        return excerpt(example.context, [(start, end) for start, end in example.evidence or ()])
    except (OSError, WindowError):
        log.exception("context %s cannot be read", example.context)
        return []


def label_text(task: Task, label: Label) -> str:
    """As pages show it."""
    if not isinstance(label, tuple):
        return str(label)
    if task.kind is Kind.CHOICE:
        return f"{label[1]}. {label[0]}"
    if task.kind is Kind.INTEGERS:
        values = [str(value) for value in label]
        if len(values) > 2 * _VALUES:
            values = [*values[:_VALUES], "…", *values[-2:]]
        return ", ".join(values)
    return shortened(" / ".join(map(str, label)), _LONGEST_QUESTION)


def _judged(
    task: Task,
    chosen: Sequence[tuple[str, _Row]],
    examples: Mapping[tuple[int, int], Example],
    entries: Iterable[Entry],
    shown: Example,
) -> list[JudgedAnswer]:
    """Judged afresh, by the rules that every score comes from."""
    wanted = Q(pk__in=[])
    for _, row in chosen:
        wanted |= Q(at_places([row.question[1]]), evaluation=row.evaluation)
    results = ExampleResult.objects.filter(wanted, task=task.id).order_by()
    columns = ("evaluation", "index", "prediction", "evaluation__submission__drop_first")
    texts = {(pk, index): found for pk, index, *found in results.values_list(*columns)}
    by_evaluation = {entry.evaluation: entry for entry in entries}
    answers = []
    for role, row in chosen:
        example = examples.get(row.question)
        label = None if example is None else label_of(task, example)
        if example is None or label is None:
            continue
        prediction, drop_first = texts[row.evaluation, row.question[1]]
        asked = example.for_rules(drop_first=drop_first)
        verdicts: dict[tuple[float, str], list[MetricSetTitle]] = {}
        for name, verdict in judge(task.id, prediction, label, asked).items():
            found = 100 * verdict.score, verdict.reason
            verdicts.setdefault(found, []).append(METRIC_SET_TITLES[name])
        judgements = [Judgement(sets, *found) for found, sets in verdicts.items()]
        other = "" if example.pk == shown.pk else label_text(task, label)
        text = visible(shortened(prediction, _LONGEST), _LONGEST)
        answers.append(JudgedAnswer(by_evaluation[row.evaluation], text, judgements, role, other))
    return answers
