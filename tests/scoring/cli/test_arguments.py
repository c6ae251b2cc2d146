"""Numbers given to options: read as people write them, and refused with a sentence."""

from argparse import ArgumentTypeError
from pathlib import Path

import pytest

from scoring.cli.arguments import at_least_one, kept_tasks, several_tokens, task_of_file, tokens


@pytest.mark.parametrize(
    ("text", "number"),
    [("4000", 4_000), ("8K", 8_000), ("1M", 1_000_000), ("128,000", 128_000)],
)
def test_tokens_may_be_thousands_and_millions(text: str, number: int) -> None:
    assert tokens(text) == number


@pytest.mark.parametrize("text", ["", "K", "8KK", "-8K", "1.5", "many", "9" * 20])
def test_an_invalid_number_of_tokens_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="write 4000, 8K or 1M"):
        tokens(text)


@pytest.mark.parametrize("text", ["4000,8K", "4000, 8K", "4000,8K,"])
def test_several_have_commas_between_them(text: str) -> None:
    assert several_tokens(text) == (4_000, 8_000)


@pytest.mark.parametrize("text", ["", ",", "4000;8K", "4000,128,000"])
def test_an_invalid_list_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="write"):
        several_tokens(text)


@pytest.mark.parametrize("text", ["0", "-1", "two", ""])
def test_zero_jobs_are_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="of at least 1"):
        at_least_one(text)
    assert at_least_one("2") == 2


@pytest.mark.parametrize(
    ("text", "file", "task"),
    [
        ("passkey", "", "passkey"),
        ("En.QA", "", "longbook_qa_eng"),
        ("a=b.jsonl=kv retrieval", "a=b.jsonl", "kv_retrieval"),
    ],
)
def test_a_task_is_given_alone_or_for_a_file(text: str, file: str, task: str) -> None:
    assert task_of_file(text) == (file, task)


@pytest.mark.parametrize(
    ("text", "path", "tasks"),
    [
        ("run.zip", "run.zip", None),
        ("a=b/run.zip=En.QA, passkey", "a=b/run.zip", ("longbook_qa_eng", "passkey")),
        ("run.zip=", "run.zip", ()),
    ],
)
def test_tasks_to_keep_are_named_after_their_file(
    text: str, path: str, tasks: tuple[str, ...] | None
) -> None:
    assert kept_tasks(text) == (Path(path), tasks)


@pytest.mark.parametrize("text", ["", "made_up", "a.jsonl=", "passkey=a.jsonl"])
def test_an_unknown_task_is_refused(text: str) -> None:
    with pytest.raises(ArgumentTypeError, match="is not a task"):
        task_of_file(text)
