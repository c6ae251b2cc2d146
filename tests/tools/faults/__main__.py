"""``python -m tests.tools.faults --help``."""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from tests.tools.faults.fault import problems
from tests.tools.faults.runner import Judgement, Result, judge_all
from tests.tools.faults.table import FAULTS


def main() -> int:
    """Returns 1 if a fault is unusable or not caught."""
    options = _options()
    chosen = [
        fault
        for fault in FAULTS
        if (not options.only or fault.name in options.only) and (fault.grave or not options.grave)
    ]
    if options.list:
        for fault in chosen:
            _say(f"{'grave' if fault.grave else '     '}  {fault.path}: {fault.name}")
        return 0
    if unusable := problems(FAULTS):
        _say("\n".join(unusable))
        return 1
    if options.check:
        _say(f"{len(FAULTS)} faults, {sum(fault.grave for fault in FAULTS)} of them grave")
        return 0
    found = []
    for judgement in judge_all(
        chosen, jobs=options.jobs, is_wide=options.wide, is_green=options.green
    ):
        found.append(judgement)
        _say(_line(judgement))
        if options.json:  # after each, since a run takes hours
            rows = [_row(one) for one in found]
            options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    counts = Counter(one.result for one in found)
    _say(", ".join(f"{counts[result]} {result}" for result in Result))
    return int(counts[Result.CAUGHT] < len(found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.faults")
    parser.add_argument("--list", action="store_true", help="print the faults, and run nothing")
    parser.add_argument("--check", action="store_true", help="only check that all can be planted")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these faults")
    parser.add_argument("--grave", action="store_true", help="only grave faults")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="faults at a time")
    parser.add_argument("--wide", action="store_true", help="then run all tests of the room")
    parser.add_argument("--green", action="store_true", help="the unchanged tree is known to pass")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    return parser.parse_args()


def _line(judgement: Judgement) -> str:
    grave = " (grave)" if judgement.fault.grave else ""
    by = f": {judgement.by}" if judgement.by else ""
    return f"{judgement.result}{grave}  {judgement.fault.name}{by}"


def _row(judgement: Judgement) -> dict[str, object]:
    fault = judgement.fault
    return {
        "name": fault.name,
        "path": fault.path,
        "grave": fault.grave,
        "result": judgement.result,
        "by": judgement.by,
        "seconds": judgement.seconds,
    }


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
