"""The reference reader as an endpoint: a real process, called as OpenAI's clients call it."""

import http.client
import json
import math
import re
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import mean, median

import pytest

from portal.demo import openai_server as reference
from portal.demo.openai_behaviour import Behaviour, Latency, question_hash
from portal.demo.openai_protocol import read_request
from portal.demo.openai_server import Model, answer_of
from portal.management.commands.reference_endpoint import Command
from scoring.generators import RECIPES
from scoring.generators.example import ExampleSpec
from scoring.text.prompts import messages_of, prompt_of
from tests.support.paths import ROOT
from tests.support.processes import eventually
from tests.support.reference_endpoint import Endpoint, served, served_here
from tests.support.worlds import write_lines

MODEL = "reference-reader-1k"
HIDDEN = "The pass key is 04711. Remember it. 04711 is the pass key."
CHAT = {"model": MODEL, "messages": messages_of(HIDDEN)}


@pytest.fixture(scope="module")
def endpoint() -> Iterator[Endpoint]:
    with served("--window", "1K") as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def with_key() -> Iterator[Endpoint]:
    with served("--window", "1000", "--key", "opensesame", "--over", "refuse") as endpoint:
        yield endpoint


def test_it_prints_its_address_and_the_name_of_its_model(endpoint: Endpoint) -> None:
    assert re.fullmatch(rf"{MODEL} listens at http://127\.0\.0\.1:\d+/v1", endpoint.line)


def test_its_model_is_listed(endpoint: Endpoint) -> None:
    listed = endpoint.ask("/v1/models").json
    assert listed["object"] == "list"
    (model,) = listed["data"]
    assert (model["id"], model["object"], model["max_model_len"]) == (MODEL, "model", 1000)
    assert endpoint.ask(f"/v1/models/{MODEL}").json == model


def test_a_chat_is_answered_in_openais_format(endpoint: Endpoint) -> None:
    answer = endpoint.ask("/v1/chat/completions", {**CHAT, "temperature": 0, "seed": 1}).json
    assert answer["id"].startswith("chatcmpl-")
    assert (answer["object"], answer["model"]) == ("chat.completion", MODEL)
    assert answer["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "04711"},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    usage = answer["usage"]
    assert usage["prompt_tokens"] >= 15
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_a_plain_completion_is_answered_too(endpoint: Endpoint) -> None:
    answer = endpoint.ask("/v1/completions", {"model": MODEL, "prompt": [HIDDEN]}).json
    assert answer["object"] == "text_completion"
    assert answer["choices"][0]["text"] == "04711"


def test_a_message_may_come_in_parts(endpoint: Endpoint) -> None:
    parts = [{"type": "text", "text": HIDDEN[:20]}, {"type": "text", "text": HIDDEN[20:]}]
    system = {"role": "system", "content": "Be brief."}
    messages = [system, {"role": "user", "content": parts}]
    answer = endpoint.ask("/v1/chat/completions", {"model": MODEL, "messages": messages})
    assert answer.json["choices"][0]["message"]["content"] == "04711"


def test_a_stream_brings_the_answer_in_pieces(endpoint: Endpoint) -> None:
    text = prompt_of("math_calc", "1 + 2 + 3 - 4", "").text
    asked = {
        "messages": messages_of(text),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    answer = endpoint.ask("/v1/chat/completions", {**CHAT, **asked})
    assert answer.kind == "text/event-stream"
    *events, done = answer.text.strip().split("\n\n")
    assert done == "data: [DONE]"
    chunks = [json.loads(event.removeprefix("data: ")) for event in events]
    assert {chunk["object"] for chunk in chunks} == {"chat.completion.chunk"}
    choices = [choice for chunk in chunks for choice in chunk["choices"]]
    assert choices[0]["delta"]["role"] == "assistant"
    assert "".join(choice["delta"].get("content", "") for choice in choices) == "[3, 6, 2]"
    assert [choice["finish_reason"] for choice in choices] == [None] * (len(choices) - 1) + ["stop"]
    assert chunks[-1]["usage"]["completion_tokens"] > 0


def test_a_stream_ends_before_a_stop_word_too(endpoint: Endpoint) -> None:
    answer = endpoint.ask("/v1/chat/completions", {**CHAT, "stop": ["x", "7"], "stream": True})
    events = [event.removeprefix("data: ") for event in answer.text.strip().split("\n\n")[:-1]]
    deltas = [json.loads(event)["choices"][0]["delta"] for event in events]
    assert "".join(delta.get("content", "") for delta in deltas) == "04"


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_an_answer_ends_at_the_limit_and_says_so(endpoint: Endpoint, limit: str) -> None:
    (choice,) = endpoint.ask("/v1/chat/completions", {**CHAT, limit: 1}).json["choices"]
    assert "04711".startswith(choice["message"]["content"])
    assert choice["finish_reason"] == "length"


def test_an_answer_ends_before_a_stop_word(endpoint: Endpoint) -> None:
    (choice,) = endpoint.ask("/v1/chat/completions", {**CHAT, "stop": ["7"]}).json["choices"]
    assert choice["message"]["content"] == "04"
    assert choice["finish_reason"] == "stop"


# Windows


def passkey(tokens: int, index: int) -> tuple[str, str]:
    """A prompt with its key at the start (0), in the middle (1) or at the end (2), and the key."""
    examples = [RECIPES["passkey"].make(ExampleSpec(5, tokens, each, 3)) for each in range(3)]
    example = sorted(examples, key=lambda example: example.depth or 0)[index]
    assert isinstance(example.answer, list)
    return prompt_of("passkey", "".join(example.context), example.question).text, str(
        example.answer[0]
    )


@pytest.mark.parametrize(("index", "found"), [(0, True), (1, False), (2, True)])
def test_only_both_ends_of_a_prompt_beyond_the_window_are_read(
    endpoint: Endpoint, index: int, found: bool
) -> None:
    text, key = passkey(4_000, index)
    answer = endpoint.ask("/v1/chat/completions", {**CHAT, "messages": messages_of(text)}).json
    assert (answer["choices"][0]["message"]["content"] == key) is found
    assert answer["usage"]["prompt_tokens"] == 1000


def test_with_over_refuse_a_prompt_beyond_the_window_is_an_error(
    with_key: Endpoint,
) -> None:
    text, _ = passkey(4_000, 0)
    fields = {**CHAT, "messages": messages_of(text)}
    answer = with_key.ask("/v1/chat/completions", fields, Authorization="Bearer opensesame")
    assert answer.status == 400
    assert answer.json["error"]["code"] == "context_length_exceeded"
    assert "1000 tokens" in answer.json["error"]["message"]


# Errors, each in OpenAI's format


@pytest.mark.parametrize("sent", [{}, {"Authorization": "Bearer open"}])
def test_without_the_key_nothing_is_answered(with_key: Endpoint, sent: dict[str, str]) -> None:
    for path, fields in (("/v1/models", None), ("/v1/chat/completions", CHAT)):
        answer = with_key.ask(path, fields, **sent)
        assert answer.status == 401
        assert answer.json["error"]["code"] == "invalid_api_key"


@pytest.mark.parametrize(
    ("fields", "status", "param"),
    [
        ({**CHAT, "model": "gpt-9"}, 404, "model"),
        ({"model": MODEL}, 400, "messages"),
        ({"messages": []}, 400, "model"),
        ({**CHAT, "messages": "Hello"}, 400, "messages"),
        ({**CHAT, "messages": [{"role": "user", "content": None}]}, 400, "messages"),
        ({**CHAT, "messages": [{"role": "user", "content": [{"type": "image"}]}]}, 400, "messages"),
        ({**CHAT, "n": 2}, 400, "n"),
        ({**CHAT, "max_tokens": 0}, 400, "max_tokens"),
        ({**CHAT, "max_tokens": "many"}, 400, "max_tokens"),
        ({**CHAT, "stop": 5}, 400, "stop"),
        ({**CHAT, "stream": "yes"}, 400, "stream"),
        ([], 400, None),
    ],
)
def test_an_invalid_request_gets_an_error_message(
    endpoint: Endpoint, fields: object, status: int, param: str | None
) -> None:
    answer = endpoint.ask("/v1/chat/completions", fields)
    assert answer.status == status
    error = answer.json["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert (error["type"], error["param"]) == ("invalid_request_error", param)


@pytest.mark.parametrize("body", ["{", "", "[" * 100_000, "\0"])
def test_a_body_that_is_not_json_is_refused(endpoint: Endpoint, body: str) -> None:
    answer = endpoint.send("POST", "/v1/chat/completions", body, {})
    assert answer.status == 400
    assert "JSON" in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v2/models", 404),
        ("POST", "/v1/embeddings", 404),
        ("GET", "/v1/models/gpt-9", 404),
        ("DELETE", "/v1/models", 501),
    ],
)
def test_other_addresses_and_methods_are_refused(
    endpoint: Endpoint, method: str, path: str, status: int
) -> None:
    answer = endpoint.send(method, path, "{}" if method == "POST" else None, {})
    assert answer.status == status
    assert answer.json["error"]["message"]


def test_a_body_of_unknown_length_is_refused(endpoint: Endpoint) -> None:
    head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=30) as connection:
        connection.sendall(head.encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 411 ")


@pytest.mark.parametrize(
    "lengths",
    [
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nTransfer-Encoding: identity",
        "Content-Length: 0\r\nContent-Length: 5",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_body_with_two_ends_is_refused_and_nothing_after_it_is_read(
    endpoint: Endpoint, method: str, lengths: str
) -> None:
    head = f"{method} /v1/models HTTP/1.1\r\nHost: x\r\n{lengths}\r\n\r\n"
    second = "0\r\n\r\nGET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=30) as connection:
        connection.sendall(f"{head}{second}".encode())
        answer = b"".join(until_reset(connection))
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


def until_reset(connection: socket.socket) -> Iterator[bytes]:
    with suppress(ConnectionResetError):
        yield from iter(lambda: connection.recv(1 << 16), b"")


def test_connections_beyond_the_threads_are_asked_to_retry() -> None:
    with served("--window", "1K") as endpoint, ExitStack() as idle:
        place = ("127.0.0.1", endpoint.port)
        for _ in range(reference.CONNECTIONS):
            idle.enter_context(socket.create_connection(place, timeout=30))
        with socket.create_connection(place, timeout=30) as connection:
            answer = b"".join(until_reset(connection))
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"Retry-After: 5" in answer
        status = Path(f"/proc/{endpoint.process.pid}/status").read_text()
        [threads] = re.findall(r"Threads:\s+(\d+)", status)
        assert int(threads) <= reference.CONNECTIONS + 5
        idle.close()
        eventually(lambda: endpoint.ask("/v1/models").status == 200, "a place that is free")


def test_a_body_that_is_too_large_is_refused(endpoint: Endpoint) -> None:
    size = reference.LARGEST_BODY + 1
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=30) as connection:
        connection.sendall(head.encode() + b" " * size)
        assert connection.recv(100).startswith(b"HTTP/1.1 413 ")


def test_two_million_tokens_of_chinese_are_read() -> None:
    text = "从前有座山，山里有座庙。\n" * 200_000
    body = json.dumps({"model": MODEL, "messages": messages_of(f"{HIDDEN}\n{text}")}).encode()
    assert 8_000_000 < len(body) < reference.LARGEST_BODY
    answer = answer_of(Model(MODEL, 8192), read_request(body, chat=True))
    assert (answer.text, answer.prompt_tokens) == ("04711", 8192)


def test_lone_surrogates_do_no_harm() -> None:
    body = b'{"model": "m", "messages": [{"role": "user", "content": "\\ud800 pass key is 12345"}]}'
    assert answer_of(Model("m", 512), read_request(body, chat=True)).text == "12345"


# Behaviour that tests and measurements ask for


def test_streams_come_in_chunks_and_the_connection_stays_open(endpoint: Endpoint) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=30)
    for _ in range(2):
        connection.request("POST", "/v1/chat/completions", json.dumps({**CHAT, "stream": True}))
        first = connection.sock
        answer = connection.getresponse()
        assert answer.headers["Transfer-Encoding"] == "chunked"
        assert answer.read().endswith(b"data: [DONE]\n\n")
        assert connection.sock is first
    connection.close()


def test_a_client_of_http_1_0_gets_its_stream_until_the_connection_closes(
    endpoint: Endpoint,
) -> None:
    body = json.dumps({**CHAT, "stream": True}).encode()
    head = f"POST /v1/chat/completions HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=30) as connection:
        connection.sendall(head.encode() + body)
        answer = b"".join(until_reset(connection))
    assert b"chunked" not in answer
    assert answer.endswith(b"data: [DONE]\n\n")


def test_canned_answers_are_given_by_question_and_everything_is_logged(tmp_path: Path) -> None:
    canned = tmp_path / "canned.jsonl"
    special = {"question": question_hash(HIDDEN), "answer": "twelve"}
    write_lines(canned, special, {"question": "", "answer": "other"})
    log = tmp_path / "log.jsonl"
    with served("--window", "1K", "--canned", str(canned), "--log", str(log)) as endpoint:
        for text in (HIDDEN, "Hello", HIDDEN):
            fields = {**CHAT, "messages": messages_of(text)}
            answer = endpoint.ask("/v1/chat/completions", fields).json
            expected = "twelve" if text == HIDDEN else "other"
            assert answer["choices"][0]["message"]["content"] == expected
        eventually(lambda: log.read_text().count("\n") == 3, "three lines of the log")
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    # In any order: a line is written after its response, when the next request may have come.
    asked = {(line["question"], line["attempt"], line["ended"]) for line in lines}
    assert asked == {
        (question_hash(HIDDEN), 1, "answered"),
        (question_hash("Hello"), 1, "answered"),
        (question_hash(HIDDEN), 2, "answered"),
    }


def test_latencies_are_log_normal_with_the_mean_that_is_asked_for() -> None:
    behaviour = Behaviour(latency=Latency(1.0, 0.5))
    drawn = [behaviour.ask(str(number)).latency for number in range(4_000)]
    assert abs(mean(drawn) - 1) < 0.05
    assert abs(median(drawn) - math.exp(-0.125)) < 0.05
    again = Behaviour(latency=Latency(1.0, 0.5))
    assert [again.ask(str(number)).latency for number in range(5)] == drawn[:5]


def test_faults_come_in_their_shares_and_at_the_same_questions() -> None:
    shares = {"429": 0.1, "hang": 0.05}
    behaviour = Behaviour(faults=shares)
    drawn = [behaviour.ask(str(number)).fault for number in range(4_000)]
    counted = Counter(drawn)
    assert abs(counted["429"] / 4_000 - 0.1) < 0.02
    assert abs(counted["hang"] / 4_000 - 0.05) < 0.02
    again = Behaviour(faults=shares)
    assert [again.ask(str(number)).fault for number in range(200)] == drawn[:200]


@pytest.mark.parametrize(
    ("fault", "status"), [("429", 429), ("500", 500), ("503", 503), ("401", 401), ("400", 400)]
)
def test_a_fault_of_status_is_an_error_and_says_when_to_come_again(
    tmp_path: Path, fault: str, status: int
) -> None:
    with served_here("--window", "1K", "--faults", f"{fault}=1") as endpoint:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=30)
        connection.request("POST", "/v1/chat/completions", json.dumps(CHAT))
        answer = connection.getresponse()
        assert answer.status == status
        assert (answer.headers["Retry-After"] == "1") is (status in (429, 503))
        assert b"on purpose" in answer.read()
        connection.close()


@pytest.mark.parametrize("fault", ["drop", "half", "not-json", "wrong-types"])
def test_a_broken_answer_is_broken_as_asked_for_and_logged_as_that(
    tmp_path: Path, fault: str
) -> None:
    broken = (http.client.HTTPException, ConnectionError, ValueError, AttributeError)
    log = tmp_path / "log.jsonl"
    arguments = ("--window", "1K", "--faults", f"{fault}=1", "--log", str(log))
    with served_here(*arguments) as endpoint, pytest.raises(broken):
        endpoint.ask("/v1/chat/completions", CHAT).json["choices"][0]["message"]["content"].strip()
    assert json.loads(log.read_text())["ended"] == fault


@pytest.mark.parametrize(
    ("fault", "text", "finish"),
    [("empty", "", "stop"), ("refused", "", "content_filter"), ("cut", "04711", "length")],
)
def test_an_answer_may_be_changed_on_purpose(fault: str, text: str, finish: str) -> None:
    with served_here("--window", "1K", "--faults", f"{fault}=1") as endpoint:
        (choice,) = endpoint.ask("/v1/chat/completions", CHAT).json["choices"]
    assert (choice["message"]["content"], choice["finish_reason"]) == (text, finish)


def test_who_is_left_hanging_lets_the_server_end() -> None:
    with served("--window", "1K", "--faults", "hang=1") as endpoint:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=30)
        connection.request("POST", "/v1/chat/completions", json.dumps(CHAT))
        until_taken(endpoint)
        endpoint.process.send_signal(signal.SIGTERM)
        assert endpoint.process.wait(30) == 0
        connection.close()


@pytest.mark.parametrize(
    "option",
    ["--faults=429", "--faults=none=1", "--faults=429=0.9,500=0.2", "--latency=0", "--latency=x",
     "--latency=1,2,3", "--canned=nowhere.jsonl"],
)  # fmt: skip
def test_an_invalid_behaviour_is_refused(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuse(option, "--window=1K")
    assert option.partition("=")[0] in capsys.readouterr().err


# How it ends


def test_on_sigterm_it_finishes_requests_in_progress() -> None:
    with served("--window", "1K", "--delay", "0.7") as endpoint:
        connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=30)
        connection.request("POST", "/v1/chat/completions", json.dumps(CHAT))
        idle = socket.create_connection(("127.0.0.1", endpoint.port))
        until_taken(endpoint)
        endpoint.process.send_signal(signal.SIGTERM)
        assert connection.getresponse().status == 200
        assert endpoint.process.wait(30) == 0
        idle.close()
        connection.close()


def until_taken(endpoint: Endpoint) -> None:
    """Connections are accepted in order: once this one is answered, the earlier ones have been."""
    assert endpoint.ask("/v1/models").status == 200


def test_a_port_in_use_is_reported(endpoint: Endpoint) -> None:
    finished = started("--window", "1K", "--port", str(endpoint.port))
    assert finished.returncode == 1
    assert f"port {endpoint.port}" in finished.stderr


@pytest.mark.parametrize("window", ["100", "-8192", "8KK", "many"])
def test_an_invalid_window_is_refused(window: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuse(f"--window={window}")
    assert "--window" in capsys.readouterr().err


@pytest.mark.parametrize("delay", ["nan", "inf", "-1", "soon", "1e9"])
def test_an_invalid_delay_is_refused(delay: str, capsys: pytest.CaptureFixture[str]) -> None:
    refuse("--window=1K", f"--delay={delay}")
    assert "--delay" in capsys.readouterr().err


def refuse(*arguments: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        Command().run_from_argv(["manage.py", "reference_endpoint", *arguments])


def started(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "reference_endpoint", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
