"""What the demo still makes while its pages are up already: a line on every page says so."""

import json
from pathlib import Path
from typing import NamedTuple

from portal.demo.state_files import read_small, write_file

_FILE = "ladder.json"


class Making(NamedTuple):
    step: int  # from 1
    steps: int
    line: str


def tell_progress(state: Path, making: Making) -> None:
    write_file(state / _FILE, json.dumps(making))


def end_progress(state: Path) -> None:
    (state / _FILE).unlink(missing_ok=True)


def progress_of(state: Path) -> Making | None:
    """What is being made, or None where nothing is."""
    try:
        return Making(*json.loads(read_small(state / _FILE) or "null"))
    except (TypeError, ValueError):
        return None
