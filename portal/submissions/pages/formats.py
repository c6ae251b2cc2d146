"""The table of accepted prediction files; ``scoring.predictions.dialects`` reads them."""

from collections.abc import Mapping
from typing import NamedTuple

from scoring.predictions.dialects import ROW_DIALECTS, Dialect


class Program(NamedTuple):
    """A program that writes files of a dialect, and its file names."""

    names: str
    files: tuple[str, ...]
    ids: str = ""  # what they are, if not the values of a key


PROGRAMS: Mapping[str, Program] = {  # by dialect; a test checks the file names against NAMES
    "official": Program(
        "∞Bench, MInference, TensorRT-LLM",
        ("preds_passkey.jsonl", "prediction_passkey.jsonl", "passkey.jsonl",
         "preds_passkey_0-295.jsonl"),
    ),
    "infllm": Program("InfLLM, EM-LLM, TokenSelect", ("passkey.jsonl",)),
    "sglang": Program("SGLang", ("tmp_output_passkey_model.txt",)),
    "opencompass": Program(
        "OpenCompass",
        ("InfiniteBench_retrievepasskey.json", "InfiniteBench_retrievepasskey_0.json"),
        "the position of the member, from 0",
    ),
    "lm-evaluation-harness": Program(
        "lm-evaluation-harness", ("samples_infinitebench_passkey_2026-01-31T12-00-00.jsonl",)
    ),
    "helmet": Program("HELMET", ("infbench_qa_eng_model.json",)),
}  # fmt: skip


class Format(NamedTuple):
    program: Program
    dialect: Dialect


def formats() -> list[Format]:
    known = {dialect.name: dialect for dialect in ROW_DIALECTS}
    return [Format(program, known[name]) for name, program in PROGRAMS.items()]
