"""The results of the connection test, step by step, convertible to JSON and back.

Each step has a code, so that pages can phrase it in other languages.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from scoring.endpoint.budget import Spent
from scoring.endpoint.transport.failures import RULES


class StepName(StrEnum):
    """In the order of the report."""

    ADDRESS = "address"
    NAME = "name"
    CERTIFICATE = "certificate"
    KEY = "key"
    MODEL = "model"
    STREAMING = "streaming"
    USAGE = "usage"
    COUNTS = "counts"
    SPEED = "speed"
    REPEATS = "repeats"
    WINDOW = "window"


class State(StrEnum):
    WORKS = "works"
    FAILS = "fails"
    UNKNOWN = "not known"


# By the code of a step; those of failed requests are the values of ``Kind``.
SENTENCES: dict[str, str] = {
    **{kind.value: rule.sentence for kind, rule in RULES.items()},
    "address_good": "The address can be used.",
    "name_found": "The name leads to an address that may be used.",
    "certificate_valid": "The certificate is valid.",
    "not_encrypted": "The connection is not encrypted.",
    "key_accepted": "The key is accepted.",
    "key_unknown": "Whether the key is accepted has not shown yet.",
    "key_unreadable": "The stored key cannot be read any more. Enter it again.",
    "no_key": "No key was sent, and none was asked for.",
    "model_answers": "The model answers.",
    "streams": "Answers come as a stream.",
    "not_streamed": "Answers come whole only, so there is no time to the first token.",
    "usage_reported": "The endpoint reports the tokens of each answer.",
    "usage_missing": "The endpoint reports no tokens: ours are counted against the caps.",
    "counts_agree": "The endpoint counts as we do: {ratio:.2f} of its tokens for one of ours.",
    "counts_differ": "The endpoint counts otherwise than we do: {ratio:.2f} of its tokens for one "
    "of ours. The caps take this into account; the context window has room for accordingly less "
    "or more of our tokens.",
    "counts_cut": "The endpoint reads {tokens:,} tokens of every text, and seems to cut the rest.",
    "speed": "A question on 4,000 tokens takes {seconds:.1f} seconds, {at_once} at once.",
    "speed_streamed": "A question on 4,000 tokens takes {seconds:.1f} seconds, {at_once} at once; "
    "the first token comes after {first:.1f} seconds.",
    "repeats": "{identical} of {questions} answers are identical when asked three times, at "
    "temperature {temperature}; {right} are right.",
    "repeats_default": "{identical} of {questions} answers are identical when asked three times, "
    "at the endpoint's own temperature; {right} are right.",
    "repeats_wrong": "{identical} of {questions} answers are identical when asked three times, at "
    "temperature {temperature}, but only {right} are right: look whether this is the model that "
    "you mean, and whether it gets the whole text.",
    "repeats_default_wrong": "{identical} of {questions} answers are identical when asked three "
    "times, at the endpoint's own temperature, but only {right} are right: look whether this is "
    "the model that you mean, and whether it gets the whole text.",
    "answers_missing": "Of {asked} questions on 4,000 tokens only {answered} were answered.",
    "answers_cut": "Of {asked} questions on 4,000 tokens only {answered} were answered; {cut} "
    "answers ended at the output limit. A model that thinks before it answers needs a reasoning "
    "budget.",
    "window_whole": "A prompt of {tokens:,} tokens is accepted.",
    "window_enough": "A prompt of {tokens:,} tokens is accepted, but none of {tried:,}.",
    "window_small": "A prompt of {tokens:,} tokens is accepted, but none of {tried:,}: lower the "
    "context window.",
    "window_none": "No prompt of {tried:,} tokens is accepted.",
    "window_cut": "Of a prompt with {tried:,} tokens the endpoint has read {tokens:,} only, and "
    "says nothing about the rest: lower the context window.",
    "window_cut_enough": "Of a prompt with {tried:,} tokens the endpoint has read {tokens:,} only, "
    "and says nothing about the rest. For the context window used that is enough.",
    "window_capped": "A prompt of {tried:,} tokens was not tried: the run's cap on tokens has no "
    "room for it.",
    "no_time": "The time of the test was over before.",
    "no_requests": "The requests of the test were used up before.",
    "not_tried": "Not tried: it makes no sense before what fails works.",
}


@dataclass(frozen=True, slots=True)
class Step:
    name: StepName
    state: State
    code: str
    values: Mapping[str, int | float | str] = field(default_factory=dict)
    detail: str = ""  # what the endpoint said, without the key

    @property
    def sentence(self) -> str:
        return SENTENCES[self.code].format(**self.values)


@dataclass(frozen=True, slots=True)
class Repeats:
    """``identical``: questions whose answers were all equal; ``agreeing`` of ``pairs``: two answers
    to one question."""

    questions: int
    answered: int  # requests
    identical: int
    pairs: int
    agreeing: int
    right: int  # questions, when first asked

    @property
    def agreement(self) -> float:
        """How often the endpoint agrees with itself, from 0 to 1."""
        return self.agreeing / self.pairs if self.pairs else 0.0


@dataclass(frozen=True, slots=True)
class ConnectionReport:
    """A step for each name, in their order."""

    steps: tuple[Step, ...]
    spent: Spent  # as reported, else as we count
    took: float  # seconds
    seconds: float | None = None  # of a question on 4,000 tokens
    first_token: float | None = None  # seconds
    ratio: float | None = None  # of reported to our tokens
    accepted: int | None = None  # tokens, as the endpoint counts; of the largest prompt
    repeats: Repeats | None = None

    @property
    def works(self) -> bool:
        """Whether a run could start: neither unknown properties nor ones that are worse than
        promised prevent it."""
        needed = (StepName.ADDRESS, StepName.NAME, StepName.MODEL)
        states = {step.name: step.state for step in self.steps}
        return all(states[name] is State.WORKS for name in needed)


def report_document(report: ConnectionReport) -> dict[str, Any]:
    """For JSON; ``read_report`` restores the same report."""
    return asdict(report)


def read_report(document: Mapping[str, Any]) -> ConnectionReport:
    values = dict(document)
    values["steps"] = tuple(
        Step(StepName(one["name"]), State(one["state"]), one["code"], one["values"], one["detail"])
        for one in document["steps"]
    )
    values["spent"] = Spent(**document["spent"])
    values["repeats"] = document["repeats"] and Repeats(**document["repeats"])
    return ConnectionReport(**values)
