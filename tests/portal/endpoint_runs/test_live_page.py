from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.db.models.functions import Now
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from portal.endpoint_runs.progress import running_score
from portal.endpoint_runs.progress.forms import ResumeForm
from portal.endpoint_runs.progress.live_page import live_page
from portal.endpoint_runs.progress.sentences import FAILURES, standing_sentence
from portal.models import EndpointRun, Release, RunSlice, TaskDataSet, User
from scoring.endpoint.settings import Caps, Prices
from scoring.endpoint.transport.failures import RULES, Kind
from tests.support.clients import signed_in
from tests.support.factories import (
    add_examples,
    end_question,
    endpoint_run,
    failed_attempt,
    judged,
    release_of_all_tasks,
)
from tests.support.html import page

SIZE = 40
TASKS = ("longbook_qa_eng", "kv_retrieval")
SETTINGS = {
    "tasks": TASKS,
    "caps": Caps(requests=100, money=2.0),
    "prices": Prices(input=10.0, cached_input=1.0, output=30.0),
}


@pytest.fixture
def half(db: None, alice: User) -> EndpointRun:
    """The first 30 of 40 questions on novels were asked, and the first two of 4 on keys."""
    cache.clear()
    release = release_of_all_tasks("keys")
    TaskDataSet.objects.filter(releases=release, task="longbook_qa_eng").update(size=SIZE)
    add_examples(release)
    run = endpoint_run(
        alice,
        release,
        settings=SETTINGS,
        state="running",
        resumed=Now() - timedelta(minutes=3),
        requests=36,
        input_tokens=30_000,
        cached_tokens=10_000,
        output_tokens=1_000,
        reserved_requests=4,
    )
    RunSlice.objects.create(run=run, number=0, width=4, lease_until=Now() + timedelta(hours=1))
    places = {task: list(run.questions.filter(task=task)) for task in TASKS}
    for number, one in enumerate(places[TASKS[0]][:30]):
        right = "x" if number % 3 else "nothing"
        end_question(run, one.place, text=right, counted=3_000 if number < 20 else 70_000)
    end_question(run, places[TASKS[1]][0].place, "refused", text="I cannot.", first_token=None)
    failed = end_question(
        run, places[TASKS[1]][1].place, "failed by the endpoint", first_token=None
    )
    failed_attempt(failed, "busy", "slow down")
    failed_attempt(failed, "busy", "slow down, please")
    failed_attempt(failed, "timeout")
    return run


def look(run: EndpointRun, client: Client, **sent: str) -> BeautifulSoup:
    return page(client.get(f"/runs/{run.pk}/", sent))


def test_the_page_of_a_run_says_how_far_it_has_come_what_it_took_and_what_failed(
    half: EndpointRun, alice: User
) -> None:
    found = look(half, signed_in(alice))
    [ended] = found.select("[data-ended]")
    assert (ended["data-ended"], ended["data-total"]) == ("32", "44")
    assert float(str(found.select("[data-rate]")[0]["data-rate"])) == pytest.approx(32 / 3, rel=0.1)
    outcomes = {str(one["data-outcome"]): one.text for one in found.select("[data-outcome]")}
    assert outcomes == {"answered": "30", "refused": "1", "failed by the endpoint": "1"}
    uses = {str(one["data-use"]): one.text.split()[0] for one in found.select("[data-use]")}
    assert uses == {"requests": "36", "tokens": "31,000", "money": "0.2400"}
    tokens = [one.text.split()[0] for one in found.select("[data-tokens]")]
    assert tokens == ["20,000", "10,000", "1,000"]
    failures = {str(one["data-failure"]): one.text for one in found.select("[data-failure]")}
    assert list(failures) == ["busy", "timeout"]
    assert "slow down, please" in failures["busy"]
    assert [str(one["data-length"]) for one in found.select("[data-length]")] == [
        "< 4K",
        "64K – 128K",
    ]


def test_the_score_so_far_has_the_interval_of_what_was_asked(
    half: EndpointRun, alice: User
) -> None:
    client = signed_in(alice)
    [mean] = look(half, client).select("[data-mean]")
    assert mean["data-mean"] == "33.33"  # 20 of 30, and none of 1; a failure is no answer
    assert "from the 31 answers so far" in look(half, client).text
    assert "(" in page(client.get(f"/runs/{half.pk}/")).select(".interval")[0].text
    half.release.hidden = True
    half.release.save()
    assert not look(half, client).select("[data-judged]")


@pytest.mark.parametrize(
    ("subset", "ending", "says", "has_interval"),
    [
        ("all", "", "of all questions, or an estimate", True),
        ("all", "cap", "What was asked is scored next", True),
        (100, "", "what was asked is scored: an estimate", True),
        ("smoke", "", "no random sample", False),
        ("smoke", "stopped", "no random sample", False),
    ],
)
def test_the_score_so_far_says_what_its_questions_are_and_what_follows(
    half: EndpointRun, alice: User, subset: object, ending: str, says: str, *, has_interval: bool
) -> None:
    half.settings |= {"subset": subset}
    half.ending = ending
    half.save()
    if subset != "all":
        half.questions.filter(place__gt=40).delete()
    found = look(half, signed_in(alice))
    [words] = found.select("[data-scope]")
    assert says in words.text
    assert bool(found.select(".interval")) == has_interval


def test_a_page_costs_as_much_for_any_number_of_questions(
    half: EndpointRun, alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client = signed_in(alice)
    look(half, client)
    with django_assert_max_num_queries(15):  # including session, user, turn, cache and due work
        changed = client.get(f"/runs/{half.pk}/", headers={"HX-Request": "true"})
    [follow] = page(changed).select("#follow")
    same = client.get(str(follow["hx-get"]), headers={"HX-Request": "true"})
    assert same.status_code == 204


@pytest.mark.parametrize(
    ("columns", "steps"),
    [
        ({"state": "draft"}, ["start"]),
        ({"state": "running"}, ["pause", "stop", "controls"]),
        ({"state": "paused", "reason": "key"}, ["resume", "stop", "controls"]),
    ],
)
def test_it_offers_what_its_owner_can_do_and_says_why_it_has_paused(
    alice: User, bob: User, small: Release, columns: dict[str, Any], steps: list[str]
) -> None:
    run = endpoint_run(alice, small, **columns)
    found = look(run, signed_in(alice))
    offered = {str(one["data-step"]) for one in found.select("[data-step]")}
    assert offered <= set(steps)  # as far as there are addresses for it
    if columns["state"] == "paused":
        assert found.select('#standing[data-reason="key"]')
    assert signed_in(bob).get(f"/runs/{run.pk}/").status_code == 404


def test_a_wrong_key_is_named_once_and_another_one_is_asked_for_first(
    alice: User, small: Release
) -> None:
    why = RULES[Kind.KEY].sentence
    paused: dict[str, Any] = {"state": "paused", "reason": "key", "key": "x", "key_until": Now()}
    run = endpoint_run(alice, small, **paused, reason_details=f"{why} Bad key: no such user.")
    found = look(run, signed_in(alice))
    [standing] = found.select("#standing")
    assert standing.text.count(why) == 1
    assert found.select("[data-details]")[0].text == "Bad key: no such user."
    [primary] = found.select("#standing .button.primary")
    assert (primary.name, primary["data-step"]) == ("a", "resume")
    client, resume = signed_in(alice), f"/runs/{run.pk}/resume/"
    assert client.post(resume).status_code == 422
    [same] = found.select("[data-step=resume-same]")
    assert client.post(resume, {str(same["name"]): "yes"}).status_code == 302


def test_a_run_without_a_key_that_is_refused_asks_for_one(alice: User, small: Release) -> None:
    run = endpoint_run(alice, small, state="paused", reason="key")
    client = signed_in(alice)
    found = look(run, client)
    refused = EndpointRun(state="paused", reason="key", key="x")
    assert standing_sentence(run) != standing_sentence(refused)
    assert [one["data-step"] for one in found.select("[data-step]")] == [
        "resume",
        "stop",
        "controls",
    ]
    assert page(client.get(f"/runs/{run.pk}/resume/")).select('[name="key"][required]')
    assert client.post(f"/runs/{run.pk}/resume/").status_code == 422


@pytest.mark.parametrize(
    ("columns", "is_required"),
    [
        ({"reason": "key", "key": "x", "key_until": "2030-01-01T00:00Z"}, True),
        ({"reason": "by_owner", "key": "x", "key_until": "2030-01-01T00:00Z"}, False),
        ({"reason": "by_owner"}, False),
        ({"reason": "by_owner", "key_until": "2026-01-01T00:00Z"}, True),
    ],
)
def test_a_key_is_needed_where_the_stored_one_is_gone_or_refused(
    alice: User, small: Release, columns: dict[str, Any], *, is_required: bool
) -> None:
    run = endpoint_run(alice, small, state="paused", **columns)
    form = ResumeForm()
    form.describe_key(run, same=False)
    assert form.fields["key"].required == is_required
    form.describe_key(run, same=True)
    assert form.fields["key"].required == (is_required and not run.key)


def test_the_tasks_that_a_run_never_came_to_are_named(half: EndpointRun, alice: User) -> None:
    submission = judged(alice, half.release, {"longbook_qa_eng": 50.0}, state="published")
    half.questions.filter(task="kv_retrieval").update(state="waiting", outcome="")
    rows = EndpointRun.objects.filter(pk=half.pk)
    assert not look(half, signed_in(alice)).select("[data-never-asked]")
    rows.update(state="ended", ending="cap", ended=Now(), submission=submission)
    client = signed_in(alice)
    for address in (f"/runs/{half.pk}/", f"/entries/{submission.entry_id}/"):
        [never] = page(client.get(address)).select("[data-never-asked]")
        assert never["data-never-asked"] == "1"
        assert "Retrieve.KV" in never.text


@pytest.mark.parametrize("seconds", [0, 9, 10])
def test_no_time_left_is_not_told(half: EndpointRun, seconds: int) -> None:
    half.refresh_from_db()
    assert bool(live_page(half)._replace(seconds_left=seconds).left) == (seconds >= 10)


def test_the_score_so_far_is_judged_on_at_once_where_it_lags(
    half: EndpointRun, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running_score, "_BATCH", 20)
    monkeypatch.setattr(running_score, "_LONGEST_TURN", 0)  # that is: it is over at once
    client = signed_in(alice)
    looks = [look(half, client).select("[data-judged]")[0]["data-judged"] for _ in range(3)]
    assert looks == ["20", "31", "31"]


def test_every_kind_of_failure_has_its_sentence() -> None:
    assert {kind: FAILURES.get(kind) for kind in RULES} == {
        kind: rule.sentence for kind, rule in RULES.items()
    }


def test_after_its_end_it_leads_to_the_submission(alice: User, small: Release) -> None:
    submission = judged(alice, small, {"longbook_qa_eng": 50.0}, state="published")
    run = endpoint_run(alice, small, submission=submission, ending="cap", reason="cap")
    found = look(run, signed_in(alice))
    assert found.select(f'a[href="/submissions/{submission.pk}/"]')
    assert found.select(f'a[href="/entries/{submission.entry_id}/"]')
    assert not found.select("#follow")
    around = [str(one["href"]) for one in found.select("header .row a")]
    assert [signed_in(alice).get(address).status_code for address in around] == [200, 200, 200]
    back = page(signed_in(alice).get(f"/submissions/{submission.pk}/"))
    assert back.select(f'a[href="/runs/{run.pk}/"]')


@pytest.fixture
def small(db: None) -> Release:
    release = release_of_all_tasks("keys")
    add_examples(release)
    return release
