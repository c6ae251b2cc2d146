"""Files of the Hub with real workers: one is killed while they arrive, another one goes on."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any
from urllib.parse import urlsplit

import pytest
from pytest_django import Settings

from portal.hub.jobs import sweep_fetches
from portal.hub.services import request_fetch
from portal.hub.sources import HubSource
from portal.models import CountedUpload, EvaluationState, HubFetch, HubJobState, Release, User
from portal.submissions.services import SubmissionSettings
from tests.support.asked_runs import KEY, keepers_of_the_key
from tests.support.factories import model_of
from tests.support.hub_server import Hub, running
from tests.support.processes import DEADLINE, eventually
from tests.support.workers import Workers, eventually_in, workers_in

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

workers = pytest.fixture(workers_in)


@pytest.fixture
def hub(world: Path, settings: Settings) -> Iterator[Hub]:
    files = {f"preds/{one.name}": one.read_bytes() for one in (world / "preds").iterdir()}
    with running(Hub(files, repository="alice/model", kind="model", token=KEY)) as hub:
        settings.HUB_ENDPOINT = hub.url
        settings.RESEND = 1  # second: the message of a worker that was lost is lost with it
        yield hub


def test_a_worker_that_is_killed_while_files_arrive_is_replaced_and_nothing_is_submitted_twice(
    alice: User, release: Release, hub: Hub, workers: Workers
) -> None:
    is_halfway, is_killed = Event(), Event()

    def stops_halfway(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        handler.wfile.write(b'{"id": 0, "prediction": "')
        is_halfway.set()
        is_killed.wait(DEADLINE)

    variables = {"HF_ENDPOINT": hub.url, "HUB_LOOPBACK_PORTS": str(urlsplit(hub.url).port)}
    fetch = request_fetch(
        HubSource("model", "alice/model", "main", "preds"),
        owner=alice,
        language_model=model_of(alice),
        release=release,
        settings=SubmissionSettings(),
        token=KEY,
    )
    hub.tricks = {hub.resolve: stops_halfway}
    first = workers.start(None, variables=variables, queue="imports")
    assert is_halfway.wait(DEADLINE)
    first.kill()
    is_killed.set()
    hub.tricks = {}
    fetch.refresh_from_db()
    assert (fetch.state, fetch.attempts) == (HubJobState.RUNNING, 1)
    assert keepers_of_the_key() == []  # encrypted as it is, until the end
    workers.start(None, variables=variables, queue="imports,scoring")

    def is_done() -> bool:
        sweep_fetches()
        return HubFetch.objects.filter(pk=fetch.pk, state=HubJobState.DONE).exists()

    eventually(is_done, "the files")
    fetch.refresh_from_db()
    assert (fetch.attempts, fetch.key) == (2, "")
    submission = alice.submissions.get()
    assert submission.pk == fetch.pk
    eventually_in(submission, EvaluationState.NEEDS_ANSWER)  # of these files, as if uploaded
    assert CountedUpload.objects.count() == 1
    assert keepers_of_the_key() == []
    assert all(KEY not in worker.log.read_text() for worker in workers.all)
