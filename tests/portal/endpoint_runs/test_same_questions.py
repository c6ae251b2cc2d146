"""Runs that ask the questions of an earlier run, so that the two can be compared."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from portal.endpoint_runs.configuration.estimate import questions_to_ask
from portal.endpoint_runs.questions import settings_of_run
from portal.endpoint_runs.services import start_run
from portal.models import EndpointRun, Release, User
from scoring.keys import canonical_key
from tests.portal.endpoint_runs.test_configuration import values_on
from tests.support.asked_runs import drafted, passkeys
from tests.support.clients import signed_in
from tests.support.run_workers import NOWHERE

pytestmark = pytest.mark.django_db


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    return passkeys(tmp_path, 40)


@pytest.fixture
def earlier(alice: User, keys: Release) -> EndpointRun:
    return start_run(drafted(alice, keys, *NOWHERE, subset=9), alice)


def places(run: EndpointRun) -> list[int]:
    return list(run.questions.order_by("place").values_list("example_id", flat=True))


def copied(browser: Client, earlier: EndpointRun, **changed: Any) -> Any:
    values = values_on(browser.get("/runs/new/", {"like": str(earlier.pk)}))
    return browser.post("/runs/new/", {**values, "url": "https://api.example.org/v1", **changed})


def test_a_copy_of_a_sample_asks_the_same_questions_in_the_same_order(
    alice: User, earlier: EndpointRun
) -> None:
    assert copied(signed_in(alice), earlier, strategy="closed-book").status_code == 302
    copy = EndpointRun.objects.latest("created")
    assert copy.same_questions_as == earlier
    settings = settings_of_run(copy)
    estimated = {one.key for one in questions_to_ask(copy.release, settings, earlier)}
    start_run(copy, alice)
    assert places(EndpointRun.objects.get(pk=copy.pk)) == places(earlier)
    asked = earlier.questions.values_list("example__key", flat=True)
    assert estimated == {canonical_key(key) for key in asked}
    copy.refresh_from_db()
    assert copy.settings["order"] == earlier.settings["order"]


def test_without_it_another_sample_is_drawn(alice: User, earlier: EndpointRun) -> None:
    assert copied(signed_in(alice), earlier, same_questions_as="").status_code == 302
    copy = EndpointRun.objects.latest("created")
    start_run(copy, alice)
    assert set(places(copy)) != set(places(earlier))


@pytest.mark.parametrize("changed", [{"sample": "10"}, {"subset": "all"}])
def test_a_run_that_was_asked_other_questions_is_refused(
    alice: User, earlier: EndpointRun, changed: dict[str, str]
) -> None:
    response = copied(signed_in(alice), earlier, **changed)
    errors = response.context["forms"].form.errors.as_data()
    assert [one.code for one in errors["same_questions_as"]] == ["other_questions"]


def test_nobody_pairs_with_the_run_of_somebody_else(
    alice: User, bob: User, earlier: EndpointRun, keys: Release
) -> None:
    own = start_run(drafted(bob, keys, *NOWHERE, subset=9), bob)
    response = copied(signed_in(bob), own, same_questions_as=str(earlier.pk))
    errors = response.context["forms"].form.errors.as_data()
    assert [one.code for one in errors["same_questions_as"]] == ["invalid_choice"]
