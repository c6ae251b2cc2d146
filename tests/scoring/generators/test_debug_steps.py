"""The steps of the functions: each source computes what is promised of it, of any value."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.generators.debug.helpers import HELPERS
from scoring.generators.debug.number_steps import NUMBER_STEPS
from scoring.generators.debug.step import KINDS, Step
from scoring.generators.debug.text_steps import TEXT_STEPS
from scoring.generators.debug.words import PRIMES

STEPS = (*NUMBER_STEPS, *TEXT_STEPS)
TEXT = st.text("aeioutrs ,.;|>-_AE19", max_size=30)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(0, 10_000),
    "numbers": st.lists(st.integers(0, 500), max_size=12),
    "text": TEXT,
    "words": st.lists(TEXT, max_size=8),
    "table": st.dictionaries(TEXT, st.integers(0, 90), max_size=8),
}
SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "k": st.integers(3, 12),
    "m": st.integers(2, 9),
    "p": st.sampled_from(PRIMES),
    "unit": st.just("crates"),
    "sign": st.sampled_from(["-", " | "]),
    "shelf": st.just("row "),
    "arg": st.integers(2, 9),
}


def title(step: Step) -> str:
    return step.says


def computed(step: Step, value: object, settings_of: dict[str, Any]) -> object:
    """What the source gives, run as it stands."""
    words = {name: name.lower() if name.isupper() else name for name in step.names}
    words |= {name: repr(settings_of[name]) for name in step.names if name in settings_of}
    names: dict[str, Any] = {"src": value, **settings_of}
    exec(step.source.format_map(words), names)
    return names["out"]


@pytest.mark.parametrize("step", STEPS + HELPERS, ids=title)
@settings(max_examples=60)
@given(data=st.data())
def test_a_step_computes_what_it_promises(step: Step, data: st.DataObject) -> None:
    value = data.draw(VALUES[step.takes])
    needs = ("arg",) if step in HELPERS else step.needs
    settings_of = {name: data.draw(SETTINGS[name]) for name in needs}
    promised = step.apply(value, *settings_of.values())
    assert computed(step, value, settings_of) == promised
    assert type(promised).__name__ == KINDS[step.gives].split("[")[0]


def test_there_are_steps_from_every_kind_and_to_every_kind() -> None:
    assert {step.takes for step in STEPS} == {step.gives for step in STEPS} == set(KINDS)
    assert {step.takes for step in HELPERS} == set(KINDS)
    assert len(STEPS) > 50


def test_marks_stand_where_they_can_be_true() -> None:
    for step in (*STEPS, *HELPERS):
        marked = {mark: text for text, mark in step.lines}
        assert "{src}" in marked["reads"], step.says
        assert set(marked) <= {"", "init", "reads", "progress"}
        for text, mark in step.lines:
            assert mark != "init" or text.startswith("{"), step.says
