"""The forms in which ∞Bench predictions are found: names of files, and keys of rows.

Two literal tables, in the order in which they are tried. What each program writes was looked up in
its source in November 2026; a row is recognised by keys that only its program writes.
"""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final, NamedTuple

from scoring.catalog import TASKS
from scoring.labels import LETTERS


class _Absent(Enum):
    ABSENT = "no label"


ABSENT: Final = _Absent.ABSENT  # "this row carries no label"

Part = tuple[int, int]  # the range of examples in a partial file: first, and one after the last


class Dialect(NamedTuple):
    name: str
    marks: frozenset[str]  # a row with all these keys is of this dialect
    id_key: str
    predictions: tuple[str, ...]  # the first that a row has counts
    labels: tuple[str, ...]  # likewise
    ignored: frozenset[str]  # what such rows carry besides
    has_ids: bool = True  # False: rows may come without, and then their order counts
    long_rows: bool = True  # rows may carry a whole context, and are then read without it
    example: str | None = None  # an object inside the row that is searched for labels first
    variant: str | None = None  # where an example has several rows, they differ in this key
    excluded_keys: frozenset[str] = (
        frozenset()
    )  # a row with one of these keys is not of this dialect

    def label(self, row: Mapping[str, object]) -> object:
        """The label in the row, or ``ABSENT``; with its letter where the options determine it."""
        inner = row.get(self.example) if self.example else None
        for place in (inner, row):
            if isinstance(place, dict):
                for key in self.labels:
                    if key in place:
                        return _with_letter(place[key], place.get("options"))
        return ABSENT


def _with_letter(label: object, options: object) -> object:
    text = label[0] if isinstance(label, list) and len(label) == 1 else label
    if isinstance(options, list) and isinstance(text, str) and text in options[: len(LETTERS)]:
        return [text, LETTERS[options.index(text)]]
    return label


def _keys(names: str) -> frozenset[str]:
    return frozenset(names.split())


# fmt: off
LM_EVAL = Dialect(
    "lm-evaluation-harness", _keys("doc_id"), "doc_id",
    ("filtered_resps", "resps"), ("answer", "target"),
    _keys("doc arguments resps filter metrics score doc_hash prompt_hash target_hash"),
    example="doc", variant="filter", excluded_keys=_keys("prediction pred"),
)
SGLANG = Dialect(
    "sglang", _keys("question_id"), "question_id",
    ("prediction",), ("ground_truth",),
    _keys("model_id"),
    excluded_keys=_keys("id"),
)
# InfLLM and TokenSelect write no id; EM-LLM, which is based on them, does.
INFLLM = Dialect(
    "infllm", _keys("pred answers"), "id",
    ("pred",), ("answers",),
    _keys("length all_classes token_length chunk_ppl total_ppl block_sizes mean_block_size "
          "generation_time"),
    has_ids=False,
)
# One document of numbered objects: the number is the place in the data set, from 0.
OPENCOMPASS = Dialect(
    "opencompass", _keys("origin_prompt"), "number",
    ("prediction",), ("gold",),
    _keys("origin_prompt res_length all_input_length"),
)
# One document with a list "data". The model's text is "output"; "parsed_output" is what HELMET's
# parser extracted from it, and the metrics here have their own rules for that.
HELMET = Dialect(
    "helmet", _keys("output input_len"), "id",
    ("output", "parsed_output"), ("answer",),
    _keys("input options question demo parsed_output input_len output_len input_text thoughts "
          "exact_match substring_exact_match f1 rougeL_f1 rougeL_recall rougeLsum_f1 "
          "rougeLsum_recall context"),
    excluded_keys=_keys("prediction pred"),
)
# MInference and TensorRT-LLM write the official keys, in files that are named a little differently.
OFFICIAL = Dialect(
    "official", _keys(""), "id",
    ("prediction", "pred"),
    ("ground_truth", "label", "answers", "answer", "gold", "target"),
    _keys("options length latency truncated context input question task input_lengths"),
    long_rows=False,
)
# fmt: on

ROW_DIALECTS = (LM_EVAL, SGLANG, INFLLM, OPENCOMPASS, HELMET, OFFICIAL)


def recognise(row: Mapping[str, object]) -> Dialect:
    """The dialect of a row by its keys; the official one where nothing else fits."""
    keys = row.keys()
    return next(
        dialect
        for dialect in ROW_DIALECTS
        if keys >= dialect.marks and keys.isdisjoint(dialect.excluded_keys)
    )


class Named(NamedTuple):
    """The task in a file's name, and the part of the task that the file contains."""

    task: str
    part: Part | None = None
    numbers_restart: bool = False  # ids count from 0 in every part


_TASK = "|".join(TASKS)
_TIME = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"

NAMES = tuple(
    re.compile(pattern, re.IGNORECASE | re.ASCII)
    for pattern in (
        # official, MInference, TensorRT-LLM, InfLLM and its relatives
        rf"(?:preds_|prediction_)?(?P<task>{_TASK})(?:_(?P<first>\d{{1,9}})-(?P<end>\d{{1,9}}))?\.jsonl?",
        rf"samples_infinitebench_(?P<task>\w+?)_{_TIME}\.jsonl",  # lm-evaluation-harness
        r"InfiniteBench_(?P<task>[a-z]+)(?:_(?P<piece>\d{1,4}))?\.json",  # OpenCompass
        r"(?P<task>infbench_(?:qa|choice|sum)_eng)_.+\.json",  # HELMET
        rf"tmp_output_(?P<task>{_TASK})_[\w.-]+\.txt",  # SGLang
        # people: a title or an id, with what editors and browsers add
        (
            r"(?:preds?[_. -]|predictions?[_. -])?(?P<task>[\w. -]{1,40}?)"
            r"(?:_(?P<first>\d{1,9})-(?P<end>\d{1,9}))?(?: ?\(\d{1,3}\))?\.(?:jsonl?|ndjson|txt)"
        ),
    )
)

_FOREIGN_TASKS = {
    # lm-evaluation-harness, where its name differs
    "longdialogue_qa_en": "longdialogue_qa_eng",
    "longbook_qa_en": "longbook_qa_eng",
    "longbook_sum_en": "longbook_sum_eng",
    "longbook_choice_en": "longbook_choice_eng",
    # OpenCompass
    "retrievepasskey": "passkey",
    "retrievenumber": "number_string",
    "retrievekv": "kv_retrieval",
    "ensum": "longbook_sum_eng",
    "enqa": "longbook_qa_eng",
    "enmc": "longbook_choice_eng",
    "zhqa": "longbook_qa_chn",
    "endia": "longdialogue_qa_eng",
    "codedebug": "code_debug",
    "coderun": "code_run",
    "mathcalc": "math_calc",
    "mathfind": "math_find",
    # HELMET
    "infbench_sum_eng": "longbook_sum_eng",
    "infbench_qa_eng": "longbook_qa_eng",
    "infbench_choice_eng": "longbook_choice_eng",
}


def squeezed(name: str) -> str:
    """Letters and digits only, in lower case: En.QA, en_qa and ENQA are one name."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


# What names a task, squeezed.
TASK_NAMES = {
    **{squeezed(name): task for name, task in _FOREIGN_TASKS.items()},
    **{squeezed(task.title): task.id for task in TASKS.values()},
    **{squeezed(task.id): task.id for task in TASKS.values()},
}

# Other files that the same programs write.
_COMPANIONS = re.compile(rf"results_{_TIME}\.json|results?\.json|dataset_timing\.json")


def named(name: str) -> Named | None:
    """The task in a file's name; None if there is none."""
    for pattern in NAMES:
        if match := pattern.fullmatch(base_name(name)):
            found = match.groupdict()
            task = TASK_NAMES.get(squeezed(found["task"]))
            if task is None:
                return None
            if (first := found.get("first")) and (end := found.get("end")):
                return Named(task, (int(first), int(end)))
            if piece := found.get("piece"):
                return Named(task, (int(piece), int(piece) + 1), numbers_restart=True)
            return Named(task)
    return None


def base_name(name: str) -> str:
    """The last part of a name, without the ending that says it is compressed."""
    return without_gz(re.split(r"[/\\]", name)[-1])


def without_gz(name: str) -> str:
    return re.sub(r"\.gz\Z", "", name, flags=re.IGNORECASE)


def may_hold_rows(name: str) -> bool:
    """Whether the name is like that of a file of rows, so that leaving it out is reported."""
    base = base_name(name)
    rows = base.lower().endswith((".jsonl", ".json", ".ndjson"))
    return rows and not _COMPANIONS.fullmatch(base)


def resembling_task(name: str) -> str | None:
    """The longest task id inside the name of a file, for advice."""
    inside = [task for task in TASKS if task in base_name(name).lower()]
    return max(inside, key=len, default=None)
