"""Submissions by repository, revision and path: what arrives, what is said when nothing does, and
what a Hub that attacks back gets."""

import logging
import tracemalloc
import zipfile
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from select import select
from typing import Any

import pytest
from django.db import connection
from django.db.models.functions import Now
from huggingface_hub import HfApi, constants
from huggingface_hub.hf_api import RepoFile
from pytest_django import Settings

from portal.endpoint_runs.keys import decrypt_key, host_of
from portal.errors import QuotaError, StateError
from portal.hub import client, jobs
from portal.hub.fetching import fetch_submission
from portal.hub.services import cancel_fetch, request_fetch
from portal.hub.sources import HubSource
from portal.models import HubFetch, HubJobState, Original, Release, Submission, User
from portal.submissions.services import SubmissionSettings
from scoring.limits import LIMITS, MIB
from tests.support.factories import model_of, packed
from tests.support.hub_server import COMMIT, Hub

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("messages")]

TOKEN = "hf_canary-41b5c0de"
FOLDER = HubSource("model", "alice/model", "main", "preds")


def asked(owner: User, release: Release, source: HubSource = FOLDER, **named: Any) -> HubFetch:
    return request_fetch(
        source,
        owner=owner,
        language_model=model_of(owner),
        release=release,
        settings=SubmissionSettings(note="from the Hub"),
        **named,
    )


def fetched(fetch: HubFetch) -> HubFetch:
    fetch_submission(fetch.pk)
    return HubFetch.objects.get(pk=fetch.pk)


def rewound(fetch: HubFetch) -> None:
    """Make everything that waits due."""
    HubFetch.objects.filter(pk=fetch.pk).update(due=Now(), lease_until=Now() - timedelta(hours=1))


def members(original: Original) -> dict[str, bytes]:
    with original.file.open() as file, zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# What arrives


def test_a_folder_of_the_hub_becomes_a_submission(alice: User, release: Release, hub: Hub) -> None:
    found = fetched(asked(alice, release))
    submission = found.original.submission
    assert (found.state, found.commit, found.key) == ("done", COMMIT, "")
    assert submission
    assert submission.pk == found.pk
    assert (submission.owner, submission.note) == (alice, "from the Hub")
    preds = {
        name.removeprefix("preds/"): data
        for name, data in hub.files.items()
        if name.startswith("preds/")
    }
    assert members(found.original) == preds
    assert found.url == f"{hub.url}/alice/model/tree/{COMMIT}/preds"
    assert submission.evaluations.get().state == "queued"
    fetch_submission(found.pk)  # a message that comes twice
    assert Submission.objects.count() == 1


def test_of_a_whole_repository_only_predictions_are_fetched(
    alice: User, release: Release, hub: Hub
) -> None:
    hub.files["model-00001.safetensors"] = b"x" * 5_000
    hub.files["preds/../../../api/whoami/passkey.jsonl"] = b"x"
    hub.page = 2
    found = fetched(asked(alice, release, HubSource("model", "alice/model", "refs/pr/1")))
    assert found.reason == "revision_unknown"
    found = fetched(asked(alice, release, HubSource("model", "alice/model")))
    assert set(members(found.original)) == {name for name in hub.files if name[:6] == "preds/"} - {
        "preds/../../../api/whoami/passkey.jsonl"
    }
    assert found.left_out == 5
    assert not any("README" in line or "safetensors" in line for line in hub.asked)


@pytest.mark.parametrize("kind", ["dataset", "space"])
def test_one_file_is_fetched_from_a_tag_and_through_the_redirect_of_large_files(
    alice: User, release: Release, hub: Hub, kind: str
) -> None:
    archive = packed({"preds_code_run.jsonl": b'{"id": 0, "prediction": "4"}\n'} | {"x": b"y" * 9})
    hub.kind, hub.names, hub.token, hub.xet = kind, ("v1.0",), TOKEN, True
    hub.files["out/all of it.zip"] = archive + b"\0" * 2_000
    source = HubSource(kind, "alice/model", "v1.0", "out/all of it.zip")
    found = fetched(asked(alice, release, source, token=TOKEN))
    assert (found.state, found.original.name) == ("done", "all of it.zip")
    with found.original.file.open() as file:
        assert file.read() == hub.files["out/all of it.zip"]
    assert found.url.endswith(f"/{kind}s/alice/model/blob/{COMMIT}/out/all%20of%20it.zip")
    assert hub.shown_elsewhere == []  # tokens


# What is reported


def answer(status: int, code: str = "", **headers: str) -> Callable[[Any], None]:
    def trick(handler: Any) -> None:
        handler._refuse(status, code, {name.replace("_", "-"): headers[name] for name in headers})

    return trick


def sends(*lines: str, body: bytes = b"", endless: bytes = b"") -> Callable[[Any], None]:
    def trick(handler: Any) -> None:
        handler.wfile.write("\r\n".join(["HTTP/1.1 200 OK", *lines, "", ""]).encode() + body)
        while endless:
            handler.wfile.write(endless)

    return trick


def listing(*rows: dict[str, object]) -> Callable[[Any], None]:
    return lambda handler: handler.send_json(list(rows))


def listed(name: str, size: int) -> dict[str, object]:
    return {"type": "file", "path": name, "size": size, "oid": "0" * 40}


def drips(handler: Any) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while not select([handler.connection], [], [], 0.05)[0]:  # until the connection is closed
        handler.wfile.write(b" ")


def elsewhere(place: str) -> Callable[[Any], None]:
    return answer(302, Location=place)


API = "/api/models/alice/model"
FILE = "/alice/model/resolve/"
MANY = [listed(f"preds/passkey_{n}-{n + 1}.jsonl", 9) for n in range(LIMITS.entries + 1)]

# What happens at which address, the error code, and whether it is retried.
HOSTILE: dict[str, tuple[str, Callable[[Any], None], str, bool]] = {
    "no repository": (API, answer(401, "RepoNotFound"), "not_found", False),
    "without a code": (API, answer(404), "not_found", False),
    "a gate": (API, answer(401, "GatedRepo"), "gated", False),
    "a gate in front of the files": (FILE, answer(403, "GatedRepo"), "gated", False),
    "no access": (FILE, answer(403), "no_access", False),
    "disabled": (
        API, answer(403, X_Error_Message="Access to this resource is disabled."), "disabled", False
    ),
    "no revision": (f"{API}/rev", answer(404, "RevisionNotFound"), "revision_unknown", False),
    "no path": (f"{API}/paths", listing(), "path_unknown", False),
    "no files": (f"{API}/tree", listing(), "no_predictions", False),
    "only weights": (f"{API}/tree", listing(listed("preds/m.bin", 9)), "no_predictions", False),
    "two archives": (
        f"{API}/tree", listing(listed("preds/a.zip", 9), listed("preds/b.tar.gz", 9)),
        "several_archives", False,
    ),
    "too many files": (f"{API}/tree", listing(*MANY), "too_many_files", False),
    "a list without end": (
        f"{API}/tree",
        lambda it: it.send_json([], {"Link": f'<{it.hub.url}{it.path}>; rel="next"'}),
        "too_many_files", False,
    ),
    "a list that goes on elsewhere": (
        f"{API}/tree",
        lambda it: it.send_json([], {"Link": f'<{it.hub.elsewhere}{it.path}>; rel="next"'}),
        "redirected", False,
    ),
    "2 GiB": (
        f"{API}/tree", listing(listed("preds/passkey.jsonl", 2 << 30)), "too_large", False
    ),
    "files that are too large together": (
        f"{API}/tree",
        listing(*[listed(f"preds/{n}/passkey.jsonl", LIMITS.bytes_in - 9) for n in (1, 2)]),
        "too_large", False,
    ),
    "a negative size": (f"{API}/tree", listing(listed("preds/passkey.jsonl", -1)), "unreadable",
                        False),
    "a commit that is none": (
        f"{API}/rev", lambda it: it.send_json({"sha": "../../x"}), "unreadable", False
    ),
    "no JSON": (API, sends("Content-Length: 5", body=b"<html"), "unreadable", False),
    "deep JSON": (
        API, sends("Content-Length: 200000", body=b"[" * 200_000), "unreadable", False
    ),
    "JSON of a gigabyte": (API, sends("X: y", endless=b" " * MIB), "unreadable", False),
    "compressed JSON": (API, sends("Content-Encoding: gzip", body=b"\x1f\x8b"), "unreadable",
                        False),
    "a file without end": (FILE, sends("X: y", endless=b"x" * MIB), "damaged", True),
    "another file of the same size": (
        FILE, lambda it: it._send(b"x" * len(it.hub.files[it.path.split("/", 5)[-1]]), {}),
        "damaged", True,
    ),
    "a compressed file": (FILE, sends("Content-Encoding: gzip", body=b"\x1f\x8b"), "unreadable",
                          False),
    "a length that is too long": (
        FILE, sends("Content-Length: 100000000", body=b"x"), "broken_off", True
    ),
    "no HTTP": (API, lambda it: it.wfile.write(b"220 smtp\r\n"), "broken_off", True),
    "a head without end": (API, sends("X: y" * 100_000), "broken_off", True),
    "nothing": (API, lambda _: None, "broken_off", True),
    "a failure": (API, answer(503), "hub_failed", True),
    "fewer requests": (API, answer(429, Retry_After="7"), "rate_limited", True),
    "a redirect in circles": (
        API, lambda it: it._refuse(302, "", {"Location": it.path}), "redirected", False
    ),
    "a redirect to metadata": (
        FILE, elsewhere("http://169.254.169.254/latest/meta-data"), "redirected", False
    ),
    "a redirect into the network": (FILE, elsewhere("https://10.0.0.1/x"), "not_public", False),
    "a redirect to loopback": (FILE, elsewhere("https://127.0.0.1/x"), "not_public", False),
    "a redirect to a port": (FILE, elsewhere("http://127.0.0.1:1/x"), "redirected", False),
    "a redirect to a file": (FILE, elsewhere("file:///etc/passwd"), "redirected", False),
    "a redirect to nonsense": (FILE, elsewhere("http://[::1"), "redirected", False),
    "a drip": (API, drips, "too_slow", True),
    "a drip instead of a file": (FILE, drips, "too_slow", True),
}  # fmt: skip


def test_a_hub_that_fails_or_attacks_gets_nothing_and_is_named(  # noqa: PLR0917 - fixtures
    alice: User,
    release: Release,
    hub: Hub,
    subtests: pytest.Subtests,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    storage: Path,
) -> None:
    """The token is nowhere afterwards, no thread of ours has waited for a sentence of theirs, and
    no file of it is left."""
    monkeypatch.setattr(client, "_RESUMED", 1)
    caplog.set_level(logging.DEBUG)
    for name, (place, trick, code, is_retried) in HOSTILE.items():
        monkeypatch.setattr(jobs, "SECONDS", 0.5 if "drip" in name else 60.0)
        hub.tricks = {place: trick}
        found = fetched(asked(alice, release, token=TOKEN))
        with subtests.test(name):
            expected = ("waiting" if is_retried else "failed", code)
            assert (found.state, found.reason) == expected
            assert bool(found.key) == is_retried
        cancel_fetch(found) if is_retried else None
    assert not HubFetch.objects.exclude(key="").exists()
    assert not Submission.objects.exists()
    assert hub.shown_elsewhere == []
    assert keepers_of_the_token() == []
    assert TOKEN not in caplog.text
    assert not storage.exists() or not any(one.is_file() for one in storage.rglob("*"))


@pytest.mark.parametrize("name", ["JSON of a gigabyte", "a file without end"])
def test_what_has_no_end_takes_no_memory(
    alice: User, release: Release, hub: Hub, name: str
) -> None:
    place, trick, code, _ = HOSTILE[name]
    hub.tricks = {place: trick}
    fetch = asked(alice, release)
    tracemalloc.start()
    try:
        assert fetched(fetch).reason == code
        assert tracemalloc.get_traced_memory()[1] < 30 * MIB
    finally:
        tracemalloc.stop()


def keepers_of_the_token() -> list[str]:
    """Tables that contain the token in plain text."""
    with connection.cursor() as cursor:
        found = []
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT 1 FROM "{table}" t WHERE t::text LIKE %s', [f"%{TOKEN}%"])
            found += [table] if cursor.fetchone() else []
    return found


# When it is retried


def test_the_hub_says_when_it_may_be_asked_again(alice: User, release: Release, hub: Hub) -> None:
    hub.limited = 2
    fetch = asked(alice, release, token=TOKEN)
    encrypted = HubFetch.objects.get(pk=fetch.pk).key
    assert TOKEN not in encrypted
    assert keepers_of_the_token() == []
    found = fetched(fetch)
    waits = HubFetch.objects.filter(pk=fetch.pk, due__gt=Now() + timedelta(seconds=5))
    assert (found.state, found.reason, waits.count()) == ("waiting", "rate_limited", 1)
    assert fetched(fetch).attempts == 1  # it is not due
    hub.wait = {"RateLimit": '"api";r=0;t=900'}
    rewound(fetch)
    assert fetched(fetch).attempts == 2
    assert HubFetch.objects.filter(due__gt=Now() + timedelta(seconds=800)).exists()
    rewound(fetch)
    assert jobs.sweep_fetches() == 1  # a message for the next attempt
    found = fetched(fetch)
    assert (found.state, found.key, found.reason) == ("done", "", "")


def test_it_ends_with_the_last_attempt(alice: User, release: Release, hub: Hub) -> None:
    hub.limited = 100
    fetch = asked(alice, release, token=TOKEN)
    for _ in range(5):
        rewound(fetch)
        found = fetched(fetch)
    assert (found.state, found.reason, found.key) == ("failed", "rate_limited", "")
    rewound(fetch)
    asked_for = len(hub.asked)
    fetched(fetch)
    assert len(hub.asked) == asked_for


def test_the_rest_of_a_file_is_asked_for_where_the_connection_broke_off(
    alice: User, release: Release, hub: Hub
) -> None:
    hub.files["preds/preds_passkey.jsonl"] = b'{"id": 0, "prediction": "4"}\n' * 5_000
    hub.cut = 70_000
    found = fetched(asked(alice, release))
    assert found.state == "done"
    assert members(found.original)["preds_passkey.jsonl"] == hub.files["preds/preds_passkey.jsonl"]
    assert any(line.endswith(" from 70000") for line in hub.asked)


def test_a_worker_that_is_lost_is_replaced_and_one_that_comes_back_is_refused(
    alice: User, release: Release, hub: Hub, settings: Settings
) -> None:
    fetch = asked(alice, release, token=TOKEN)
    fence = jobs.claim(fetch.pk)
    lost = HubFetch.objects.get(pk=fetch.pk)
    assert fence == 1
    assert jobs.claim(fetch.pk) is None
    rewound(fetch)
    assert jobs.sweep_fetches() == 1
    found = fetched(fetch)
    assert (found.state, found.fence) == ("done", 2)
    with pytest.raises(jobs.ClaimLostError):
        jobs.update(lost, received=1)
    assert not jobs.end(lost, HubJobState.FAILED)


def test_one_that_loses_every_worker_or_finds_none_ends(
    alice: User, release: Release, hub: Hub
) -> None:
    first, second = asked(alice, release, token=TOKEN), asked(alice, release, token=TOKEN)
    HubFetch.objects.filter(pk=first.pk).update(
        state="running", attempts=5, lease_until=Now() - timedelta(seconds=1)
    )
    HubFetch.objects.filter(pk=second.pk).update(created=Now() - timedelta(days=2))
    assert jobs.sweep_fetches() == 2
    ended = dict(HubFetch.objects.values_list("pk", "reason"))
    assert ended == {first.pk: "worker_lost", second.pk: "not_begun"}
    assert not HubFetch.objects.exclude(key="").exists()


def test_what_is_cancelled_while_it_is_fetched_makes_no_submission(
    alice: User, release: Release, hub: Hub
) -> None:
    fetch = asked(alice, release, token=TOKEN)

    def cancels(handler: Any) -> None:
        hub.tricks = {}
        cancel_fetch(HubFetch.objects.get(pk=fetch.pk))
        connection.close()  # the server's thread
        handler.do_GET()

    hub.tricks = {FILE: cancels}
    found = fetched(fetch)
    assert (found.state, found.key) == ("cancelled", "")
    assert not Submission.objects.exists()
    with pytest.raises(StateError, match="ended"):
        cancel_fetch(found)


def test_a_worker_that_is_stopped_gives_it_back(alice: User, release: Release, hub: Hub) -> None:
    fetch = asked(alice, release)
    fetch_submission(fetch.pk, lambda: True)
    found = HubFetch.objects.get(pk=fetch.pk)
    assert (found.state, found.attempts) == ("waiting", 0)
    assert fetched(fetch).state == "done"


# Limits on who may fetch how much


def test_requests_are_limited_and_made_once(
    alice: User, bob: User, release: Release, hub: Hub
) -> None:
    fetches = [asked(alice, release) for _ in range(3)]
    with pytest.raises(QuotaError) as refused:
        asked(alice, release)
    assert refused.value.code == "too_many_fetches"
    assert asked(alice, release, fetch_id=fetches[0].pk).pk == fetches[0].pk
    with pytest.raises(StateError):
        asked(bob, release, fetch_id=fetches[0].pk)
    cancel_fetch(fetches[0])
    asked(alice, release)


def test_the_token_is_bound_to_the_job_and_to_the_hub(
    alice: User, release: Release, hub: Hub, settings: Settings
) -> None:
    fetch, other = asked(alice, release, token=TOKEN), asked(alice, release, token=TOKEN)
    stored = HubFetch.objects.get(pk=fetch.pk)
    host = host_of(hub.url)
    assert decrypt_key(stored.key, run_id=stored.pk, host=host) == TOKEN
    HubFetch.objects.filter(pk=other.pk).update(key=stored.key)
    assert fetched(other).reason == "token_lost"
    settings.HUB_ENDPOINT = hub.elsewhere
    assert fetched(fetch).reason == "token_lost"
    assert hub.asked == []


# Whether the server of these tests behaves like the Hub


def test_the_hubs_own_client_understands_the_same_server(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    api = HfApi(endpoint=hub.url, token=False)
    hub.files["preds/large.jsonl"] = b"x" * 5_000
    hub.page = 2
    assert api.model_info("alice/model", revision="main", expand=["sha", "private"]).sha == COMMIT
    tree = api.list_repo_tree("alice/model", "preds", recursive=True, revision=COMMIT)
    names = {name for name in hub.files if name.startswith("preds/")}
    assert {file.path for file in tree} == names
    [file] = api.get_paths_info("alice/model", "preds/large.jsonl", revision=COMMIT)
    with client.HubClient(seconds=60) as ours:
        found = ours.find("model", "alice/model", COMMIT, "preds/large.jsonl")
        assert isinstance(file, RepoFile)
        assert file.lfs
        assert found == client.HubFile(file.path, file.size, file.lfs.sha256, file.blob_id)
        assert ours.find("model", "alice/model", COMMIT, "preds") is None
    path = api.hf_hub_download(
        "alice/model", "preds/large.jsonl", revision=COMMIT, local_dir=tmp_path
    )
    assert Path(path).read_bytes() == hub.files["preds/large.jsonl"]
