"""A narrator: what happens in one world, in the words of a language."""

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from scoring.generators.draws import pick
from scoring.generators.grammar import Memory
from scoring.generators.novel.events import NONE, Beat, Event, Scene
from scoring.generators.novel.language import Language, Shape, Words, named, sentence
from scoring.generators.novel.plot import PLOT
from scoring.generators.novel.questions import Question, Value
from scoring.generators.novel.world import CORE, Moment, World

_FORMS = ("A", "a", "trade")  # how one of the core is called: each as often as the others
_PRONOUNS = ("he", "him", "his")
# Of the details of a step: what is the same in all of a book, and what says which step it is.
# What the key of an event or a question is: its slot in the sentences, and its table.
_KEYS = {
    "went": ("P", "places"), "gave": ("thing", "things"), "told": ("secret", "secrets"),
    "signed": ("petition", "petitions"), "happened": ("night", "nights"),
    "stayed": ("night", "nights"), "count of visits": ("place", "places"),
    "last owner": ("thing", "things"), "who told": ("secret", "secrets"),
    "whereabouts": ("woe", "calamities"), "order of signing": ("petition", "petitions"),
}  # fmt: skip
_WHEN: Shape = (("when",),)


class Passage(NamedTuple):
    text: str
    called: frozenset[int] = frozenset()  # people who are not called by their full names


class Narrator:
    """Writes about one world. Everything that varies is drawn from the given random stream."""

    def __init__(self, world: World, language: Language) -> None:
        self.world, self.language = world, language
        self._town = language.town(world)
        self._people = [language.person(person) for person in world.people]

    def name(self, person: int) -> str:
        return self._people[person]["A"]

    def opening(self, rng: Random) -> str:
        return self.language.title(self._title("title", rng))

    def heading(self, chapter: int, rng: Random) -> str:
        return self.language.heading(chapter, self._title("chapter", rng))

    def _title(self, symbol: str, rng: Random) -> str:
        return self.language.prose[0].say(symbol, rng, self._town)

    def persons(self, rng: Random) -> list[tuple[int, str]]:
        """A line for each of the core, in random order: who they are."""
        order = sorted(range(CORE), key=lambda _: rng.random())
        trades = self.language.words["trades"]
        return [
            (one, self.language.facts.say("list", "open", rng, {
                "A": self.name(one), "trade": trades[self.world.people[one].trade]}, {}))
            for one in order
        ]  # fmt: skip

    def fact(self, event: Event, rng: Random, before: Memory) -> Passage:
        """What leads to an event, and in the next paragraph whether it came about.

        It depends on the event and the stream only, so it is the same at every length.
        """
        words, called = self._cast(event, rng)
        facts, language = self.language.facts, self.language
        parts = ("open", "yes" if event.real else "no")
        chain = event.source != NONE
        both = (
            facts.say(event.kind, facts.part(event.kind, part, chain=chain), rng, words, before)
            for part in parts
        )
        both = (language.polish(sentence(text, language)) for text in both)
        return Passage("\n".join(both), called)

    def _cast(self, event: Event, rng: Random) -> tuple[Words, frozenset[int]]:
        """The words of a fact, and who is not called by the full name."""
        language, words, called = self.language, {**self._town, **self._things(event)}, set()
        for slot, one in (("A", event.who), ("B", event.whom), ("C", event.source)):
            if one == NONE:
                continue
            forms = self._people[one]
            form = pick(rng, _FORMS) if one < CORE else "A"
            if form != "A":
                called.add(one)
            trade = language.trade(self.world.people[one]) if form == "trade" else ""
            words[slot] = trade or forms[form]
        if event.whom != NONE:
            words["b"] = self._people[event.whom]["a"]
        if event.who != NONE:
            words |= self._pronouns(event)
        return words, frozenset(called)

    def _pronouns(self, event: Event) -> Words:
        """The first of them again: by a pronoun, where it can mean nobody else."""
        forms = self._people[event.who]
        sexes = [self.world.people[one].female for one in (event.whom, event.source) if one != NONE]
        if self.world.people[event.who].female not in sexes:
            return {name: forms[name] for name in _PRONOUNS}
        possessive = f"{forms['a']}'s" if self.language.gap else forms["a"]
        return {"he": forms["a"], "him": forms["a"], "his": possessive}

    def _things(self, event: Event) -> Words:
        language, key, kind = self.language, event.key, event.kind
        words: Words = {}
        if event.place != NONE:
            words["P"] = language.word("places", event.place)
        if kind == "paid":
            words["ware"] = language.ware(key, event.quality)
            words |= {"price": language.number(event.price), "ask": language.number(event.asked)}
        elif kind == "met":
            words["outfit"] = language.outfit(event.colour, event.garment)
        else:
            slot, table = _KEYS[kind]
            words[slot] = language.word(table, key)
        if event.woe != NONE:
            words["woe"] = language.word("calamities", event.woe)
        return words

    def beat(self, beat: Beat, part: int = 0) -> str:
        """A step of the main plot in the narration, or (part 1) in the summary."""
        words = {**self._town, **dict(beat.details)}
        words |= dict(zip("ABC", map(self.name, beat.roles), strict=False))
        words["sum"] = f"{self.language.number(int(words['coins']))} {words['coin']}"
        text: str = PLOT["stages"][beat.stage]["ways"][beat.way][part]
        for slot, word in words.items():
            text = text.replace(f"[{slot}]", word)
        return self.language.polish(f"^{text}")

    def summary(self, beats: Sequence[Beat]) -> str:
        """The main plot as a paragraph, with each person's full name at the first mention."""
        summary = " ".join(self.beat(beat, part=1) for beat in beats)
        for person in dict.fromkeys(person for beat in beats for person in beat.roles):
            full, given = (self._people[person][form] for form in ("A", "a"))
            before, name, after = summary.partition(full)
            summary = f"{before}{name}{after.replace(full, given)}"
        return summary

    def scene(self, scene: Scene, moment: Moment, rng: Random, *, full: bool) -> str:
        """Some paragraphs, or a part of one."""
        words = {**self._town, **self._people[scene.people[0]]}
        other = self._people[scene.people[1]]
        words |= {"B": other["A"], "b": other["a"]}
        words["P"] = self.language.word("places", scene.place)
        shape = self.language.shapes["full" if full else "brief"][scene.kind]
        return self._paragraphs(shape, words, moment, rng)

    def date(self, moment: Moment, rng: Random) -> str:
        """A sentence that says when it is."""
        return self._paragraphs(_WHEN, dict(self._town), moment, rng)

    def _paragraphs(self, shape: Shape, words: Words, moment: Moment, rng: Random) -> str:
        """Sentences, of which none is made twice in a row."""
        language, prose = self.language, self.language.prose[moment.season]
        before: Memory = {}
        words |= {word: prose.say(symbol, rng, words) for word, symbol in language.kept.items()}
        words["it"] = f"the {words['motif']}" if "motif" in words else ""
        paragraphs = []
        for symbols in shape:
            last, sentences = "", []
            for symbol in symbols:
                if symbol[-1] == "?" and rng.random() < 0.5:
                    continue
                if "a" in words:
                    again = last in language.of_one and rng.random() < 0.6
                    words["s"] = words["he" if again else "a"]
                last = symbol.rstrip("?")
                start = language.when(moment, rng) if last == "when" else ""
                table = language.symbol(last, moment, rng, alone="a" not in words)
                text = start + prose.say(table, rng, words, before)
                sentences.append(sentence(text, language))
            paragraphs.append(language.gap.join(sentences))
        return named(language.tidy("\n".join(paragraphs), words), words)

    def ask(self, question: Question) -> str:
        """The question, and how to answer it."""
        language = self.language
        words = {
            "who": question.who != NONE and self.name(question.who),
            "whom": question.whom != NONE and self.name(question.whom),
            "nth": language.ordinal(question.nth or 1),
            "part": question.part and language.questions[question.part],
        }
        if question.kind in ("total spent", "dearest purchase"):
            goods = language.goods[question.key]
            several = goods.form if language.gap else goods.name
            words |= {"goods": several, "measure": goods.form}
        if question.kind in _KEYS:
            slot, table = _KEYS[question.kind]
            words[slot] = language.word(table, question.key)
        text = language.questions[question.kind]
        for slot, word in words.items():
            text = text.replace(f"[{slot}]", str(word))
        return text

    def answer(self, value: Value) -> str:
        """The answer in words, the only right one."""
        if value.table == "number":
            return str(value.value)
        if value.table == "people":
            return self.name(value.value)
        return self.language.word(value.table, value.value)
