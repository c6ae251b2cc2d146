"""Records of a run: what survives a crash, and what is spent."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from scoring.endpoint.budget import Spent
from scoring.endpoint.prompts import Sight
from scoring.endpoint.run.records import (
    DamagedRunError,
    Ended,
    Failed,
    JsonLines,
    Outcome,
    Record,
    RunInUseError,
    Sent,
    Started,
    history_of,
)


def sent(key: int, attempt: int = 1) -> Sent:
    return Sent("passkey", key, attempt, 100, 10, 0.0)


def failed(key: int, spent: Spent) -> Failed:
    return Failed("passkey", key, 1, "busy", "429", spent, 0.0)


def ended(key: int, outcome: Outcome = Outcome.ANSWERED, spent: Spent = Spent()) -> Ended:  # noqa: B008 - immutable
    return Ended("passkey", key, outcome, "深 \ud800\n", 0.0, spent=spent)


EVERY: list[Record] = [
    Started("abc", 1.5),
    sent(0),
    failed(0, Spent(1)),
    Ended(
        "code_run", "a b", Outcome.CUT, "x", 2.0, reasoning="y", spent=Spent(1, 9, 3, 2),
        reported=True, seconds=1.5, first_token=0.25, sight=Sight.KEPT, lost=(3, 9),
    ),
]  # fmt: skip


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "run.log") as store:
        for record in EVERY:
            store.append(record)
        assert list(store.read()) == EVERY


def test_a_lone_surrogate_is_replaced_and_does_no_harm(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "run.log") as store:
        store.append(ended(0))
        [record] = store.read()
        assert isinstance(record, Ended)
        assert record.text == "深 ?\n"


@pytest.mark.parametrize("rest", [b"{", b'{"record": "sent", "task": "passk', b"\xe6\xb7"])
def test_half_a_line_at_the_end_is_cut_off_and_writing_goes_on(tmp_path: Path, rest: bytes) -> None:
    file = tmp_path / "run.log"
    with JsonLines(file) as store:
        store.append(sent(0))
    file.write_bytes(file.read_bytes() + rest)
    with JsonLines(file) as store:
        store.append(sent(1))
        assert list(store.read()) == [sent(0), sent(1)]


@contextmanager
def no_file_larger_than(size: int) -> Iterator[None]:
    """Writes succeed as far as there is room, and then fail, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_record_without_room_leaves_no_part_of_it(tmp_path: Path) -> None:
    file = tmp_path / "run.log"
    with JsonLines(file) as store:
        store.append(sent(0))
        with (
            no_file_larger_than(file.stat().st_size + 20),
            pytest.raises(OSError, match="too large") as failed,
        ):
            store.append(sent(1))
        assert failed.value.filename == str(file)
        assert list(store.read()) == [sent(0)]
        store.append(sent(2))
        assert list(store.read()) == [sent(0), sent(2)]


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    file = tmp_path / "run.log"
    file.write_text('{"record": "dream"}\n')
    with JsonLines(file) as store, pytest.raises(DamagedRunError, match="line 1"):
        list(store.read())


def test_two_runs_cannot_write_to_one_file(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "run.log"), pytest.raises(RunInUseError):
        JsonLines(tmp_path / "run.log")
    with JsonLines(tmp_path / "run.log"):
        pass


def test_what_was_in_flight_counts_with_its_reservation() -> None:
    history = history_of([sent(0), ended(0, spent=Spent(1, 90, 0, 5)), sent(1)])
    assert history.spent == Spent(2, 190, 0, 15)


def test_a_request_that_was_lost_counts_besides_the_one_that_was_sent_again() -> None:
    history = history_of([sent(0), sent(0), ended(0, spent=Spent(1, 90, 0, 5))])
    assert history.spent == Spent(2, 190, 0, 15)


def test_the_ratio_of_reported_to_counted_tokens_is_in_the_records() -> None:
    """Requests that were in flight are assumed to have the same ratio."""
    answer = replace(ended(0, spent=Spent(1, 140, 0, 5)), reported=True)
    history = history_of([sent(0), answer, sent(1), replace(answer, key=1), sent(2)])
    assert history.ratio == 1.4
    assert history.spent == Spent(3, 2 * 140 + 140, 0, 2 * 5 + 14)


def test_without_a_report_our_own_count_holds_and_without_an_answer_none() -> None:
    assert history_of([sent(0), ended(0, spent=Spent(1, 100, 0, 10))]).ratio == 1.0
    assert history_of([sent(0), failed(0, Spent(1, 100, 0, 10))]).ratio is None


def test_every_attempt_counts_once() -> None:
    records: list[Record] = [
        sent(0),
        failed(0, Spent(1)),
        sent(0, 2),
        failed(0, Spent(1, 100, 0, 10)),
    ]
    history = history_of([*records, ended(0, Outcome.ENDPOINT_FAILED)])
    assert history.spent == Spent(2, 100, 0, 10)


@pytest.mark.parametrize("outcome", Outcome)
def test_only_what_failed_is_asked_again(outcome: Outcome) -> None:
    history = history_of([ended(0, outcome)])
    failed_ones = (Outcome.ENDPOINT_FAILED, Outcome.OUR_FAILURE)
    assert history.is_settled("passkey", 0) is (outcome not in failed_ones)
    assert not history.is_settled("passkey", 1)


def test_the_last_end_of_a_question_counts() -> None:
    history = history_of([ended(0, Outcome.ENDPOINT_FAILED), ended(0)])
    assert history.is_settled("passkey", 0)
