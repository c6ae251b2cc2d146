"""Whether predictions that came as files agree with what an endpoint answers now.

What is compared is the answer that ``strict`` reads, not whether it is right: on easy tasks nearly
all models are right, and on hard ones nearly all are wrong. Questions are drawn by a seed that
nobody chooses, and asked until a sequential test is decided.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from random import Random
from typing import NamedTuple, TypeVar

from scoring.catalog import TASKS
from scoring.labels import Label
from scoring.metrics import Question, capped
from scoring.metrics.strict.answers import read_answer

# Two summaries are never the same, and nobody could say from which difference on they disagree.
COMPARED = tuple(task for task in TASKS if task != "longbook_sum_eng")

MOST = 60  # requests of a check
FEWEST = len(COMPARED)  # one question of each task is asked in any case
P1 = 0.6  # the share of answers that agree where a check must not say “agrees” …
BETA = 0.1  # … more often than this
ALPHA = 0.01  # how often it may say “disagrees” of an endpoint that repeats itself
# With 60 requests no test keeps both where an endpoint agrees with itself less often: at 0.8 the
# most powerful one has β = 0.117 with α = 0.011.
LEAST_P0 = 0.82
MOST_P0 = 0.95  # twelve short questions cannot show more

Key = TypeVar("Key")


class Verdict(StrEnum):
    AGREES = "agrees"
    DISAGREES = "disagrees"
    OPEN = "open"
    CANNOT_TELL = "cannot tell"  # the endpoint does not agree with itself


def answer_to_compare(task: str, prediction: str, label: Label, question: Question) -> str | None:
    """What a check compares of a prediction: the answer that ``strict`` reads from it, in its
    normal form; None where it reads none.

    Two predictions agree when these are equal: on the digits of PassKey and Number, the UUID of KV,
    the value of Code.Run and Math.Find, the letter (or, where none is given, the text) of En.MC and
    Code.Debug, the name of En.Dia; on all words of En.QA and all characters of Zh.QA without case,
    punctuation and articles; and in Math.Calc on the first wrong value and where it is.
    """
    return read_answer(task, capped(task, prediction), label, question)


def spot_sample(
    keys_by_task: Mapping[str, Sequence[Key]], seed: bytes, n: int = MOST
) -> list[tuple[str, Key]]:
    """Up to ``n`` questions in the order of asking, each with its task: in rounds of one of each
    task, so that a check that is decided early has asked about all of them as well.

    Decided by the seed and the questions alone. Without En.Sum, which cannot be compared.
    """
    random = Random(hashlib.sha256(seed).digest())  # noqa: S311 - repeatable by anybody
    left = {
        task: random.sample(keys_by_task[task], len(keys_by_task[task]))
        for task in COMPARED
        if keys_by_task.get(task)
    }
    found: list[tuple[str, Key]] = []
    while left and len(found) < n:
        for task in random.sample(sorted(left), len(left)):
            found.append((task, left[task].pop()))
            if not left[task]:
                del left[task]
    return found[:n]


class Errors(NamedTuple):
    """The exact probabilities of wrong verdicts, and the requests that a check takes on average."""

    alpha: float  # “disagrees” at p0
    beta: float  # “agrees” at p1
    requests: float  # at p0


@dataclass(frozen=True)
class SpotTest:
    """A sequential probability ratio test between p0 and p1, cut off after ``MOST`` requests.

    A. Wald, “Sequential Analysis” (1947). ``p0`` is the share of answers in which the endpoint
    agrees with itself.
    """

    p0: float

    def verdict(self, outcomes: Sequence[bool]) -> Verdict:
        """After these outcomes, in the order of asking; ``OPEN`` while more must be asked. What
        comes after the decision changes nothing."""
        if self.p0 < LEAST_P0:
            return Verdict.CANNOT_TELL
        agreed = 0
        limits = _limits(min(self.p0, MOST_P0))
        for outcome, (low, high) in zip(outcomes, limits, strict=False):
            agreed += outcome
            if agreed >= high:
                return Verdict.AGREES
            if agreed <= low:
                return Verdict.DISAGREES
        return Verdict.OPEN

    @property
    def errors(self) -> Errors:
        """Raises ``ValueError`` where the test cannot tell."""
        if self.p0 < LEAST_P0:
            raise ValueError(f"there is no test for p0 = {self.p0}")
        p0 = min(self.p0, MOST_P0)
        limits = _limits(p0)
        at_p0 = _walk(limits, p0)
        return Errors(at_p0.disagrees, _walk(limits, P1).agrees, at_p0.requests)


Limits = tuple[tuple[int, int], ...]  # after each request: at most so many disagree, at least agree


@cache
def _limits(p0: float) -> Limits:
    """Wald's limits for α and β, with the smallest number at the end that keeps β; where that does
    not keep α, for smaller α and β, which lets the check go on for longer."""
    for tenths in range(10, 0, -1):
        for last in range(math.floor(P1 * MOST), math.floor(p0 * MOST)):
            limits = _wald(p0, tenths / 10, last)
            if any(low >= high for low, high in limits) or _walk(limits, P1).agrees > BETA:
                continue
            if _walk(limits, p0).disagrees <= ALPHA:
                return limits
            break
    raise ValueError(f"no test of {MOST} requests keeps both errors at p0 = {p0}")


def _wald(p0: float, factor: float, last: int) -> Limits:
    """With at most ``last`` agreements in all requests the check ends with “disagrees”."""
    agree, disagree = math.log(p0 / P1), math.log((1 - p0) / (1 - P1))
    accept = math.log((1 - factor * ALPHA) / (factor * BETA))
    reject = math.log(factor * ALPHA / (1 - factor * BETA))
    found = []
    for n in range(1, MOST + 1):
        if n < FEWEST:
            found.append((-1, MOST + 1))
            continue
        low = math.floor((reject - n * disagree) / (agree - disagree))
        high = math.ceil((accept - n * disagree) / (agree - disagree))
        found.append((max(low, last - (MOST - n)), min(high, last + 1)))
    return tuple(found)


class _Ends(NamedTuple):
    agrees: float  # probabilities
    disagrees: float
    requests: float  # on average


def _walk(limits: Limits, p: float) -> _Ends:
    """Where a check ends whose answers agree with this probability: exact, from the distribution of
    the number of agreements after each request."""
    open_at = {0: 1.0}
    agrees = disagrees = requests = 0.0
    for n, (low, high) in enumerate(limits, start=1):
        reached: dict[int, float] = {}
        for agreed, chance in open_at.items():
            reached[agreed] = reached.get(agreed, 0.0) + chance * (1 - p)
            reached[agreed + 1] = reached.get(agreed + 1, 0.0) + chance * p
        open_at = {}
        for agreed, chance in reached.items():
            if low < agreed < high:
                open_at[agreed] = chance
                continue
            requests += n * chance
            agrees += chance * (agreed >= high)
            disagrees += chance * (agreed <= low)
    return _Ends(agrees, disagrees, requests)
