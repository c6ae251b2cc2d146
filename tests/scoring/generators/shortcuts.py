"""Ways to answer without reading as intended: by where things stand and how often, and by ids.

Each knows what a careless reader would pick up by patterns, and nothing of how texts are made.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from tests.scoring.generators.novel_reader import GAVE, NAME, found, outfit, sentences, worth

_ANY = re.compile(NAME)
_PRICE = re.compile(r"([a-z-]+) crowns")
_OUTFIT = re.compile(r"(?:wearing|wore) (an? [\w -]+?)(?:[,;.]| when | met)")
_PASSED = re.compile(rf"what (?:{NAME}|s?he) had (?:given|got)|[Ww]hat {NAME} had got")


class Asked(NamedTuple):
    text: str
    question: str
    options: Sequence[str]
    right: str

    @property
    def names(self) -> list[str]:
        return _ANY.findall(self.question)

    def about(self, *words: str) -> list[str]:
        """The sentences with all of these words, whatever they say of them."""
        return [one for one in sentences(self.text) if all(word in one for word in words)]

    def places(self, words: str) -> list[int]:
        return [one.start() for one in re.finditer(re.escape(words), self.text)]


Guess = Callable[[Asked], str | None]


# Of four options: by where and how often they stand


def _spoken_of(asked: Asked) -> dict[str, list[int]]:
    mentions = {option: asked.places(option) for option in asked.options}
    return {option: places for option, places in mentions.items() if places}


def _of_rank(rank: int) -> Guess:
    def guess(asked: Asked) -> str | None:
        order = sorted(_spoken_of(asked).items(), key=lambda mentions: mentions[1][0])
        return order[rank][0] if len(order) > rank else None

    return guess


def _nearest(asked: Asked) -> str | None:
    """The option that stands nearest to a name in the question."""
    names = [place for name in asked.names for place in asked.places(name)]
    near = {
        option: min(abs(place - name) for place in places for name in names)
        for option, places in _spoken_of(asked).items()
        if names
    }
    return min(near, key=near.__getitem__) if near else None


def _last(asked: Asked) -> str | None:
    mentions = _spoken_of(asked)
    return max(mentions, key=lambda option: mentions[option][-1]) if mentions else None


def _by_count(most: bool) -> Guess:
    def guess(asked: Asked) -> str | None:
        mentions = {option: len(asked.places(option)) for option in asked.options}
        best = (max if most else min)(mentions.values())
        only = [option for option, count in mentions.items() if count == best]
        return only[0] if len(only) == 1 else None

    return guess


BY_OPTIONS: dict[str, Guess] = {
    **{f"the option that is mentioned as number {rank + 1}": _of_rank(rank) for rank in range(4)},
    "the option that is mentioned last": _last,
    "the option nearest to a name": _nearest,
    "the option that comes most often": _by_count(most=True),
    "the option that comes least often": _by_count(most=False),
    "the longest option": lambda asked: max(asked.options, key=len),
    "the shortest option": lambda asked: min(asked.options, key=len),
}


# Of one kind of question: by the number and order of the sentences that seem to be about it


def _outfits(asked: Asked) -> list[str]:
    mentions = (_OUTFIT.search(one) for one in asked.about(*asked.names))
    return [match[1] for match in mentions if match]


def _place_asked(asked: Asked) -> str:
    return str(re.findall(r"go to the ([\w ]+)\?", asked.question)[0])


def _visits(less: int) -> Guess:
    return lambda asked: str(len(asked.about(asked.names[0], _place_asked(asked))) - less)


def _goods(asked: Asked) -> str:
    plural = re.findall(r"pay for ([a-z]+)|Of all the ([a-z]+)", asked.question)[0]
    return {"knives": "knife"}.get("".join(plural), "".join(plural).removesuffix("s"))


def _prices(asked: Asked, *words: str) -> Iterator[tuple[int, str]]:
    for one in asked.about(" crowns", _goods(asked), *words):
        if price := _PRICE.search(one):
            yield worth(price[1]), one


def _sum(asked: Asked) -> str:
    """Of all that is mentioned with the person, bought or not."""
    return str(sum(price for price, _ in _prices(asked, asked.names[0])))


def _seller(rank: int, own: bool) -> Guess:
    def guess(asked: Asked) -> str | None:
        mentions = sorted(_prices(asked, *(asked.names[:1] if own else ())), reverse=True)
        names = [one for one in _ANY.findall(mentions[rank][1]) if one != asked.names[0]]
        return names[0] if names else None

    return guess


def _thing(asked: Asked) -> str:
    return str(re.findall(r"The ([\w ]+) passed", asked.question)[0])


def _named_owner(asked: Asked) -> str | None:
    """Who gets the thing in the last sentence that calls it by its name."""
    mentions = [match["b"] for match in found(asked.text, GAVE) if match["key"] == _thing(asked)]
    return mentions[-1] if mentions else None


def _in_the_last(pattern: re.Pattern[str], name: int) -> Guess:
    """One of the names in the last sentence of a kind."""

    def guess(asked: Asked) -> str | None:
        mentions = [one for one in sentences(asked.text) if pattern.search(one)]
        names = _ANY.findall(mentions[-1]) if mentions else []
        return names[name] if names else None

    return guess


def _secret(asked: Asked) -> str:
    return str(re.findall(r"that ([^.]+)\. From", asked.question)[0])


def _about_secret(place: int, name: int) -> Guess:
    def guess(asked: Asked) -> str | None:
        mentions = asked.about(_secret(asked))
        names = _ANY.findall(mentions[place]) if -len(mentions) <= place < len(mentions) else []
        return names[name] if names else None

    return guess


def _before_the_person(asked: Asked) -> str | None:
    """The speaker in the sentence before the first one with the asked person."""
    mentions = asked.about(_secret(asked))
    first = next(place for place, one in enumerate(mentions) if asked.names[0] in one)
    return (_ANY.findall(mentions[first - 1]) or [None])[0] if first else None


def _signer(place: int) -> Guess:
    def guess(asked: Asked) -> str | None:
        mentions = asked.about(
            "petition for the " + asked.question.rsplit("for the ", 1)[1].split("?")[0]
        )
        names = [_ANY.findall(one)[0] for one in mentions if _ANY.search(one)]
        return names[place] if -len(names) <= place < len(names) else None

    return guess


def _worn(place: int) -> Guess:
    def guess(asked: Asked) -> str | None:
        mentions = _outfits(asked)
        if not -len(mentions) <= place < len(mentions):
            return None
        colour, garment = outfit(mentions[place])
        return colour if "What colour" in asked.question else garment

    return guess


_ENDS = (0, 1, 2, 3, -1, -2, -3)

BY_KIND: dict[str, dict[str, Guess]] = {
    "meeting": {f"meeting {place}": _worn(place) for place in _ENDS},
    "count of visits": {f"mentions − {less}": _visits(less) for less in range(5)},
    "total spent": {"all prices": _sum},
    "dearest purchase": {
        **{f"price {rank} of all": _seller(rank, own=False) for rank in range(3)},
        **{f"price {rank} with the person": _seller(rank, own=True) for rank in range(2)},
    },
    "last owner": {
        "the last that is named": _named_owner,
        **{f"name {name} of the last": _in_the_last(_PASSED, name) for name in (0, 1, -1)},
    },
    "who told": {
        "the sentence before": _before_the_person,
        **{f"{place}, {name}": _about_secret(place, name) for place in _ENDS for name in (0, 1)},
    },
    "whereabouts": {},
    "order of signing": {f"signature {place}": _signer(place) for place in _ENDS},
}
