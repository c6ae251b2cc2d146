"""Why one prediction got its score: the verdict, and the characters that decided it."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self, TypeAlias

from scoring.metrics import Question, Verdict
from scoring.metrics.verdict import moved

Span: TypeAlias = tuple[int, int]  # [start, end) in characters, never empty


class Judged(NamedTuple):
    """A prediction and its verdict under one rule."""

    prediction: str  # up to its task's cap
    label: Any  # of the type that the rule takes
    question: Question
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class TokenMatch:
    """The tokens that a prediction shares with a gold answer (En.QA, Zh.QA: bags of tokens; En.Sum:
    the union of longest common subsequences)."""

    gold: str
    in_prediction: tuple[Span, ...]  # one for each token, in order
    in_gold: tuple[Span, ...]
    common: int  # tokens
    predicted: int
    wanted: int

    @property
    def precision(self) -> float:
        """The share of the prediction's tokens that the gold answer has too, 0 to 1."""
        return self.common / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold answer's tokens that the prediction has too, 0 to 1."""
        return self.common / self.wanted if self.wanted else 0.0

    @property
    def f_measure(self) -> float:
        """Harmonic mean of precision and recall, 0 to 1: the score."""
        if not self.common:
            return 0.0
        return 2 * self.precision * self.recall / (self.precision + self.recall)


@dataclass(frozen=True, slots=True)
class FirstError:
    """The first value of a calculation that is wrong or missing."""

    index: int  # in the gold list, from 0
    expected: int
    written: str | None  # as in the prediction; None where its numbers end
    span: Span | None


@dataclass(frozen=True, slots=True)
class Calculation:
    """How far the numbers of a prediction follow those of the gold list (Math.Calc)."""

    right: int  # values, before the first error
    total: int
    error: FirstError | None  # None where all values are right


@dataclass(frozen=True, slots=True)
class Explanation:
    """A verdict and what decided it. All spans but ``TokenMatch.in_gold`` are characters of the
    prediction as it was written, ordered, apart from each other."""

    verdict: Verdict
    # Where the extracted answer stands; of token matches all matched tokens, of a calculation its
    # first wrong value or else the right ones. Empty where nothing was found that decides.
    deciding: tuple[Span, ...] = ()
    cue: Span | None = None  # official rules: the phrase before it, such as “answer is:”
    match: TokenMatch | None = None  # En.QA, Zh.QA, En.Sum
    calculation: Calculation | None = None  # Math.Calc

    @classmethod
    def at(cls, verdict: Verdict, span: Span | None) -> Self:
        """The one position that decides, if there is one."""
        return cls(verdict, (span,) if span else ())

    def moved(self, by: int) -> Self:
        """Of a part of a prediction, with offsets in the whole of it: ``by`` is where the part
        starts."""
        if not by:
            return self
        match, calculation = self.match, self.calculation
        if match:
            match = replace(match, in_prediction=_moved(match.in_prediction, by))
        if calculation and calculation.error and calculation.error.span:
            start, end = calculation.error.span
            error = replace(calculation.error, span=(start + by, end + by))
            calculation = replace(calculation, error=error)
        return replace(
            self,
            verdict=moved(self.verdict, by),
            deciding=_moved(self.deciding, by),
            cue=self.cue and (self.cue[0] + by, self.cue[1] + by),
            match=match,
            calculation=calculation,
        )


def _moved(spans: tuple[Span, ...], by: int) -> tuple[Span, ...]:
    return tuple((start + by, end + by) for start, end in spans)
