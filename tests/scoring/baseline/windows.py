"""What the reference reader scores on generated examples, by the depth of their evidence."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scoring.baseline import read
from scoring.generators import RECIPES
from scoring.generators.example import Example, ExampleSpec
from scoring.metrics import score_example
from scoring.text.prompts import cut_prompt, prompt_of

WINDOWS = (8 * 1024, 32 * 1024, 128 * 1024)
LENGTHS = (4_000, 16_000, 64_000, 128_000)


class Answered(NamedTuple):
    example: Example
    context: str
    answer: str
    score: float  # under strict
    seen: bool  # whether the window keeps all of its evidence

    @property
    def fifth(self) -> int:
        """The fifth of the context that its depth lies in, from 0 to 4."""
        return min(4, int(5 * (self.example.depth or 0)))


def answered(
    task: str, length: int, window: int | None, count: int = 10, seed: int = 11
) -> Iterator[Answered]:
    """The reader's answers to examples of one length, as if they came from a prediction file."""
    for index in range(count):
        example = RECIPES[task].make(ExampleSpec(seed, length, index, count))
        context = "".join(example.context)
        prompt = prompt_of(task, context, example.question, example.options)
        answer = read(prompt.text, window)
        verdict = score_example("strict", task, answer, example.answer, options=example.options)
        cut = cut_prompt(prompt, window) if window else None
        seen = cut is None or not _touches(example.evidence, cut.lost)
        yield Answered(example, context, answer, verdict.score, seen)


def _touches(spans: Sequence[tuple[int, int]], lost: tuple[int, int] | None) -> bool:
    return lost is not None and any(start < lost[1] and lost[0] < end for start, end in spans)


def by_fifth(answers: Sequence[Answered]) -> list[float]:
    """The mean score of each fifth of the depths, from the start of the context to its end."""
    return [mean([answer for answer in answers if answer.fifth == part]) for part in range(5)]


def mean(answers: Sequence[Answered]) -> float:
    """In percent."""
    return 100 * sum(answer.score for answer in answers) / len(answers)
