"""What a run would send, and the ceiling: what a perfect reader could reach with its settings.

A perfect reader answers rightly where what it is sent holds all of the evidence, and nothing where
it does not; its answer ends at the output limit. The ceiling is exact where the evidence of every
cut text is known, else it is an upper bound. Guesses and partly right answers are not counted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from scoring.catalog import TASKS, Kind
from scoring.endpoint.budget import Spent
from scoring.endpoint.prompts import Sight, SkippedError, listed_count, prompt_for
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy
from scoring.labels import Label, answer_text
from scoring.metrics import METRIC_SETS, Question, judge
from scoring.stats import mean_percent
from scoring.text.tokens import NO_TOKENS, TokenCount, first_tokens


@dataclass(frozen=True, slots=True)
class TaskEstimate:
    task: str
    requests: int  # without retries
    skipped: int
    input: TokenCount
    output: int  # tokens at most
    cut: int  # prompts that lose their middle
    ceilings: dict[str, float]  # in percent, by metric set; empty without a context
    is_exact: bool

    @property
    def spent(self) -> Spent:
        """At most."""
        return Spent(self.requests, self.input.value, 0, self.output)


class CapShare(NamedTuple):
    name: str  # of the cap
    cap: float
    needed: float
    share: float  # of the run that the cap pays for, in percent; over 100: all of it

    @property
    def is_enough(self) -> bool:
        return self.share >= 100

    @property
    def percent(self) -> str:
        return f"{self.share:.2g}" if self.share < 10 else f"{min(self.share, 100):.0f}"

    @property
    def hours(self) -> str:
        """For a cap in seconds."""
        return f"{self.cap / 3_600:.3g}"

    def questions(self, requests: int) -> int:
        """How many of the questions the cap pays for."""
        return min(requests, int(requests * self.share / 100))


def cap_shares(total: Spent, settings: RunSettings, seconds: float | None = None) -> list[CapShare]:
    """Every question is taken to cost the same, with the longest answer: what is reserved.
    ``seconds``: that the run would take; None: not known."""
    caps = settings.caps
    needs: tuple[tuple[str, float | None, float | None], ...] = (
        ("requests", caps.requests, total.requests),
        ("tokens", caps.tokens, total.tokens),
        ("money", caps.money, total.cost(settings.prices)),
        ("seconds", caps.seconds, seconds),
    )
    return [
        CapShare(name, cap, need, 100 * cap / need)
        for name, cap, need in needs
        if cap is not None and need
    ]


def estimate_task(
    task: str,
    questions: Sequence[ReleaseQuestion],
    settings: RunSettings,
    progress: Callable[[int], None] = lambda done: None,
) -> TaskEstimate:
    """The estimate for the questions of one task. Exact, so texts that may be too long are read and
    counted; those whose tokens the release lists are not, if they fit in."""
    tokens, skipped, cut = NO_TOKENS, 0, 0
    scores: dict[str, list[float]] = {name: [] for name in METRIC_SETS}
    is_exact, has_contexts = True, settings.strategy is not Strategy.EVIDENCE_ONLY
    for done, question in enumerate(questions, 1):
        progress(done)
        try:
            count, sight = _sent(question, settings)
        except SkippedError:
            skipped += 1
            sight = Sight.CUT
        else:
            tokens += count
            cut += has_contexts and sight in (Sight.KEPT, Sight.CUT, Sight.UNKNOWN)
        is_exact = is_exact and sight is not Sight.UNKNOWN
        for name, score in _perfect_scores(question, sight, settings).items():
            scores[name].append(score)
    asked = len(questions) - skipped
    means = {name: mean_percent(of_set) or 0.0 for name, of_set in scores.items()}
    knows_text = settings.strategy is not Strategy.CLOSED_BOOK
    output = asked * settings.output_limit(task)
    ceilings = means if knows_text else {}
    return TaskEstimate(task, asked, skipped, tokens, output, cut, ceilings, is_exact)


def perfect_answer(task: str, label: Label) -> str:
    """The right answer in the form that every metric set accepts."""
    if TASKS[task].kind is Kind.CHOICE and isinstance(label, tuple):
        text, letter = label
        return f"{letter}. {text}"
    written = answer_text(TASKS[task], label)
    return f"[{written}]" if TASKS[task].kind is Kind.INTEGERS else written


def _sent(question: ReleaseQuestion, settings: RunSettings) -> tuple[TokenCount, Sight]:
    if listed := listed_count(question, settings):
        return listed, Sight.WHOLE
    prompt = prompt_for(question, settings)
    return prompt.count, prompt.sight


def _perfect_scores(
    question: ReleaseQuestion, sight: Sight, settings: RunSettings
) -> dict[str, float]:
    if sight is Sight.CUT:
        return dict.fromkeys(METRIC_SETS, 0.0)
    task, example = question.task, question.example
    answer = perfect_answer(task, example.label)
    limit = settings.output_limit(task) - settings.reasoning_tokens
    answer = answer[: first_tokens(answer, limit, settings.tokenizer)]
    verdicts = judge(
        task, answer, example.label, Question(example.options, answer_type=example.answer_type)
    )
    return {name: verdict.score for name, verdict in verdicts.items()}
