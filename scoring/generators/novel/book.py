"""A book: the story of its questions, among near-misses and other text as its length requires."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from scoring.generators.draws import between, pick, seeded
from scoring.generators.grammar import Memory
from scoring.generators.novel.events import Beat, Event, Scene
from scoring.generators.novel.narrator import Narrator, Passage
from scoring.generators.novel.near_misses import near_misses
from scoring.generators.novel.plot import ABSENT
from scoring.generators.novel.questions import KINDS, evidence
from scoring.generators.novel.story import Story, in_order
from scoring.generators.novel.threads import Thread
from scoring.generators.novel.world import CORE, PEOPLE, Moment
from scoring.releases.facets import Span

_FULL = 20_000  # tokens: shorter books have scenes of a few sentences
_CHAPTERS = 12
_CHAPTER = (700, 4_500)  # tokens
_SCENE = (60, 230)  # tokens of a scene, about: in brief, in full
_SMALLEST = 25  # tokens: what is left over at the end of a book
_PARAGRAPH = 4  # scenes in brief
_SPAN = 300  # days that a book lasts at least
_PASSAGES = 5  # of a day, about
_NIGHT = ("night", "dream")
_FILL = 0.93  # of a book at most: the facts

_Told = tuple[float, Event | Beat, Passage]


@dataclass(slots=True)
class Book:
    pieces: list[str] = field(default_factory=list)  # each chapter by itself, with its heading
    events: list[Event] = field(default_factory=list)  # in the order of narration
    spans: list[Span] = field(default_factory=list)  # of the sentences that say so
    called: list[frozenset[int]] = field(default_factory=list)  # in them not by the full name
    persons: dict[int, Span] = field(default_factory=dict)  # the lines that say who people are
    beats: list[Span] = field(default_factory=list)
    length: int = 0  # characters

    def evidence(self, thread: Thread) -> list[Span]:
        """What gives the answer: the facts as a reader needs them, then who the people are."""
        places = evidence(thread.question, self.events)
        people = sorted({one for place in places for one in self.called[place]})
        return [*(self.spans[place] for place in places), *(self.persons[one] for one in people)]


def write_book(story: Story, narrator: Narrator, tokens: int, rate: float, *of: object) -> Book:
    """The story in about as many tokens; ``of`` names its random numbers."""
    scenes = _scenes(story, seeded(*of, "scenes"))
    writer = Writer(narrator, tokens, seeded(*of, "prose"), scenes)
    return tell(story, writer, rate, *of)


def tell(story: Story, writer: "Writer", rate: float, *of: object) -> Book:
    """The story as that writer tells it.

    Every planned event stands at its place, or as near to it as there is room for, so that its
    depth hardly depends on the length. None of the sentences that state the events does.
    """
    narrator, tokens = writer.narrator, writer.tokens
    told = [
        (place, event, _passage(narrator, event, seeded(*of, number), {}))
        for number, (place, event) in enumerate(story.planned)
    ]
    count = narrator.language.tokens
    room = tokens * _FILL - writer.written - sum(count(one[2].text) for one in told)
    told += _others(story, narrator, tokens, room, rate, *of)
    told.sort(key=lambda one: in_order(one[:2]))
    costs = [count(one[2].text) + 1 for one in told]
    left = sum(costs)
    for number, ((place, event, passage), cost) in enumerate(zip(told, costs, strict=True)):
        due = min(place * tokens, tokens - left - _SMALLEST)
        is_ending = isinstance(event, Beat) and number == len(told) - 1
        writer.fill(due, exact=is_ending)
        writer.add(event, passage, hurry=writer.written + left + _SMALLEST > tokens)
        left -= cost
    if not story.has_plot:
        writer.fill(tokens - _SMALLEST, exact=True)
    return writer.finished()


def _passage(narrator: Narrator, event: Event | Beat, rng: Random, before: Memory) -> Passage:
    if isinstance(event, Beat):
        return Passage(narrator.beat(event))
    return narrator.fact(event, rng, before)


def _others(
    story: Story, narrator: Narrator, tokens: int, room: float, rate: float, *of: object
) -> Iterator[_Told]:
    """Near-misses, as many of each kind that no length is easier than another."""
    planned = Counter(event.kind for thread in story.threads for event in thread.events)
    share = rate * tokens / 1_000 / len(story.threads)
    wanted: dict[str, int] = {}
    for thread in story.threads:
        kinds = ["happened", "stayed"] if thread.question.kind == "whereabouts" else []
        for kind in kinds or [KINDS[thread.question.kind].about]:
            part = share * (0.25 if kind == "happened" else 0.75 if kinds else 1)
            wanted[kind] = wanted.get(kind, 0) + round(part)
    wanted = {kind: max(0, count - planned[kind]) for kind, count in wanted.items()}
    before: Memory = {}
    rng = seeded(*of, "near")
    for place, event in near_misses(story, wanted, seeded(*of, "misses")):
        passage = narrator.fact(event, rng, before)
        room -= narrator.language.tokens(passage.text) + 1
        if room < 0:
            return
        yield place, event, passage


def _scenes(story: Story, rng: Random) -> Iterator[Scene]:
    """Scenes without end, of people whom no question is about."""
    kinds = sorted(story.draw.language.shapes["full"])
    while True:
        who = whom = between(rng, CORE, PEOPLE - ABSENT - 1)
        while who == whom:
            whom = between(rng, CORE, PEOPLE - ABSENT - 1)
        yield Scene(pick(rng, kinds), (who, whom), pick(rng, story.draw.world.places))


@dataclass(slots=True)
class Writer:
    """Puts scenes between the facts."""

    narrator: Narrator
    tokens: int
    rng: Random
    scenes: Iterator[Scene]
    written: float = 0.0  # tokens
    book: Book = field(default_factory=Book)
    _parts: list[str] = field(default_factory=list)  # of the chapter
    _chapter: float = 0.0  # tokens at its start
    _row: int = 0  # scenes in the paragraph
    _moment: Moment = field(default_factory=lambda: Moment(0, 1, 0))

    def __post_init__(self) -> None:
        """The title, and the list of persons."""
        self._moment = Moment(between(self.rng, 0, 359), 1, 0)
        self._add(self.narrator.opening(self.rng))
        self._add(f"{self.narrator.language.questions['persons']}\n\n")
        for person, line in self.narrator.persons(self.rng):
            self.book.persons[person] = (self.book.length, self.book.length + len(line))
            self._add(f"{line}\n")
        self._add("\n")

    @property
    def _full(self) -> bool:
        return self.tokens >= _FULL

    def fill(self, due: float, *, exact: bool) -> None:
        """Write scenes until so many tokens are written, to the nearest scene."""
        full = self._full
        while self.written + _SCENE[full] / 2 < due:
            self._scene(next(self.scenes), full=full)
        while exact and self.written < due:
            self._scene(next(self.scenes), full=False)

    def add(self, event: Event | Beat, passage: Passage, *, hurry: bool) -> None:
        """Add what happens, with a date where a new day begins and there is room."""
        self._go_on(hurry=hurry)
        beat = isinstance(event, Beat)
        date = "" if beat or hurry or not self._moment.since else self._date()
        before = f"{self._gap()}{date}"
        start = self.book.length + len(before)
        span = (start, start + len(passage.text))
        self._add(f"{before}{passage.text}")
        if isinstance(event, Beat):
            self.book.beats.append(span)
        else:
            self.book.events.append(event)
            self.book.spans.append(span)
            self.book.called.append(passage.called)
        self._row = _PARAGRAPH

    def _date(self) -> str:
        return f"{self.narrator.date(self._moment, self.rng)}{self.narrator.language.gap}"

    def _scene(self, scene: Scene, *, full: bool) -> None:
        self._go_on(night=scene.kind in _NIGHT)
        text = self.narrator.scene(scene, self._moment, self.rng, full=full)
        date = "" if full or not self._moment.since else self._date()
        self._add(f"{self._gap(full=full)}{date}{text}")

    def finished(self) -> Book:
        self._end_chapter()
        return self.book

    def _gap(self, *, full: bool = True) -> str:
        """What stands before a passage: perhaps the heading of a new chapter."""
        size = min(max(self.tokens / _CHAPTERS, _CHAPTER[0]), _CHAPTER[1])
        if (not self.book.pieces and self._chapter == 0) or self.written - self._chapter > size:
            return self._begin_chapter()
        self._row += 1
        if full and self._full:
            return "\n\n"
        if self._row >= _PARAGRAPH or full or self._moment.since:
            self._row = 0
            return "\n"
        return self.narrator.language.gap

    def _begin_chapter(self) -> str:
        if self._chapter:
            self._end_chapter()
        self._row, self._chapter = 0, max(self.written, 1.0)
        return self.narrator.heading(len(self.book.pieces) + 1, self.rng)

    def _end_chapter(self) -> None:
        self._add("\n\n")
        self.book.pieces.append("".join(self._parts))
        self._parts.clear()

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self.book.length += len(text)
        joined = text.startswith("\n")  # a line break is one token with the stop before it
        self.written += self.narrator.language.tokens(text) - joined

    def _go_on(self, *, night: bool = False, hurry: bool = False) -> None:
        """Time passes: to a later part of the day, or to another day."""
        day, part = self._moment.day, self._moment.part
        over = part == 4 or self.rng.random() * _PASSAGES < 1
        days = self._days() if over and not hurry else 0
        later = int(self.rng.random() * _PASSAGES < 2)
        part = between(self.rng, 0, 3) if days else min(4, part + later)
        self._moment = Moment(day + days, days, 4 if night else part)

    def _days(self) -> int:
        """How many days later: the more, the shorter the book."""
        changes = self.tokens / _SCENE[self._full] / _PASSAGES
        return 1 + int(self.rng.random() * 2 * _SPAN / changes)
