"""Dates and times of day in English."""

from random import Random

from scoring.generators.novel.english.values import ordinal
from scoring.generators.novel.world import YEAR, Moment, pick

# Of thirty days each; the year begins with spring.
MONTHS = (
    "Thawmonth", "Seedtime", "Blossom", "Shearing", "Haymonth", "Highsun",
    "Reaping", "Cidermonth", "Leaffall", "Fogmonth", "Hearthmonth", "Longnight",
)  # fmt: skip
_PARTS = (
    ("in the morning", "soon after sunrise", "before breakfast", "at about nine", "early"),
    (
        "at noon",
        "towards midday",
        "at dinner time",
        "shortly before one",
        "in the middle of the day",
    ),
    ("in the afternoon", "at about four", "after school", "when the shops opened again"),
    ("in the evening", "at dusk", "after supper", "when the lamps were lit", "at sunset"),
    ("late at night", "towards midnight", "after the last bell", "when the town slept"),
)
_LATER = (
    ("the same morning", "a little later", "at about eleven", "half an hour later", "meanwhile"),
    ("the same noon", "a little after noon", "over the midday meal", "when the clock struck one"),
    (
        "later in the afternoon", "that same afternoon", "before tea", "when the post had come",
        "an hour later", "between two showers", "at about the same time",
    ),
    (
        "that evening", "later in the evening", "before it was quite dark", "when work was over",
        "at the hour of the lamplighters", "after the evening bell", "while the soup grew cold",
    ),
    (
        "that night", "later that night", "in the small hours", "when most windows were dark",
        "an hour after midnight", "before cockcrow", "at an hour when the dogs were asleep",
    ),
)  # fmt: skip


def when(moment: Moment, rng: Random) -> str:
    """An adverbial that says when, as “on the third of Reaping, at dusk”."""
    if not moment.since:
        return pick(rng, _LATER[moment.part])
    part = pick(rng, _PARTS[moment.part])
    if moment.since == 1 and rng.random() < 0.6:
        return f"the next day, {part}"
    return f"on the {date(moment.day)}, {part}"


def date(day: int) -> str:
    """A day of the story as “third of Reaping”."""
    month, rest = divmod(day % YEAR, 30)
    return f"{ordinal(rest + 1)} of {MONTHS[month]}"
