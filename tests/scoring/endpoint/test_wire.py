"""Responses of endpoints, whatever the types in them."""

import json
import time
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.endpoint.budget import Spent
from scoring.endpoint.transport.wire import (
    MalformedError,
    ReportedError,
    StreamedReply,
    read_document,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def document(message: object = None, finish: object = "stop", **more: object) -> bytes:
    choice = {"message": {"content": "yes"} if message is None else message}
    return json.dumps({"choices": [choice | {"finish_reason": finish}], **more}).encode()


def events(*parts: object) -> bytes:
    lines = [f"data: {part if isinstance(part, str) else json.dumps(part)}\n\n" for part in parts]
    return "".join(lines).encode()


def delta(**fields: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": None}]}


DONE: dict[str, object] = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}


def streamed(data: bytes, size: int = 7) -> StreamedReply:
    reply = StreamedReply()
    for start in range(0, len(data), size):
        reply.feed(data[start : start + size])
    return reply


def test_text_reasoning_and_usage_of_a_document() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 64},
    }
    reply = read_document(document({"content": "42", "reasoning_content": "Hm."}, usage=usage))
    assert (reply.text, reply.reasoning, reply.finish) == ("42", "Hm.", "stop")
    assert reply.usage == Spent(1, 100, 64, 7)


@pytest.mark.parametrize(
    ("message", "text", "reasoning", "refused"),
    [
        ({"content": None}, "", "", False),
        ({"content": "a", "reasoning": "b"}, "a", "b", False),
        ({"content": "<think>why</think>\n\n42"}, "42", "<think>why</think>", False),
        ({"content": "why</think>42"}, "42", "why</think>", False),
        ({"content": "<think>why, with no end"}, "", "<think>why, with no end", False),
        ({"content": "42 <think>why"}, "42", "<think>why", False),
        ({"content": "I think 42"}, "I think 42", "", False),
        (
            {"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            "ab",
            "",
            False,
        ),
        ({"content": None, "refusal": "I can't."}, "", "", True),
    ],
)
def test_forms_of_a_message(message: object, text: str, reasoning: str, refused: bool) -> None:
    reply = read_document(document(message))
    assert (reply.text, reply.reasoning, reply.is_refused) == (text, reasoning, refused)


def test_a_plain_completion_has_its_text_in_the_choice() -> None:
    reply = read_document(b'{"choices": [{"text": "42", "finish_reason": "length"}]}')
    assert (reply.text, reply.finish) == ("42", "length")


@pytest.mark.parametrize(
    "usage",
    [
        "many", 5, [], {}, {"prompt_tokens": 5}, {"prompt_tokens": "5", "completion_tokens": 5},
        {"prompt_tokens": -1, "completion_tokens": 5},
        {"prompt_tokens": 1.5, "completion_tokens": 5},
        {"prompt_tokens": True, "completion_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": None},
        {"prompt_tokens": 5, "completion_tokens": 1e3},
        {"prompt_tokens": 1 << 40, "completion_tokens": 5},
        {"prompt_tokens": 10**30, "completion_tokens": 5},
        # Some servers report zeros, which would make a run look free.
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": 0, "completion_tokens": 5},
        {"prompt_tokens": 5, "completion_tokens": 0},
    ],
)  # fmt: skip
def test_a_wrong_usage_is_none_and_spoils_no_answer(usage: object) -> None:
    reply = read_document(document(usage=usage))
    assert (reply.text, reply.usage) == ("yes", None)


def test_an_empty_answer_may_have_taken_no_tokens() -> None:
    usage = {"prompt_tokens": 5, "completion_tokens": 0}
    assert read_document(document({"content": ""}, usage=usage)).usage == Spent(1, 5, 0, 0)
    stream = streamed(events(delta(content="4"), DONE, {"choices": [], "usage": usage}))
    assert stream.reply(None).usage is None


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5_000])
def test_numbers_that_json_has_not_are_in_no_usage(number: str) -> None:
    """Even where orjson refuses the response because of a lone surrogate."""
    usage = f'{{"prompt_tokens": {number}, "completion_tokens": 5}}'
    for text in ("yes", "\\ud83d"):
        data = f'{{"choices": [{{"message": {{"content": "{text}"}}}}], "usage": {usage}}}'
        try:
            reply = read_document(data.encode())
        except MalformedError:
            continue
        assert reply.usage is None


@pytest.mark.parametrize(
    "data",
    [
        b"", b"{", b"<html>", b"[]", b"5", b"null", b"{}", b'{"choices": {}}', b'{"choices": []}',
        b'{"choices": [5]}', b'{"choices": [{"message": "hi"}]}', b'{"choices": [{"message": []}]}',
        b'{"choices": [{"message": {"content": 5}}]}', document(finish=5), document(finish=["x"]),
        b"[" * 100_000, b'\xff{"choices": []}', b'["\\ud800"' + b"[" * 100_000, b'{"\\ud800": 1}',
    ],
)  # fmt: skip
def test_what_is_not_of_the_protocol_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        read_document(data)


@given(JSON)
def test_no_document_raises_anything_else(value: object) -> None:
    for data in (
        value,
        {"choices": value},
        {"choices": [value]},
        {"choices": [{"message": value}]},
    ):
        for feed in (read_document, streamed_document):
            try:
                feed(json.dumps(data).encode())
            except (MalformedError, ReportedError):
                continue


def streamed_document(data: bytes) -> None:
    StreamedReply().feed(b"data: " + data + b"\n\n")


@pytest.mark.parametrize("error", [{"message": "Overloaded"}, "Overloaded", ["Overloaded"]])
def test_an_error_inside_an_answer_is_reported(error: object) -> None:
    with pytest.raises(ReportedError, match="Overloaded"):
        read_document(json.dumps({"error": error}).encode())
    with pytest.raises(ReportedError, match="Overloaded"):
        streamed(events(delta(content="4"), {"error": error}))


@given(st.integers(1, 200))
def test_a_stream_may_be_cut_anywhere(size: int) -> None:
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
    parts = (
        delta(role="assistant", reasoning_content="Ö"),
        delta(content="深"),
        delta(content="2"),
    )
    data = b": comment\r\nevent: x\r\n" + events(*parts, DONE, usage, "[DONE]")
    stream = streamed(data, size)
    assert stream.is_whole
    reply = stream.reply(0.5)
    assert (reply.text, reply.reasoning, reply.finish) == ("深2", "Ö", "stop")
    assert (reply.usage, reply.first_token) == (Spent(1, 9, 0, 2), 0.5)


def test_a_stream_without_its_end_is_not_whole() -> None:
    assert not streamed(events(delta(content="4"))).is_whole
    assert streamed(events(delta(content="4"), DONE)).is_whole
    assert streamed(events(delta(content="4"), "[DONE]")).is_whole


def test_one_long_line_in_small_pieces_takes_time_in_proportion() -> None:
    data = events(delta(content="x" * 8_000_000), DONE)
    begun = time.process_time()
    stream = streamed(data, 1_024)
    assert time.process_time() - begun < 4  # 25 if each piece copied what came before
    assert len(stream.reply(None).text) == 8_000_000


def test_one_line_in_pieces_of_two_bytes_takes_no_more_memory_than_it_has_bytes() -> None:
    tracemalloc.start()
    try:
        streamed(b"data: " + b"x" * 300_000, 2)
        assert tracemalloc.get_traced_memory()[1] < 3_000_000  # 13 if each piece were kept
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("a \ud83d", "\ude00 b"), "a 😀 b"),
        (("a \ud83d", "b"), "a �b"),
        (("\ude00\0",), "�\0"),
    ],
)
def test_halves_of_characters_are_put_together(pieces: tuple[str, ...], text: str) -> None:
    stream = streamed(events(*(delta(content=piece) for piece in pieces), DONE))
    assert stream.reply(None).text == text
    assert read_document(document({"content": "".join(pieces)})).text == text


def test_a_stream_has_begun_with_its_first_text() -> None:
    assert not streamed(events(delta(role="assistant", content=""))).has_begun
    assert streamed(events(delta(reasoning_content="Hm"))).has_begun
