"""Novels for tests: plain prose about a made-up cast, so that no real book is needed."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple


class Named(NamedTuple):
    given: str
    family: str
    female: bool

    @property
    def title(self) -> str:
        return "Miss" if self.female else "Mr."


CAST = (
    Named("Agnes", "Bexley", female=True),
    Named("Matilda", "Bexley", female=True),
    Named("Edward", "Bexley", female=False),
    Named("Henry", "Stokes", female=False),
    Named("Lucinda", "Stokes", female=True),
    Named("Jasper", "Finch", female=False),  # names that generated books use too
    Named("Rachel", "Harlow", female=True),
    Named("Oliver", "Prewitt", female=False),
)
OTHERS = (
    Named("Simon", "Gresley", female=False),
    Named("Judith", "Gresley", female=True),
    Named("Martin", "Sowerby", female=False),
    Named("Hannah", "Sowerby", female=True),
    Named("Leonard", "Tasker", female=False),
    Named("Phoebe", "Wragge", female=True),
)
_SENTENCES = (
    "{full} looked out of the window, and {he} thought of the weather for a long time.",
    "“I am not at all tired,” said {given}, though {he} had walked {far} since {hour}.",
    "It was well known in the neighbourhood that {title} {family} had a good memory.",
    "They waited for {given} {far}, and {he} came at last with mud on {his} boots.",
    "When the letter was read aloud, {given} laughed, and {he} asked to hear it again.",
    "“You must tell {given},” cried {other}, “for nobody else will {verb} of it.”",
    "{given}'s patience was at an end; {he} turned away and {verb} of {what}.",
    "In the evening {title} {family} sat by the fire with {what} on {his} knees.",
    "Nobody had seen the Bexleys since {hour}, and their house stood {far}.",
    "The rain went on until {hour}, and the lane was full of {what}.",
    "There was some talk of {what}, but it came to little, as such talk will.",
    "For the rest of that week {other} and {given} {verb} of little else than {what}.",
)
_FILL = {
    "far": ("by the old bridge", "beyond the meadow", "near the mill pond", "across two fields"),
    "hour": ("breakfast", "ten o'clock", "sunset", "the middle of the week", "yesterday"),
    "verb": ("speak", "complain", "dream", "hear", "think"),
    "what": ("ribbons", "the harvest", "old newspapers", "a new stove", "music", "wet leaves"),
}


def novel(seed: int, cast: Sequence[Named] = CAST, *, chapters: int = 12, size: int = 40) -> str:
    """This many chapters of this many paragraphs, under a title."""
    rng = Random(seed)
    parts = ["A BOOK OF NO AUTHOR"]
    for chapter in range(chapters):
        parts.append(f"CHAPTER {chapter + 1}")
        parts += [_paragraph(rng, cast) for _ in range(size)]
    return "\n\n".join(parts) + "\n"


def _paragraph(rng: Random, cast: Sequence[Named]) -> str:
    sentences = []
    for _ in range(rng.randint(1, 4)):
        one, other = rng.sample(cast, 2)
        he, his = ("she", "her") if one.female else ("he", "his")
        words = {name: rng.choice(choices) for name, choices in _FILL.items()}
        sentences.append(
            rng.choice(_SENTENCES).format(
                full=f"{one.given} {one.family}", given=one.given, family=one.family,
                title=one.title, he=he, his=his, other=other.given, **words,
            )
        )  # fmt: skip
    lines, line = [], ""
    for word in " ".join(sentences).split():  # typographic, as in books
        if len(line) + len(word) > 70:
            lines.append(line)
            line = ""
        line = f"{line} {word}".lstrip()
    return "\n".join([*lines, line])
