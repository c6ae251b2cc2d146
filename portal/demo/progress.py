"""The progress of the demo's preparation, which the banner of every page shows.

A module of its own, because every page reads it, and the rest of the preparation loads slowly.
"""

import json
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from portal.demo.state_folder import read_text, write_private

_FILE = "ladder.json"


class Making(NamedTuple):
    step: int  # from 1
    steps: int
    line: str


def show_progress(state: Path, making: Making) -> None:
    write_private(state / _FILE, json.dumps(making))


def end_progress(state: Path) -> None:
    (state / _FILE).unlink(missing_ok=True)


def shown_progress() -> Making | None:
    """None if this site is no demo, or has prepared everything."""
    if not settings.DEMO:
        return None
    try:
        return Making(*json.loads(read_text(settings.STATE_DIR / _FILE) or "null"))
    except (TypeError, ValueError):
        return None
