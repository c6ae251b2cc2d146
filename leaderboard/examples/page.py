"""Everything that the page of one example shows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Page
from django.http import QueryDict

from leaderboard.example_links import example_address, list_address
from leaderboard.examples.answers import (
    STATUSES,
    Answer,
    FullAnswer,
    page_of,
    read_answers,
    read_in_full,
)
from leaderboard.examples.choice import Choice
from leaderboard.examples.context.viewer import ContextViewer, Cut, viewer_of
from leaderboard.examples.example import ShownExample, shown_example
from leaderboard.examples.listing.neighbours import Neighbours, neighbours
from leaderboard.examples.notes import NotesOn, notes_on
from leaderboard.examples.opened import OpenedAnswer, opened_answers
from leaderboard.examples.queries import (
    Answering,
    AnsweringLookup,
    QuestionSet,
    published_answering,
)
from portal.models import Context, Example, LabelReport
from portal.permissions.access import Reader, submissions_by_id
from portal.releases.titles import task_title
from portal.scores.titles import settings_line
from scoring.metrics.verdict import shortened
from scoring.problems import visible
from scoring.text.text_search import telling_words

_READ_FOR_WORDS = 2_000  # characters of an answer that words are taken from
_MOST_WORDS = 8


class Line(NamedTuple):
    """An answer in the list of all answers."""

    answer: Answer
    start: str  # the start of the prediction, on one line
    is_open: bool
    href: Choice  # opens or closes the answer


@dataclass(frozen=True, slots=True)
class ExamplePage:
    questions: QuestionSet
    shown: ShownExample
    choice: Choice
    opened: Sequence[OpenedAnswer]
    counts: Mapping[str, int]  # of published answers, by status under the metric set
    answers: "Page[Answer]"
    viewer: ContextViewer | None  # None: the context is not stored
    neighbours: Neighbours | None  # None: the list that the reader came from has a wrong filter
    notes: NotesOn | None  # on the question; None: the reader is no reviewer
    reports: Sequence[LabelReport]  # about its label, if the reader may see it

    @property
    def address(self) -> str:
        """Of this example, without the query string."""
        return example_address(self.questions.release.slug, self.questions.task.id, self.shown.key)

    @property
    def data_address(self) -> str:
        """``.json`` and ``.md`` are appended to it."""
        return self.address.removesuffix("/")

    @property
    def may_report(self) -> bool:
        """Not while a report is open, nor where the label is not here."""
        is_known = self.questions.shows_answers and not self.questions.data_set.figures_only
        return is_known and all(report.verdict for report in self.reports)

    @property
    def report_query(self) -> str:
        """Names this example to the form for reports about its label."""
        release, task = self.questions.release.slug, self.questions.task.id
        return urlencode({"release": release, "task": task, "key": self.shown.key})

    @property
    def previous(self) -> str | None:
        """The address of the previous example, with the same answers opened."""
        return self._address_of(self.neighbours.previous if self.neighbours else None)

    @property
    def next(self) -> str | None:
        return self._address_of(self.neighbours.next if self.neighbours else None)

    def _address_of(self, key: str | None) -> str | None:
        if key is None:
            return None
        address = example_address(self.questions.release.slug, self.questions.task.id, key)
        return f"{address}{self.choice.of_other_example()}"

    @property
    def list_address(self) -> str:
        """The list of the task's examples, with the filter that the reader came with."""
        address = list_address(self.questions.release.slug, self.questions.task.id)
        return f"{address}?{self.choice.list_query}" if self.choice.list_query else address

    @property
    def title(self) -> str:
        title = task_title(self.questions.task.id, self.questions.release)
        values = {"task": title, "key": self.shown.key}
        return "{task}, example {key}".format(**values)

    @property
    def tally(self) -> list[tuple[str, int]]:
        """The number of published answers that are right, wrong and so on, without zeros."""
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
    reader: Reader, questions: QuestionSet, example: Example, query: QueryDict
) -> ExamplePage:
    """A fixed number of queries, whatever the number of entries."""
    choice = Choice.from_query(query)
    published = published_answering(reader, questions)
    lookup = AnsweringLookup(reader, questions, published)
    by_name = {one: lookup.answering_at(one) for one in choice.entries}
    chosen = list(dict.fromkeys(filter(None, by_name.values())))
    ids = (entry.id if entry else name for name, entry in by_name.items())
    choice = replace(choice, entries=tuple(dict.fromkeys(ids)))
    answers = read_answers(questions, example, published)
    in_full = read_in_full(questions, example, chosen)
    notes = notes_on(reader, example, [one.id for one in chosen])
    viewer = viewer_of(
        questions,
        example,
        query,
        choice.pairs(),
        words=_words_of(in_full),
        cuts=_cuts_of(chosen, example.context) if example.context else (),
    )
    if viewer:
        choice = replace(choice, place=tuple(viewer.pairs))
    return ExamplePage(
        questions,
        shown_example(questions, example),
        choice,
        opened_answers(questions.task, in_full, choice, notes),
        Counter(one.status(choice.metric_set) for one in answers),
        page_of(questions, example, answers, choice.page),
        viewer,
        neighbours(reader, questions, choice.list_query, example.key),
        notes.get(""),
        list(LabelReport.objects.about(example)) if questions.shows_answers else [],
    )


def _words_of(answers: Sequence[FullAnswer]) -> list[str]:
    """The words of the first opened answer, to be looked for in the context."""
    text = next((one.text for one in answers if one.text), "")
    return telling_words(text[:_READ_FOR_WORDS], _MOST_WORDS)


def _cuts_of(chosen: Sequence[Answering], context: Context) -> list[Cut]:
    """What the runs behind the opened answers left out."""
    submissions = submissions_by_id([one.id for one in chosen])
    found = []
    for one in chosen:
        span = settings_line(submissions[one.id]).cut_of(context.tokens)
        if span:
            found.append(Cut(one.title, *span))
    return found
