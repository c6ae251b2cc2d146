"""What the name of a file says of its task, for the script of the submit page."""

import json

from scoring.catalog import TASKS
from scoring.predictions.dialects import FOREIGN_TASKS, NAMES


def _of_a_script(pattern: str) -> str:
    """A pattern of Python in JavaScript: of what ours use, only groups are named otherwise."""
    return pattern.replace("(?P<", "(?<")


# The scorer's own patterns: so the page promises nothing else than what is read.
FILE_NAMES = json.dumps(
    {
        "patterns": [_of_a_script(pattern.pattern) for pattern in NAMES],
        "foreign": FOREIGN_TASKS,
        "titles": {task.id: task.title for task in TASKS.values()},  # in the order of the list
    }
)
