"""What the log of the reference endpoint says of how fast it was asked."""

import json
from itertools import accumulate
from pathlib import Path
from typing import Any

_FULL = 0.9  # of the places: a run is under way, with all of its workers


def answers_per_second(log: Path, places: int) -> float:
    """From when the places are taken until the last request has come: at the ends of a run places
    are empty by nature."""
    asked = _read(log)
    changes = sorted([(one["from"], 1) for one in asked] + [(one["to"], -1) for one in asked])
    times, levels = [time for time, _ in changes], accumulate(change for _, change in changes)
    taken = (time for time, level in zip(times, levels, strict=True) if level >= _FULL * places)
    begun, ended = next(taken), max(one["from"] for one in asked)
    return float(sum(begun < one["to"] <= ended for one in asked) / (ended - begun))


def times_of_ideal(log: Path, places: int) -> float:
    """How much longer it took than if a request had waited for its answer at every place, over the
    middle 80 % of the run."""
    asked = _read(log)
    begun, ended = min(one["from"] for one in asked), max(one["to"] for one in asked)
    start, end = begun + 0.1 * (ended - begun), begun + 0.9 * (ended - begun)
    inside = sum(
        max(0.0, min(one["from"] + one["latency"], end) - max(one["from"], start)) for one in asked
    )
    return float((end - start) * places / inside)


def _read(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]
