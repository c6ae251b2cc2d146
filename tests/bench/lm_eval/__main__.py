"""``make bench-lm-eval``: an endpoint run beside lm-evaluation-harness.

Both ask the same prompts at the reference endpoint, which draws the time of an answer from the
prompt, so that both wait for the same. They take turns; shown are medians.

``python -m tests.bench.lm_eval PYTHON``: of the environment of the harness.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from scoring.endpoint.prompts import prompt_for
from scoring.endpoint.questions import read_questions
from scoring.endpoint.settings import RunSettings
from tests.bench.endpoint import made_release, reference, run_command
from tests.bench.endpoint_log import answers_per_second
from tests.bench.processes import Taken, taken_by
from tests.bench.ratios import Row, print_table
from tests.support.paths import ROOT
from tests.support.reference_endpoint import Endpoint
from tests.support.worlds import write_lines

_QUESTIONS = {8: 160, 64: 1_280}  # at once: 20 rounds of a second each
_TOKENS = 4_000
_ROUNDS = 3
_NAME = "bench"  # of the harness's task
_TASK = {
    "task": _NAME,
    "dataset_path": "json",
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "{{prompt}}",
    "doc_to_target": "{{answer}}",
    "generation_kwargs": {"until": [], "do_sample": False, "temperature": 0, "max_gen_toks": 64},
    "metric_list": [{"metric": "exact_match"}],
}
_OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "OPENAI_API_KEY": "none"}


class _Run(NamedTuple):
    rate: float  # answers in a second
    taken: Taken


def main(python: str) -> int:
    rows = []
    with tempfile.TemporaryDirectory(prefix="infinitebench-lm-eval-") as name:
        for at_once, count in _QUESTIONS.items():
            folder = Path(name, str(at_once))
            release = made_release(folder, _TOKENS, count)
            _write_task(folder, release)
            rounds = [
                (_ours(folder, release, at_once, turn), _theirs(python, folder, at_once, turn))
                for turn in range(_ROUNDS)
            ]
            rows += _rows(at_once, [one for one, _ in rounds], [one for _, one in rounds])
    return print_table(rows)


def _rows(at_once: int, ours: Sequence[_Run], theirs: Sequence[_Run]) -> list[Row]:
    def row(what: str, values: tuple[list[float], list[float]], bound: float, unit: str) -> Row:
        first, second = map(median, values)
        return Row(f"{at_once} at once: {what}", first, second, bound, unit)

    def of_both(place: int) -> tuple[list[float], list[float]]:
        return [one.taken[place] for one in ours], [one.taken[place] for one in theirs]

    rates = [one.rate for one in theirs], [one.rate for one in ours]
    return [
        row("answers in a second, theirs / ours", rates, 1 / 0.97, "/s"),
        row("whole process, ours / theirs", of_both(0), 1, "s"),
        row("time of processor, ours / theirs", of_both(1), 1, "s"),
        row("peak memory, ours / theirs", of_both(2), 1, "MiB"),
    ]


def _ours(folder: Path, release: Path, at_once: int, turn: int) -> _Run:
    log, out = folder / f"ours-{turn}.jsonl", folder / f"run-{turn}"
    with reference(folder, log) as endpoint:
        taken = taken_by(run_command(endpoint, release, out, at_once), cwd=ROOT)
    return _Run(answers_per_second(log, at_once), taken)


def _theirs(python: str, folder: Path, at_once: int, turn: int) -> _Run:
    log = folder / f"theirs-{turn}.jsonl"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "HF_HOME": str(folder / "hf")}
    with reference(folder, log) as endpoint:
        command = _harness(python, folder, endpoint, at_once)
        taken = taken_by(command, cwd=folder, env={**environment, **_OFFLINE})
    return _Run(answers_per_second(log, at_once), taken)


def _harness(python: str, folder: Path, endpoint: Endpoint, at_once: int) -> list[str]:
    model = {
        "model": endpoint.model,
        "base_url": f"{endpoint.url}/chat/completions",
        "num_concurrent": at_once,
        "tokenizer_backend": None,
        "tokenized_requests": False,
        "max_retries": 3,
        "timeout": 600,
    }
    model_arguments = ",".join(f"{name}={value}" for name, value in model.items())
    command = [python, "-m", "lm_eval", "run", "--model", "local-chat-completions"]
    command += ["--model_args", model_arguments, "--apply_chat_template"]
    return [*command, "--tasks", _NAME, "--include_path", str(folder)]


def _write_task(folder: Path, release: Path) -> None:
    """The harness reads JSON as YAML."""
    settings = RunSettings("http://127.0.0.1/v1", "model", window=160_000)
    prompts = [prompt_for(question, settings) for question in read_questions(release, ["passkey"])]
    questions = folder / "questions.jsonl"
    write_lines(questions, *({"prompt": prompt.text, "answer": "00000"} for prompt in prompts))
    task = {**_TASK, "dataset_kwargs": {"data_files": {"test": str(questions)}}}
    (folder / f"{_NAME}.yaml").write_text(json.dumps(task))


if __name__ == "__main__":
    sys.exit(main(str(Path(sys.argv[1]).absolute())))
