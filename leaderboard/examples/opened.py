"""Full answers: marked, judged, and compared with the gold answer and with the first of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leaderboard.examples.answers import FullAnswer, Judgement
from leaderboard.examples.choice import Choice
from leaderboard.examples.differences import Differences, differences_of
from leaderboard.examples.marks import MATCHED, Piece, marked, marks_of
from leaderboard.examples.notes import NotesOn
from portal.scores.questions.gold import gold_answers
from portal.scores.questions.verdicts import SharedVerdict, shared_verdicts
from scoring.catalog import Kind, Task


@dataclass(frozen=True, slots=True)
class OpenedAnswer:
    """A full answer, marked as one metric set reads it."""

    answer: FullAnswer
    judgement: Judgement | None  # by the chosen metric set
    verdicts: Sequence[SharedVerdict]
    pieces: Sequence[Piece]
    gold: Sequence[Piece]  # the gold answer with shared tokens marked; empty for other rules
    label: str  # the gold answer that it was judged by, if not the release's
    differences: Sequence[Differences]
    closed: Choice  # the page with this answer closed
    notes: NotesOn | None  # None: the reader may see none

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


def opened_answers(
    task: Task, answers: Sequence[FullAnswer], choice: Choice, notes: Mapping[str, NotesOn]
) -> list[OpenedAnswer]:
    """In order; the first is the baseline of the others. ``notes`` is by entry."""
    return [_opened(task, one, answers[0], choice, notes.get(one.by.id)) for one in answers]


def _opened(
    task: Task, answer: FullAnswer, baseline: FullAnswer, choice: Choice, notes: NotesOn | None
) -> OpenedAnswer:
    judgement = answer.judgement(choice.metric_set)
    text = answer.text or ""
    match = judgement.explanation.match if judgement else None
    in_gold = [(span, MATCHED) for span in match.in_gold] if match else []
    return OpenedAnswer(
        answer,
        judgement,
        shared_verdicts(
            {one.metric_set.name: one.explanation.verdict for one in answer.judgements}
        ),
        marked(text, marks_of(judgement.explanation) if judgement else ()),
        marked(match.gold, in_gold) if match else (),
        " / ".join(gold_answers(task, answer.label)) if answer.has_other_label else "",
        _differences(task, answer, baseline, match.gold if match else ""),
        choice.toggled(answer.by.id),
        notes,
    )


def _differences(
    task: Task, answer: FullAnswer, baseline: FullAnswer, closest: str
) -> list[Differences]:
    """From the closest gold answer, if answers are texts, and from the baseline."""
    found = []
    if answer.text and answer.label is not None and task.kind in (Kind.TEXT, Kind.TEXTS):
        gold = closest or gold_answers(task, answer.label)[0]
        title = "Differences from the gold answer"
        found.append(differences_of("gold", title, gold, answer.text))
    if answer is not baseline and answer.text and baseline.text:
        title = f"Differences from {baseline.by.title}"
        found.append(differences_of("baseline", title, baseline.text, answer.text))
    return [one for one in found if one]
