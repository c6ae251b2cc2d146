"""The people of an English book, found by rules: no list of names, and no model of the language.

A name is a word that stands with a capital letter inside of sentences and hardly ever without. That
it is a person's, which of two is the family's, and whether a woman's or a man's, is decided by the
words around it: titles, verbs of speech, prepositions and pronouns.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import zip_longest

WORDS = tomllib.loads(
    files("scoring.generators.haystack").joinpath("english.toml").read_text(encoding="utf-8")
)
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
    frequent -= {*_TITLES["men"], *_TITLES["women"], *_TITLES["others"], *_TITLES["no_names"]}
    seen, pairs = _read(paragraphs, frequent)
    small = {word.lower() for word in frequent}
    lower = Counter(word for text in paragraphs for word in _SMALL.findall(text) if word in small)
    known = {
        word: one
        for word, one in seen.items()
        if one.is_person and lower[word.lower()] <= _LOWER * one.count
    }
    known = {word: one for word, one in known.items() if word[-1] != "s" or word[:-1] not in known}
    pairs = Counter({pair: count for pair, count in pairs.items() if known.keys() >= {*pair}})
    for (given, family), count in pairs.items():
        known[given].given += count
        known[family].family += count
    partners: dict[str, Counter[str]] = {word: Counter() for word in known}
    for (given, family), count in pairs.items():
        if known[family].is_family:
            partners[given][family] += count
    named = _with_given_names(known, partners)
    found = [*_with_titles(known, partners, named), *named.values()]
    found.sort(key=lambda one: (-one.count, one.given, one.family))
    return _with_own_words(found[:most])


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


def _with_given_names(
    known: Mapping[str, _Seen], partners: Mapping[str, Counter[str]]
) -> dict[str, Character]:
    """Those whom the book calls by their given names, or by short forms of these."""
    given = sorted(
        (word for word, one in known.items() if not one.is_family),
        key=lambda word: (-len(word), word),
    )
    found: dict[str, Character] = {}
    for word in given:
        one, families = known[word], partners[word]
        full = next((other for other in found if _is_short(word, other, known, partners)), None)
        if full:
            found[full].count += one.count
            found[full].words.add(word)
            continue
        family = families.most_common(1)[0][0] if families else ""
        found[word] = Character(word, family, one.female, one.count, {word})
    return found


def _is_short(
    word: str, full: str, known: Mapping[str, _Seen], partners: Mapping[str, Counter[str]]
) -> bool:
    """Whether it is a short form: “Eliza” or “Lizzy” of Elizabeth, but “Ann” not of Anna."""
    doubled = _DOUBLED.fullmatch(word.lower())
    stem = doubled[1] if doubled else word.lower()
    is_part = len(stem) > 2 and stem in full.lower() if doubled else full.startswith(word)
    return (
        is_part
        and (bool(doubled) or 4 <= len(word) <= len(full) - 2)
        and known[word].female == known[full].female
        and not partners[word].keys() - partners[full].keys()
    )


def _with_titles(
    known: Mapping[str, _Seen],
    partners: Mapping[str, Counter[str]],
    named: Mapping[str, Character],
) -> Iterator[Character]:
    """Those whom it calls by the name of the family alone: a man, his wife, a daughter. They are
    the ones with a given name that is known, if there are such."""
    for family, one in known.items():
        if not one.is_family:
            continue
        own = [named[word] for word in named if partners[word][family]]
        wives = sum(one.titles[title] for title in _TITLES["wives"])
        misses = sum(one.titles[title] for title in _TITLES["misses"])
        alone = one.count - sum(partner[family] for partner in partners.values())
        is_womans = wives + misses >= one.titles.total() - wives - misses
        men = 0 if is_womans and (one.titles or one.female) else alone - wives - misses
        for count, female, may_be_known in (
            (men, False, True), (wives, True, False), (misses, True, True)
        ):  # fmt: skip
            known_ones = [one for one in own if one.female == female and may_be_known]
            if count < _FEWEST:
                continue
            if known_ones:
                max(known_ones, key=lambda one: one.count).count += count
            else:
                yield Character("", family, female, count)


def _with_own_words(found: list[Character]) -> list[Character]:
    """By the name of a family one is known who has it alone, or who has no other."""
    families = Counter(one.family for one in found)
    for one in found:
        if one.family and (families[one.family] == 1 or not one.given):
            one.words.add(one.family)
    return found
