"""Prompts of endpoint runs: complete, and truncated like the official ones."""

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.text import tokens
from scoring.text.prompts import TEMPLATES, CutPrompt, cut_prompt, gap, messages_of, prompt_of
from scoring.text.tokens import TokenCount, count_tokens, first_tokens, fit_tokens

OPTIONS = ("the mill", "the inn", "the church", "the bridge")
BOOK = "".join(
    f"On day {day} nothing happened in the town, but on the next.\n" for day in range(900)
)


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_a_prompt_with_context_then_question(task: str) -> None:
    text = prompt_of(task, "{the context}", "Who {was} it?", OPTIONS).text
    assert text.index("{the context}") > 0
    assert text.index("Who {was} it?") > text.index("{the context}")


@pytest.mark.parametrize("task", ["longbook_choice_eng", "code_debug"])
def test_options_have_their_letters(task: str) -> None:
    text = prompt_of(task, "…", "Where?", OPTIONS).text
    assert "\nA. the mill\nB. the inn\nC. the church\nD. the bridge\n" in text


def test_chinese_books_are_asked_about_in_chinese() -> None:
    text = prompt_of("longbook_qa_chn", "从前有座山。", "山里有什么？").text
    assert text.isascii() is False
    assert not any(letter.isascii() and letter.isalpha() for letter in text)


@pytest.mark.parametrize("task", [task for task in TASKS if TEMPLATES[task].question])
def test_the_question_may_be_empty_for_tasks_without_one(task: str) -> None:
    text = prompt_of(task, "…", " ").text
    assert TEMPLATES[task].question in text


def test_a_chat_model_gets_the_prompt_as_one_message() -> None:
    assert messages_of("Hello") == [{"role": "user", "content": "Hello"}]


# Cutting


def test_a_prompt_that_is_short_enough_is_left_whole() -> None:
    prompt = prompt_of("longbook_qa_eng", BOOK, "Who?")
    size = count_tokens(prompt.text).value
    assert cut_prompt(prompt, size) == CutPrompt(prompt.text, None, count_tokens(prompt.text))
    assert cut_prompt(prompt, size - 1).lost is not None


def test_a_long_prompt_loses_its_middle_and_reports_the_removed_characters() -> None:
    prompt = prompt_of("longbook_qa_eng", BOOK, "Who?")
    cut = cut_prompt(prompt, 1_000)
    assert cut.lost is not None
    start, end = cut.lost
    assert cut.text == f"{prompt.before}{BOOK[:start]}{BOOK[end:]}{prompt.after}"
    assert count_tokens(cut.text).value == pytest.approx(1_000, abs=1)


def test_both_ends_have_half_of_the_tokens_as_in_the_official_runs() -> None:
    encoding = tiktoken.get_encoding("cl100k_base")
    text = prompt_of("longbook_qa_eng", BOOK, "Who?").text
    numbers = encoding.encode_ordinary(text)
    start, end = gap(text, 1_001)
    assert text[:start] == encoding.decode(numbers[:500])
    assert text[end:] == encoding.decode(numbers[-501:])


def test_truncation_into_the_question_still_reports_the_lost_context() -> None:
    prompt = prompt_of("longbook_qa_eng", BOOK, "Who " * 500)
    cut = cut_prompt(prompt, 100)
    assert cut.lost is not None
    assert cut.lost[1] == len(BOOK)


def test_nothing_is_left_of_a_prompt_without_a_token_to_keep() -> None:
    nothing = CutPrompt("", (0, 3), TokenCount(0, estimated=False))
    assert cut_prompt(prompt_of("passkey", "abc", "?"), 0) == nothing


def last_tokens(text: str, count: int) -> int:
    """The start of the last ``count`` tokens of a text, in characters; 0 if it has fewer."""
    vocabulary = tokens._vocabulary(tokens.ENCODING)
    ends = tokens._pieces_from_the_end(text, tokens._chunk(count))
    return len(text) - tokens._take(ends, count, vocabulary).last(count, vocabulary)


@given(text=st.text(alphabet="ab 1.\n/'é我🙂\t", max_size=80), kept=st.integers(0, 60))
def test_no_character_is_cut_in_two(text: str, kept: int) -> None:
    encoding = tiktoken.get_encoding("cl100k_base")
    numbers = encoding.encode_ordinary(text)
    first = encoding.decode_bytes(numbers[:kept]).decode(errors="ignore")
    last = encoding.decode_bytes(numbers[len(numbers) - kept :] if kept < len(numbers) else numbers)
    assert text[: first_tokens(text, kept)] == first
    assert text.endswith(last.decode(errors="ignore")[1:])
    assert last.decode(errors="ignore").endswith(text[last_tokens(text, kept) :])


@given(st.text(alphabet="ab 1.\n/'é我\t", min_size=1, max_size=40), st.integers(0, 400))
def test_places_in_a_long_text_are_found_from_both_ends(text: str, kept: int) -> None:
    long = (text + " cut here\n") * 30
    size = count_tokens(long).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "CHUNK", 64)
        start, end = first_tokens(long, kept), last_tokens(long, max(0, size - kept))
    assert 0 <= end - start <= 1  # the cut falls within a character of several tokens
    assert (start, end) == (len(long), len(long)) if kept >= size else start < len(long)


@given(st.text(alphabet="ab 1.é我\t", max_size=20), st.integers(0, 400), st.booleans())
def test_counting_and_cutting_at_once_finds_what_both_find(
    text: str, most: int, has_vocabulary: bool
) -> None:
    long = (text + " cut here\n") * 30
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokens, "CHUNK", 64)
        if not has_vocabulary:
            patch.setattr(tokens, "_vocabulary", lambda encoding: None)
        fit, size = fit_tokens(long, most), count_tokens(long)
        start, end = first_tokens(long, most // 2), last_tokens(long, most - most // 2)
    if size.value <= most:
        assert fit == (size, None)
    else:
        assert fit == (TokenCount(most, size.estimated), (start, max(start, end)))


def test_without_the_vocabulary_the_estimate_says_where_to_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tokens, "_vocabulary", lambda encoding: None)
    start, end = gap(BOOK, 1_000)
    assert tokens.estimate_tokens(BOOK[:start]) == tokens.estimate_tokens(BOOK[end:]) == 500


def test_an_unknown_encoding_is_an_error() -> None:
    with pytest.raises(ValueError, match="no encoding called"):
        gap(BOOK, 10, "cl1")
