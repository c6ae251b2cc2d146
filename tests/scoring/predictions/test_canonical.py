"""Canonical predictions: what is written is read back equal, and nothing else is accepted."""

import io
import json
import random
import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.keys import canonical_key
from scoring.limits import LIMITS, Limits
from scoring.predictions.canonical import CanonicalError, read_canonical, write_canonical
from scoring.predictions.reader import ABSENT, Predictions, Row, TaskPredictions, read_predictions
from scoring.problems import LISTED, LISTED_OF_CODE, MOST_PROBLEMS, ProblemLog
from tests.support.bad_archives import ARCHIVES
from tests.support.bad_inputs import FILES

DIGEST = "0123456789abcdef" * 4

texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30)
names = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20)
numbers = st.integers(-(10**19) + 1, 10**19 - 1)
keys = (
    st.none() | st.integers(-(10**18), 10**18) | names.filter(lambda key: canonical_key(key) == key)
)
values = (
    st.none() | st.booleans() | numbers | st.floats(allow_nan=False, allow_infinity=False) | texts
)
labels = st.just(ABSENT) | st.recursive(
    values, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=3)
)


@st.composite
def task_predictions(draw: st.DrawFn, task: str) -> TaskPredictions:
    files = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    row = st.builds(
        Row,
        keys,
        st.none() | texts,
        labels,
        st.sampled_from(files),
        st.integers(0, 10**6),
    )
    return TaskPredictions(task, draw(names), files, draw(st.lists(row, max_size=4)))


@st.composite
def predictions(draw: st.DrawFn) -> Predictions:
    chosen = draw(st.sets(st.sampled_from(sorted(TASKS)), max_size=3))
    tasks = {task: draw(task_predictions(task)) for task in TASKS if task in chosen}
    log = ProblemLog()
    if draw(st.booleans()):
        log.add(
            "json_broken",
            file=draw(texts),
            line=draw(st.integers(0, 99)),
            why=draw(texts),
            column=1,
        )
        log.add("file_ignored", file=draw(texts))
        log.add("prediction_cut", file="x", task="code_run", length=7, limit=draw(numbers))
    return Predictions(tasks, log.problems(), DIGEST)


def written(found: Predictions) -> bytes:
    stream = io.BytesIO()
    write_canonical(found, stream)
    return stream.getvalue()


def read(raw: bytes, limits: Limits = Limits()) -> Predictions:  # noqa: B008 - frozen
    return read_canonical(io.BytesIO(raw), limits)


@given(predictions())
def test_written_data_is_read_back_unchanged(found: Predictions) -> None:
    assert read(written(found)) == found


@pytest.mark.parametrize("model", ["gpt4", "claude2", "kimi"])
def test_released_files_are_read_back_equal(released: Path, model: str) -> None:
    found = read_predictions(released / "results" / model)
    assert read(written(found)) == found


_LARGE = re.compile("MiB|MB|2M")
BAD = [name for name in (*FILES, *ARCHIVES) if not _LARGE.search(name)]


@pytest.mark.parametrize("name", BAD)
def test_the_rest_of_a_bad_input_is_read_back_unchanged(name: str, tmp_path: Path) -> None:
    file = tmp_path / "preds_longbook_sum_eng.jsonl"
    file.write_bytes((FILES.get(name) or ARCHIVES[name]).make())
    found = read_predictions(file)
    assert read(written(found)) == found


@given(predictions(), st.randoms(use_true_random=False))
def test_damaged_bytes_raise_no_unexpected_error(found: Predictions, chance: random.Random) -> None:
    raw = bytearray(written(found))
    for _ in range(3):
        start = chance.randrange(len(raw))
        raw[start : start + chance.randrange(4)] = chance.randbytes(chance.randrange(4))
    with suppress(CanonicalError):
        assert isinstance(read(bytes(raw)), Predictions)


HEAD = {"canonical": 1, "digest": DIGEST}
TASK = {"task": "passkey", "dialect": "official", "files": ["p.jsonl"], "rows": 1}
ROW = [0, "12345", 0, 1]
PROBLEM: dict[str, object] = {
    "problem": "file_empty",
    "file": "p.jsonl",
    "line": None,
    "task": "passkey",
    "params": {},
}
NO_ROWS = TASK | {"rows": 0}


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def test_the_plain_case_is_read() -> None:
    found = read(lines(HEAD, TASK, [*ROW, ["12345"]], PROBLEM))
    assert found.tasks["passkey"].rows == [Row(0, "12345", ["12345"], "p.jsonl", 1)]
    assert [problem.code for problem in found.problems] == ["file_empty"]


FORGED: dict[str, bytes] = {
    "nothing": b"",
    "another version": lines(HEAD | {"canonical": 2}),
    "no digest": lines({"canonical": 1}),
    "a digest that is none": lines(HEAD | {"digest": "x" * 64}),
    "a key more": lines(HEAD | {"more": 1}),
    "a key twice": b'{"canonical":1,"canonical":1,"digest":"' + DIGEST.encode() + b'"}\n',
    "no JSON": lines(HEAD) + b"{\n",
    "two values on a line": lines(HEAD)[:-1] + b" {}\n",
    "an empty line": lines(HEAD) + b"\n",
    "no UTF-8": lines(HEAD) + b'"\xff"\n',
    "an unknown task": lines(HEAD, TASK | {"task": "made_up"}, ROW),
    "a task of another type": lines(HEAD, TASK | {"task": []}, ROW),
    "a task twice": lines(HEAD, NO_ROWS, NO_ROWS),
    "tasks out of order": lines(HEAD, NO_ROWS | {"task": "math_find"}, NO_ROWS),
    "no files": lines(HEAD, TASK | {"files": []}, ROW),
    "a file's name that is not seen": lines(HEAD, TASK | {"files": ["a\u202eb"]}, ROW),
    "a file's name without end": lines(HEAD, TASK | {"files": ["a" * 10_000]}, ROW),
    "fewer rows": lines(HEAD, TASK | {"rows": 2}, ROW),
    "more rows": lines(HEAD, TASK, ROW, ROW),
    "minus one row": lines(HEAD, TASK | {"rows": -1}),
    "true rows": lines(HEAD, TASK | {"rows": True}, ROW),
    "a short row": lines(HEAD, TASK, ROW[:3]),
    "a long row": lines(HEAD, TASK, [*ROW, 1, 2]),
    "an object as row": lines(HEAD, TASK, {}),
    "a prediction that is no text": lines(HEAD, TASK, [0, 5, 0, 1]),
    "a prediction over its cap": lines(
        HEAD, TASK | {"task": "longbook_sum_eng"}, [0, "x" * 70_000, 0, 1]
    ),
    "NUL in a prediction": lines(HEAD, TASK, [0, "\0", 0, 1]),
    "half a pair in a prediction": lines(HEAD, TASK, [0, "\ud800", 0, 1]),
    "NUL in a label": lines(HEAD, TASK, [*ROW, ["\0"]]),
    "NaN as label": lines(HEAD, TASK, [*ROW, float("nan")]),
    "a number without end as label": lines(HEAD, TASK, [*ROW, 10**30]),
    "a label nested too deep": lines(HEAD, TASK) + b"[0,null,0,1," + b"[" * 40 + b"]" * 40 + b"]\n",
    "a label nested far too deep": lines(HEAD, TASK) + b"[0,null,0,1," + b"[" * 10**5,
    "a key as text that is a number": lines(HEAD, TASK, ["5", "x", 0, 1]),
    "a key that is a fraction": lines(HEAD, TASK, [0.5, "x", 0, 1]),
    "a key that is true": lines(HEAD, TASK, [True, "x", 0, 1]),
    "a key without end": lines(HEAD, TASK, ["k" * 300, "x", 0, 1]),
    "a file that is not there": lines(HEAD, TASK, [0, "x", 1, 1]),
    "a line before the first": lines(HEAD, TASK, [0, "x", 0, -1]),
    "an unknown problem": lines(HEAD, PROBLEM | {"problem": "made_up"}),
    "a problem of another type": lines(HEAD, PROBLEM | {"problem": {}}),
    "a problem of no task": lines(HEAD, PROBLEM | {"task": "made_up"}),
    "a problem of a list of tasks": lines(HEAD, PROBLEM | {"task": []}),
    "a problem without its parameter": lines(HEAD, PROBLEM | {"problem": "id_unknown"}),
    "a parameter that is a list": lines(HEAD, PROBLEM | {"params": {"id": []}}),
    "a parameter that is not seen": lines(HEAD, PROBLEM | {"params": {"id": "\u202e"}}),
    "a parameter without end": lines(HEAD, PROBLEM | {"params": {"id": "x" * 20_000}}),
    "too many parameters": lines(HEAD, PROBLEM | {"params": {f"p{n}": n for n in range(9)}}),
    "a task after a problem": lines(HEAD, PROBLEM, NO_ROWS),
    "a list where a problem belongs": lines(HEAD, []),
}


@pytest.mark.parametrize("name", FORGED)
def test_data_that_is_never_written_is_refused(name: str) -> None:
    with pytest.raises(CanonicalError):
        read(FORGED[name])


@pytest.mark.parametrize(
    ("limits", "raw"),
    [
        (Limits(lines=1), lines(HEAD, TASK | {"rows": 2}, ROW, ROW)),
        (LIMITS, lines(HEAD, *[PROBLEM] * (MOST_PROBLEMS + 1))),
        (Limits(kept=1_000), lines(HEAD, TASK | {"rows": 9}, *[ROW] * 9)),
    ],
)
def test_the_limits_hold_for_the_second_stage_as_well(limits: Limits, raw: bytes) -> None:
    with pytest.raises(CanonicalError):
        read(raw, limits)


def test_as_many_rows_as_are_taken_leave_room_for_the_problems() -> None:
    raw = lines(HEAD, TASK | {"rows": 2}, ROW, ROW, PROBLEM, PROBLEM)
    assert len(read(raw, Limits(lines=2)).problems) == 2


def test_a_log_never_lists_more_problems_than_are_read() -> None:
    log = ProblemLog()
    for file in range(2 * LISTED_OF_CODE):
        for _ in range(LISTED + 1):
            log.add("file_empty", file=str(file))
    assert len(log.problems()) == LISTED_OF_CODE + LISTED_OF_CODE // LISTED
