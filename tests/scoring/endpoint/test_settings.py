"""The settings of a run: one value, with an exact form in YAML."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.endpoint.run.folder import opened_folder, with_limits_of_run
from scoring.endpoint.settings import (
    OUTPUT_TOKENS,
    Caps,
    NoRoomError,
    Prices,
    RunSettings,
    SettingsError,
    check_settings,
    settings_of,
)
from scoring.endpoint.settings_file import (
    PageFields,
    SettingsFile,
    read_settings,
    read_settings_file,
    settings_text,
)
from scoring.endpoint.templates import Strategy, built_in
from tests.support.endpoint_runs import settings

HEAD = "url: https://example.org/v1\nmodel: m\n"
LINES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=30)


@given(
    st.builds(
        RunSettings,
        url=st.just("https://example.org/v1"),
        model=LINES.filter(lambda text: text.strip() and text.isprintable()),
        window=st.integers(40_000, 10**7),
        provider=LINES.filter(str.isprintable),
        temperature=st.none() | st.floats(0, 2),
        seed=st.none() | st.integers(0, 2**63 - 1),
        strategy=st.sampled_from(Strategy),
        tasks=st.sets(st.sampled_from(list(TASKS)), min_size=1).map(
            lambda chosen: tuple(task for task in TASKS if task in chosen)
        ),
        subset=st.sampled_from(["all", "smoke"]) | st.integers(1, 4_000),
        caps=st.builds(Caps, tokens=st.none() | st.integers(1, 10**9)),
        prices=st.builds(Prices, input=st.floats(0, 100), cached_input=st.none()),
    )
)
def test_settings_that_are_printed_are_read_again(given_settings: RunSettings) -> None:
    assert read_settings(settings_text(given_settings)) == given_settings


def test_own_templates_survive_with_their_line_breaks() -> None:
    text = built_in(Strategy.STEPS, "longbook_qa_chn")
    own = settings("https://example.org/v1", templates={"longbook_qa_chn": text})
    assert read_settings(settings_text(own)) == own


def test_what_a_file_does_not_say_has_its_default() -> None:
    assert read_settings(HEAD) == RunSettings("https://example.org/v1", "m")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "list of names"),
        ("- a\n- b\n", "list of names"),
        ("model: m\n", "“url” is missing"),
        (HEAD + "api_key: sk-123\n", "never in the settings"),
        (HEAD + "speed: 5\n", "no setting called “speed”"),
        (HEAD + "window: 10\n", "“window” must be a whole number"),
        (HEAD + "window: 1e5\n", "“window” must be a whole number"),
        (HEAD + "window: true\n", "“window” must be a whole number"),
        (HEAD + "temperature: .nan\n", "“temperature” must be a number"),
        (HEAD + "temperature: hot\n", "“temperature” must be a number"),
        (HEAD + "strategy: magic\n", "“strategy” must be one of"),
        (HEAD + "tasks: [passkey, nothing]\n", "names 'nothing'"),
        (HEAD + "tasks: []\n", "“tasks” must be a list"),
        (HEAD + "output_tokens: {nothing: 5}\n", "names 'nothing'"),
        (HEAD + "caps: {euros: 5}\n", "no part called 'euros'"),
        (HEAD + "subset: some\n", "“subset” must be “all”, “smoke” or a number"),
        (HEAD + "subset: 0\n", "“subset” must be “all”, “smoke” or a number"),
        (HEAD + "stream: sometimes\n", "“stream” must be true or false"),
        (HEAD + "model: again\n", "is there twice"),
        (HEAD + "provider: &a x\nquantization: *a\n", "aliases are not read"),
        (HEAD + "order: 2024-13-45\n", "month must be"),
        (HEAD + "stream: !!bool foo\n", "not of its type"),
        (HEAD + "seed: 1" + ":00" * 300 + ".5\n", "not of its type"),
        (HEAD + "seed: !!int ''\n", "not of its type"),
        (HEAD + "temperature: !!float ''\n", "not of its type"),
        (HEAD + "order: !!timestamp foo\n", "not of its type"),
        (HEAD + 'provider: "\\UFFFFFFFF"\n', "not YAML"),
        (HEAD + '"\\ud800": 1\n', "(line 3): a text has half of a character"),
        (HEAD + 'templates: {passkey: "{context}{question}\\udfff"}\n', "half of a character"),
        (HEAD + "? 0x" + "f" * 6_000 + "\n: 1\n", "no setting called “int”"),
        (HEAD + "tasks: [0x" + "f" * 6_000 + "]\n", "names 'int'"),
        (HEAD + "caps: {" + "x" * 100 + ": 5}\n", "no part called '" + "x" * 40 + "…'"),
        (HEAD + "provider: !!python/object:os.system x\n", "not YAML"),
        (HEAD + "provider: [\n", "not YAML"),
        (HEAD + "tasks: " + "[" * 100_000, "nested too deeply"),
        (HEAD + "provider: " + "x" * 300_000, "longer than"),
        (HEAD + 'provider: "a\\0b"\n', "“provider” must be a line of text"),
        (HEAD + "templates: {passkey: 'no places'}\n", "exactly one {context}"),
        (HEAD + "window: 9000\noutput_tokens: {math_calc: 9000}\n", "no room for a prompt of"),
        ("url: ftp://example.org/\nmodel: m\n", "“url” must be an address"),
        ("url: https://me:secret@example.org/v1\nmodel: m\n", "user name or a password"),
        ("url: https://example.org/v1?key=5\nmodel: m\n", "“url” must be an address"),
        ("url: https:///v1\nmodel: m\n", "“url” must be an address"),
        ("url: https://[::1/v1\nmodel: m\n", "“url”"),
        ("url: http://localhost:abc/v1\nmodel: m\n", "“url” must be an address"),
        ("url: http://localhost:99999/v1\nmodel: m\n", "“url” must be an address"),
        ("url: http://localhost:0/v1\nmodel: m\n", "“url” must be an address"),
        ("url: http://。/v1\nmodel: m\n", "“url” must be an address"),
        ("url: http://a..b/v1\nmodel: m\n", "“url” must be an address"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(said)):
        read_settings(text)


def test_a_run_may_go_on_faster_but_not_with_other_questions() -> None:
    first = settings()
    faster = replace(first, concurrency=64, caps=Caps(requests=5), limit=7)
    assert faster.what_decides() == first.what_decides()
    for other in (replace(first, model="x"), replace(first, order=2), replace(first, window=9_999)):
        assert other.what_decides() != first.what_decides()


def test_a_default_limit_takes_at_most_half_of_the_window_and_an_own_one_what_it_says() -> None:
    small = RunSettings("https://example.org/v1", "m", window=32_000)
    assert (small.answer_limit("math_calc"), small.answer_limit("passkey")) == (16_000, 256)
    assert not small.is_crowded("math_calc")
    own = replace(small, output_tokens={"math_calc": 30_000})
    assert (own.answer_limit("math_calc"), own.prompt_limit("math_calc")) == (30_000, 1_936)
    assert own.is_crowded("math_calc")
    with pytest.raises(NoRoomError) as refused:
        check_settings(replace(own, window=16_000))
    assert refused.value.task == "math_calc"


def test_a_run_that_began_with_other_defaults_goes_on_with_its_own(tmp_path: Path) -> None:
    begun = {"url": "https://example.org/v1", "model": "m", "window": 32_000}
    before = settings_of({**begun, "output_tokens": OUTPUT_TOKENS})
    with opened_folder(tmp_path / "run", before):
        pass
    again = with_limits_of_run(settings_of(begun), tmp_path / "run")
    assert again.answer_limit("math_calc") == 30_000
    with opened_folder(tmp_path / "run", again):
        pass


def test_amounts_may_be_written_as_people_write_them() -> None:
    found = read_settings(
        HEAD + "window: 32K\nclaimed_window: 1.5M\n"
        "output_tokens: {passkey: 2k}\ncaps: {tokens: 40M}\n"
    )
    assert (found.window, found.claimed_window) == (32_000, 1_500_000)
    assert (found.output_tokens["passkey"], found.caps.tokens) == (2_000, 40_000_000)


def test_what_counts_questions_is_no_amount_of_tokens() -> None:
    with pytest.raises(SettingsError, match="subset"):
        read_settings(HEAD + 'subset: "1K"\n')


def test_what_the_page_asks_for_besides_stands_in_the_file_and_is_no_setting() -> None:
    page = PageFields("hub", "long-8b", "RAG", "a # note: “x”", "0" * 36)
    own = settings("https://example.org/v1")
    text = settings_text(own, page)
    assert read_settings_file(text) == SettingsFile(own, page)
    assert read_settings(text) == own
    with pytest.raises(SettingsError, match="“release”"):
        settings_of({"url": "https://example.org/v1", "model": "m", "release": "hub"})
    with pytest.raises(SettingsError, match="“method”"):
        read_settings(HEAD + f"method: {'x' * 81}\n")
