"""Which facts of a computed plot an opened summary tells (``scoring.plot_facts``)."""

from typing import Any, NamedTuple

from leaderboard.examples.answers import FullAnswer
from portal.scores.questions.gold import gold_answers
from scoring.catalog import Task
from scoring.plot_facts import FactScore, PlotFact, Telling, read_facts, stems, tell_facts


class ShownFact(NamedTuple):
    text: str  # the sentence of the gold summary that tells it, otherwise the people involved
    is_told: bool


class FactsTold(NamedTuple):
    facts: list[ShownFact]
    score: FactScore
    beside: list[str]  # statements that tell no fact
    statements: int

    @property
    def told(self) -> int:
        return sum(one.is_told for one in self.facts)

    @property
    def telling(self) -> int:
        """How many of the statements tell a fact."""
        return self.statements - len(self.beside)

    @property
    def recall_percent(self) -> float:
        return 100 * self.score.recall

    @property
    def precision_percent(self) -> float:
        return 100 * self.score.precision

    @property
    def document(self) -> dict[str, Any]:
        """For programs: shares in percent."""
        return {
            "recall": self.recall_percent,
            "precision": self.precision_percent,
            "score": 100 * self.score.score,
            "plot": [{"text": one.text, "told": one.is_told} for one in self.facts],
            "statements": self.statements,
            "beside": self.beside,
        }


def facts_told(task: Task, answer: FullAnswer) -> FactsTold | None:
    """None if the plot is unknown, or its facts may not be shown."""
    if not answer.facts or not answer.text or answer.label is None:
        return None
    facts = read_facts(answer.facts)
    telling = tell_facts(answer.text, facts)
    gold = tell_facts(gold_answers(task, answer.label)[0], facts)
    shown = [
        ShownFact(_text_of(fact, place, gold), place in telling.told)
        for place, fact in enumerate(facts)
    ]
    statements = [one for one in telling.sentences if one.is_statement]
    beside = [one.text for one in statements if not one.told]
    return FactsTold(shown, telling.score, beside, len(statements))


def _text_of(fact: PlotFact, place: int, gold: Telling) -> str:
    """Of the sentences that tell it, the one with most of its words."""
    texts = [one.text for one in gold.sentences if place in one.told]
    people = ", ".join(called[0] for called in fact.people)
    return max(texts, key=lambda text: len(stems(text) & fact.words), default=people)
