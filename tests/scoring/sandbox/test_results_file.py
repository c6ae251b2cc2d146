"""What comes out of the box is read as strictly as what goes in."""

import io
import json

import pytest

from scoring.keys import Key
from scoring.labels import Label
from scoring.metrics import METRIC_SETS, Verdict
from scoring.predictions.reader import Predictions
from scoring.report import report_json
from scoring.sandbox.results_file import (
    Example,
    ResultsFileError,
    read_contents,
    read_examples,
    read_report,
    write_examples,
    write_report,
)
from scoring.score import Report, score
from tests.support.worlds import file_of, gold_of, row


def scored() -> tuple[Report, bytes]:
    labels: dict[Key, Label] = {0: "12345", "b": "54321", 2: "11111"}
    gold = {"passkey": gold_of("passkey", labels)}
    rows = [row(2, "1" * 5), row(0, "word " * 100 + "12345")]
    predictions = Predictions({"passkey": file_of("passkey", rows)}, [], "0" * 64)
    report = score(predictions, gold)
    stream = io.BytesIO()
    write_examples(report, predictions, gold, stream)
    return report, stream.getvalue()


def test_examples_come_in_gold_order_with_the_verdicts_of_the_report() -> None:
    report, raw = scored()
    examples = list(read_examples(io.BytesIO(raw)))
    assert [(one.key, one.index) for one in examples] == [(0, 0), ("b", 1), (2, 2)]
    for name, verdicts in report.tasks["passkey"].verdicts.items():
        actual = [one.verdicts and one.verdicts[name].reason for one in examples]
        assert actual == [verdict and verdict.reason for verdict in verdicts]
        assert [one.verdicts and one.verdicts[name].score for one in examples] == [1.0, None, 1.0]


def test_a_long_extract_is_cut_and_its_sentence_stays() -> None:
    words = " ".join(f"w{number}" for number in range(200))
    gold = {"longbook_qa_eng": gold_of("longbook_qa_eng", {0: ("w7",)})}
    rows = [row(0, words)]
    predictions = Predictions({"longbook_qa_eng": file_of("longbook_qa_eng", rows)}, [], "0" * 64)
    report = score(predictions, gold)
    stream = io.BytesIO()
    write_examples(report, predictions, gold, stream)
    (example,) = read_examples(io.BytesIO(stream.getvalue()))
    original = report.tasks["longbook_qa_eng"].verdicts["strict"][0]
    assert original is not None
    assert original.extracted == words
    assert example.verdicts is not None
    assert example.verdicts["strict"].reason == original.reason
    assert len(example.verdicts["strict"].extracted or "") <= 200


def test_a_report_is_read_back_as_it_was_written() -> None:
    report, _ = scored()
    stream = io.BytesIO()
    write_report(report_json(report), stream)
    assert read_report(io.BytesIO(stream.getvalue())) == json.loads(json.dumps(report_json(report)))


VERDICT = {"score": 1.0, "extracted": "B", "code": "first_character", "params": {}}
GOOD: dict[str, object] = {
    "task": "code_debug",
    "key": 0,
    "index": 0,
    "prediction": "B",
    "verdicts": dict.fromkeys(METRIC_SETS, VERDICT),
}


def with_verdict(**changes: object) -> dict[str, object]:
    return GOOD | {"verdicts": dict.fromkeys(METRIC_SETS, VERDICT | changes)}


def example_of(value: object) -> Example:
    (example,) = read_examples(io.BytesIO(json.dumps(value).encode() + b"\n"))
    return example


def test_the_plain_example_is_read() -> None:
    verdict = Verdict(1.0, "B", "first_character")
    verdicts = dict.fromkeys(METRIC_SETS, verdict)
    assert example_of(GOOD) == Example("code_debug", 0, 0, "B", verdicts)


FORGED: dict[str, object] = {
    "a list": [],
    "a key more": GOOD | {"more": 1},
    "an unknown task": GOOD | {"task": "made_up"},
    "a task of another type": GOOD | {"task": []},
    "no key": GOOD | {"key": None},
    "a key as text that is a number": GOOD | {"key": "5"},
    "a key of another type": GOOD | {"key": {}},
    "a place before the first": GOOD | {"index": -1},
    "a place that is true": GOOD | {"index": True},
    "a prediction that is no text": GOOD | {"prediction": 5},
    "NUL in a prediction": GOOD | {"prediction": "\0"},
    "half a pair in a prediction": GOOD | {"prediction": "\ud800"},
    "a prediction over its cap": GOOD | {"prediction": "x" * (1 << 20) + "x"},
    "verdicts without a prediction": GOOD | {"prediction": None},
    "a prediction without verdicts": GOOD | {"verdicts": None},
    "two metric sets": GOOD | {"verdicts": dict.fromkeys(list(METRIC_SETS)[:2], VERDICT)},
    "a score above 1": with_verdict(score=1.5),
    "a score below 0": with_verdict(score=-1),
    "a score that is true": with_verdict(score=True),
    "a score that is text": with_verdict(score="1"),
    "an unknown reason": with_verdict(code="made_up"),
    "a reason of another type": with_verdict(code=[]),
    "a reason without its parameter": with_verdict(code="cue_right"),
    "a parameter that is a list": with_verdict(params={"cue": []}),
    "parameters that are none": with_verdict(params=None),
    "a long extract": with_verdict(extracted="x" * 300),
    "an extract that is no text": with_verdict(extracted=5),
}


@pytest.mark.parametrize("name", FORGED)
def test_an_example_that_is_never_written_is_refused(name: str) -> None:
    with pytest.raises(ResultsFileError):
        example_of(FORGED[name])


@pytest.mark.parametrize("raw", [b"\n", b"{", b"{}{}\n", b'{"task":"\xff"}\n', b"NaN\n"])
def test_bytes_that_are_not_examples_are_refused(raw: bytes) -> None:
    with pytest.raises(ResultsFileError):
        list(read_examples(io.BytesIO(raw)))


REPORTS: dict[str, object] = {
    "nothing": None,
    "a list": [],
    "no problems": {"tasks": {}},
    "no tasks": {"problems": []},
    "an unknown task": {"problems": [], "tasks": {"made_up": {"scores": {}}}},
    "no scores": {"problems": [], "tasks": {"passkey": {}}},
    "other metric sets": {"problems": [], "tasks": {"passkey": {"scores": {"mine": 1}}}},
    "a score over 100": {
        "problems": [],
        "tasks": {"passkey": {"scores": dict.fromkeys(METRIC_SETS, 101)}},
    },
    "a score that is text": {
        "problems": [],
        "tasks": {"passkey": {"scores": dict.fromkeys(METRIC_SETS, "1")}},
    },
    "NUL": {"problems": ["\0"], "tasks": {}},
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_that_is_never_written_is_refused(name: str) -> None:
    with pytest.raises(ResultsFileError):
        read_report(io.BytesIO(json.dumps(REPORTS[name]).encode()))


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"7", b'[["passkey"]]', b'[["passkey"], null]', b'[["passkey"], ["gone"]]',
     b'[["passkey"], [["passkey"]]]', b'[["passkey"], ["passkey"]]', b'[["passkey"], [{}]]',
     b"[[], []]" + b" " * 20_000],
)  # fmt: skip
def test_contents_of_another_form_are_refused(raw: bytes) -> None:
    with pytest.raises(ResultsFileError):
        read_contents(io.BytesIO(raw), 2)


def test_contents_are_the_tasks_of_each_upload() -> None:
    raw = io.BytesIO(b'[["passkey", "code_run"], []]')
    assert read_contents(raw, 2) == [["passkey", "code_run"], []]
