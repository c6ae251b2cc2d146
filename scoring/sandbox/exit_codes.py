"""How a run in the box can end: one table, code → sentence, fix, whether to try again.

Codes and sentences may be shown to anyone; what happened inside is for the log.
"""

import signal
from collections.abc import Mapping
from typing import NamedTuple

from scoring.sandbox.worker.job import Exit


class Ending(NamedTuple):
    message: str
    fix: str
    again: bool  # whether the same run may end otherwise


_OURS = (
    "Nothing to do: this is our fault, does not use your quota, and will be retried automatically."
)
_LESS = "Shorten very long predictions, or submit fewer tasks at a time."

ENDINGS: dict[str, Ending] = {
    "done": Ending("Done.", "Nothing to do.", again=False),
    "scorer_memory": Ending(
        "Reading or scoring these files needs more memory than one submission may use.",
        "Remove contexts, prompts and labels from the rows, or submit fewer tasks at a time.",
        again=False,
    ),
    "scorer_time": Ending(
        "Reading or scoring these files takes longer than one submission may take.",
        _LESS,
        again=False,
    ),
    "scorer_output": Ending(
        "The results of these files are too large for one submission.", _LESS, again=False
    ),
    "scorer_crashed": Ending("The scorer crashed on these files.", _OURS, again=True),
    "scorer_killed": Ending("The scorer was stopped by the system.", _OURS, again=True),
    "scorer_disk": Ending("The scorer's disk is full.", _OURS, again=True),
    "scorer_unavailable": Ending("The scoring sandbox could not be started.", _OURS, again=True),
    "output_invalid": Ending("The scorer returned an unusable result.", _OURS, again=True),
    "labels_invalid": Ending("The labels of this release cannot be used.", _OURS, again=True),
}
_EXITS: Mapping[int, str] = {
    Exit.DONE: "done",
    Exit.MEMORY: "scorer_memory",
    Exit.DISK: "scorer_disk",
    Exit.OUTPUT_LARGE: "scorer_output",
    Exit.INPUT_INVALID: "output_invalid",
    Exit.LABELS_INVALID: "labels_invalid",
    Exit.NOT_LOCKED: "scorer_unavailable",
}
_SIGNALS: Mapping[int, str] = {
    signal.SIGXCPU: "scorer_time",
    signal.SIGKILL: "scorer_killed",  # not by us: by a kernel out of memory, or by a person
    signal.SIGTERM: "scorer_killed",
}
_SIGNALLED = 128  # bubblewrap adds the number of the signal that ended what it ran


def ending(exit_code: int, *, locked: bool) -> str:
    """The code for how a process ended; ``locked``: whether the lockdown was complete."""
    number = -exit_code if exit_code < 0 else exit_code - _SIGNALLED
    if number > 0:
        return _SIGNALS.get(number, "scorer_crashed")
    if not locked:
        return "scorer_unavailable"
    return _EXITS.get(exit_code, "scorer_crashed")
