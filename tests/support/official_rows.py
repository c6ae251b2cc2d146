"""Rows like those of the official data, by the recipes of the paper; smaller on request.

They are worded differently from those of ``scoring.generators``: other words around the keys,
other names of functions, and lists and objects with something in front of them.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, count, islice, pairwise, zip_longest
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from uuid import UUID

from scoring.catalog import TASKS
from scoring.labels import Label, canonical_label, release_label
from scoring.releases.gold import GoldExample, ReleaseRow
from tests.support.worlds import write_rows

Rows = Iterator[dict[str, Any]]

NOISE = (
    "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.\n"
)
PLACES = 59


def row(
    key: int, context: str, question: str, answer: object, options: object = ()
) -> dict[str, Any]:
    return {
        "id": key,
        "context": context,
        "input": question,
        "answer": answer,
        "options": options or [],
    }


def passkey(lines: int = PLACES - 1) -> Rows:
    key_line = "The pass key is {key}. Remember it. {key} is the pass key.\n"
    return _hidden(lines, key_line, "What is the pass key?", 5)


def number_string(lines: int = PLACES - 1) -> Rows:
    key_line = "The sequence of digits is {key}. Remember it. {key} is the sequence of digits.\n"
    return _hidden(lines, key_line, "What is the sequence of digits?", 10)


def _hidden(lines: int, key_line: str, question: str, digits: int) -> Rows:
    rng = Random(digits)
    for key in range(590):
        before = key // 10 * lines // (PLACES - 1)
        secret = "".join(rng.choices("0123456789", k=digits))
        text = key_line.format(key=secret)
        yield row(key, NOISE * before + text + NOISE * (lines - before), question, [secret])


def kv_retrieval() -> Rows:
    rng = Random(1)
    pairs = [(_uuid(rng), _uuid(rng)) for _ in range(2_500)]
    context = "JSON data:\n" + json.dumps(dict(pairs))
    for key in range(500):
        asked, value = pairs[5 * key]
        yield row(key, context, f'Key: "{asked}"\nThe value of this key is: ', [value])


def _uuid(rng: Random) -> str:
    return str(UUID(int=rng.getrandbits(128), version=4))


def code_run(functions: int = 60) -> Rows:
    """Layers of functions: each calls one of the next layer, so that chains merge at their ends."""
    rng = Random(2)
    for key in range(400):
        names = rng.sample(range(1, 1_000), functions)
        layers = [names[place :: 2 * (key // 80 + 1)] for place in range(2 * (key // 80 + 1))]
        calls: dict[int, tuple[int | None, int]] = {}
        for layer, below in zip_longest(layers, layers[1:]):
            calls |= {name: (rng.choice(below or [None]), rng.randint(-12, 17)) for name in layer}
        asked, argument = rng.choice(layers[0]), rng.randint(-10, 10)
        text = "\n".join(_function(name, *calls[name]) for name in sorted(calls))
        question = f"Please give me the exact value of func_{asked}({argument})."
        value = argument + _added(calls, asked)
        yield row(key, f"\nThis is the content of module.py:\n\n{text}", question, [value])


def _added(calls: dict[int, tuple[int | None, int]], name: int | None) -> int:
    if name is None:
        return 0
    called, constant = calls[name]
    return constant + _added(calls, called)


def _function(name: int, called: int | None, constant: int) -> str:
    value = "x" if called is None else f"func_{called}(x)"
    added = f" {'+' if constant > 0 else '-'} {abs(constant)}" if constant else ""
    return f"def func_{name}(x):\n    return {value}{added}\n"


def math_find(numbers: int = 100) -> Rows:
    rng = Random(3)
    large = ("largest", "second largest", "third largest")
    names = (*large, *(name.replace("large", "small") for name in large))
    for key in range(350):
        drawn = [rng.randint(3, 97) for _ in range(numbers)]
        distinct, kind = sorted(set(drawn)), key // 50
        answers = [*distinct[:-4:-1], *distinct[:3], float(median(drawn))]
        name = f"{names[kind] if kind < 6 else 'median'} number"
        yield row(key, str(drawn), f"The {name} of the list is: ", [answers[kind]])


def math_calc(operands: int = 40) -> Rows:
    rng = Random(4)
    for key in range(50):
        values = [rng.randint(0, 99) for _ in range(operands)]
        steps = [after - before for before, after in pairwise(values)]
        text = "".join(f" {'-' if step < 0 else '+'} {abs(step)}" for step in steps)
        yield row(key, f"{values[0]}{text}", "", [list(accumulate(steps, initial=values[0]))[1:]])


def code_debug() -> Rows:
    for key in range(394):
        names = [f"work_{key}_{letter}" for letter in "abcd"]
        modules = [
            f"File: part_{place}.py\n\nclass Part{place}:\n    def __init__(self):\n"
            f"        self.x = {place}\n\n    def {name}(self, y):\n        return self.x + y\n"
            for place, name in enumerate(names)
        ]
        options = [f"Part{place}.{name}" for place, name in enumerate(names)]
        right = key % 4
        yield row(key, "\n".join(modules), "", [options[right], "ABCD"[right]], options)


def longdialogue_qa_eng() -> Rows:
    for key in range(200):
        script = [f"ANNA\nLine {line} of play {key}.\n\nBEN\nWell.\n" for line in range(20)]
        script[key % 20] = "$$MASK$$\nIt was me.\n"
        yield row(key, "\n".join(script), "", [("CARL", "DORA", "EMIL", "FRED ASH")[key % 4]])


def longbook_choice_eng() -> Rows:
    for key in range(229):
        options = ["red", "green", "blue", "grey"]
        yield row(key, f"Book {key}. The hat was red.", "Which hat?", [options[key % 4]], options)


def novels(task: str) -> Callable[[], Rows]:
    def rows() -> Rows:
        for key in range(TASKS[task].examples):
            yield row(key, f"Novel {key}. 一个人走了。 They went on.", "Who went on?", ["Both"])

    return rows


def release_rows(task: str, rows: Rows | None = None) -> Iterator[ReleaseRow]:
    """The rows as ``read_release`` returns them, without a file."""
    for one in rows or ROWS[task]():
        label = release_label(TASKS[task], one["answer"], tuple(one["options"]))
        example = GoldExample(one["id"], label, tuple(one["options"]))
        yield ReleaseRow(example, one["input"], one["context"], "hash", one, 0)


ROWS: dict[str, Callable[[], Rows]] = {
    "passkey": passkey,
    "number_string": number_string,
    "kv_retrieval": kv_retrieval,
    "longbook_sum_eng": novels("longbook_sum_eng"),
    "longbook_qa_eng": novels("longbook_qa_eng"),
    "longbook_choice_eng": longbook_choice_eng,
    "longbook_qa_chn": novels("longbook_qa_chn"),
    "longdialogue_qa_eng": longdialogue_qa_eng,
    "code_debug": code_debug,
    "code_run": code_run,
    "math_calc": math_calc,
    "math_find": math_find,
}


def write_official(directory: Path, first: int | None = None) -> Path:
    """Write all twelve tasks, or the first rows of each."""
    directory.mkdir(parents=True, exist_ok=True)
    for task, rows in ROWS.items():
        lines = (json.dumps(one, ensure_ascii=False) + "\n" for one in islice(rows(), first))
        (directory / f"{task}.jsonl").write_text("".join(lines), encoding="utf-8")
    return directory


ONE_ANSWER = ("passkey", "number_string", "kv_retrieval", "code_run", "math_find", "math_calc")
RENUMBERED = ("longbook_sum_eng", "longbook_qa_eng", "longbook_choice_eng")


def released_rows(data: Path, model: str, task: str) -> list[tuple[str, Label]]:
    """Prediction and label of every row of a model's file for a task, in the order of the file."""
    text = (data / "results" / model / f"preds_{task}.jsonl").read_text(encoding="utf-8")
    decoder = json.JSONDecoder()  # text after the object is a known defect of these files
    rows = [decoder.raw_decode(line)[0] for line in text.split("\n") if line.strip()]
    return [_row(task, row) for row in rows]


def _row(task: str, row: dict[str, object]) -> tuple[str, Label]:
    prediction = row.get("prediction", row.get("pred"))
    label = row.get("ground_truth", row.get("label"))
    return str(prediction), canonical_label(TASKS[task], label)


def write_released(folder: Path) -> Path:
    """Write a folder like that of the real data: two releases of labels, and files of three models.

    The older release has gaps in the ids of the English novels, and other labels for some of En.QA;
    the models were asked its questions. The prediction files have the oddities of the released
    ones: a file of another run, text after a row, keys in another order, missing rows, keys that no
    other file has.
    """
    for task, rows in ROWS.items():
        answers = [_answer(row) for row in rows()]
        plain = [answer[0] for answer in answers] if task in ONE_ANSWER else answers
        newer = plain if task == "kv_retrieval" else answers
        older = [["they"]] * 29 + plain[29:] if task == "longbook_qa_eng" else plain
        keys = [key + key // 8 * 4 for key in range(len(older))] if task in RENUMBERED else None
        write_rows(folder / "gold" / "hf" / f"{task}.jsonl", _labels(newer))
        write_rows(folder / "gold" / "paper" / f"{task}.jsonl", _labels(older, keys))
        made = list(_predictions(older, keys))
        results = {model: folder / "results" / model for model in ("gpt4", "claude2", "kimi")}
        gpt4 = write_rows(results["gpt4"] / f"preds_{task}.jsonl", made)
        if task == "math_find":
            gpt4.write_text(gpt4.read_text(encoding="utf-8").rstrip("\n"), encoding="utf-8")
        if task == "code_debug":
            write_rows(results["gpt4"] / f"preds_{task}_step_by_step.jsonl", made)
        turned = [dict(reversed(row.items())) for row in made]
        write_rows(results["claude2"] / f"preds_{task}.jsonl", turned)
        kept = turned[14:] if task == "longbook_qa_chn" else turned
        more = {"truncated": False} if task == "longdialogue_qa_eng" else {}
        write_rows(results["kimi"] / f"preds_{task}.jsonl", (row | more for row in kept))
    return folder


def _answer(row: dict[str, Any]) -> list[Any]:
    """For a choice, its text and its letter, as in files without options."""
    if row["options"]:
        text = row["answer"][0]
        return [text, "ABCD"[row["options"].index(text)]]
    return list(row["answer"])


def _labels(answers: list[Any], keys: Sequence[int] | None = None) -> list[dict[str, object]]:
    pairs = zip(keys or count(), answers, strict=False)
    return [{"id": key, "answer": answer} for key, answer in pairs]


def _predictions(answers: list[Any], keys: Sequence[int] | None = None) -> Rows:
    """A third of the predictions are right, and a third are empty."""
    for number, (key, answer) in enumerate(zip(keys or count(), answers, strict=False)):
        right = answer[0] if isinstance(answer, list) else answer
        prediction = (f"The answer is {right}.", "", f"I do not know {key}.")[number % 3]
        yield {"id": key, "prediction": prediction, "ground_truth": answer}
