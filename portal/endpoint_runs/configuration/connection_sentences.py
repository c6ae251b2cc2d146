"""The steps of a connection test in the reader's language."""

from collections.abc import Mapping

from scoring.endpoint.connection.report import SENTENCES, State, Step, StepName

TITLES: Mapping[StepName, str] = {
    StepName.ADDRESS: "Address",
    StepName.NAME: "Name",
    StepName.CERTIFICATE: "Certificate",
    StepName.KEY: "Key",
    StepName.MODEL: "Model",
    StepName.STREAMING: "Streaming",
    StepName.USAGE: "Reported tokens",
    StepName.COUNTS: "Counting tokens",
    StepName.SPEED: "Speed",
    StepName.REPEATS: "Repeated questions",
    StepName.WINDOW: "Context window",
}
STATES: Mapping[State, str] = {
    State.WORKS: "works",
    State.FAILS: "fails",
    State.UNKNOWN: "not known",
}


def step_sentence(step: Step) -> str:
    return SENTENCES[step.code].format(**step.values)
