"""Without a sandbox nothing is scored, and that is reported; what the box cannot reach."""

import errno
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from pytest_django import Settings

from portal.evaluations import sandbox as portal_sandbox
from portal.evaluations.sandbox import may_score, sandbox
from portal.models import EvaluationState, User
from scoring.sandbox.preflight import Preflight
from scoring.sandbox.run import Level
from tests.support.processes import eventually
from tests.support.workers import (
    Workers,
    long_ago,
    now,
    quick_submission,
    resend_message,
    scored_once,
    starts_with,
    workers_in,
)

workers = pytest.fixture(workers_in)

_NO_SANDBOX = """\
from scoring.sandbox import preflight as module
nothing_holds = module.Preflight(module.Level.NONE, "Nothing holds here.", ())
module.preflight = lambda **_: nothing_holds
"""


@pytest.fixture
def unmeasured() -> Iterator[None]:
    """As in a process that has just started."""
    portal_sandbox.measured.cache_clear()
    yield
    portal_sandbox.measured.cache_clear()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("messages")
def test_a_worker_without_a_sandbox_says_so_and_leaves_the_work_to_others(
    alice: User, tmp_path: Path, workers: Workers, client: Client
) -> None:
    worker = workers.start(variables=starts_with(_NO_SANDBOX, tmp_path / "none"))
    assert worker.has_said("NOTHING IS SCORED HERE")
    quick = quick_submission(alice, tmp_path)
    eventually(lambda: worker.has_said("not scored: Nothing holds here."), "a refusal")
    assert (now(quick).state, now(quick).attempt) == (EvaluationState.QUEUED, 0)
    worker.kill()
    long_ago(quick)
    assert client.get("/readyz").json()["oldest_waits_seconds"] >= 3600
    workers.start()
    resend_message(quick)
    scored_once(quick, attempt=1)


@pytest.mark.usefixtures("unmeasured")
def test_the_sandbox_level_is_none_until_it_can_be_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a full disk, for example: no restart by hand is needed."""

    def no_room(**_: object) -> Preflight:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/srv/site/tmp")

    with monkeypatch.context() as patch:
        patch.setattr(portal_sandbox, "preflight", no_room)
        assert not may_score()
        assert sandbox().reason == "The sandbox could not be tested: No space left on device."
    assert may_score()


@pytest.mark.django_db
@pytest.mark.usefixtures("unmeasured")
def test_the_scorer_cannot_reach_the_database_or_the_secret_key(
    settings: Settings, tmp_path: Path
) -> None:
    settings.SECRET_KEY_FILE = tmp_path / "secret-key"
    settings.SECRET_KEY_FILE.write_text("secret")
    place = connection.settings_dict
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(f"{place['HOST']}/.s.PGSQL.{place['PORT']}")  # within ours
    if sandbox().level == Level.NONE:
        pytest.skip(f"NO SANDBOX HERE: {sandbox().reason}")
    walls = {"strong": "both", "lockdown": "lockdown"}[sandbox().level]
    held = {one.attempt for one in sandbox().findings if one.walls == walls and one.held}
    assert {"sockets", "files"} <= held
