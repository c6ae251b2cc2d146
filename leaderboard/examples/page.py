"""All that the page of one example shows."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.core.paginator import Page
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.examples.answers import (
    STATUSES,
    Answer,
    FullAnswer,
    Judgement,
    page_of,
    read_answers,
    read_in_full,
)
from leaderboard.examples.choice import Choice
from leaderboard.examples.example import ShownExample, gold_answers, shown_example
from leaderboard.examples.marks import MATCHED, Piece, marked, marks_of
from leaderboard.examples.queries import (
    QuestionSet,
    Reader,
    chosen_answering,
    published_answering,
)
from portal.models import Example
from portal.scores.titles import MetricSetTitle
from scoring.metrics.verdict import shortened
from scoring.problems import visible


class SharedVerdict(NamedTuple):
    """What one or more metric sets say of an answer, for the same reason."""

    metric_sets: Sequence[MetricSetTitle]
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class OpenedAnswer:
    """An answer in full, marked as one metric set reads it."""

    answer: FullAnswer
    judgement: Judgement | None  # of the metric set that is chosen
    verdicts: Sequence[SharedVerdict]
    pieces: Sequence[Piece]
    gold: Sequence[Piece]  # the gold answer that it shares tokens with; none for other rules
    label: str  # the gold answer that it was judged by, where that is not the release's
    closed: Choice  # without it

    @property
    def precision_percent(self) -> float:
        """Of the tokens in the prediction."""
        match = self.judgement and self.judgement.explanation.match
        return 100 * match.precision if match else 0.0

    @property
    def recall_percent(self) -> float:
        """Of the tokens in the gold answer."""
        match = self.judgement and self.judgement.explanation.match
        return 100 * match.recall if match else 0.0


class Line(NamedTuple):
    """An answer in the list of all."""

    answer: Answer
    start: str  # of the prediction, on one line
    is_open: bool
    href: Choice  # opens or closes it


@dataclass(frozen=True, slots=True)
class ExamplePage:
    questions: QuestionSet
    shown: ShownExample
    choice: Choice
    opened: Sequence[OpenedAnswer]
    counts: Mapping[str, int]  # of published answers: by status under the metric set
    answers: "Page[Answer]"

    @property
    def address(self) -> str:
        """Of this example, without the query string."""
        return example_address(self.questions, self.shown.key)

    @property
    def title(self) -> str:
        values = {"task": self.questions.task.title, "key": self.shown.key}
        return _("%(task)s, example %(key)s") % values

    @property
    def tally(self) -> list[tuple[str, int]]:
        """How many published answers are right, and so on; without what none is."""
        return [(status, self.counts[status]) for status in STATUSES if self.counts.get(status)]

    @property
    def lines(self) -> list[Line]:
        opened = {one.answer.by.id for one in self.opened}
        return [
            Line(
                one,
                visible(shortened(one.text, len(one.text)), len(one.text)),
                one.by.id in opened,
                self.choice.toggled(one.by.id),
            )
            for one in self.answers
        ]

    @property
    def previous_page(self) -> Choice:
        return self.choice.on_page(self.answers.previous_page_number())

    @property
    def next_page(self) -> Choice:
        return self.choice.on_page(self.answers.next_page_number())

    @property
    def unknown(self) -> int:
        """How many of the chosen entries have no answer here."""
        return len(self.choice.entries) - len(self.opened)


def example_page(
    reader: Reader, questions: QuestionSet, example: Example, choice: Choice
) -> ExamplePage:
    """A fixed number of queries, however many entries there are."""
    published = published_answering(reader, questions)
    chosen = chosen_answering(reader, questions, published, choice.entries)
    answers = read_answers(questions, example, published)
    return ExamplePage(
        questions,
        shown_example(questions, example),
        choice,
        [_opened(questions, one, choice) for one in read_in_full(questions, example, chosen)],
        Counter(one.status(choice.metric_set) for one in answers),
        page_of(questions, example, answers, choice.page),
    )


def example_address(questions: QuestionSet, key: str) -> str:
    return reverse("example", args=[questions.release.slug, questions.task.id, key])


def _opened(questions: QuestionSet, answer: FullAnswer, choice: Choice) -> OpenedAnswer:
    judgement = answer.judgement(choice.metric_set)
    text = answer.text or ""
    match = judgement.explanation.match if judgement else None
    in_gold = [(span, MATCHED) for span in match.in_gold] if match else []
    return OpenedAnswer(
        answer,
        judgement,
        _shared(answer.judgements),
        marked(text, marks_of(judgement.explanation) if judgement else ()),
        marked(match.gold, in_gold) if match else (),
        " / ".join(gold_answers(questions.task, answer.label)) if answer.has_other_label else "",
        choice.toggled(answer.by.id),
    )


def _shared(judgements: Iterable[Judgement]) -> list[SharedVerdict]:
    """In the order of the metric sets."""
    groups: dict[tuple[float, str], list[Judgement]] = {}
    for one in judgements:
        groups.setdefault((one.score.percent, one.reason), []).append(one)
    return [SharedVerdict([one.metric_set for one in group], group[0]) for group in groups.values()]
