"""What Prometheus reads: only with the token, and with no more labels than the site has views."""

import os
import re
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models.functions import Now
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import Settings

from portal.heartbeats import beat, count_lost_leases
from portal.models import Evaluation, Heartbeat, HeartbeatKind, Notice, Release, User
from tests.support.factories import endpoint_run, make_submission
from tests.support.paths import ROOT

TOKEN = "a token of thirty-two characters, at least"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture(autouse=True)
def token(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


@pytest.fixture
def reader(client: Client) -> Client:
    """Made after the token is set, since the metrics are loaded then."""
    return Client(headers={"authorization": f"Bearer {TOKEN}"})


def scraped(reader: Client) -> Samples:
    answer = reader.get("/metrics")
    assert answer.status_code == 200
    return samples(answer.content.decode())


def samples(text: str) -> Samples:
    return {
        (one.name.removeprefix("infinitebench_"), tuple(sorted(one.labels.items()))): one.value
        for family in text_string_to_metric_families(text)
        for one in family.samples
    }


def of(name: str, **labels: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    return name, tuple(sorted(labels.items()))


def test_without_a_token_of_the_site_there_is_nothing(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize(
    "sent", ["", TOKEN, f"Basic {TOKEN}", "Bearer", f"Bearer {TOKEN}x", "Bearer ünïcödé"]
)
def test_others_are_refused(client: Client, sent: str) -> None:
    answer = client.get("/metrics", headers={"authorization": sent})
    assert (answer.status_code, b"infinitebench" in answer.content) == (401, False)


@pytest.mark.django_db
def test_requests_are_counted_by_view_and_never_by_address(reader: Client) -> None:
    before = scraped(reader)
    for name in ("one", "two", "three"):
        reader.get(f"/models/{name}/")
        reader.get(f"/canary/{name}")
    reader.generic("BREW", "/healthz")
    after = scraped(reader)
    counted = {key: value - before.get(key, 0) for key, value in after.items()}
    assert counted[of("requests_total", view="language-model", method="GET", status="404")] == 3
    assert counted[of("requests_total", view="none", method="GET", status="404")] == 3
    assert counted[of("requests_total", view="healthz", method="other", status="405")] == 1
    assert counted[of("request_seconds_count", view="language-model")] == 3
    assert "canary" not in str(after.keys())


def test_queues_outcomes_and_signs_of_life_are_told(
    reader: Client, alice: User, release: Release
) -> None:
    make_submission(alice, release, b"{}")
    make_submission(alice, release, b"[]").evaluations.update(
        state="failed", failure="worker_lost", finished=Now()
    )
    Evaluation.objects.filter(state="queued").update(due=Now())
    endpoint_run(alice, release)
    Notice.objects.all().delete()
    count_lost_leases(2)
    count_lost_leases(3)
    beat(HeartbeatKind.WORKER, "worker-1@here", queues=["scoring"], sandbox="strong")
    beat(HeartbeatKind.SWEEPER)
    found = scraped(reader)
    assert found[of("queue_length", queue="scoring")] == 1
    assert found[of("queue_oldest_seconds", queue="scoring")] < 60
    assert found[of("evaluations", state="failed", failure="worker_lost")] == 1
    assert found[of("runs", state="draft")] == 1
    assert found[of("leases_lost_total")] == 5
    assert found[of("mail", state="failed")] == 0
    assert found[of("workers", queue="scoring")] == 1
    assert found[of("workers", queue="runs")] == 0
    assert found[of("box_level", level="strong")] == 1
    assert found[of("sweeper_age_seconds")] < 60
    assert found[of("disk_free_bytes", disk="state")] > 0
    assert found[of("database_bytes")] > 1_000_000
    assert found[of("database_up")] == 1


@pytest.mark.django_db
@pytest.mark.parametrize(("seconds", "workers"), [(50, 2), (61, 1)])
def test_a_worker_that_has_said_nothing_for_a_minute_is_not_counted(
    reader: Client, seconds: int, workers: int
) -> None:
    beat(HeartbeatKind.WORKER, "worker-1@here", queues=["scoring"])
    beat(HeartbeatKind.WORKER, "worker-2@here", queues=["scoring"])
    silent = Heartbeat.objects.filter(pk="worker-2@here")
    silent.update(at=Now() - timedelta(seconds=seconds))
    assert scraped(reader)[of("workers", queue="scoring")] == workers


@pytest.mark.django_db
def test_the_database_is_asked_little(
    reader: Client, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(25):  # type: ignore[operator]
        reader.get("/metrics")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("no_database")
def test_without_a_database_the_rest_is_told(reader: Client) -> None:
    found = scraped(reader)
    assert found[of("database_up")] == 0
    assert of("disk_bytes", disk="state") in found


def test_counts_of_all_processes_are_added_and_outlive_them(tmp_path: Path) -> None:
    """Called as by gunicorn: two processes, one of which ends and is replaced."""
    done = in_processes(tmp_path)
    assert done.count("slot ") == 3
    assert re.findall(r"slot (\d)", done) == ["0", "1", "0"]
    assert "total 6.0" in done
    assert "files 4" in done  # a counter and a histogram of each slot
    assert "left 0" in done


def in_processes(folder: Path) -> str:
    code = f"""
import os
from types import SimpleNamespace
os.environ["METRICS_TOKEN"] = {TOKEN!r}
import django
django.setup()
from pathlib import Path
from django.http import HttpResponse
from django.test import RequestFactory
from portal import gunicorn_conf
from portal.web import request_metrics
request_metrics.share_counts(Path({str(folder)!r}))
server = SimpleNamespace(WORKERS={{}})
handler = request_metrics.count_requests(lambda _: HttpResponse())
def fork(requests):
    worker = SimpleNamespace()
    gunicorn_conf.pre_fork(server, worker)
    print("slot", worker.metrics_slot, flush=True)
    pid = os.fork()
    if not pid:
        gunicorn_conf.post_fork(server, worker)
        for _ in range(requests):
            handler(RequestFactory().get("/"))
        os._exit(0)
    os.waitpid(pid, 0)
    server.WORKERS[pid] = worker
    return pid
first = fork(1)
fork(2)
del server.WORKERS[first]
fork(3)
registry = request_metrics.request_metrics()
labels = {{"view": "none", "method": "GET", "status": "200"}}
print("total", registry.get_sample_value("infinitebench_requests_total", labels))
print("files", len(list(Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).iterdir())))
request_metrics.stop_sharing_counts()
print("left", len(list(Path({str(folder)!r}).iterdir())))
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ | {"DJANGO_SETTINGS_MODULE": "tests.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
