"""The connection test: what it reports about endpoints of all kinds."""

import asyncio
import json
from typing import Any

import pytest

from portal.demo.openai_behaviour import Behaviour
from portal.demo.openai_server import Model
from scoring.endpoint.connection.check import MOST_REQUESTS, named_window, try_connection
from scoring.endpoint.connection.report import (
    ConnectionReport,
    State,
    StepName,
    read_report,
    report_document,
)
from scoring.endpoint.connection.texts import FACTS, fact_prompt, is_right, long_prompt
from scoring.endpoint.settings import Caps
from scoring.endpoint.transport.addresses import OutboundPolicy
from scoring.text.tokens import ENCODING, count_tokens, estimate_tokens
from tests.support.endpoint_runs import settings
from tests.support.reference_server import Answering, Local, local_endpoint

KEY = "sk-canary-0123456789"
# The vocabulary of the tests has three tokens for one of cl100k_base.
MODEL = Model("small", 40_000, "refuse", KEY)
UNKNOWN = "not_tried"


def tried(
    endpoint: Local, key: str = KEY, model: str = "small", seconds: float = 60, **more: Any
) -> ConnectionReport:
    policy = OutboundPolicy(loopback_ports=frozenset({endpoint.port}))
    report = asyncio.run(
        try_connection(settings(endpoint.url, model, **more), key, policy, seconds)
    )
    document = json.dumps(report_document(report))
    assert read_report(json.loads(document)) == report
    assert KEY not in document
    assert [step.name for step in report.steps] == list(StepName)
    assert all(step.sentence for step in report.steps)
    return report


def codes(report: ConnectionReport) -> dict[str, str]:
    return {step.name.value: step.code for step in report.steps}


def test_each_step_is_told_and_the_window_is_found_from_what_the_refusal_names() -> None:
    with local_endpoint(MODEL) as endpoint:
        report = tried(endpoint, window=160_000)
    assert codes(report) == {
        "address": "address_good",
        "name": "name_found",
        "certificate": "not_encrypted",
        "key": "key_accepted",
        "model": "model_answers",
        "streaming": "streams",
        "usage": "usage_reported",
        "counts": "counts_agree",
        "speed": "speed_streamed",
        "repeats": "repeats",
        "window": "window_small",
    }
    assert report.works
    assert report.repeats
    assert (report.repeats.identical, report.repeats.pairs, report.repeats.agreeing) == (12, 36, 36)
    window = report.steps[-1]
    assert window.values == {"tokens": 40_000, "tried": 160_000}
    assert report.accepted
    assert 39_700 < report.accepted <= 40_000
    # A greeting, three times twelve questions, and the window, once refused and once accepted.
    assert report.spent.requests == 1 + 36 + 2
    facts = sum(count_tokens(fact_prompt(number)).value for number in range(len(FACTS)))
    assert report.spent.input == pytest.approx(3 * facts + report.accepted, abs=100)


@pytest.mark.parametrize(
    ("changed", "step", "code"),
    [
        ({"key": "sk-wrong-0123456789"}, "key", "key"),
        ({"model": "large"}, "model", "model"),
        ({"url": "https://10.0.0.1/v1"}, "name", "not public"),
        ({"url": "https://metadata:22/v1"}, "address", "port"),
        ({"url": "https://nowhere.invalid/v1"}, "name", "name"),
    ],
)
def test_it_stops_at_the_first_step_that_makes_the_others_senseless(
    changed: dict[str, Any], step: str, code: str
) -> None:
    with local_endpoint(MODEL) as endpoint:
        url = changed.pop("url", endpoint.url)
        report = tried(endpoint._replace(url=url), **changed)
    told = codes(report)
    assert told[step] == code
    assert set(list(told.values())[list(told).index(step) + 1 :]) <= {UNKNOWN}
    assert report.spent.requests <= 1
    assert not report.works


def test_answers_that_change_are_counted_and_so_is_an_endpoint_that_counts_otherwise() -> None:
    """The third answer to the sixth question is different; in prepared answers a token is four
    characters."""
    sixth = fact_prompt(5)

    def answer(prompt: str, attempt: int) -> str:
        return "1632" if prompt == sixth and attempt == 3 else FACTS[5].answer

    model = Model("small", 40_000)
    with local_endpoint(model, Answering(answer)) as endpoint:
        report = tried(endpoint, "", window=40_000, stream=False)
    assert report.repeats
    assert (report.repeats.identical, report.repeats.agreeing, report.repeats.right) == (11, 34, 1)
    told = codes(report)
    assert (told["key"], told["streaming"], told["speed"]) == ("no_key", "streams", "speed")
    assert told["counts"] == "counts_differ"
    assert report.ratio == pytest.approx(len(sixth) / 4 / count_tokens(sixth).value, rel=0.02)
    assert told["window"] == "window_whole"
    assert report.steps[-1].values == {"tokens": 40_000}


def test_a_context_that_is_cut_in_silence_is_told_and_a_cap_is_kept() -> None:
    with local_endpoint(Model("small", 40_000, "cut")) as endpoint:
        cut = tried(endpoint, "", window=160_000, temperature=None)
        capped = tried(endpoint, "", window=160_000, caps=Caps(tokens=80_000))
    with local_endpoint(Model("small", 5_000, "cut")) as endpoint:
        tiny = tried(endpoint, "", window=40_000)
    assert (codes(tiny)["counts"], tiny.ratio) == ("counts_cut", None)
    assert codes(tiny)["window"] == "window_cut"
    assert codes(cut)["repeats"] == "repeats_default"
    assert codes(cut)["window"] == "window_cut"
    assert cut.steps[-1].values == {"tokens": 40_000, "tried": 160_000}
    assert codes(capped)["window"] == "window_capped"
    assert capped.accepted is None


def test_steady_answers_that_are_wrong_do_not_work() -> None:
    with local_endpoint(Model("small", 40_000), Behaviour(canned={"": "a guess"})) as endpoint:
        wrong = tried(endpoint, "", window=40_000)
    with local_endpoint(Model("small", 40_000)) as endpoint:
        good = tried(endpoint, "", window=40_000)
    assert (codes(wrong)["repeats"], codes(good)["repeats"]) == ("repeats_wrong", "repeats")
    assert good.repeats
    assert good.repeats.right == len(FACTS)


def test_a_context_that_is_cut_beyond_the_window_used_is_enough() -> None:
    with local_endpoint(Model("small", 40_000, "cut")) as endpoint:
        report = tried(endpoint, "", window=40_000, claimed_window=160_000)
    assert codes(report)["window"] == "window_cut_enough"
    assert {one.name: one.state for one in report.steps}[StepName.WINDOW] == State.WORKS


def test_answers_that_a_limit_has_cut_are_no_equal_answers() -> None:
    with local_endpoint(Model("small", 40_000), Behaviour(faults={"empty": 1.0})) as endpoint:
        report = tried(endpoint, "", window=40_000)
    assert codes(report)["repeats"] == "answers_missing"
    assert report.repeats
    assert (report.repeats.identical, report.repeats.pairs) == (0, 0)


def test_it_ends_with_its_time_and_its_requests() -> None:
    behaviour = Behaviour(faults={"hang": 1.0})
    with local_endpoint(Model("small", 40_000), behaviour) as endpoint:
        hung = tried(endpoint, "", seconds=1)
    assert codes(hung)["window"] in (UNKNOWN, "no_time")
    assert codes(hung)["model"] in ("timeout", "no_time")
    slow = Model("small", 40_000, delay=0.1)
    with local_endpoint(slow) as endpoint:
        late = tried(endpoint, "", seconds=1, concurrency=1)
    assert codes(late)["model"] == "model_answers"
    assert codes(late)["window"] == "no_time"
    assert late.spent.requests < MOST_REQUESTS


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("400 This model's maximum context length is 8192 tokens, but you sent 30,900.", 8_192),
        ("400 prompt is too long: 33210 tokens > 20000 maximum", 20_000),
        ("400 llama-3.1-405b: at most 16,384 tokens", 16_384),
        ("400 The prompt is too long.", None),
        ("413", None),
    ],
)  # fmt: skip
def test_the_window_that_a_refusal_names_is_read(said: str, named: int | None) -> None:
    assert named_window(said, 32_000) == named


def test_the_texts_have_4000_tokens_and_their_fact_once() -> None:
    prompts = [fact_prompt(number) for number in range(len(FACTS))]
    assert prompts == [fact_prompt(number) for number in range(len(FACTS))]
    for number, (prompt, fact) in enumerate(zip(prompts, FACTS, strict=True)):
        assert estimate_tokens(prompt) == pytest.approx(4_000, rel=0.06)
        assert prompt.count(fact.sentence) == 1
        assert is_right(number, f"It is {fact.answer}.")
        assert not is_right(number, "I do not know.")
    assert count_tokens(long_prompt(50_000, ENCODING)).value == pytest.approx(50_000, abs=20)
