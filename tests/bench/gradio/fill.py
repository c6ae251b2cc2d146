"""A release and 100 published entries for the database of the settings; run in its own process."""

import itertools
from random import Random

import django

django.setup()  # before any model can be imported

from portal.models import User  # noqa: E402
from scoring.catalog import TASKS  # noqa: E402
from tests.support.factories import model, published, release_of_all_tasks  # noqa: E402

_SEED = 20_241
_FAMILIES = {  # invented models, so that no number can be mistaken for a real one
    "Alder": "Northwood Research",
    "Basalt": "Kessel Labs",
    "Cormorant": "Tideway AI",
    "Dunlin": "Tideway AI",
    "Ember Long": "Institute for Machine Reading",
    "Fathom": "Deepwell",
    "Garnet": "Kessel Labs",
    "Heron": "Tideway AI",
    "Iris Context": "Open Meadow",
    "Juniper": "Northwood Research",
}
_SIZES = ("3B", "8B", "32B", "70B", "240B")
_VARIANTS = ("Instruct 128K", "Chat 1M")


def main() -> None:
    random = Random(_SEED)
    owner = User.objects.create_user("author")
    release = release_of_all_tasks()
    for family, size, variant in itertools.product(_FAMILIES, _SIZES, _VARIANTS):
        name = f"{family} {size} {variant}"
        weights = random.choice(("open", "closed"))
        model(name, organisation=_FAMILIES[family], weights=weights)
        published(owner, release, name, _scores(random))


def _scores(random: Random) -> dict[str, float]:
    """Percents of all tasks; a better model is better in most of them."""
    skill = random.uniform(15, 80)
    return {task: min(100.0, max(0.0, random.gauss(skill, 15))) for task in TASKS}


if __name__ == "__main__":
    main()
