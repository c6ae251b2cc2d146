"""How an author sets up a run: the form, a file of settings, the key, preview and estimate."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from bs4.element import Tag
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models.functions import Now
from django.test import Client
from django.utils.datastructures import MultiValueDict
from hypothesis import HealthCheck, assume, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from portal.endpoint_runs import preparation
from portal.endpoint_runs.configuration.base_forms import SettingsFileForm
from portal.endpoint_runs.configuration.estimate import (
    Estimate,
    basis_of,
    estimate_run,
    read_estimate,
    standing_of,
)
from portal.endpoint_runs.configuration.forms import RunForms, initial_from_file
from portal.endpoint_runs.configuration.settings_table import rows_of, settings_file
from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, host_of
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.services import start_run
from portal.endpoint_runs.sweeper import sweep_runs
from portal.errors import StateError
from portal.models import EndpointRun, Release, RunState, User
from portal.releases.importer import import_release
from scoring.endpoint.budget import NOTHING_SPENT
from scoring.endpoint.connection.report import ConnectionReport, report_document
from scoring.endpoint.estimate import estimate_task
from scoring.endpoint.questions import read_questions
from scoring.endpoint.settings import RunSettings, settings_document
from scoring.endpoint.settings_file import PageFields, read_settings, settings_text
from scoring.endpoint.templates import Strategy
from scoring.metrics import METRIC_SETS
from tests.support import html
from tests.support.asked_runs import drafted
from tests.support.clients import errors_of, signed_in
from tests.support.endpoint_runs import passkey_release
from tests.support.factories import add_answers, published
from tests.support.run_workers import NOWHERE
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db
NEW = "/runs/new/"
KEY = "sk-canary-5f1d77"
CALC = list(range(60)) * 5
WINDOW = 1_024  # tokens: the texts have some 600 to 1,300


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Pass keys in the middle of short and long texts, and lists of numbers."""
    folder = passkey_release(tmp_path / "gold", 4, noise=60)
    rows = [{"id": 0, "context": "1 + 1", "input": "", "answer": CALC}]
    write_rows(folder / "math_calc.jsonl", rows)
    return folder


@pytest.fixture
def asked(db: None, gold: Path) -> Release:
    return import_release(gold, slug="asked", title="Asked")


@pytest.fixture
def browser(alice: User, asked: Release) -> Client:
    return signed_in(alice)


def values_on(response: Any) -> dict[str, Any]:
    """What a browser would send for the form as it is displayed."""
    form = html.one(response, "form[data-unsaved]")
    found: dict[str, Any] = {}
    for node in form.select("input[name], textarea[name], select[name]"):
        name, kind = str(node["name"]), str(node.get("type", node.name))
        if kind in ("radio", "checkbox"):
            if node.has_attr("checked"):
                found.setdefault(name, []).append(str(node.get("value", "on")))
        elif kind == "select":
            chosen = node.select("option[selected]") or node.select("option")
            found[name] = str(chosen[0]["value"])
        elif name != "models":
            found[name] = value_of(node)
    return found


def value_of(node: Tag) -> str:
    return node.text.removeprefix("\n") if node.name == "textarea" else str(node.get("value", ""))


def filled(browser: Client, **changed: Any) -> dict[str, Any]:
    endpoint = {"url": "https://api.example.org/v1", "model": "long-8b", "key": KEY}
    described = {"language_model": "new", "model-name": "Long 8B", "model-weights": "open"}
    return {
        **values_on(browser.get(NEW)), **endpoint, "window": "2K", "answer_math_calc": "300",
        **described, **changed,
    }  # fmt: skip


def saved(browser: Client, **changed: Any) -> EndpointRun:
    response = browser.post(NEW, filled(browser, **changed))
    assert response.status_code == 302, errors_of(response)
    return EndpointRun.objects.latest("created")


def edit(browser: Client, run: EndpointRun, **changed: Any) -> Any:
    address = f"/runs/{run.pk}/configure/"
    return browser.post(address, {**values_on(browser.get(address)), **changed}, follow=True)


CHANGED: dict[str, Any] = {
    "api": "completions",
    "tasks": ["passkey"],
    "subset": "sample",
    "sample": "40",
    "strategy": "step-by-step",
    "window": "128K",
    "claimed_window": "1,048,576",
    "truncation": "skip",
    "reasoning_tokens": "4096",
    "temperature": "0.6",
    "seed": "1234567",
    "concurrency": "16",
    "requests_per_minute": "90",
    "price_input": "0.15",
    "cap_tokens": "1M",
    "cap_seconds": "1.5",
    "answer_passkey": "64",
    "template_passkey": "{context}\n\nQ: {question}\n",
    "provider": "mine",
    "quantization": "FP8",
}


def test_what_is_filled_in_is_stored_shown_downloaded_and_uploaded(browser: Client) -> None:
    run = saved(browser, **CHANGED)
    settings = settings_of_run(run)
    assert (settings.subset, settings.window, settings.caps.tokens) == (40, 128_000, 1_000_000)
    assert (settings.caps.seconds, settings.prices.input) == (5_400, 0.15)
    assert settings.templates == {"passkey": "{context}\n\nQ: {question}\n"}
    edit(browser, run)
    run.refresh_from_db()
    assert settings_of_run(run) == settings
    file = browser.get(f"/runs/{run.pk}/settings.yaml").content
    assert read_settings(file.decode()) == settings
    filled_in = browser.post("/runs/new/upload/", {"file": SimpleUploadedFile("a.yaml", file)})
    assert html.page(filled_in).select("details.run-details[open]")
    assert html.page(browser.get(NEW)).select("details.run-details:not([open])")
    again = values_on(filled_in)
    like = values_on(browser.get(NEW, {"like": str(run.pk)}))
    for values in (again, like):
        shown = {name: values.get(name) for name in CHANGED}
        whole = {"cap_tokens": "1,000,000", "window": "128,000", "reasoning_tokens": "4,096"}
        radio = ("api", "subset", "strategy", "truncation")
        assert shown == {**CHANGED, **whole, **{name: [CHANGED[name]] for name in radio}}
    assert KEY.encode() not in file + filled_in.content


def sent_from(initial: Mapping[str, Any], user: User) -> dict[str, Any]:
    """What a browser sends for a page that shows these values."""
    shown = RunForms(user, initial=initial).form
    values = {name: shown[name].value() for name in shown.fields}
    return {name: value for name, value in values.items() if value not in (None, False)}


WORDS = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=20)
PRICES = st.just("") | st.floats(0, 1e6).map(str)
COUNTS = st.just("") | st.integers(1, 1 << 40).map(str)
FILLED = st.fixed_dictionaries(
    {
        "model": WORDS.filter(bool),
        "api": st.sampled_from(["chat", "completions"]),
        "tasks": st.sampled_from([["passkey"], ["math_calc"], ["math_calc", "passkey"]]),
        "subset": st.sampled_from(["all", "smoke", "sample"]),
        "sample": st.integers(1, 10_000).map(str),
        "strategy": st.sampled_from([one.value for one in Strategy]),
        "truncation": st.sampled_from(["middle", "skip"]),
        "window": st.integers(70_000, 1 << 40).map(str),
        "claimed_window": COUNTS,
        "reasoning_tokens": st.integers(0, 9_999).map(str),
        "temperature": st.just("") | st.floats(0, 2).map(str),
        "seed": st.just("") | st.integers(0, (1 << 63) - 1).map(str),
        "concurrency": st.integers(1, 256).map(str),
        "requests_per_minute": st.just("") | st.integers(1, 1_000_000).map(str),
        "price_input": PRICES,
        "price_cached_input": PRICES,
        "price_output": st.floats(0.01, 1e6).map(str),
        "cap_requests": COUNTS,
        "cap_tokens": COUNTS,
        "cap_money": PRICES,
        "cap_seconds": st.just("") | st.floats(0.001, 1e5).map(str),
        "provider": WORDS,
        "quantization": WORDS,
        "timeout": st.integers(1, 86_400).map(str),
        "attempts": st.integers(1, 20).map(str),
        "limit": COUNTS,
        "stream": st.booleans(),
        "answer_passkey": st.just("") | st.integers(1, 20_000).map(str),
        "template_math_calc": st.just("")
        | WORDS.map(lambda text: re.sub("[{}]", "", text) + "{context}\n{question}\r\n"),
        "method": WORDS,
        "note": WORDS,
    }
)


@given(FILLED)
@hypothesis_settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_valid_page_comes_back_from_its_file(
    alice: User, asked: Release, asked_earlier: EndpointRun, values: dict[str, Any]
) -> None:
    repeats = values["tasks"] == ["passkey"] and values["subset"] == "all"
    typed = {
        **sent_from({}, alice), **values, "url": "https://api.example.org/v1", "release": asked.pk,
        "language_model": str(asked_earlier.language_model_id),
        "same_questions_as": str(asked_earlier.pk) if repeats else "",
    }  # fmt: skip
    forms = RunForms(alice, typed)
    assume(forms.is_valid())
    first = forms.configuration
    draft = EndpointRun(
        **{name: getattr(first, name) for name in _STORED},
        settings=settings_document(first.settings),
    )
    file = SimpleUploadedFile("run.yaml", settings_file(draft).encode())
    read = SettingsFileForm({}, MultiValueDict({"file": [file]}))
    assert read.is_valid(), read.errors
    initial, unknown = initial_from_file(read.cleaned_data["file"], alice)
    again = RunForms(alice, sent_from(initial, alice))
    assert again.is_valid(), [one.errors for one in again.bound]
    assert again.configuration == first
    assert unknown == []


_STORED = ("release", "language_model", "method", "note", "same_questions_as")


@pytest.fixture
def asked_earlier(alice: User, asked: Release) -> EndpointRun:
    return start_run(drafted(alice, asked, *NOWHERE), alice)


def test_a_file_for_what_one_does_not_have_says_so_and_fills_in_the_rest(browser: Client) -> None:
    page = PageFields("other", "their-model", "RAG", "", str(uuid4()))
    text = settings_text(RunSettings("https://api.example.org/v1", "m"), page)
    sent = {"file": SimpleUploadedFile("run.yaml", text.encode())}
    response = browser.post("/runs/new/upload/", sent)
    assert values_on(response)["method"] == "RAG"
    assert len(html.page(response).select("[data-code=not_filled_in]")) == 3


WRONG = {
    "url": "ftp://example.org",
    "model": " ",
    "key": "two words",
    "tasks": [],
    "window": "100",
    "temperature": "hot",
    "concurrency": "1000",
    "requests_per_minute": "0.5",
    "cap_money": "-1",
    "price_output": "x",
    "answer_passkey": "0",
    "template_passkey": "no place for a context: {question}",
    "seed": "-1",
}


def test_each_error_stands_at_its_field(browser: Client) -> None:
    response = browser.post(NEW, filled(browser, **WRONG))
    wrong = html.page(response).select('[id^="id_"][id$="_error"]')
    fields = {str(node["id"]).removeprefix("id_").removesuffix("_error") for node in wrong}
    assert fields == set(WRONG)
    assert "two words" not in response.text
    assert not EndpointRun.objects.exists()


ADDRESSES = ("http://api.example.org/v1", "https://10.0.0.7/v1", "https://api.example.org:22/v1",
             "https://localhost/v1")  # fmt: skip


@pytest.mark.parametrize("url", ADDRESSES)
def test_an_address_that_is_not_public_is_refused_at_once(browser: Client, url: str) -> None:
    assert errors_of(browser.post(NEW, filled(browser, url=url))) == ["url"]


def test_an_error_of_a_template_names_its_task_once(browser: Client) -> None:
    wrong = filled(browser, template_passkey="{context}{question}{", answer_passkey="0")
    response = browser.post(NEW, wrong)
    assert response.status_code == 422
    found = html.page(response)
    for field in ("template_passkey", "answer_passkey"):
        [listed] = found.select(f".errors [data-field={field}]")
        assert listed.text.count("PassKey") == 1
    assert "expected" not in found.select(".errors")[0].text  # as Python says it


TOGETHER = [  # values that contradict each other, and where that is reported
    ({"window": "1K", "answer_math_calc": "30000"}, "window"),
    ({"subset": "sample", "sample": ""}, "sample"),
    ({"strategy": "closed-book", "template_passkey": "{context} {question}"}, "template_passkey"),
    ({"language_model": ""}, "language_model"),
    ({"cap_money": "5"}, "cap_money"),
    ({"cap_money": "5", "price_input": "0", "price_output": "0"}, "cap_money"),
    ({"cap_seconds": "nan"}, "cap_seconds"),
    ({"cap_seconds": "1e999"}, "cap_seconds"),
    ({"cap_seconds": "1e308"}, "cap_seconds"),
]


@pytest.mark.parametrize(("changed", "field"), TOGETHER)
def test_what_does_not_fit_together_is_said(
    browser: Client, changed: dict[str, str], field: str
) -> None:
    assert errors_of(browser.post(NEW, filled(browser, **changed))) == [field]


FILES = {
    "a key": b"url: https://example.org/v1\nmodel: m\napi_key: sk-1\n",
    "no YAML": b"url: [",
    "no text": b"\xff\xfe\x00",
    "another name": b"url: https://example.org/v1\nmodel: m\nstrategie: direct\n",
}


@pytest.mark.parametrize("file", FILES)
def test_a_file_that_holds_no_settings_is_refused(browser: Client, file: str) -> None:
    sent = {"file": SimpleUploadedFile("run.yaml", FILES[file])}
    response = browser.post("/runs/new/upload/", sent)
    assert response.status_code == 422
    assert html.page(response).select("#id_file_error")


def test_a_key_is_kept_for_its_host_alone_and_never_shown(browser: Client) -> None:
    run = saved(browser)
    host = host_of(run.settings["url"])
    assert decrypt_key(run.key, run_id=run.pk, host=host) == KEY
    pages = ("configure", "estimate", "connection", "preview", "start", "settings.yaml")
    for page in pages:
        address = f"/runs/{run.pk}/{page}" + ("" if "." in page else "/")
        assert KEY not in browser.get(address).text
    assert values_on(browser.get(f"/runs/{run.pk}/configure/"))["key"] == ""
    row = EndpointRun.objects.filter(pk=run.pk)
    assert row.filter(key_until__gt=Now() + timedelta(days=6.9)).exists()
    edit(browser, run, url="https://api.example.org/v2")
    run.refresh_from_db()
    assert decrypt_key(run.key, run_id=run.pk, host=host) == KEY
    response = edit(browser, run, url="https://elsewhere.example.org/v1")
    run.refresh_from_db()
    assert (run.key, "key_void" in html.notices(response)) == ("", True)


def test_a_draft_has_its_key_for_a_week_and_asks_for_it_then(browser: Client, alice: User) -> None:
    run = saved(browser)
    assert not sweep_runs().keys_deleted
    EndpointRun.objects.update(key_until=Now())
    assert sweep_runs().keys_deleted == 1
    for page in ("connection", "start"):
        found = html.page(browser.get(f"/runs/{run.pk}/{page}/"))
        assert [one["data-code"] for one in found.select("[data-code*=key]")] == ["key_deleted"]
    with pytest.raises(StateError, match="deleted"):
        start_run(run, alice)
    edit(browser, run, key=KEY)
    assert start_run(run, alice).key_until is None
    EndpointRun.objects.update(state=RunState.ENDED, ending="cap", ended=Now(), key="")
    ended = html.page(browser.get(f"/runs/{run.pk}/connection/"))
    assert [one["data-code"] for one in ended.select("[data-code]")] == ["run_ended"]


def test_the_form_says_how_many_requests_the_site_sends_at_once(
    browser: Client, settings: Settings
) -> None:
    settings.RUN_CONCURRENCY = 7
    help_text = html.one(browser.get(NEW), "#id_concurrency_helptext").text
    assert re.findall(r"\d+", help_text) == ["1", "256", "7", "7"]


def test_a_run_starts_with_the_key_of_the_address_that_was_saved_last(
    browser: Client, alice: User
) -> None:
    seen = saved(browser)  # as one tab has loaded it before another one saves
    edit(browser, seen, url="https://elsewhere.example.org/v1")
    row = EndpointRun.objects.filter(pk=seen.pk)
    row.update(key=seen.key, key_until=Now())
    with pytest.raises(EndpointKeyError):
        start_run(seen, alice)
    assert row.get().state == RunState.DRAFT
    edit(browser, seen, key="sk-elsewhere")
    started = start_run(seen, alice)
    assert started.state == RunState.RUNNING
    host = "elsewhere.example.org"
    assert decrypt_key(started.key, run_id=seen.pk, host=host) == "sk-elsewhere"


def test_a_run_starts_only_as_its_author_has_seen_it(browser: Client) -> None:
    run = saved(browser)
    page = f"/runs/{run.pk}/start/"

    def seen() -> dict[str, str]:
        return {"seen": str(html.one(browser.get(page), "[name=seen]")["value"])}

    before = seen()
    edit(browser, run, model="a-dearer-one")  # in another tab
    for form in (before, {}):
        refused = browser.post(page, form, follow=True)
        assert "changed_meanwhile" in html.notices(refused)
    run.refresh_from_db()
    assert run.state == RunState.DRAFT
    assert browser.post(page, seen()).status_code == 302
    run.refresh_from_db()
    assert run.state == RunState.RUNNING


@pytest.mark.parametrize(
    ("changed", "kept"),
    [
        ({"note": "again", "cap_tokens": "1M"}, True),
        ({"window": "3K"}, False),
        ({"key": "x"}, False),
    ],
)
def test_a_report_on_other_settings_is_dropped(
    browser: Client, changed: dict[str, str], kept: bool
) -> None:
    run = saved(browser)
    report = report_document(ConnectionReport((), NOTHING_SPENT, 1.0))
    EndpointRun.objects.update(connection=report)
    edit(browser, run, **changed)
    run.refresh_from_db()
    assert (run.connection is not None) is kept


def test_an_account_has_so_many_drafts(browser: Client, settings: Settings) -> None:
    settings.MAX_RUN_DRAFTS = 1
    run = saved(browser)
    sent = {**filled_like(browser, run), "language_model": "new", "model-name": "Other"}
    response = browser.post(NEW, sent)
    assert response.status_code == 422
    assert "too_many_drafts" in response.text
    browser.post(f"/runs/{run.pk}/delete/")
    assert saved(browser, **{"model-name": "Longer 8B"}).pk != run.pk


def filled_like(browser: Client, run: EndpointRun) -> dict[str, Any]:
    return values_on(browser.get(f"/runs/{run.pk}/configure/"))


# The preview


def preview(browser: Client, run: EndpointRun, **query: str) -> Any:
    return browser.get(f"/runs/{run.pk}/preview/", {"task": "passkey", **query})


def test_the_preview_shows_what_is_cut_out_and_where_the_evidence_is(browser: Client) -> None:
    run = saved(browser, template_passkey="MINE {context} THEN {question}")
    whole = preview(browser, run, example="2")
    assert html.one(whole, "[data-sight]")["data-sight"] == "whole"
    prompt = html.one(whole, ".prompt")
    assert prompt.text.startswith("MINE")
    assert "15838" in prompt.select_one("mark").text  # type: ignore[union-attr]
    assert html.page(whole).select(".prompt-legend")
    edit(browser, run, window="900")
    cut = preview(browser, run, example="2")
    assert html.one(cut, "[data-sight]")["data-sight"] == "cut"
    assert "15838" not in html.one(cut, ".prompt").text
    assert len(html.page(cut).select("[data-cut]")) == 1


def test_a_closed_book_has_no_marks_and_cuts_nothing(browser: Client) -> None:
    run = saved(browser, strategy="closed-book")
    page = preview(browser, run, example="2")
    assert html.one(page, "[data-sight]")["data-sight"] == "nothing"
    assert not html.page(page).select(".prompt-legend, .prompt mark")
    settings = settings_of_run(run)
    assert "truncation" not in {row.name for row in rows_of(settings)}
    whole = replace(settings, strategy=Strategy.DIRECT)
    assert "truncation" in {row.name for row in rows_of(whole)}


def test_of_hidden_labels_the_preview_tells_no_evidence(browser: Client) -> None:
    run = saved(browser, window="900", answer_math_calc="300")
    Release.objects.update(hidden=True)
    page = preview(browser, run, example="2")
    assert html.one(page, "[data-sight]")["data-sight"] == "hidden"
    assert not html.page(page).select(".prompt mark")
    sent = {**filled_like(browser, run), "strategy": "evidence-only"}
    assert errors_of(browser.post(f"/runs/{run.pk}/configure/", sent)) == ["strategy"]


# The estimate


def estimated(run: EndpointRun) -> EndpointRun:
    """Make the estimate in many short turns."""
    run = EndpointRun.objects.select_related("release").get(pk=run.pk)
    while estimate_run(run, seconds=0.0):
        run.refresh_from_db()
    run.refresh_from_db()
    return run


def test_the_estimate_is_that_of_the_command(browser: Client, gold: Path) -> None:
    run = estimated(saved(browser, window="900", answer_math_calc="50", price_output="10"))
    settings = settings_of_run(run)
    assert standing_of(run, settings).is_complete
    found = read_estimate(run, settings)
    for row in found.rows:
        expected = estimate_task(row.task.id, read_questions(gold, [row.task.id]), settings)
        assert (row.requests, row.input, row.output, row.cut) == (
            expected.requests, expected.input.value, expected.output, expected.cut
        )  # fmt: skip
        assert row.ceilings == pytest.approx(tuple(expected.ceilings.values()))
    assert {row.task.id: row.advice for row in found.rows} == {
        "math_calc": "output", "passkey": "window"
    }  # fmt: skip
    assert found.cost == pytest.approx(10 * found.total.output / 1e6)
    page = browser.get(f"/runs/{run.pk}/estimate/")
    assert {str(one["data-advice"]) for one in html.page(page).select("[data-advice]")} == {
        "window", "output"
    }  # fmt: skip


def test_a_limit_that_takes_the_window_is_named_and_the_default_goes_with_the_window(
    browser: Client,
) -> None:
    run = estimated(saved(browser, window="1,000", answer_passkey="600"))
    limits = {row.task.id: (row.output_limit, row.advice) for row in _read(run).rows}
    assert limits["passkey"] == (600, "limit")
    small = saved(
        browser, window="4K", answer_math_calc="", language_model=str(run.language_model_id)
    )
    assert "math_calc" not in small.settings["output_tokens"]
    assert settings_of_run(small).answer_limit("math_calc") == 2_000
    assert values_on(browser.get(f"/runs/{small.pk}/configure/"))["answer_math_calc"] == ""


def _read(run: EndpointRun) -> Estimate:
    return read_estimate(run, settings_of_run(run))


def test_an_estimate_is_of_its_settings_and_caps_are_held_against_it(browser: Client) -> None:
    run = estimated(saved(browser, cap_requests="1", subset="sample", sample="5"))
    page = browser.get(f"/runs/{run.pk}/estimate/")
    [told] = html.page(page).select("[data-difference]")
    assert float(str(told["data-difference"])) > 5  # so few say little
    assert html.one(page, "[data-cap=requests]")["data-share"] == "20"
    edit(browser, run, cap_requests="10", concurrency="2")
    run.refresh_from_db()
    assert standing_of(run, settings_of_run(run)).is_complete
    edit(browser, run, window="900")
    run.refresh_from_db()
    assert not standing_of(run, settings_of_run(run)).is_current
    assert html.page(browser.get(f"/runs/{run.pk}/estimate/")).select("[data-waiting]")


def test_a_cap_on_money_is_named_before_the_start(browser: Client) -> None:
    run = estimated(saved(browser, cap_money="0.6", price_input="10", price_output="10"))
    caps = html.page(browser.get(f"/runs/{run.pk}/start/")).select("[data-cap]")
    assert [one["data-cap"] for one in caps] == ["money"]
    assert "money" in caps[0].text


@pytest.mark.django_db(transaction=True)
def test_one_message_for_an_estimate_is_on_its_way_however_often_it_is_asked_for(
    browser: Client, messages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each would requeue itself until the estimate is done, in the queue used for scoring."""

    def sent() -> int:
        found = list(messages.iterdir())
        for message in found:
            message.unlink()
        return len(found)

    run = saved(browser)
    for _ in range(9):
        browser.post(f"/runs/{run.pk}/estimate/again/")
        edit(browser, run, window="2K")
    assert sent() == 1
    monkeypatch.setattr(preparation, "estimate_run", lambda draft: True)
    preparation.make_estimate(str(run.pk))
    assert sent() == 1  # goes on

    def changed_meanwhile(draft: EndpointRun) -> bool:
        edit(browser, draft, window="4K")
        return False

    monkeypatch.setattr(preparation, "estimate_run", changed_meanwhile)
    preparation.make_estimate(str(run.pk))
    assert sent() == 1
    monkeypatch.setattr(preparation, "estimate_run", lambda draft: False)
    preparation.make_estimate(str(run.pk))
    assert sent() == 0
    browser.post(f"/runs/{run.pk}/estimate/again/")
    assert sent() == 1


def test_an_estimate_of_a_sample_is_void_when_an_entry_changes_what_is_drawn(
    asked: Release, bob: User
) -> None:
    sample = RunSettings("https://example.org/v1", "m", subset=3)
    every = replace(sample, subset="all")
    before = basis_of(asked, sample), basis_of(asked, every)
    assert before == (basis_of(asked, sample), basis_of(asked, every))
    entry = published(bob, asked, "Other", {"passkey": 50.0})
    add_answers(entry, {"passkey": dict.fromkeys(METRIC_SETS, (1.0, 0.0, 0.0, 0.0))})
    assert basis_of(asked, sample) != before[0]
    assert basis_of(asked, every) == before[1]


def test_of_hidden_labels_there_is_no_ceiling(browser: Client) -> None:
    run = saved(browser, window="900")
    Release.objects.update(hidden=True)
    run = estimated(run)
    assert run.estimate
    assert {tuple(one["ceilings"]) for one in run.estimate["tasks"].values()} == {()}
    page = browser.get(f"/runs/{run.pk}/estimate/")
    assert html.one(page, "[data-ceiling]")["data-ceiling"] == "hidden"
