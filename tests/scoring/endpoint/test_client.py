"""One request, and everything that an endpoint can do to it, each with its message."""

import asyncio
import gzip
import json
import socket
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import chain, repeat
from pathlib import Path
from shutil import which
from threading import Event
from typing import Any

import pytest

from scoring.endpoint.settings import RunSettings, SettingsError
from scoring.endpoint.transport import client
from scoring.endpoint.transport.client import Endpoint, Exchange
from scoring.endpoint.transport.failures import RULES, EndpointError, Kind
from tests.support.endpoint_runs import settings
from tests.support.processes import free_port
from tests.support.raw_server import ok, raw_server, unknown_certificate
from tests.support.reference_endpoint import served_here

GOOD = b'{"choices": [{"message": {"content": "42"}, "finish_reason": "stop"}]}'
KEY = "sk-canary-0123456789"


def ask(wanted: RunSettings, text: str = "2 + 2?", output_tokens: int = 100) -> Exchange:
    async def once() -> Exchange:
        async with Endpoint(wanted, KEY) as endpoint:
            fields = {"model": wanted.model, "messages": [{"role": "user", "content": text}]}
            return await endpoint.ask(json.dumps(fields).encode(), output_tokens)

    return asyncio.run(once())


def failure(wanted: RunSettings) -> EndpointError:
    with pytest.raises(EndpointError) as failed:
        ask(wanted)
    return failed.value


def answered(parts: list[bytes], **more: Any) -> EndpointError:
    with raw_server(parts) as server:
        return failure(settings(server.url, **more))


def status(line: str, body: bytes = b"", *headers: str) -> list[bytes]:
    lines = [f"HTTP/1.1 {line}", f"Content-Length: {len(body)}", *headers]
    return ["\r\n".join(lines).encode() + b"\r\n\r\n" + body]


def error_body(message: str, code: str | None = None) -> bytes:
    return json.dumps({"error": {"message": message, "code": code}}).encode()


def test_the_key_is_in_the_header_and_nothing_is_compressed() -> None:
    with raw_server(ok(GOOD)) as server:
        exchange = ask(settings(server.url))
        [request] = server.requests
    assert exchange.reply.text == "42"
    assert request.startswith(b"POST /v1/chat/completions HTTP/1.1\r\n")
    assert f"authorization: bearer {KEY}".encode() in request.lower()
    assert b"accept-encoding: identity" in request.lower()


@pytest.mark.parametrize(
    ("line", "code", "kind"),
    [
        ("400 Bad", None, Kind.REQUEST),
        ("400 Bad", "context_length_exceeded", Kind.TOO_LONG),
        ("401 No", None, Kind.KEY),
        ("402 Pay", None, Kind.CREDIT),
        ("403 No", None, Kind.KEY),
        ("404 Where", None, Kind.MODEL),
        ("408 Late", None, Kind.TIMEOUT),
        ("413 Large", None, Kind.TOO_LONG),
        ("422 What", None, Kind.REQUEST),
        ("429 Busy", None, Kind.BUSY),
        ("429 Busy", "insufficient_quota", Kind.CREDIT),
        ("301 Moved", None, Kind.REDIRECT),
        ("307 Moved", None, Kind.REDIRECT),
        ("500 Oops", None, Kind.SERVER),
        ("502 Gate", None, Kind.SERVER),
        ("503 Full", None, Kind.SERVER),
        ("529 Over", None, Kind.SERVER),
        ("204 Empty", None, Kind.SERVER),
    ],
)
def test_a_status_has_its_kind_and_the_endpoints_own_words(
    line: str, code: str | None, kind: Kind
) -> None:
    body = b"" if line.startswith("204") else error_body("Sorry, not now.", code)
    error = answered(status(line, body))
    assert error.kind is kind
    assert str(error).startswith(RULES[kind].sentence)
    assert ("Sorry, not now." in error.detail) is bool(body)


def test_a_redirect_is_not_followed() -> None:
    with raw_server(ok(GOOD)) as other:
        place = f"Location: {other.url}/chat/completions"
        assert answered(status("307 Moved", b"", place)).kind is Kind.REDIRECT
        assert other.requests == []


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("7", 7), ("0.5", 0.5), ("99999999", 3_600), ("-5", None), ("nan", None), ("soon", None)],
)
def test_retry_after_is_read(value: str, seconds: float | None) -> None:
    error = answered(status("429 Busy", b"", f"Retry-After: {value}"))
    assert error.retry_after == seconds


def test_an_endpoint_that_repeats_the_key_does_not_get_it_into_a_message() -> None:
    error = answered(status("401 No", error_body(f"Your key {KEY}\x1b[31m is\nwrong")))
    assert KEY not in str(error)
    assert "Your key …[31m is wrong" in str(error)


@pytest.mark.parametrize("inside", ["\u200b", "\u00ad", "\n", "\x1b", "\u2003", "\u034f"])
@pytest.mark.parametrize("is_stream", [True, False])
def test_a_key_with_something_inside_it_is_in_no_message_and_no_traceback(
    inside: str, is_stream: bool
) -> None:
    said = f"bad key {KEY[:6]}{inside}{KEY[6:]}"
    if is_stream:
        parts = ok(b"data: " + error_body(said) + b"\n\n", "text/event-stream")
    else:
        parts = status("401 No", error_body(said))
    error = answered(parts)
    assert error.detail.endswith("bad key …")
    assert KEY[-8:] not in "".join(traceback.format_exception(error))


@pytest.mark.parametrize("before", range(280, 300))
def test_a_key_at_the_cut_does_not_leave_its_first_half(before: int) -> None:
    error = answered(ok(error_body("x" * before + KEY)))
    assert KEY[:3] not in error.detail
    spaced = answered(ok(error_body("x" + " " * (before + 190) + KEY)))
    assert spaced.detail == "x …"


@pytest.mark.parametrize("half", [5, 10, 19])
def test_a_key_where_reading_ends_does_not_leave_its_first_half(half: int) -> None:
    spaces = b" " * ((1 << 16) - 1 - half)
    error = answered(status("500 Oops", b"x" + spaces + KEY.encode() + b"y" * 100_000))
    assert error.detail == "500"


def test_a_traceback_does_not_repeat_what_the_endpoint_has_sent() -> None:
    error = answered([f"HTTP/1.1 200 OK\r\n{KEY} is no header\r\n\r\n".encode()])
    assert error.kind is Kind.HALF
    assert KEY not in "".join(traceback.format_exception(error))


def test_an_endpoint_that_repeats_the_key_does_not_get_it_into_an_answer() -> None:
    message = {"content": f"It is {KEY}.", "reasoning": f"Hm, {KEY[:5]}\u200b{KEY[5:]}"}
    choice = {"message": message, "finish_reason": f"stop at {KEY}" + "!" * 200}
    with raw_server(ok(json.dumps({"choices": [choice]}).encode())) as server:
        reply = ask(settings(server.url)).reply
    assert (reply.text, reply.reasoning) == ("It is ….", "Hm, …")
    assert reply.finish == "stop at …" + "!" * 51


def test_a_key_that_guards_nothing_changes_no_answer() -> None:
    async def once(url: str) -> str:
        async with Endpoint(settings(url), "EMPTY") as endpoint:
            return (await endpoint.ask(b"{}", 10)).reply.text

    body = GOOD.replace(b"42", b"EMPTY")
    with raw_server(ok(body)) as server:
        assert asyncio.run(once(server.url)) == "EMPTY"


@pytest.mark.parametrize(
    ("url", "by_default", "in_local_networks"),
    [
        ("https://example.org/v1", True, True),
        ("http://127.0.0.1:8000/v1", True, True),
        ("http://localhost/v1", True, True),
        ("http://[::1]:8000/v1", True, True),
        ("http://192.168.1.7/v1", False, True),
        ("http://10.1.2.3:8000/v1", False, True),
        ("http://[fd00::7]/v1", False, True),
        ("http://gpu-box:8000/v1", False, True),
        ("http://gpu.local/v1", False, True),
        ("http://example.org/v1", False, False),
        ("http://8.8.8.8/v1", False, False),
        ("http://172.32.0.1/v1", False, False),
        ("http://[::ffff:8.8.8.8]/v1", False, False),
        ("http://134744072/v1", False, False),
        ("http://0x08080808/v1", False, False),
        ("http://localhost.example.org/v1", False, False),
    ],
)
def test_the_key_goes_unencrypted_only_where_that_is_allowed(
    url: str, by_default: bool, in_local_networks: bool
) -> None:
    for is_local_allowed, may in ((False, by_default), (True, in_local_networks)):
        Endpoint(settings(url), "", is_local_allowed=is_local_allowed)
        expected: AbstractContextManager[object] = nullcontext()
        if not may:
            expected = pytest.raises(SettingsError, match="without encrypt")
        with expected:
            Endpoint(settings(url), KEY, is_local_allowed=is_local_allowed)


@pytest.mark.parametrize(
    "url", ["http://localhost:abc/v1", "http://localhost:99999/v1", "https://。/v1"]
)
def test_an_address_that_is_none_has_its_sentence(url: str) -> None:
    assert failure(settings(url)).kind is Kind.ADDRESS


def test_no_cookie_is_kept() -> None:
    async def twice(url: str) -> None:
        async with Endpoint(settings(url)) as endpoint:
            for _ in range(2):
                await endpoint.ask(b"{}", 10)

    with raw_server(ok(GOOD, Set_Cookie="session=5; Path=/")) as server:
        asyncio.run(twice(server.url))
        first, second = server.requests
    assert b"cookie" not in (first + second).lower()


def test_a_long_error_is_cut() -> None:
    assert len(str(answered(status("500 Oops", b"x" * 1_000_000)))) < 400


def test_nobody_listens() -> None:
    assert failure(settings(f"http://127.0.0.1:{free_port()}/v1")).kind is Kind.CONNECTION


def test_a_name_that_does_not_exist() -> None:
    assert failure(settings("https://nowhere.invalid/v1")).kind is Kind.NAME


@pytest.mark.skipif(not which("openssl"), reason="no openssl to make a certificate with")
def test_a_certificate_that_nobody_has_signed(tmp_path: Path) -> None:
    with raw_server(ok(GOOD), unknown_certificate(tmp_path)) as server:
        error = failure(settings(server.url))
        assert server.requests == []
    assert error.kind is Kind.CERTIFICATE
    assert error.rule.stops


def test_plain_http_where_encryption_is_expected() -> None:
    with raw_server(ok(GOOD)) as server:
        assert failure(settings(server.url.replace("http:", "https:"))).kind is Kind.CONNECTION


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("drop", Kind.HALF),
        ("half", Kind.HALF),
        ("not-json", Kind.MALFORMED),
        ("wrong-types", Kind.MALFORMED),
        ("huge", Kind.TOO_LARGE),
        ("hang", Kind.TIMEOUT),
        ("drip", Kind.TIMEOUT),
        ("429", Kind.BUSY),
        ("500", Kind.SERVER),
    ],
)
def test_a_fault_of_the_reference_endpoint_has_its_kind(fault: str, kind: Kind) -> None:
    with served_here("--window", "1K", "--faults", f"{fault}=1") as endpoint:
        error = failure(settings(endpoint.url, endpoint.model, timeout=1))
    assert error.kind is kind


def slow(parts: Iterator[bytes]) -> Iterator[bytes]:
    for part in parts:
        time.sleep(0.02)  # sets the pace of the server, not of the test
        yield part


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
WHOLE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
NO_WORD = b'data: {"choices": [{"delta": {"content": ""}}]}\n\n'
ONE_WORD = b'data: {"choices": [{"delta": {"content": "la "}}]}\n\n'


@pytest.mark.parametrize(
    ("head", "drip"),
    [
        (b"HTTP/1.1 200 OK\r\n", b"X"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (STREAM + b"\r\n", b"\n"),
        (STREAM + b"\r\n", b": still thinking\n\n"),
        (STREAM + b"\r\n", b"event: ping\n\n"),
        (STREAM + b"\r\n", NO_WORD),
        (STREAM + b"\r\n", ONE_WORD),
        (STREAM + CHUNKED + b"\r\n", b"1\r\n\n\r\n"),
        (STREAM + CHUNKED + b"\r\n1;", b"x"),
        (WHOLE + b"\r\n", b" "),
        (WHOLE + b"Content-Length: 900000\r\n\r\n{", b"1"),
        (b"HTTP/1.1 500 Oops\r\n\r\n", b" "),
    ],
)
def test_whatever_drips_meets_the_deadline_of_the_request(head: bytes, drip: bytes) -> None:
    with raw_server(slow(chain([head], repeat(drip)))) as server:
        assert failure(settings(server.url, timeout=1)).kind is Kind.TIMEOUT


def test_an_endpoint_may_think_as_long_as_the_request_may_take() -> None:
    thinking = [b": still thinking\n\n"] * 40
    said = b'data: {"choices": [{"delta": {"content": "42"}, "finish_reason": "stop"}]}\n\n'
    with raw_server(slow(iter([STREAM + b"\r\n", *thinking, said]))) as server:
        assert ask(settings(server.url, timeout=20)).reply.text == "42"


def test_a_head_without_an_end_is_not_kept_in_memory() -> None:
    with raw_server(chain([b"HTTP/1.1 200 OK\r\n"], repeat(b"X: y\r\n" * 1_000))) as server:
        assert failure(settings(server.url, timeout=20)).kind is Kind.HALF


def test_a_stream_without_an_end_meets_the_byte_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_ANSWER", 10_000)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
    event = b'data: {"choices": [{"delta": {"content": "la "}}]}\n\n'
    with raw_server(chain([head], repeat(event))) as server:
        assert failure(settings(server.url, timeout=20)).kind is Kind.TOO_LARGE


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_large_answers_that_come_at_once_share_a_bound_which_is_free_again_after_them(
    monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setattr(client, "_TOGETHER", 1_000_000)
    answer = GOOD.replace(b"42", b"x" * 600_000)
    if kind == "text/event-stream":
        answer = b"data: " + answer.replace(b"message", b"delta") + b"\n\n"
    head, body = ok(answer, kind)
    may_end = Event()

    class Halves:
        """No response ends before one of the requests has been refused."""

        def __iter__(self) -> Iterator[bytes]:
            yield head + body[:-3]
            may_end.wait(10)
            yield body[-3:]

    async def ask_three(url: str) -> list[Kind | None]:
        async with Endpoint(settings(url, concurrency=2)) as endpoint:
            tasks = [asyncio.create_task(endpoint.ask(b"{}", 40_000)) for _ in range(2)]
            await asyncio.wait(tasks, timeout=10, return_when=asyncio.FIRST_COMPLETED)
            may_end.set()
            await asyncio.wait(tasks)
            tasks.append(asyncio.create_task(endpoint.ask(b"{}", 40_000)))
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            return [end.kind if isinstance(end, EndpointError) else None for end in ends]

    with raw_server(Halves()) as server:
        first, second, alone = asyncio.run(ask_three(server.url))
    assert {first, second} == {None, Kind.TOO_LARGE}
    assert alone is None


def test_no_answer_may_be_larger_than_32_mib_however_many_tokens_were_asked_for() -> None:
    endless = chain([b"HTTP/1.1 200 OK\r\n\r\n"], repeat(b"x" * (1 << 20)))
    with (
        raw_server(endless) as server,
        pytest.raises(EndpointError, match="more than 33,554,432 bytes"),
    ):
        ask(settings(server.url, timeout=20), output_tokens=1_000_000)


@pytest.mark.parametrize(
    ("text", "tokens", "is_answer"),
    [
        ("x" * 35_000, 100, True),  # an endpoint that ignores the limit
        ("x" * 36_000, 100, False),
        ("😀" * 3_000, 100, False),  # as long as in a file of predictions
        ("x" * 800_000, 40_000, True),
        ("x" * 910_000, 1_000_000, False),  # a line of such a file is limited to 1 MiB
    ],
)
def test_a_text_that_would_spoil_a_file_of_predictions_is_no_answer(
    text: str, tokens: int, *, is_answer: bool
) -> None:
    choice = {"message": {"content": text, "reasoning": "y" * 200_000}}
    with raw_server(ok(json.dumps({"choices": [choice]}).encode())) as server:
        if is_answer:
            reply = ask(settings(server.url), output_tokens=tokens).reply
            assert (reply.text, len(reply.reasoning)) == (text, 100_001)
        else:
            with pytest.raises(EndpointError) as refused:
                ask(settings(server.url), output_tokens=tokens)
            assert refused.value.kind is Kind.TOO_LARGE


def test_a_stream_that_breaks_off_is_half_an_answer() -> None:
    body = b'data: {"choices": [{"delta": {"content": "4"}}]}\n\n'
    assert answered(ok(body, "text/event-stream")).kind is Kind.HALF


def test_a_compressed_answer_is_refused_unread() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    error = answered(ok(bomb, Content_Encoding="gzip"))
    assert error.kind is Kind.MALFORMED
    assert "compressed" in error.detail


def test_the_end_of_a_stream_alone_is_no_answer() -> None:
    assert answered(ok(b"data: [DONE]\n\n", "text/event-stream")).kind is Kind.MALFORMED


@pytest.mark.parametrize("tail", ["", "\n", "\n\n"])
def test_the_last_line_of_a_stream_may_lack_its_newline(tail: str) -> None:
    body = f'data: {{"choices": [{{"delta": {{"content": "4"}}, "finish_reason": "stop"}}]}}{tail}'
    with raw_server(ok(body.encode(), "text/event-stream")) as server:
        assert ask(settings(server.url)).reply.text == "4"


def test_half_a_last_line_is_half_an_answer() -> None:
    body = b'data: {"choices": [{"delta": {"content": "4"}}]}\n\ndata: {"choi'
    assert answered(ok(body, "text/event-stream")).kind is Kind.HALF


def test_what_is_no_http_at_all() -> None:
    assert answered([b"SSH-2.0-OpenSSH_9.2\r\n"]).kind is Kind.HALF


def test_a_connection_that_is_kept_is_used_again() -> None:
    with served_here("--window", "1K") as endpoint:
        wanted = settings(endpoint.url, endpoint.model)

        async def twice() -> tuple[int, int]:
            async with Endpoint(wanted) as one:
                fields = {"model": wanted.model, "messages": [{"role": "user", "content": "Hi"}]}
                body = json.dumps(fields | {"stream": True}).encode()
                counts = []
                for _ in range(2):
                    await one.ask(body, 10)
                    counts.append(_connections(endpoint.port))
                return counts[0], counts[1]

        assert asyncio.run(twice()) == (1, 1)


def _connections(port: int) -> int:
    """Established ones to a port of this machine, from the clients' side."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    remote = f"0100007F:{port:04X}"
    return sum(fields[2] == remote and fields[3] == "01" for fields in map(str.split, lines))


def test_a_proxy_of_the_environment_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with raw_server(ok(GOOD)) as server, socket.create_server(("127.0.0.1", 0)) as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        assert ask(settings(server.url)).reply.text == "42"
        proxy.setblocking(False)
        with pytest.raises(BlockingIOError):
            proxy.accept()
