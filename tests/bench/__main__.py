"""``make bench``: speed and memory as ratios of figures taken in the same run.

Absolute times say more about the machine than about the code; a ratio to a public package, measured
a moment before, does not. Exit code 1 where a bound is missed.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from rouge_score import rouge_scorer

from tests.bench.boards.bench import bench_boards
from tests.bench.breakdowns import breakdown_ratios
from tests.bench.comparison import comparison_ratios
from tests.bench.contexts import bench_contexts
from tests.bench.counting import bench_counting
from tests.bench.endpoint import bench_endpoint
from tests.bench.examples import bench_examples
from tests.bench.pages import bench_pages
from tests.bench.processes import taken_by
from tests.bench.ratios import Row, best_of, print_table
from tests.bench.releases import bench_releases
from tests.bench.results.bench import bench_results
from tests.bench.runs import bench_runs
from tests.bench.texts import bench_texts
from tests.support.paths import DATA

GPT4 = DATA / "results" / "gpt4"


def scoring(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "scoring", *map(str, arguments)]


def run_quietly(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def summaries() -> list[tuple[str, str]]:
    """GPT-4's 103 summaries, each with its reference."""
    lines = (GPT4 / "preds_longbook_sum_eng.jsonl").open(encoding="utf-8")
    rows = [json.loads(line) for line in lines]
    return [(row["ground_truth"][0], row["prediction"]) for row in rows]


def package_seconds() -> float:
    """What the rouge-score package takes for the four ROUGE types of the official scorer."""
    package = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    pairs = summaries()

    def score_all() -> None:
        for reference, prediction in pairs:
            package.score(reference, prediction)

    return best_of(3, score_all)


def bench_score() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        command = scoring("score", GPT4, "--gold", DATA / "gold" / "paper", "--json", out)
        seconds = best_of(5, lambda: run_quietly(command))
        peak = taken_by(command).peak
    reference = package_seconds()
    return [
        Row(
            "score twelve files, whole process / rouge-score alone", seconds, reference, 1 / 15, "s"
        ),
        Row("score twelve files, peak memory / 120 MiB", peak, 120, 1, "MiB"),
    ]


def main() -> int:
    if not GPT4.is_dir():
        print(f"NO REAL DATA: {GPT4} is absent; set INFINITEBENCH_DATA")
        return 1
    rows = [
        *(*bench_score(), *bench_releases(), *bench_texts()),
        *(*comparison_ratios(), *breakdown_ratios(), *bench_pages(), *bench_boards()),
        *(
            *bench_examples(),
            *bench_results(),
            *bench_contexts(),
            *bench_counting(),
            *bench_endpoint(),
            *bench_runs(),
        ),
    ]
    return print_table(rows)


if __name__ == "__main__":
    sys.exit(main())
