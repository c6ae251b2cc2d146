"""Spot checks: what is asked, when they end, what is stored, and who sees it."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from portal.demo.openai_server import Model
from portal.endpoint_runs.spot_checks import checks
from portal.endpoint_runs.spot_checks.asking import Answers
from portal.endpoint_runs.spot_checks.checks import (
    ClaimLostError,
    run_spot_check,
    sweep_spot_checks,
)
from portal.endpoint_runs.spot_checks.checks import _update as update_check
from portal.endpoint_runs.spot_checks.requests import request_spot_check, settings_for_check
from portal.errors import NotAllowedError, QuotaError, StateError
from portal.models import (
    AuditEntry,
    AuditHead,
    CheckState,
    Example,
    ExampleResult,
    Release,
    SpotCheck,
    Submission,
    User,
)
from portal.releases.importer import import_release
from portal.scores.spot_checks import ended_checks
from scoring.endpoint.run.runner import End, RunEnd
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.spot_check import COMPARED
from tests.support import html
from tests.support.endpoint_runs import passkey_release
from tests.support.example_results import change_results
from tests.support.factories import published
from tests.support.reference_endpoint import Endpoint, served_here
from tests.support.reference_server import Answering, local_endpoint

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("messages")]
KEY = "canary-77d0c1b2"
COUNT = 40


@pytest.fixture(scope="module")
def server() -> Iterator[Endpoint]:
    with served_here("--window", "8K", "--key", KEY) as endpoint:
        yield endpoint


@pytest.fixture
def endpoint(server: Endpoint, settings: Settings) -> Endpoint:
    settings.ENDPOINT_LOOPBACK_PORTS = frozenset({server.port})
    return server


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    files = passkey_release(tmp_path / "keys", COUNT)
    return import_release(files, slug="keys", title="Pass keys", processes=1)


def entry(owner: User, release: Release, name: str, right: int = COUNT) -> Submission:
    """A published entry whose first ``right`` answers are."""
    made = published(owner, release, name, {"passkey": 100.0})
    for example in Example.objects.filter(data_set__releases=release):
        answer = example.label if example.index < right else "99999"
        change_results(
            ExampleResult.objects.filter(evaluation__submission=made, index=example.index),
            prediction=f"The pass key is {answer}.",
        )
    return made


def settings_at(endpoint: Endpoint, **more: Any) -> RunSettings:
    return RunSettings(endpoint.url, endpoint.model, window=8_000, tasks=("passkey",), **more)


def checked(entry: Submission, endpoint: Endpoint, key: str = KEY) -> SpotCheck:
    assert entry.owner
    check = request_spot_check(entry, settings_at(endpoint), key, entry.owner)
    run_spot_check(check.pk)
    return SpotCheck.objects.get(pk=check.pk)


def test_files_agree_with_the_endpoint_that_made_them(
    alice: User, bob: User, keys: Release, endpoint: Endpoint, client: Client
) -> None:
    own = entry(alice, keys, "Own")
    other = entry(bob, keys, "Other", right=10)
    entry(alice, keys, "Own", right=30)  # of the same model: no other entry
    head = AuditHead.objects.first()
    check = checked(own, endpoint)
    assert (check.state, check.verdict, check.p0) == (CheckState.ENDED, "agrees", 1.0)
    assert (check.asked, check.agreed, check.key) == (11, 11, "")
    assert check.seed == (f"{head.entries}:{head.hash}" if head else "0:")
    asked = check.questions.filter(agrees=True).select_related("example")
    assert check.nearest == other
    assert check.nearest_agreed == sum(one.example.index < 10 for one in asked) < 11
    assert AuditEntry.objects.filter(subject__startswith="spot check:").count() == 2
    page = client.get(reverse("entry", args=[own.pk])).content.decode()
    assert "11 of 11 agree with the endpoint" in page
    assert f'data-nearest="{check.nearest_agreed}"' in page
    assert "verified model" not in page.lower()
    assert KEY not in page
    board = client.get("/api/v1/entries/?release=keys&entries=all").json()["entries"]
    assert {one["id"] for one in board if one["trust"] == "spot-checked"} == {str(own.pk)}


def test_files_of_another_model_disagree_and_the_entry_waits_a_week_for_the_next_check(
    alice: User, keys: Release, endpoint: Endpoint
) -> None:
    own = entry(alice, keys, "Own", right=4)
    check = checked(own, endpoint)
    assert check.verdict == "disagrees"
    assert check.asked < 25
    assert check.agreed < 0.6 * check.asked
    assert ended_checks(own) == [check]
    with pytest.raises(QuotaError):
        checked(own, endpoint)
    SpotCheck.objects.update(created=Now() - timedelta(days=8))
    assert checked(own, endpoint).seed != check.seed
    assert len(ended_checks(own)) == 2


def test_an_endpoint_that_breaks_off_where_a_check_is_decided_does_not_escape_the_verdict(
    alice: User, keys: Release, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> tuple[RunEnd, Answers]:
        return RunEnd(End.PAUSED, "The key is not accepted.", "key"), ask_batch(*args)[1]

    ask_batch = checks._ask
    monkeypatch.setattr(checks, "_ask", broken)
    check = checked(entry(alice, keys, "Own", right=0), endpoint)
    assert (check.asked, check.verdict, check.reason) == (11, "disagrees", "")
    other = request_spot_check(entry(alice, keys, "Other"), settings_at(endpoint), KEY, alice)
    monkeypatch.setattr(checks, "FEWEST", 4)
    run_spot_check(other.pk)
    open_one = SpotCheck.objects.get(pk=other.pk)
    assert (open_one.asked, open_one.verdict, open_one.reason) == (4, "", "key")


def test_an_endpoint_that_contradicts_itself_cannot_be_told(
    alice: User, keys: Release, settings: Settings
) -> None:
    with local_endpoint(Model("m", 8_000), Answering(lambda prompt, nth: f"{nth}")) as unsteady:
        settings.ENDPOINT_LOOPBACK_PORTS = frozenset({unsteady.port})
        own = entry(alice, keys, "Own")
        chosen = RunSettings(unsteady.url, "m", window=8_000, tasks=("passkey",))
        check = request_spot_check(own, chosen, "", alice)
        run_spot_check(check.pk)
    [shown] = ended_checks(own)
    assert (shown.p0, shown.verdict, shown.reason, shown.asked) == (
        0.0, "cannot tell", "unsteady", 0,
    )  # fmt: skip


def test_a_check_that_asked_nothing_says_why_and_does_not_count(
    alice: User, keys: Release, endpoint: Endpoint, client: Client
) -> None:
    own = entry(alice, keys, "Own")
    check = checked(own, endpoint, key="wrong-key-5a")
    assert (check.verdict, check.reason, check.asked, check.key) == ("", "key", 0, "")
    assert ended_checks(own) == []
    client.force_login(alice)
    page = client.get(reverse("submission-spot-check", args=[own.pk])).content.decode()
    assert "does not accept the key." in page
    assert page.count("401 Incorrect API key") == 1
    for _ in range(2):
        checked(own, endpoint, key="wrong-key-5a")
    with pytest.raises(QuotaError, match="3 checks"):
        checked(own, endpoint)
    SpotCheck.objects.filter(pk=check.pk).update(created=Now() - timedelta(days=8))
    assert checked(own, endpoint).verdict == "agrees"


def test_a_worker_that_stops_gives_its_check_to_the_next_at_once(
    alice: User, keys: Release, endpoint: Endpoint, messages: Path
) -> None:
    check = request_spot_check(entry(alice, keys, "Own"), settings_at(endpoint), KEY, alice)
    run_spot_check(check.pk, is_stopping=lambda: True)
    left = SpotCheck.objects.get()
    assert (left.state, left.fence, left.lease_until) == (CheckState.WAITING, 0, None)
    assert len(list(messages.iterdir())) == 1
    run_spot_check(check.pk)
    assert SpotCheck.objects.get().verdict == "agrees"


def test_only_one_worker_has_a_check_and_three_may_lose_it(
    alice: User, keys: Release, endpoint: Endpoint, settings: Settings
) -> None:
    own = entry(alice, keys, "Own")
    check = request_spot_check(own, settings_at(endpoint), KEY, alice)
    assert KEY not in check.key
    rows = SpotCheck.objects.filter(pk=check.pk)
    rows.update(state=CheckState.RUNNING, fence=1, lease_until=Now() + timedelta(hours=1))
    run_spot_check(check.pk)
    assert rows.get().state == CheckState.RUNNING
    with pytest.raises(ClaimLostError):
        update_check(check, fence=0)
    rows.update(state=CheckState.WAITING, lease_until=None)
    assert sweep_spot_checks() == 0  # its message was just sent
    rows.update(created=Now() - timedelta(minutes=3))
    assert (sweep_spot_checks(), sweep_spot_checks()) == (1, 0)
    settings.ENDPOINT_KEY_SECRETS = [
        "a new secret that is long enough",
        *settings.ENDPOINT_KEY_SECRETS,
    ]
    before = rows.get().key
    call_command("renew_endpoint_keys")
    assert rows.get().key != before
    rows.update(state=CheckState.RUNNING, fence=3, lease_until=F("created") - timedelta(hours=1))
    assert sweep_spot_checks() == 1
    ended = rows.get()
    assert (ended.state, ended.reason, ended.key) == (CheckState.ENDED, "our failure", "")
    waiting = request_spot_check(own, settings_at(endpoint), KEY, alice)
    SpotCheck.objects.filter(pk=waiting.pk).update(created=Now() - timedelta(days=8))
    assert sweep_spot_checks() == 1  # no worker came
    assert not SpotCheck.objects.exclude(key="").exists()


def test_who_may_have_what_checked(
    alice: User, bob: User, keys: Release, endpoint: Endpoint
) -> None:
    own = entry(alice, keys, "Own")
    with pytest.raises(NotAllowedError):
        request_spot_check(own, settings_at(endpoint), KEY, bob)
    Example.objects.update(context=None)
    with pytest.raises(StateError, match="texts"):
        request_spot_check(own, settings_at(endpoint), KEY, alice)


def test_a_check_waits_for_an_answer_no_longer_than_a_run(
    endpoint: Endpoint, settings: Settings
) -> None:
    settings.RUN_TIMEOUT = 70
    asked = [settings_for_check(settings_at(endpoint, timeout=one)) for one in (60, 86_400)]
    assert [one.timeout for one in asked] == [60, 70]


def test_an_author_starts_a_check_on_a_page(
    alice: User,
    rita: User,
    keys: Release,
    endpoint: Endpoint,
    client: Client,
    *,
    messages: Path,
    django_capture_on_commit_callbacks: Any,
) -> None:
    own = entry(alice, keys, "Own")
    client.force_login(alice)
    page = reverse("submission-spot-check", args=[own.pk])
    for state in ("private", "published"):  # the way there
        Submission.objects.filter(pk=own.pk).update(state=state)
        assert html.page(client.get(f"/submissions/{own.pk}/")).select(f'a[href="{page}"]')
    before = html.page(client.get(page))
    assert before.select("input[name=key]")
    assert "256 tokens (Math.Calc 30,000" in before.select("[data-fixed]")[0].text
    assert len(before.select("[data-help=check-templates] pre")) == 3 * len(COMPARED)
    form = {"url": endpoint.url, "model": endpoint.model, "key": KEY, "api": "chat"}
    form |= {"strategy": "direct", "window": "8K"}
    urls = ("http://10.0.0.1/v1", "https://169.254.169.254/", "nothing")
    wrong = [*({"url": url} for url in urls), {"key": "ключ-77"}, {"key": "two words"}]
    for one in wrong:
        refused = client.post(page, {**form, **one})
        assert refused.status_code == 422
        assert KEY not in refused.content.decode()
    assert not SpotCheck.objects.exists()
    assert not html.page(client.get(page)).select("#follow")
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(page, form).status_code == 302
    assert [file.name.split(".")[1] for file in messages.iterdir()] == ["runs"]
    waiting = html.page(client.get(page))
    [testing] = waiting.select("[data-spot-check=waiting]")
    assert "0" not in testing.text  # nothing is compared before the connection has been tested
    assert waiting.select("#waits > #follow, [data-look-again]")[1:]
    assert not html.page(client.get(f"/submissions/{own.pk}/")).select("[data-spot-check]")
    run_spot_check(SpotCheck.objects.get().pk)
    assert SpotCheck.objects.get().verdict == "agrees"
    own_page = html.page(client.get(f"/submissions/{own.pk}/"))
    assert [one["data-spot-check"] for one in own_page.select("[data-spot-check]")] == ["agrees"]
    after = html.page(client.get(page))
    assert [one["data-spot-check"] for one in after.select("[data-spot-check]")] == ["agrees"]
    asked_with = {one["data-setting"]: one.text for one in after.select("[data-setting]")}
    assert (asked_with["strategy"], asked_with["temperature"]) == ("direct", "0")
    assert not after.select("form [name=url]")  # nor the form, before the week is over
    assert after.select('[data-code="checked_this_week"]')
    assert asked_with["output_tokens"] == "256 tokens, Math.Calc 4,000"
    assert KEY not in after.text
    assert client.post(page, form).status_code == 422  # a second one within a week
    client.force_login(rita)
    to_a_reviewer = html.page(client.get(page))
    assert len(to_a_reviewer.select("[data-spot-check]")) == 1
    assert not to_a_reviewer.select("[data-code], input[name=key]")
