"""The people of an English book, found by rules: no list of names, and no model of the language.

A name is a word that stands with a capital letter inside of sentences and hardly ever without. That
it is a person's, which of two is the family's, and whether a woman's or a man's, is decided by the
words around it: titles, verbs of speech, prepositions and pronouns.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from scoring.generators.grammar import read_tables

WORDS = read_tables(__file__, "english")
_TITLES: Mapping[str, frozenset[str]] = {
    kind: frozenset(text.split("|")) for kind, text in WORDS["titles"].items()
}
_AROUND: Mapping[str, str] = WORDS["around"]
WORD = re.compile(r"(?:[A-Z]['’])?[A-Z][^\W\d_]+")
_SMALL = re.compile(r"(?<![\w’'])[a-z]{2,}")
_TITLED = re.compile(
    rf"\b({'|'.join(sorted(_TITLES['men'] | _TITLES['women'] | _TITLES['others']))})\.? "
    rf"(?:(?:{_AROUND['particles']}) )?$"
)
_SPEAKS = re.compile(rf" (?:{_AROUND['spoke']})\b")
_SPOKEN = re.compile(rf"\b(?:{_AROUND['spoke']}) $")
_ACTS = re.compile(rf" (?:{_AROUND['acts']})\b")
_KNOWN = re.compile(rf"\b(?:{_AROUND['known']}) $")
_PLACED = re.compile(rf"\b(?:{_AROUND['placed']}) $")
_INSIDE = re.compile(r"[a-z,;]['’]?s? $|\b(?:Mr|Mrs|Ms|Dr|St)\. $")  # of a sentence
_PRONOUN = re.compile(r"\b(?:(?:he|him|his|himself)|(she|her|hers|herself))\b")
_DOUBLED = re.compile(r"(.*(.))\2(?:y|ie|ey)")  # Lizzy, Betty, Johnnie
_NO_NAMES = ("men", "women", "others", "no_names")
_NEAR = 90  # characters after a name in which a pronoun counts
_BACK = 24  # characters before a name that are looked at
_FEWEST = 4  # times inside of sentences
_LOWER = 0.02  # of all occurrences at most are without a capital letter
_TITLED_LEAST = 0.12  # of what is said of a family has a title, or a given name
_STRONG = 3  # a title or a verb of speech, against another verb or a preposition


@dataclass(slots=True)
class Character:
    """One of the book: ``words`` are the names that nobody else of them has."""

    given: str  # as the book writes it; empty: it never says so
    family: str
    female: bool
    count: int
    words: set[str] = field(default_factory=set)

    @property
    def called(self) -> frozenset[str]:
        return frozenset(self.words | {self.family} - {""})


@dataclass(slots=True)
class _Seen:
    """What the words around a name say."""

    count: int = 0
    inside: int = 0
    person: int = 0
    place: int = 0
    given: int = 0
    family: int = 0
    sexes: Counter[bool] = field(default_factory=Counter)  # whether a woman's
    titles: Counter[str] = field(default_factory=Counter)

    @property
    def is_person(self) -> bool:
        return self.inside >= _FEWEST and self.person > max(self.place, _STRONG)

    @property
    def is_family(self) -> bool:
        """“Mrs. Joe” alone makes no family of a Joe who is called so hundreds of times."""
        return self.family > self.given and self.family >= _TITLED_LEAST * self.count

    @property
    def female(self) -> bool:
        return self.sexes[True] > self.sexes[False]


def characters(paragraphs: Sequence[str], most: int) -> list[Character]:
    """The people named most often, at most so many."""
    counts = Counter(word for text in paragraphs for word in WORD.findall(text))
    frequent = {word for word, count in counts.items() if count >= _FEWEST}
    frequent -= {word for kind in _NO_NAMES for word in _TITLES[kind]}
    seen, pairs = _read(paragraphs, frequent)
    small = {word.lower() for word in frequent}
    lower = Counter(word for text in paragraphs for word in _SMALL.findall(text) if word in small)
    people = {
        word: one
        for word, one in seen.items()
        if one.is_person and lower[word.lower()] <= _LOWER * one.count
    }
    plurals = {f"{word}s" for word in people}
    known = {word: one for word, one in people.items() if word not in plurals}
    found = _Names(known, pairs).characters()
    found.sort(key=lambda one: (-one.count, one.given, one.family))
    # By the name of a family one is known who has it alone, or who has no other.
    families = Counter(one.family for one in found[:most])
    for one in found[:most]:
        if one.family and (families[one.family] == 1 or not one.given):
            one.words.add(one.family)
    return found[:most]


def _read(
    paragraphs: Sequence[str], frequent: set[str]
) -> tuple[dict[str, _Seen], Counter[tuple[str, str]]]:
    """By word what is around it, and how often two stand together."""
    seen = {word: _Seen() for word in sorted(frequent)}
    pairs: Counter[tuple[str, str]] = Counter()
    for text in paragraphs:
        found = list(WORD.finditer(text))
        for match, following in zip_longest(found, found[1:]):
            if match[0] not in frequent:
                continue
            until = following.start() if following else len(text)
            with_next = bool(following) and text[match.end() : until] == " "
            if following and with_next and following[0] in frequent:
                pairs[match[0], following[0]] += 1
            _note(seen[match[0]], text, match, with_next=with_next, until=until)
    return seen, pairs


def _note(one: _Seen, text: str, match: re.Match[str], *, with_next: bool, until: int) -> None:
    start, end = match.span()
    before = text[max(0, start - _BACK) : start]
    one.count += 1
    one.inside += bool(_INSIDE.search(before))
    if titled := _TITLED.search(before):
        title = titled[1]
        one.person += _STRONG
        if with_next or title in _TITLES["given"]:
            one.given += 1
        else:
            one.family += 1
            one.titles[title] += 1
        if title not in _TITLES["others"]:
            one.sexes[title in _TITLES["women"]] += _STRONG
    elif _PLACED.search(before):
        one.place += _STRONG
    if _SPEAKS.match(text, end) or _SPOKEN.search(before):
        one.person += _STRONG
    elif _ACTS.match(text, end) or _KNOWN.search(before):
        one.person += 1
    if not titled and (pronoun := _PRONOUN.search(text, end, min(until, end + _NEAR))):
        one.sexes[bool(pronoun[1])] += 1


class _Names:
    """Of people, and how often a given name and one of a family stand together."""

    def __init__(self, known: Mapping[str, _Seen], pairs: Mapping[tuple[str, str], int]) -> None:
        self._known = known
        self._families: dict[str, Counter[str]] = {word: Counter() for word in known}
        both = {pair: count for pair, count in pairs.items() if known.keys() >= {*pair}}
        for (given, family), count in both.items():
            known[given].given += count
            known[family].family += count
        for (given, family), count in both.items():
            if known[family].is_family:
                self._families[given][family] += count

    def characters(self) -> list[Character]:
        """First those whom the book calls by their given names, or by short forms of these."""
        found: dict[str, Character] = {}
        given = [word for word, one in self._known.items() if not one.is_family]
        for word in sorted(given, key=lambda word: (-len(word), word)):
            one, families = self._known[word], self._families[word]
            if full := next((other for other in found if self._is_short(word, other)), None):
                found[full].count += one.count
                found[full].words.add(word)
            else:
                family = families.most_common(1)[0][0] if families else ""
                found[word] = Character(word, family, one.female, one.count, {word})
        others = [one for word in self._known for one in self._of_family(word, found)]
        return [*found.values(), *others]

    def _is_short(self, word: str, full: str) -> bool:
        """Whether it is a short form: “Eliza” or “Lizzy” of Elizabeth, but “Ann” not of Anna."""
        if doubled := _DOUBLED.fullmatch(word.lower()):
            is_part = len(doubled[1]) > 2 and doubled[1] in full.lower()
        else:
            is_part = full.startswith(word) and 4 <= len(word) <= len(full) - 2
        same_sex = self._known[word].female == self._known[full].female
        return is_part and same_sex and self._families[full].keys() >= self._families[word].keys()

    def _of_family(self, family: str, named: Mapping[str, Character]) -> Iterator[Character]:
        """Those whom it calls by the name of the family alone: a man, his wife, a daughter. They
        are the ones with a given name that is known, if there are such."""
        one = self._known[family]
        if not one.is_family:
            return
        own = [named[word] for word in named if self._families[word][family]]
        wives = sum(one.titles[title] for title in _TITLES["wives"])
        misses = sum(one.titles[title] for title in _TITLES["misses"])
        alone = one.count - sum(families[family] for families in self._families.values())
        men = one.titles.total() - wives - misses
        if men >= wives + misses and (men or not one.female):  # without a title, it is the man
            men += alone - one.titles.total()
        for count, female, may_be_known in (
            (men, False, True), (wives, True, False), (misses, True, True)
        ):  # fmt: skip
            known = [one for one in own if one.female == female and may_be_known]
            if count >= _FEWEST and known:
                max(known, key=lambda one: one.count).count += count
            elif count >= _FEWEST:
                yield Character("", family, female, count)
