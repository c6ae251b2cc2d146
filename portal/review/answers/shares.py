"""What the answers of a submission have in common, task by task: how many are empty, the same, or
literally a gold answer, and how long they are."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from django.db.models.functions import Left, Length

from portal.models import Evaluation, Example, ExampleResult, TaskScore
from scoring.catalog import BOARD_ORDER, TASKS, Kind, Task
from scoring.labels import Label, LabelError, canonical_label
from scoring.metrics.verdict import shortened
from scoring.problems import visible

_COMPARED = 4_000  # characters of an answer and of a gold answer that are compared
_SHOWN = 40  # characters of the most frequent answer
_WORD = re.compile(r"\w+")

# Flags: the shares of given answers, among at least ``_LEAST``, from which on reviewers are told.
_LEAST = 10
_LISTED = 4  # tasks; if there are more, only their number is given
_MANY_EMPTY = 0.1
_MANY_ALIKE = 0.6
_MANY_OF_OTHERS = 0.2
_MANY_GOLD = 0.1  # of the answers to questions with long gold answers, in tasks of free text
# Also of these: none of the released files has more than 0.13, but a strong model that answers in
# sentences may have more.
_MANY_INSIDE = 0.6
# Bytes of a gold answer that nobody hits literally by chance: 24 letters, or 8 Chinese characters.
_LONG = 24


@dataclass(frozen=True, slots=True)
class AnswerShares:
    """Counts of the answers to one task."""

    task: Task
    given: int  # rows with a prediction, which may be empty
    empty: int  # nothing but spaces
    alike: int  # how many give the most frequent answer; 1: all are different
    most_frequent: str  # that answer, shortened
    # How many are literally the gold answer of their example, apart from case and punctuation; in
    # Math.Calc, all of its values. None if this may not be shown, or no gold answer is known.
    gold: int | None
    # How many are not, but are the gold answer of another example. None also for tasks whose
    # examples share the same few answers.
    other_gold: int | None
    lengths: Sequence[int]  # in characters
    # ``given`` and ``gold`` of questions with only long gold answers, in tasks of free text. There,
    # equal texts mean pasted labels; elsewhere they just mean right answers.
    long: int
    long_gold: int
    long_inside: int  # how many have a whole gold answer in them, and other words

    def percent(self, count: int | None) -> float | None:
        """The share of the given answers."""
        return None if count is None or not self.given else 100 * count / self.given

    @property
    def empty_percent(self) -> float | None:
        return self.percent(self.empty)

    @property
    def alike_percent(self) -> float | None:
        return self.percent(self.alike)

    @property
    def gold_percent(self) -> float | None:
        return self.percent(self.gold)

    @property
    def other_gold_percent(self) -> float | None:
        return self.percent(self.other_gold)


def answer_shares(evaluation: Evaluation, *, verdicts: bool) -> list[AnswerShares]:
    """For each submitted task, in the order of boards. ``verdicts``: the reader may see them, and
    so which answers are gold answers."""
    counted = _counted(evaluation.pk, evaluation.finished)
    if verdicts:
        return counted
    return [
        replace(one, gold=None, other_gold=None, long=0, long_gold=0, long_inside=0)
        for one in counted
    ]


class Flag(NamedTuple):
    """What a reviewer should look at twice."""

    code: str
    sentence: str
    is_critical: bool = False  # the scores themselves may mean nothing


class _Rule(NamedTuple):
    code: str
    sentence: str
    counts: Callable[[AnswerShares], tuple[int, int]]  # answers that match, and all
    least: float  # share from which on it is flagged
    is_critical: bool = False
    needs_verdicts: bool = False  # it reveals which answers are gold answers


_RULES = (  # the most severe first
    _Rule(
        "gold",
        "Long gold answers are given word for word",
        lambda one: (one.long_gold, one.long),
        _MANY_GOLD,
        is_critical=True,
        needs_verdicts=True,
    ),
    _Rule(
        "gold inside",
        "Long gold answers are given word for word, with other words around them",
        lambda one: (one.long_inside, one.long),
        _MANY_INSIDE,
        is_critical=True,
        needs_verdicts=True,
    ),
    _Rule(
        "other gold",
        "Answers are the gold answers of other examples",
        lambda one: (one.other_gold or 0, one.given),
        _MANY_OF_OTHERS,
        is_critical=True,
        needs_verdicts=True,
    ),
    _Rule(
        "empty",
        "Answers are empty",
        lambda one: (one.empty, one.given),
        _MANY_EMPTY,
    ),
    _Rule(
        "alike",
        "Many answers are the same",
        lambda one: (one.alike, one.given),
        _MANY_ALIKE,
    ),
)


# By code of a rule: for each task that it applies to, its id, the answers that match, and all.
FlagCounts = Mapping[str, Sequence[tuple[str, int, int]]]


def flag_counts(shares: Sequence[AnswerShares]) -> FlagCounts:
    """For the rules that apply to any task."""
    found = {}
    for rule in _RULES:
        counts = [(one.task.id, *rule.counts(one)) for one in shares]
        found[rule.code] = [
            (task, count, total)
            for task, count, total in counts
            if total >= _LEAST and count >= rule.least * total
        ]
    return {code: counts for code, counts in found.items() if counts}


def flags_of(counts: FlagCounts, *, verdicts: bool) -> list[Flag]:
    """One for each rule, the most severe first. ``verdicts``: the reader may see them."""
    found = []
    for rule in _RULES:
        if rule.code not in counts or (rule.needs_verdicts and not verdicts):
            continue
        tasks = [
            f"{TASKS[task].title} ({count} of {total})" for task, count, total in counts[rule.code]
        ]
        if len(tasks) > _LISTED:
            matching = sum(count for _task, count, _total in counts[rule.code])
            answers = sum(total for _task, _count, total in counts[rule.code])
            tasks = [f"{len(tasks)} tasks ({matching} of {answers})"]
        sentence = f"{rule.sentence}: {', '.join(tasks)}."
        found.append(Flag(rule.code, sentence, rule.is_critical))
    return found


@lru_cache(maxsize=64)  # some 100 kB each; what an evaluation has found never changes
def _counted(evaluation: int, _finished: datetime | None) -> list[AnswerShares]:
    """``_finished`` tells evaluations with the same number in two databases apart."""
    answers: defaultdict[str, dict[int, _Answer]] = defaultdict(dict)
    rows = ExampleResult.objects.filter(evaluation=evaluation, prediction__isnull=False).order_by()
    columns = rows.annotate(length=Length("prediction"), start=Left("prediction", _COMPARED))
    for task, index, *answer in columns.values_list("task", "index", "start", "length", "strict"):
        answers[task][index] = _Answer(*answer)
    gold = _gold_forms(evaluation)
    return [
        _shares(TASKS[task], answers[task], gold.get(task, {}))
        for task in BOARD_ORDER
        if task in answers
    ]


class _Answer(NamedTuple):
    start: str
    length: int
    strict: float | None


def _shares(
    task: Task, answers: Mapping[int, _Answer], gold: Mapping[int, frozenset[str]]
) -> AnswerShares:
    forms = {index: _normal(one.start) for index, one in answers.items()}
    texts = {index: form for index, form in forms.items() if form}
    [(alike_form, alike)] = Counter(texts.values()).most_common(1) or [("", 0)]
    first = next((index for index, form in texts.items() if form == alike_form), None)
    if task.kind is Kind.INTEGERS:
        equal = {index for index, one in answers.items() if one.strict == 1}
    else:
        equal = {index for index, form in texts.items() if form in gold.get(index, ())}
    is_free = task.fractional and task.kind is Kind.TEXTS
    long = {
        index
        for index in answers
        if is_free and all(len(form.encode()) >= _LONG for form in gold.get(index) or ("",))
    }
    others = None
    if gold and task.kind in (Kind.TEXT, Kind.TEXTS):
        known = frozenset[str]().union(*gold.values())
        others = sum(form in known for index, form in texts.items() if index not in equal)
    return AnswerShares(
        task,
        given=len(answers),
        empty=sum(not one.start.strip() for one in answers.values()),
        alike=alike,
        most_frequent="" if first is None else visible(shortened(answers[first].start, _SHOWN)),
        gold=len(equal) if gold or task.kind is Kind.INTEGERS else None,
        other_gold=others,
        lengths=sorted(one.length for one in answers.values()),
        long=len(long),
        long_gold=len(long & equal),
        long_inside=sum(
            any(form in forms[index] for form in gold.get(index, ())) for index in long - equal
        ),
    )


def _gold_forms(evaluation: int) -> dict[str, Mapping[int, frozenset[str]]]:
    """By task and index, in their normal forms. Math.Calc is left out: its labels are 750,000
    numbers, and an answer with all values simply has the full score."""
    tasks = [task.id for task in TASKS.values() if task.kind is not Kind.INTEGERS]
    scored = TaskScore.objects.filter(evaluation=evaluation, task__in=tasks).order_by()
    columns = ("task", "data_set", "data_set__labels_hash")
    return {task: _forms_of(task, *one) for task, *one in scored.values_list(*columns).distinct()}


@lru_cache(maxsize=48)  # below 1 MB each; a data set never changes
def _forms_of(name: str, data_set: int, _labels_hash: str) -> Mapping[int, frozenset[str]]:
    """``_labels_hash`` tells data sets with the same number in two databases apart."""
    task, found = TASKS[name], {}
    rows = Example.objects.filter(data_set=data_set).order_by()
    for index, label, options in rows.values_list("index", "label", "options"):
        try:
            found[index] = _forms(task, canonical_label(task, label, options)) - {""}
        except LabelError:  # imports refuse such labels
            continue
    return found


def _forms(task: Task, label: Label) -> frozenset[str]:
    """The ways to write a gold answer: for an option its text, its letter, and both; for several
    right answers each of them, and all in a row."""
    parts = list(map(str, label)) if isinstance(label, tuple) else [str(label)]
    rows = [parts, parts[::-1]] if task.kind is Kind.CHOICE else [parts]
    return frozenset(map(_normal, [*parts, *map(" ".join, rows)]))


def _normal(text: str) -> str:
    return " ".join(_WORD.findall(text[:_COMPARED].casefold()))
