"""The controls of a run: the same questions without texts, and with the evidence alone."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

from portal.endpoint_runs.configuration.controls import controls_of_run, prepare_controls
from portal.endpoint_runs.services import start_run
from portal.errors import StateError
from portal.models import EndpointRun, Example, Release, RunState, User
from portal.scores.controls import Control, control_of, strategy_of
from scoring.endpoint.templates import Strategy
from tests.support.asked_runs import drafted, passkeys
from tests.support.clients import signed_in
from tests.support.run_workers import NOWHERE

pytestmark = pytest.mark.django_db


@pytest.fixture
def keys(db: None, tmp_path: Path) -> Release:
    release = passkeys(tmp_path, 40)
    Example.objects.update(evidence=[[0, 5]])
    return release


@pytest.fixture
def run(alice: User, keys: Release) -> EndpointRun:
    return start_run(drafted(alice, keys, *NOWHERE, subset=9), alice)


def strategies(runs: list[EndpointRun]) -> set[str]:
    return {one.settings["strategy"] for one in runs}


def places(run: EndpointRun) -> list[int]:
    return list(run.questions.order_by("place").values_list("example_id", flat=True))


def test_the_strategies_are_those_of_runs() -> None:
    assert {strategy_of(one) for one in Control} == {
        Strategy.CLOSED_BOOK.value,
        Strategy.EVIDENCE_ONLY.value,
    }


@pytest.mark.parametrize(
    ("strategy", "stated", "control"),
    [("closed-book", "", Control.NO_CONTEXT), ("evidence-only", "x", Control.EVIDENCE_ONLY),
     ("direct", "closed book", None), (None, "Closed book", Control.NO_CONTEXT),
     (None, "no_context", Control.NO_CONTEXT), (None, "Evidence only", Control.EVIDENCE_ONLY),
     (None, "closed book, then open", None), (None, "", None)],
)  # fmt: skip
def test_what_is_a_control(strategy: str | None, stated: str, control: Control | None) -> None:
    assert control_of(strategy, stated) == control


def test_the_button_prepares_both_with_the_same_questions_and_without_a_key(
    alice: User, run: EndpointRun, settings: Settings
) -> None:
    settings.MAX_RUNS = 3
    browser = signed_in(alice)
    assert 'data-step="controls"' in browser.get(f"/runs/{run.pk}/").content.decode()
    browser.post(f"/runs/{run.pk}/controls/")
    made = list(EndpointRun.objects.filter(same_questions_as=run))
    assert strategies(made) == {"closed-book", "evidence-only"}
    assert {(one.state, one.key, one.owner_id) for one in made} == {(RunState.DRAFT, "", alice.pk)}
    page = browser.get(f"/runs/{run.pk}/").content.decode()
    assert 'data-step="controls"' not in page
    assert 'data-control="evidence-only"' in page
    for one in made:
        start_run(one, alice)
        assert places(EndpointRun.objects.get(pk=one.pk)) == places(run)


def test_what_is_there_is_not_prepared_again(alice: User, run: EndpointRun) -> None:
    first, second = prepare_controls(run, alice)
    with pytest.raises(StateError) as refused:
        prepare_controls(run, alice)
    assert refused.value.code == "no_controls"
    second.delete()
    assert strategies(prepare_controls(run, alice)) == strategies([second])
    assert first.pk


def test_ones_own_template_is_left_out_where_nothing_is_sent(alice: User, keys: Release) -> None:
    own = {"passkey": "{context} {question}"}
    draft = drafted(alice, keys, *NOWHERE, subset=9, templates=own)
    made = prepare_controls(start_run(draft, alice), alice)
    by_strategy = {one.settings["strategy"]: one.settings["templates"] for one in made}
    assert by_strategy == {"closed-book": {}, "evidence-only": own}


def test_a_draft_and_a_control_have_no_controls(alice: User, keys: Release) -> None:
    draft = drafted(alice, keys, *NOWHERE)
    with pytest.raises(StateError) as refused:
        prepare_controls(draft, alice)
    assert refused.value.code == "wrong_state"
    control = start_run(drafted(alice, keys, *NOWHERE, strategy=Strategy.CLOSED_BOOK), alice)
    assert controls_of_run(control, alice).missing == ()


def test_without_known_or_public_evidence_there_is_one_control(
    alice: User, run: EndpointRun, keys: Release
) -> None:
    Example.objects.update(evidence=None)
    assert controls_of_run(run, alice).missing == [Control.NO_CONTEXT]
    Example.objects.update(evidence=[[0, 5]])
    Release.objects.update(hidden=True)
    hidden = EndpointRun.objects.get(pk=run.pk)
    assert controls_of_run(hidden, alice).missing == [Control.NO_CONTEXT]


def test_nobody_prepares_controls_of_others(bob: User, run: EndpointRun) -> None:
    assert signed_in(bob).post(f"/runs/{run.pk}/controls/").status_code == 404
    assert not EndpointRun.objects.filter(same_questions_as=run).exists()


def test_the_api_prepares_and_names_them(alice: User, run: EndpointRun, client: Client) -> None:
    browser = signed_in(alice)
    assert browser.get(f"/runs/{run.pk}/").status_code == 200
    made = prepare_controls(run, alice)
    found = controls_of_run(run, alice)
    assert [one.pk for _, one in found.runs] == [one.pk for one in made]
