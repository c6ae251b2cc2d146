"""What a task scores without reading: by chance, and with one answer to all questions."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple

from portal.models import Example
from scoring.catalog import Kind, Task
from scoring.labels import LETTERS, Label, LabelError, canonical_label
from scoring.metrics import METRIC_SETS, Question
from scoring.stats import mean_percent

_ONE_GUESS = "strict"  # reads at most one answer from a text with several
_MOST = 5  # right answers to try, the most frequent ones


class Constant(NamedTuple):
    """The same answer to every question."""

    text: str
    percent: float


class Guessing(NamedTuple):
    chance: float | None = None  # percent; None: there are no options
    constant: Constant | None = None  # the best single answer; None: not known
    # A text with several answers that scores more: a weakness of the metric set.
    trick: Constant | None = None

    @property
    def most(self) -> float | None:
        """The best score of guessing."""
        known = [self.chance, self.constant and self.constant.percent]
        return max((one for one in known if one is not None), default=None)


def guessing(task: Task, release: str, metric_set: str, *, hidden: bool) -> Guessing:
    """``release``: its slug. For hidden releases, nothing that depends on their labels. One
    query."""
    chance = 100 / len(LETTERS) if task.kind is Kind.CHOICE else None
    if hidden or task.fractional:
        return Guessing(chance)
    of_task = Example.objects.filter(data_set__releases__slug=release, data_set__task=task.id)
    rows = of_task.order_by("index").values_list("label", "options")
    try:
        labels = [canonical_label(task, label, options) for label, options in rows]
    except LabelError:
        return Guessing(chance)
    return Guessing(chance, *_constants(task, labels, metric_set)) if labels else Guessing(chance)


def _constants(
    task: Task, labels: Sequence[Label], metric_set: str
) -> tuple[Constant | None, Constant | None]:
    rule = METRIC_SETS[metric_set][task.id]

    def best(texts: Iterable[str]) -> Constant:
        judged = (
            Constant(text, mean_percent([rule(text, one, Question()).score for one in labels]) or 0)
            for text in texts
        )
        return max(judged, key=lambda one: one.percent)

    if task.kind is Kind.CHOICE:
        plain = best(form for letter in LETTERS for form in (letter, f"{letter}."))
        tricks = [f"{a}. answer is: {b} {c}" for a, b, c in permutations(LETTERS, 3)]
    else:
        answers = Counter(text for label in labels for text in _answers(label))
        plain = best(text for text, _ in answers.most_common(_MOST))
        tricks = [", ".join(answers)] if task.kind is Kind.TEXTS else []
    if metric_set == _ONE_GUESS or not tricks:
        return plain, None
    trick = best(tricks)
    return plain, trick if trick.percent > plain.percent else None


def _answers(label: Label) -> list[str]:
    """All right answers, each once."""
    return list(dict.fromkeys(map(str, label))) if isinstance(label, tuple) else [str(label)]
