"""The output of the box: the report, and every example with its verdicts as JSONL.

It was written by a process that read untrusted text, so it is validated before it is stored.

Each example of the gold has a line, ``{"task", "key", "index", "prediction", "verdicts"}``, the
index being its place in the gold from 0. ``verdicts`` has for each metric set
``{"score", "extracted", "code", "params"}``; it and the prediction are null where none was
submitted.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, BinaryIO

from scoring.alignment import place
from scoring.catalog import TASKS
from scoring.keys import Key, canonical_key
from scoring.limits import MIB
from scoring.metrics import METRIC_SETS, REASONS, Verdict
from scoring.metrics.verdict import shortened
from scoring.predictions.json_rows import CHUNK, JsonError, check_value, decode, split_lines
from scoring.predictions.reader import Predictions
from scoring.problems import ProblemLog
from scoring.releases.gold import TaskGold
from scoring.score import Report

EXTRACTED_CAP = 200  # characters; the sentence of a verdict shows fewer, and stays the same
_LINE_CAP = 16 * MIB
_REPORT_CAP = 64 * MIB
_CONTENTS_CAP = 16_384  # bytes
_PARAMETER_CAP = MIB  # characters; a reason may quote a whole label
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Example:
    task: str
    key: Key
    index: int  # in the gold, from 0
    prediction: str | None  # None: none was submitted, or none that could be used
    verdicts: Mapping[str, Verdict] | None  # by metric set


class ResultsFileError(ValueError):
    """The bytes are not what the box writes; the message is for the log, not for people."""


def write_report(document: Mapping[str, object], stream: BinaryIO) -> None:
    """Write the report, or the question or the problems that replace it."""
    stream.write(_ENCODER.encode(document).encode() + b"\n")


def read_report(stream: BinaryIO) -> dict[str, Any]:
    """The document that ``write_report`` wrote. Raises ``ResultsFileError``.

    It is the one of ``python -m scoring score --json``: a report has a ``signature``, a question
    has ``alignment``, and where nothing could be scored it has neither.
    """
    raw = stream.read(_REPORT_CAP + 1)
    try:
        if len(raw) > _REPORT_CAP:
            raise ValueError("too large")
        return _report(_decoded(raw))
    except (JsonError, LookupError, TypeError, ValueError) as error:
        raise ResultsFileError(f"the report has another form: {error!r}") from error


def _report(document: object) -> dict[str, Any]:
    if not isinstance(document, dict) or not isinstance(document["problems"], list):
        raise TypeError("not a report")
    for task, scored in document["tasks"].items():
        if task not in TASKS:
            raise ValueError("an unknown task")
        for score in _values(scored["scores"], *METRIC_SETS):
            if score is not None and not (isinstance(score, int | float) and 0 <= score <= 100):
                raise ValueError("a score")
    return document


def read_contents(stream: BinaryIO, uploads: int) -> list[list[str]]:
    """The tasks of each upload that the first stage read. Raises ``ResultsFileError``."""
    raw = stream.read(_CONTENTS_CAP + 1)
    try:
        found = [list(own) for own in _decoded(raw if len(raw) <= _CONTENTS_CAP else None)]
        tasks = set(chain(*found))
    except (JsonError, TypeError, ValueError) as error:
        raise ResultsFileError(f"the contents have another form: {error!r}") from error
    if len(found) != uploads or not tasks <= TASKS.keys() or len(tasks) != sum(map(len, found)):
        raise ResultsFileError("the contents are not those of these uploads")
    return found


def write_examples(
    report: Report, predictions: Predictions, gold: Mapping[str, TaskGold], stream: BinaryIO
) -> None:
    """Write every example of the report, task after task, in the order of the gold."""
    for task, scored in report.tasks.items():
        placed = place(gold[task], predictions.tasks[task], scored.method, ProblemLog())
        columns = scored.verdicts.values()
        for index, (key, text, *verdicts) in enumerate(
            zip(scored.keys, placed.predictions, *columns, strict=True)
        ):
            line = {"task": task, "key": key, "index": index, "prediction": text}
            line["verdicts"] = None if text is None else _verdicts_json(scored.verdicts, verdicts)
            stream.write(_ENCODER.encode(line).encode() + b"\n")


def _verdicts_json(names: Iterable[str], verdicts: Iterable[Verdict | None]) -> dict[str, object]:
    return {
        name: {
            "score": verdict.score,
            "extracted": verdict.extracted and shortened(verdict.extracted, EXTRACTED_CAP),
            "code": verdict.code,
            "params": dict(verdict.params),
        }
        for name, verdict in zip(names, verdicts, strict=True)
        if verdict
    }


def read_examples(stream: BinaryIO) -> Iterator[Example]:
    """The examples in a file that came out of the box, which is not trusted.

    Raises ``ResultsFileError`` at the first line that ``write_examples`` would not write.
    """
    for raw in split_lines(iter(lambda: stream.read(CHUNK), b""), _LINE_CAP):
        try:
            yield _example(_decoded(raw))
        except (JsonError, LookupError, TypeError, ValueError) as error:
            raise ResultsFileError(f"an example has another form: {error!r}") from error


def _decoded(raw: bytes | None) -> Any:  # noqa: ANN401 - as in JSON
    if raw is None:
        raise ValueError("too long a line")
    value, rest = decode(raw)
    if rest:
        raise ValueError("text follows the object")
    check_value(value, raw)
    return value


def _example(line: object) -> Example:
    task, key, index, prediction, verdicts = _values(
        line, "task", "key", "index", "prediction", "verdicts"
    )
    if task not in TASKS or type(index) is not int or index < 0:
        raise ValueError("the task or the index")
    if key is None or type(key) not in {int, str} or canonical_key(key) != key:
        raise ValueError("the key")
    if (prediction is None) != (verdicts is None):
        raise ValueError("a prediction without verdicts, or the other way round")
    text = None if prediction is None else _text(prediction, TASKS[task].prediction_cap)
    if verdicts is None:
        return Example(task, key, index, text, None)
    found = zip(METRIC_SETS, _values(verdicts, *METRIC_SETS), strict=True)
    return Example(task, key, index, text, {name: _verdict(verdict) for name, verdict in found})


def _verdict(value: object) -> Verdict:
    score, extracted, code, params = _values(value, "score", "extracted", "code", "params")
    if not _is_share(score):
        raise ValueError("a score")
    if code not in REASONS or not isinstance(params, dict):
        raise ValueError("a reason")
    for item in params.values():
        if isinstance(item, bool) or not isinstance(item, int | float | str):
            raise TypeError("a parameter")
        if isinstance(item, str):
            _text(item, _PARAMETER_CAP)
    text = None if extracted is None else _text(extracted, EXTRACTED_CAP)
    verdict = Verdict(float(score), text, code, params)
    _ = verdict.reason  # raises KeyError where a parameter is missing
    return verdict


def _is_share(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _values(value: object, *keys: str) -> list[Any]:
    """The values of an object that has exactly these keys."""
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise ValueError(f"not an object with {', '.join(keys)}")
    return [value[key] for key in keys]


def _text(value: object, cap: int) -> str:
    if not isinstance(value, str) or len(value) > cap:
        raise ValueError("a text")
    return value
