"""The steps of the functions: each source computes what it promises, for any value."""

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.generators.debug.steps import KINDS, LOOPS, STEPS, WITH_ARGUMENT, Step
from scoring.generators.debug.words import CONSTANTS, LOCALS, SETTINGS
from scoring.generators.haystack.bugs import BUGS, proved
from scoring.generators.haystack.functions import parsed
from scoring.generators.haystack.texts import Text
from tests.scoring.generators.step_results import RESULTS

TEXT = st.text("aeioutrs ,.;|>-_AE19", max_size=30)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "number": st.integers(0, 10_000),
    "numbers": st.lists(st.integers(0, 500), max_size=12),
    "text": TEXT,
    "words": st.lists(TEXT, max_size=8),
    "table": st.dictionaries(TEXT, st.integers(0, 90), max_size=8),
}


def title(step: Step) -> str:
    return step.says


def computed(step: Step, value: object, settings_of: dict[str, Any]) -> object:
    """The result of running the source unchanged."""
    words = {name: name.lower() if name.isupper() else name for name in step.names}
    words |= {name: repr(settings_of[name]) for name in step.names if name in settings_of}
    names: dict[str, Any] = {"src": value, **settings_of}
    exec(step.source.format_map(words), names)
    return names["out"]


@pytest.mark.parametrize("step", STEPS + WITH_ARGUMENT, ids=title)
@settings(max_examples=60)
@given(data=st.data())
def test_a_step_computes_what_it_promises(step: Step, data: st.DataObject) -> None:
    value = data.draw(VALUES[step.takes])
    lower = {name.lower() for name in step.names}
    settings_of = {
        name: data.draw(st.sampled_from(SETTINGS[name])) for name in SETTINGS if name in lower
    }
    if "arg" in lower:
        settings_of["arg"] = data.draw(st.integers(2, 9))
    promised = RESULTS[step.says](value, *settings_of.values())
    assert computed(step, value, settings_of) == promised
    assert type(promised).__name__ == KINDS[step.gives].split("[")[0]


def test_there_are_steps_from_every_kind_and_to_every_kind() -> None:
    assert {step.takes for step in STEPS} == {step.gives for step in STEPS} == set(KINDS)
    assert {step.takes for step in WITH_ARGUMENT} == set(KINDS)
    assert len(STEPS) > 50
    assert {(step.takes, step.gives) for step in LOOPS} == {("number", "number")}


def test_every_placeholder_has_words() -> None:
    for step in STEPS + WITH_ARGUMENT:
        for name in {*step.names} - {"src", "out", "arg"}:
            assert name in SETTINGS or name in LOCALS or name.lower() in CONSTANTS, step.says


def test_every_step_reads_what_it_takes_and_binds_what_it_gives() -> None:
    for step in STEPS + WITH_ARGUMENT:
        assert "{src}" in step.source, step.says
        assert re.search(r"^\{out\} = ", step.source, re.MULTILINE), step.says


@pytest.mark.parametrize("step", LOOPS, ids=title)
def test_a_loop_without_the_line_that_ends_it_goes_on(step: Step) -> None:
    words = {name: name.lower() for name in step.names}
    lines = step.source.format_map(words).splitlines()
    source = "\n".join(
        ["def f(src, k, m, p):", *(f"    {line}" for line in lines), "    return out"]
    )
    file = parsed(Text("x.py", source, 50))
    assert file is not None
    (spoiled,) = BUGS["endless loop"](file.functions[0])
    assert proved("endless loop", file.functions[0], spoiled)
