"""What spot checks say of the released models, each against each other's files.

    INFINITEBENCH_DATA=… python -m tests.tools.spot_checks

prints the table of docs/endpoint-runs.md.
"""

from collections.abc import Mapping
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

from scoring.embedded_gold import embedded_gold
from scoring.endpoint.spot_check import (
    COMPARED,
    MOST,
    SpotTest,
    Verdict,
    answer_to_compare,
    spot_sample,
)
from scoring.keys import Key
from scoring.metrics import Question
from scoring.predictions.reader import read_predictions
from tests.support.paths import DATA

MODELS = ("gpt4", "claude2", "kimi")
SEEDS = 1_000
P0S = (0.82, 0.9, 0.95)

Answers = Mapping[str, Mapping[Key, str | None]]


class Checks(NamedTuple):
    """Of one model's file with another model at the endpoint."""

    agreement: float  # share of answers, the tasks counting alike
    agrees: dict[float, float]  # share of the checks that say so, by p0
    requests: float  # on average, at the last p0


def read_answers(folder: Path) -> Answers:
    """The answers in a model's files, by task and key."""
    predictions, gold = embedded_gold(read_predictions(folder))
    found: dict[str, dict[Key, str | None]] = {}
    for task in COMPARED:
        labels = {one.key: one for one in gold[task].examples}
        drop_first = folder.name == "gpt4" and task == "math_calc"
        found[task] = {
            row.key: answer_to_compare(
                task,
                row.prediction,
                labels[row.key].label,
                Question(labels[row.key].options, drop_first),
            )
            for row in predictions.tasks[task].rows
            if row.key in labels and row.prediction is not None
        }
    return found


def checks_of(file: Answers, endpoint: Answers, seeds: int = SEEDS) -> Checks:
    keys = {
        task: [key for key, answer in answers.items() if answer is not None]
        for task, answers in file.items()
    }
    shares = [
        sum(endpoint[task].get(key) == file[task][key] for key in of_task) / len(of_task)
        for task, of_task in keys.items()
        if of_task
    ]
    agrees = dict.fromkeys(P0S, 0)
    last = SpotTest(P0S[-1])
    requests = 0
    for seed in range(seeds):
        sample = spot_sample(keys, seed.to_bytes(8, "big"))
        outcomes = [endpoint[task].get(key) == file[task][key] for task, key in sample]
        for p0 in P0S:
            agrees[p0] += SpotTest(p0).verdict(outcomes) is Verdict.AGREES
        requests += next(
            n for n in range(1, MOST + 1) if last.verdict(outcomes[:n]) is not Verdict.OPEN
        )
    return Checks(
        sum(shares) / len(shares),
        {p0: count / seeds for p0, count in agrees.items()},
        requests / seeds,
    )


def main() -> None:
    answers = {model: read_answers(DATA / "results" / model) for model in MODELS}
    head = ["file of", "endpoint", "same answers", *(f"agrees at p0 {p0}" for p0 in P0S)]
    print(f"| {' | '.join(head)} | requests |\n{'|---' * (len(head) + 1)}|")
    for file, endpoint in permutations(MODELS, 2):
        found = checks_of(answers[file], answers[endpoint])
        shares = " | ".join(f"{100 * share:.1f} %" for share in found.agrees.values())
        print(
            f"| {file} | {endpoint} | {100 * found.agreement:.1f} % | {shares} | "
            f"{found.requests:.1f} |"
        )


if __name__ == "__main__":
    main()
