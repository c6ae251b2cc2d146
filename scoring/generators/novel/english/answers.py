"""Questions and answers in English."""

from collections.abc import Callable

from scoring.generators.novel.english.values import goods_plural, ordinal
from scoring.generators.novel.questions import (  # fmt: skip
    Colour,
    Crowns,
    Garment,
    Name,
    Place,
    Question,
    Times,
    Value,
)

_ASKED = {
    "total spent": (
        "How many crowns did {who} pay for {goods} in the whole book, all purchases together? "
        "Answer with the number only, in digits."
    ),
    "dearest purchase": (
        "Of all the {goods} that {who} bought in the book, one cost the most. Who sold it? "
        "Answer with the full name only."
    ),
    "count of visits": (
        "How many times in the whole book did {who} go to the {key}? "
        "Answer with the number only, in digits."
    ),
    "meeting": (
        "What {key} was {who} wearing when meeting {whom} for the {nth} time in the book? "
        "Answer with the {key} only."
    ),
    "last owner": (
        "The {key} passed from hand to hand, and was not always called by its name. "
        "Who had it at the end of the book? "
        "Answer with the full name only."
    ),
    "who told": (
        "Somebody told {who} that {key}. From whom had that somebody heard it? "
        "Answer with the full name only."
    ),
    "whereabouts": (
        "Where did {who} spend the night on which the {key}? Answer with the place only."
    ),
    "order of signing": (
        "Who was the {nth} person in the book to sign the petition for the {key}? "
        "Answer with the full name only."
    ),
}
SUMMARY = "Summarize the main plot of the book in one paragraph of about 250 words."


def ask(question: Question, name: Callable[[int], str]) -> str:
    """The question in words; ``name`` gives the full name of a person."""
    return _ASKED[question.kind].format(
        who=name(question.who),
        whom=name(question.whom),
        key=question.key,
        goods=goods_plural(question.key),
        nth=ordinal(question.nth or 1),
    )


def answers(value: Value, name: Callable[[int], str]) -> list[str]:
    """All ways of writing the answer that are right, the plainest first."""
    match value:
        case Crowns(amount):
            return [str(amount)]
        case Times(times):
            return [str(times)]
        case Name(person):
            return [name(person), name(person).split()[0]]
        case Place(place):
            return [f"the {place}"]
        case Colour(colour):
            return [colour]
        case Garment(garment):
            return [garment]


def option(value: Value, name: Callable[[int], str]) -> str:
    """The answer as one of four to choose from."""
    return answers(value, name)[0]
