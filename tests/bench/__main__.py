"""``make bench``: speed and memory as ratios of figures taken in the same run.

Absolute times say more about the machine than about the code; a ratio to a public package, measured
a moment before, does not. Exit code 1 where a bound is missed.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from rouge_score import rouge_scorer

from tests.bench.boards.bench import bench_boards
from tests.bench.comparison import comparison_ratios
from tests.bench.ratios import Row, best_of
from tests.bench.releases import bench_releases
from tests.bench.texts import bench_texts
from tests.conftest import ROOT

DATA = (ROOT / os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")).resolve()
GPT4 = DATA / "results" / "gpt4"


def scoring(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "scoring", *map(str, arguments)]


def run_quietly(command: list[str]) -> float:
    """Run a whole process; returns its peak memory in MiB. Raises on a wrong exit code."""
    child = os.posix_spawn(
        command[0],
        command,
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)],
    )
    _, status, usage = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, command
    return usage.ru_maxrss / 1024


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
        peaks: list[float] = []
        seconds = best_of(5, lambda: peaks.append(run_quietly(command)))
    reference = package_seconds()
    return [
        Row(
            "score twelve files, whole process / rouge-score alone", seconds, reference, 1 / 15, "s"
        ),
        Row("score twelve files, peak memory / 120 MiB", max(peaks), 120, 1, "MiB"),
    ]


def _times(ratio: float) -> str:
    return f"1/{1 / ratio:.1f}" if 0 < ratio < 1 else f"{ratio:.1f}"


def main() -> int:
    if not GPT4.is_dir():
        print(f"NO REAL DATA: {GPT4} is absent; set INFINITEBENCH_DATA")
        return 1
    rows = [
        *(*bench_score(), *bench_releases(), *bench_texts()),
        *(*comparison_ratios(), *bench_boards()),
    ]
    print(f"{'':58}{'measured':>12}{'reference':>12}{'ratio':>9}{'bound':>8}")
    for row in rows:
        values = f"{row.measured:>8.3f} {row.unit:<3}{row.reference:>8.2f} {row.unit:<3}"
        print(f"{row.what:58}{values}{_times(row.ratio):>9}{_times(row.bound):>8}")
    return 0 if all(row.ratio <= row.bound for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
