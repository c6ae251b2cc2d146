"""A ladder of all tasks with eight entries, for the database of the settings.

``python -m tests.bench.ladder_fill`` in its own process; prints the id of an entry.
"""

import django

django.setup()  # before any model can be imported

from portal.models import User  # noqa: E402
from scoring.catalog import TASKS  # noqa: E402
from tests.support.ladders import LENGTHS, ladder_release, reader  # noqa: E402

_ENTRIES = 8


def fill() -> str:
    owner = User.objects.create(username="alice")
    release = ladder_release(tasks=TASKS)
    entries = [
        reader(owner, release, f"A model with a long name {number}B", LENGTHS[number % 3], TASKS)
        for number in range(_ENTRIES)
    ]
    return entries[0].entry_id


if __name__ == "__main__":
    print(fill())
