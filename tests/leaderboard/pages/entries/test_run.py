"""What the page of an entry says about the run that produced it."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

import pytest
import yaml
from django.test import Client

from portal.models import EndpointRun, Release, ScoreVector, Submission, TaskDataSet, User
from scoring.endpoint.settings import Prices
from scoring.endpoint.settings_file import read_settings
from scoring.endpoint.templates import Strategy
from scoring.metrics import METRIC_SETS
from tests.support.factories import (
    SIZE,
    add_answers,
    add_examples,
    end_question,
    endpoint_run,
    model,
    release_of_all_tasks,
    with_slug,
)
from tests.support.html import page, text

TASKS = ("longbook_qa_eng", "kv_retrieval")
SETTINGS = {"tasks": TASKS, "prices": Prices(10.0, 1.0, 30.0), "window": 64_000}


@pytest.fixture
def keys(db: None) -> Release:
    release = release_of_all_tasks("keys", official=False)
    add_examples(release)
    return release


def run_of(
    owner: User,
    release: Release,
    scores: Sequence[float | None],
    asked: int = SIZE,
    name: str = "Asked",
    **settings: object,
) -> Submission:
    """A published run whose answers have the same scores in both tasks."""
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, state="published"
    )
    with_slug(submission)
    answers = {task: dict.fromkeys(METRIC_SETS, scores) for task in TASKS}
    places = dict.fromkeys(TASKS, range(asked))
    add_answers(submission, answers, asked=places if None in scores else None)
    ending = "cap" if None in scores else "finished"
    run = endpoint_run(
        owner,
        release,
        submission=submission,
        settings={**SETTINGS, **settings},
        ending=ending,
        requests=9,
        input_tokens=1_000_000,
        cached_tokens=400_000,
        output_tokens=1_000,
    )
    for one in run.questions.filter(example__index__lt=asked):
        end_question(run, one.place, text="x")
    return submission


@pytest.fixture
def partly(keys: Release, alice: User) -> Submission:
    """Two of the four questions of each task were asked: one is right, the other lost its evidence
    to truncation."""
    submission = run_of(alice, keys, [1.0, 0.0, None, None], asked=2)
    cut = submission.endpoint_run.questions.filter(example__index=1)
    for one in cut:
        end_question(one.run, one.place, text="y", sight="evidence cut")
    return submission


def test_the_parts_of_the_ledger_add_up_and_have_their_scores(
    client: Client, partly: Submission
) -> None:
    EndpointRun.objects.update(started="2026-11-22T23:00Z", ended="2026-11-22T23:50Z")
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    assert "asked the author's endpoint on 2026-11-22." in found.text
    parts = {
        str(one["data-ledger"]): [text(cell) for cell in one.select("td")]
        for one in found.select("[data-ledger]")
    }
    assert parts == {
        "whole": ["2", "25.0 %", "100.0"],
        "evidence-cut": ["2", "25.0 %", "0.0"],
        "not-asked": ["4", "50.0 %", "·"],
    }
    [missing] = found.select('[data-task="kv_retrieval"] [data-part="not-asked"] a')
    assert "is=missing" in str(missing["href"])
    settings = {str(one["data-setting"]): text(one) for one in found.select("[data-setting]")}
    assert (settings["model"], settings["window"]) == ("served-model", "64K (64,000) tokens")
    assert settings.keys() >= {"tasks", "subset", "temperature", "seed", "timeout", "attempts"}
    assert settings["tasks"].count(",") == settings["tasks"].count(".") - 1  # their titles
    assert text(found.select("[data-cost]")[0]).startswith("6.43")
    assert found.select("[data-trust]")[0]["data-trust"] == "run"


def test_a_task_that_the_run_never_came_to_is_in_the_ledger_and_in_the_table(
    client: Client, keys: Release, alice: User
) -> None:
    scores = [1.0, 0.0, None, None]
    never = run_of(alice, keys, scores, asked=2, tasks=(*TASKS, "passkey"))
    never.endpoint_run.questions.filter(task="passkey").update(state="waiting", outcome="")
    found = page(client.get(f"/entries/{never.entry_id}/"))
    [not_asked] = found.select('[data-ledger="not-asked"] td')[:1]
    assert text(not_asked) == "8"  # of 12
    cells = found.select('.ledger [data-task="passkey"] td')
    assert [text(cell) for cell in cells] == ["4", "0", "4"]
    assert text(found.select('[data-asked-of="passkey"]')[0]) == "0 / 4"
    assert text(found.select('[data-asked-of="math_calc"]')[0]) == ""  # nobody wanted it


def test_the_answers_of_a_task_that_is_not_scored_do_not_lower_the_mean_of_their_part(
    client: Client, keys: Release, alice: User
) -> None:
    whole = run_of(alice, keys, [1.0, 1.0, 1.0, 1.0], tasks=(*TASKS, "passkey"))
    failed = whole.endpoint_run.questions.filter(task="passkey").latest("place")
    end_question(failed.run, failed.place, outcome="failed by us")
    found = page(client.get(f"/entries/{whole.entry_id}/"))
    rows = {str(one["data-ledger"]): one.select("td") for one in found.select("[data-ledger]")}
    assert [text(cell) for cell in rows["whole"]] == ["11", "91.7 %", "100.0"]


def test_a_pace_that_was_changed_is_told_with_what_it_was(
    client: Client, partly: Submission
) -> None:
    changes = [["2026-11-22T23:10:00+00:00", 8, 32], ["2026-11-22T23:20:00+00:00", 32, 4]]
    EndpointRun.objects.update(concurrency_changes=changes)
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    [pace] = found.select('[data-setting="concurrency"]')
    assert re.findall(r"[\d:-]+", text(pace)) == [
        "8", "32", "2026-11-22", "23:10", "4", "2026-11-22", "23:20"
    ]  # fmt: skip


def test_a_run_that_ended_at_its_cap_has_estimates_from_what_was_asked(
    client: Client, partly: Submission
) -> None:
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    [notice] = found.select("[data-asked]")
    assert notice["data-asked"] == "50"
    [asked] = found.select('[data-asked-of="kv_retrieval"]')
    assert text(asked) == "2 / 4"
    row = asked.find_parent("tr")
    assert row
    assert text(row.select("td")[1]).startswith("50.00 ")  # with its interval


def test_a_sample_that_was_stopped_says_so_beside_its_share(
    client: Client, partly: Submission
) -> None:
    EndpointRun.objects.update(ending="stopped", settings={**_settings_of(partly), "subset": 6})
    partly.endpoint_run.questions.filter(example__index=3).delete()
    [notice] = page(client.get(f"/entries/{partly.entry_id}/")).select("[data-asked]")
    assert notice["data-planned"] == "6"
    numbers = re.findall(r"\d+", text(notice))
    assert numbers == ["50", "4", "6", "66", "8"]


def _settings_of(submission: Submission) -> dict[str, object]:
    found: dict[str, object] = submission.endpoint_run.settings
    return found


def test_a_task_that_failed_by_us_says_how_far_it_was_asked(
    client: Client, keys: Release, alice: User
) -> None:
    whole = run_of(alice, keys, [1.0, 1.0, 0.0, 0.0])
    [failed, *_] = whole.endpoint_run.questions.filter(task="kv_retrieval").order_by("place")
    end_question(failed.run, failed.place, outcome="failed by us")
    found = page(client.get(f"/entries/{whole.entry_id}/"))
    assert not found.select("[data-asked]")
    [left_out] = found.select("[data-left-out]")
    assert re.findall(r"\d+", text(left_out)) == ["3", "4", "1"]


def test_all_asked_is_no_sample(client: Client, keys: Release, alice: User) -> None:
    whole = run_of(alice, keys, [1.0, 1.0, 0.0, 0.0])
    found = page(client.get(f"/entries/{whole.entry_id}/"))
    assert not found.select("[data-asked]")


def test_the_gain_from_the_contexts_is_of_the_questions_that_both_were_asked(
    client: Client, partly: Submission, keys: Release, alice: User
) -> None:
    before = run_of(alice, keys, [0.0, 0.0, 1.0, 1.0], strategy=Strategy.CLOSED_BOOK)
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    [gain] = found.select('[data-gain="kv_retrieval"]')
    assert [text(one) for one in gain.select("td")][::2] == ["+50.0", "2"]
    assert found.select(f'a[href="/entries/{before.entry_id}/"]')
    assert not page(client.get(f"/entries/{before.entry_id}/")).select("[data-gain]")


def test_a_task_without_a_gain_is_listed_with_the_questions_that_both_were_asked(
    client: Client, partly: Submission, keys: Release, alice: User
) -> None:
    before = run_of(alice, keys, [0.0, 0.0, 1.0, 1.0], strategy=Strategy.CLOSED_BOOK)
    ScoreVector.objects.filter(
        task_score__evaluation__submission=before, task_score__task="kv_retrieval"
    ).delete()
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    assert not found.select('[data-gain="kv_retrieval"]')
    [missing] = found.select('[data-no-gain="kv_retrieval"]')
    assert text(missing.select("td")[-1]) == "0"


def test_only_a_run_that_is_worse_and_dearer_is_dominated(client: Client, alice: User) -> None:
    many, runs = 20, {}
    keys = release_of_all_tasks("keys", official=False)
    TaskDataSet.objects.filter(releases=keys, task__in=TASKS).update(size=many)
    add_examples(keys)
    right, wrong = [1.0] * many, [0.0] * many
    for name, scores, tokens in (
        ("good", right, 1_000), ("poor", wrong, 2_000), ("cheap", wrong, 500)
    ):  # fmt: skip
        runs[name] = run_of(alice, keys, scores, many, name, strategy=Strategy.STEPS)
        runs[name].endpoint_run.questions.update(input_tokens=tokens)
    found = page(client.get(f"/entries/{runs['good'].entry_id}/"))
    dominated = {
        str(one["data-cost-of"]): str(one["data-dominated"])
        for one in found.select("[data-cost-of]")
    }
    assert dominated == {
        runs["cheap"].entry_id: "",
        runs["good"].entry_id: "",
        runs["poor"].entry_id: "good",
    }
    drawn = found.select('[data-chart="costs"] circle')
    assert [one.get("r") for one in drawn] == ["3.5", "5", "3.5"]
    assert ["few" in one["class"] for one in drawn] == [False, False, True]
    EndpointRun.objects.filter(submission=runs["cheap"].pk).update(
        settings=settings_without_prices(runs["cheap"])
    )
    money = page(client.get(f"/entries/{runs['good'].entry_id}/?costs=money"))
    [row] = [one for one in money.select("[data-cost-of]") if one["data-dominated"]]
    assert (row["data-cost-of"], row["data-dominated"]) == (runs["poor"].entry_id, "good")
    # 1,000 questions with 2,000 input tokens each, at 10 per million.
    assert text(row.select("td")[2]).startswith("20.00 ")
    assert len(money.select("[data-cost-of]")) == 2  # with prices
    for axis in ("tokens", "money"):
        file = client.get(
            f"/entries/{runs['good'].entry_id}/costs.svg?costs={axis}"
        ).content.decode()
        assert ET.fromstring(file).tag.endswith("svg")
        assert file.count("<circle") == {"tokens": 3, "money": 2}[axis]
        assert ("prices as their authors stated them: 20" in file) == (axis == "money")
    assert client.get(f"/entries/{runs['good'].entry_id}/?costs=time").status_code == 404
    given_evidence = {**_settings_of(runs["good"]), "strategy": Strategy.EVIDENCE_ONLY}
    EndpointRun.objects.filter(submission=runs["good"].pk).update(settings=given_evidence)
    found = page(client.get(f"/entries/{runs['poor'].entry_id}/"))
    assert not [one for one in found.select("[data-cost-of]") if one["data-dominated"]]


def settings_without_prices(submission: Submission) -> dict[str, object]:
    return {**submission.endpoint_run.settings, "prices": {"input": 0, "output": 0}}


def test_settings_are_a_file_that_starts_the_same_run(client: Client, partly: Submission) -> None:
    answer = client.get(f"/entries/{partly.entry_id}/run.yaml")
    assert read_settings(answer.content.decode()).window == 64_000
    assert "key" not in yaml.safe_load(answer.content)
    EndpointRun.objects.update(submission=None)
    assert client.get(f"/entries/{partly.entry_id}/run.yaml").status_code == 404


def test_of_a_hidden_release_the_run_tells_no_verdicts(
    client: Client, partly: Submission, keys: Release
) -> None:
    Release.objects.filter(pk=keys.pk).update(hidden=True)
    found = page(client.get(f"/entries/{partly.entry_id}/"))
    assert found.select("[data-run], [data-asked]")
    assert not found.select("[data-ledger], [data-gain]")
