"""What is sent, what is truncated, and whether the evidence survives."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scoring.endpoint.prompts import Sight, SkippedError, prompt_for
from scoring.endpoint.questions import ReleaseQuestion, questions_hash, read_questions
from scoring.endpoint.scored_text import scored_text
from scoring.endpoint.templates import Strategy
from scoring.text.tokens import count_tokens
from tests.support.endpoint_runs import passkey_questions, passkey_release, settings
from tests.support.worlds import write_rows

SMALL: dict[str, Any] = {"output_tokens": {"passkey": 64}}


@pytest.fixture
def question(tmp_path: Path) -> ReleaseQuestion:
    return passkey_questions(tmp_path, 1, noise=200)[0]


def test_a_prompt_that_fits_is_sent_whole_and_counted_exactly(question: ReleaseQuestion) -> None:
    prompt = prompt_for(question, settings(window=100_000))
    assert prompt.text.startswith("A pass key is hidden")
    assert prompt.text.endswith("What is the pass key?")
    assert (prompt.sight, prompt.lost) == (Sight.WHOLE, None)
    assert prompt.count == count_tokens(prompt.text)


def test_a_prompt_that_does_not_fit_keeps_both_ends(question: ReleaseQuestion) -> None:
    wanted = settings(window=1_000, **SMALL)
    prompt = prompt_for(question, wanted)
    assert prompt.text.startswith("A pass key is hidden")
    assert prompt.text.endswith("What is the pass key?")
    limit = wanted.prompt_limit("passkey")
    assert prompt.count.value == limit
    assert abs(count_tokens(prompt.text).value - limit) <= 2
    context = question.read_context()
    assert prompt.lost is not None
    assert prompt.lost[0] < context.index("The pass key") < prompt.lost[1]
    assert prompt.sight is Sight.CUT


def test_evidence_outside_of_the_gap_is_kept(tmp_path: Path) -> None:
    key = "The pass key is 12345. Remember it. 12345 is the pass key.\n"
    context = key + "The grass is green.\n" * 2_000
    write_rows(tmp_path / "passkey.jsonl", [{"id": 0, "context": context, "answer": ["12345"]}])
    [question] = read_questions(tmp_path, ["passkey"])
    assert prompt_for(question, settings(window=1_000, **SMALL)).sight is Sight.KEPT


def test_where_nobody_knows_the_evidence_a_cut_is_said_and_no_more(tmp_path: Path) -> None:
    row = {"id": 0, "context": "He went away. " * 3_000, "input": "Who?", "answer": ["He"]}
    write_rows(tmp_path / "longbook_qa_eng.jsonl", [row])
    [question] = read_questions(tmp_path, ["longbook_qa_eng"])
    assert prompt_for(question, settings(window=2_000)).sight is Sight.UNKNOWN
    with pytest.raises(SkippedError, match="not known"):
        prompt_for(question, settings(strategy=Strategy.EVIDENCE_ONLY))


def test_skipping_leaves_out_what_does_not_fit(question: ReleaseQuestion) -> None:
    with pytest.raises(SkippedError, match="more than 872 tokens"):
        prompt_for(question, settings(window=1_000, truncation="skip", **SMALL))
    assert prompt_for(question, settings(truncation="skip")).sight is Sight.WHOLE


def test_the_closed_book_shows_nothing_of_the_text(question: ReleaseQuestion) -> None:
    prompt = prompt_for(question, settings(strategy=Strategy.CLOSED_BOOK))
    assert "grass" not in prompt.text
    assert (prompt.sight, prompt.lost) == (Sight.NOTHING, None)


def test_evidence_only_shows_the_evidence_and_nothing_else(question: ReleaseQuestion) -> None:
    prompt = prompt_for(question, settings(window=1_000, strategy=Strategy.EVIDENCE_ONLY, **SMALL))
    assert "00000 is the pass key." in prompt.text
    assert "grass" not in prompt.text
    assert prompt.sight is Sight.KEPT


def test_one_s_own_template_is_used(question: ReleaseQuestion) -> None:
    own = {"passkey": "Text: {context} {{Question}}: {question}"}
    prompt = prompt_for(question, settings(templates=own))
    assert prompt.text.startswith("Text: The grass")
    assert prompt.text.endswith("{Question}: What is the pass key?")


def test_contexts_are_read_from_their_place_in_the_file(tmp_path: Path) -> None:
    file = passkey_release(tmp_path, 3) / "passkey.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join([lines[0].rstrip(), b"  ", *lines[1:]]))
    questions = read_questions(tmp_path, ["passkey"])
    for question in questions:
        assert f"key is {question.example.label}." in question.read_context()


def test_tokens_that_the_release_lists_are_not_counted_again(question: ReleaseQuestion) -> None:
    """A wrong number in the list shows that it was taken from there."""
    exact = prompt_for(question, settings()).count.value
    listed = question._replace(tokens=1_234)
    assert 1_234 < prompt_for(listed, settings()).count.value < 1_400 < exact
    evidence = prompt_for(listed, settings(strategy=Strategy.EVIDENCE_ONLY))
    assert evidence.count.value < 200
    too_long = question._replace(tokens=200_000)
    assert prompt_for(too_long, settings()).count.value == exact
    small = settings(window=1_000, **SMALL)
    assert replace(prompt_for(too_long, small), question=question) == prompt_for(question, small)


def test_other_texts_or_questions_have_another_hash(tmp_path: Path) -> None:
    first = questions_hash(passkey_questions(tmp_path / "a", 3))
    assert questions_hash(passkey_questions(tmp_path / "b", 3)) == first
    assert questions_hash(passkey_questions(tmp_path / "c", 4)) != first
    assert questions_hash(passkey_questions(tmp_path / "d", 3, noise=21)) != first


@pytest.mark.parametrize(
    ("text", "scored"),
    [
        ("I look.\nAnswer: 42", "42"),
        ("Answer: 1\nno.\n**Answer:** B. b", "B. b"),
        ("Final answer: 42.\n", "42."),
        ("我看。\n答案：小明", "小明"),
        ("Answer:\n[1, 2]", "[1, 2]"),
        ("The answer: is 42", "is 42"),
        ("42", "42"),
        ("Answer:", "Answer:"),
        ("It answers: 42", "It answers: 42"),
    ],
)
def test_of_steps_the_last_answer_is_scored(text: str, scored: str) -> None:
    steps = settings(strategy=Strategy.STEPS)
    assert scored_text(steps, "passkey", text) == scored
    assert scored_text(settings(), "passkey", text) == text
    own = settings(strategy=Strategy.STEPS, templates={"passkey": "{context}{question}"})
    assert scored_text(own, "passkey", text) == text
