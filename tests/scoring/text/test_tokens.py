"""Counting tokens: exact with the vocabulary, estimated and marked without, never stuck."""

from collections.abc import Iterator
from threading import Event

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import tokens
from scoring.text.tokens import (
    CHUNK,
    NO_TOKENS,
    TokenCount,
    count_tokens,
    estimate_tokens,
    first_tokens,
    token_lengths,
)

ENGLISH = (
    "On the morning of the third day, the captain (who had slept badly) asked for 1,250 barrels.\n"
)
CHINESE = (
    "丁婷芳第三次遇见司徒伟业的时候，披着一条枣红色披肩，在池塘边的柿子树下站了半日；"
    "吊桥那头的铁匠铺里，炉火烧得正旺，谁也没有说话。\n"
)


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Each test decides for itself whether there is a vocabulary."""
    tokens._vocabulary.cache_clear()
    yield
    tokens._vocabulary.cache_clear()


def offline(name: str) -> tiktoken.Encoding:
    raise ConnectionError(f"no way to the vocabulary {name}")


REAL_COUNTS = {"": 0, "hello world": 2, "<|endoftext|>": 7, ENGLISH: 24, "我们\n": 2}


@pytest.mark.parametrize("text", REAL_COUNTS)
def test_counts_are_those_of_tiktoken(text: str) -> None:
    whole = tiktoken.get_encoding("cl100k_base").encode_ordinary(text)
    assert count_tokens(text) == TokenCount(len(whole), estimated=False)


def test_counts_are_those_of_the_published_vocabulary(real_vocabulary: None) -> None:
    assert {text: count_tokens(text).value for text in REAL_COUNTS} == REAL_COUNTS


@given(st.text(alphabet="ab 1.\n/'é我\t", min_size=1, max_size=40))
def test_counts_of_long_texts_do_not_depend_on_where_they_are_cut(text: str) -> None:
    encoding = tiktoken.get_encoding("cl100k_base")
    long = (text + " cut here\n") * 30
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "CHUNK", 64)
        assert count_tokens(long).value == len(encoding.encode_ordinary(long))


def test_a_text_without_any_place_to_cut_is_counted_to_a_token_for_each_cut() -> None:
    assert 0 <= count_tokens("a" * 8 * CHUNK).value - CHUNK <= 8


def test_without_the_vocabulary_a_count_is_estimated_and_says_so(
    unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    count = count_tokens(ENGLISH * 1000)
    assert str(count) == f"≈{estimate_tokens(ENGLISH * 1000):,}"


def test_a_stalled_download_of_the_vocabulary_does_not_block(
    unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    given_up = Event()

    def silent(name: str) -> tiktoken.Encoding:
        given_up.wait()
        return offline(name)

    monkeypatch.setattr(tiktoken, "get_encoding", silent)
    monkeypatch.setattr(tokens, "PATIENCE", 0.01)
    assert count_tokens("hello world").estimated
    given_up.set()


def test_an_unknown_encoding_is_an_error_and_not_an_estimate() -> None:
    with pytest.raises(ValueError, match="cl1000k"):
        count_tokens("hello", "cl1000k")


def test_estimates_are_near(real_vocabulary: None) -> None:
    for text, tolerance in (
        (ENGLISH, 0.1),
        ("def f_1(x):\n    return func_2(x) + 4\n\n", 0.05),
        ("我们来了。", 0.3),
        (CHINESE, 0.06),
    ):
        exact = count_tokens(text * 100).value
        assert estimate_tokens(text * 100) == pytest.approx(exact, rel=tolerance), text


@pytest.mark.parametrize("text", [ENGLISH * 40, CHINESE * 40, "字"])
def test_text_truncated_by_estimated_tokens_has_the_estimated_count(
    text: str, unloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    whole = estimate_tokens(text)
    assert first_tokens(text, whole) == len(text)
    assert first_tokens(text, whole - 3) < len(text)
    half = first_tokens(text, whole // 2)
    assert estimate_tokens(text[:half]) == pytest.approx(whole // 2, abs=1)


def test_a_sum_with_an_estimate_is_an_estimate() -> None:
    assert NO_TOKENS + TokenCount(3, estimated=True) == TokenCount(3, estimated=True)


@pytest.mark.parametrize(
    "text", ["", "x", ENGLISH * 2_000, "中文和 English, 𝄞.\n" * 9_000, " " * 900]
)
def test_the_lengths_of_tokens_make_up_the_text(text: str) -> None:
    lengths = token_lengths(text)
    assert lengths is not None
    assert len(lengths) == count_tokens(text).value
    assert sum(lengths) == len(text.encode())


@pytest.mark.usefixtures("unloaded")
def test_without_a_vocabulary_tokens_have_no_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiktoken, "get_encoding", offline)
    assert token_lengths(ENGLISH) is None
