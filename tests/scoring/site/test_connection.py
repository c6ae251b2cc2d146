"""Requests to a site: what is retried, what is not, and where the token is sent."""

import json
from base64 import b64encode
from pathlib import Path
from shutil import which

import pytest

from scoring.site.connection import ATTEMPTS, PROBLEM, TO_CONNECT, Site
from scoring.site.errors import RefusedError, SiteError, UnreachableError
from scoring.site.login import Login
from scoring.site.upload import SentFile, Upload
from tests.support.processes import free_port
from tests.support.raw_server import raw_server, unknown_certificate
from tests.support.scripted_server import Scripted, ScriptedServer, scripted

TOKEN = "ibench_canary-of-the-tests"
CREATED = Scripted(201, b'{"id": "x"}')
BROKEN = Scripted(breaks=True)


def problem(status: int, code: str = "some_code", **headers: str) -> Scripted:
    body = json.dumps({"status": status, "code": code, "detail": "A sentence.\x1b[2J"})
    return Scripted(status, body.encode(), {"Content-Type": PROBLEM, **headers})


def site_at(server: ScriptedServer, waits: list[float]) -> Site:
    return Site(Login(server.address, TOKEN), pause=waits.append)


@pytest.fixture
def upload(tmp_path: Path) -> Upload:
    file = tmp_path / "preds_passkey.jsonl"
    file.write_text('{"id": 0, "prediction": "1"}\n' * 20_000)
    return Upload([("release", "one")], [SentFile(file, "run/preds_passkey.jsonl")])


@pytest.mark.parametrize(
    ("answers", "least_wait"),
    [
        ([BROKEN, CREATED], 1),
        ([Scripted(502, b"<html>"), CREATED], 1),
        ([Scripted(503, b"<html>"), CREATED], 1),
        ([problem(429, **{"Retry-After": "7"}), CREATED], 7),
        ([BROKEN, problem(500), Scripted(504), CREATED], 4),
    ],
)
def test_an_upload_that_breaks_off_is_sent_again_under_its_key(
    upload: Upload, answers: list[Scripted], least_wait: float
) -> None:
    waits: list[float] = []
    with scripted(*answers) as server:
        answer = site_at(server, waits).upload("/api/v1/submissions/", upload)
    assert answer.status == 201
    assert len(server.asked) == len(answers)
    assert len(waits) == len(answers) - 1
    assert waits == sorted(waits)
    assert waits[-1] >= least_wait
    assert {one.headers["idempotency-key"] for one in server.asked} == {upload.key}
    assert {one.body for one in server.asked} == {b"".join(upload.chunks())}
    assert {len(one.body) for one in server.asked} == {upload.length}


@pytest.mark.parametrize(
    ("answers", "error", "times"),
    [
        ([problem(422)], RefusedError, 1),
        ([problem(401, "bad_token")], RefusedError, 1),
        ([problem(429, **{"Retry-After": "70000"})], RefusedError, 1),  # a quota resets tomorrow
        ([problem(503, "no_sandbox")], RefusedError, 1),  # names no time: waiting does not help
        ([Scripted(302, headers={"Location": "https://example.org/"})], UnreachableError, 1),
        ([Scripted(404, b"<html>nothing here")], UnreachableError, 1),
        ([BROKEN] * ATTEMPTS, UnreachableError, ATTEMPTS),
        ([problem(500)] * ATTEMPTS, UnreachableError, ATTEMPTS),
    ],
)
def test_what_does_not_pass_ends_with_a_sentence(
    upload: Upload, answers: list[Scripted], error: type[SiteError], times: int
) -> None:
    with scripted(*answers) as server, pytest.raises(error) as caught:
        site_at(server, []).upload("/api/v1/submissions/", upload)
    assert len(server.asked) == times
    assert "\x1b" not in str(caught.value)
    assert TOKEN not in str(caught.value)


def test_an_action_that_may_have_been_done_is_not_repeated() -> None:
    with scripted(BROKEN) as server, pytest.raises(UnreachableError):
        site_at(server, []).post("/x/", {})
    with scripted(Scripted(503), CREATED) as server:  # nothing was done
        assert site_at(server, []).post("/x/", {"a": 1}).status == 201
    assert json.loads(server.asked[1].body) == {"a": 1}
    assert server.asked[1].headers["authorization"] == f"Bearer {TOKEN}"


def test_where_nobody_answers_it_is_tried_again_and_said() -> None:
    """Immediately, and not for long."""
    said: list[str] = []
    waits: list[float] = []

    def pause(seconds: float) -> None:
        assert len(said) == len(waits) + 1  # before the wait
        waits.append(seconds)

    login = Login(f"http://127.0.0.1:{free_port()}", TOKEN)
    site = Site(login, pause=pause, waiting=said.append)
    with pytest.raises(UnreachableError, match="Connection refused"):
        site.get("/")
    assert len(waits) == TO_CONNECT - 1
    assert 5 < sum(waits) < 12


@pytest.mark.skipif(not which("openssl"), reason="no openssl to make a certificate with")
def test_a_site_with_another_certificate_is_told_nothing(tmp_path: Path) -> None:
    waits: list[float] = []
    with raw_server([], unknown_certificate(tmp_path)) as server:
        login = Login(server.url.removesuffix("/v1"), TOKEN)
        with pytest.raises(UnreachableError, match="no valid certificate"):
            Site(login, pause=waits.append).get("/")
    assert (server.requests, waits) == ([], [])


def test_a_proxy_sees_the_host_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    waits: list[float] = []
    with raw_server([b"HTTP/1.1 502 Bad Gateway\r\n\r\n"]) as server:
        proxy = server.url.removeprefix("http://").removesuffix("/v1")
        for named in (proxy, f"http://a%40b:secret@{proxy}"):
            monkeypatch.setenv("https_proxy", named)
            with pytest.raises(UnreachableError, match="502"):
                Site(Login("https://bench.invalid", TOKEN), pause=waits.append).get("/x")
    assert len(server.requests) == 2 * TO_CONNECT
    seen = server.requests[-1]
    assert seen.startswith(b"CONNECT bench.invalid:443 ")
    assert b64encode(b"a@b:secret") in seen
    assert TOKEN.encode() not in b"".join(server.requests)


def test_the_key_follows_from_what_is_sent(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("1")
    fields = [("release", "one")]

    def key(name: str = "a.jsonl", more: str = "", salt: str = "") -> str:
        return Upload([*fields, ("note", more)], [SentFile(file, name)], salt).key

    keys = {key(), key(name="b.jsonl"), key(more="x"), key(salt="x")}
    assert len(keys) == 4
    assert key() in keys
    before = Upload(fields, [SentFile(file, "a.jsonl")])
    file.write_text("12")
    assert Upload(fields, [SentFile(file, "a.jsonl")]).key != before.key
    with pytest.raises(SiteError, match="has changed"):
        list(before.chunks())
