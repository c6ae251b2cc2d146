"""A book: the story of its questions, among as much other text as its length requires."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from scoring.generators.draws import between, seeded
from scoring.generators.novel.events import Beat, Event, Scene
from scoring.generators.novel.filler import invent
from scoring.generators.novel.narrator import Narrator
from scoring.generators.novel.questions import Question, evidence
from scoring.generators.novel.story import Story
from scoring.generators.novel.world import Moment
from scoring.releases.facets import Span

_FULL = 20_000  # tokens: shorter books narrate each event in a few sentences
_CHAPTERS = 12
_CHAPTER = (700, 4_500)  # tokens
_SCENE = (60, 230)  # tokens of a passage, about: in brief, in full
_SMALLEST = 25  # tokens: what is left over at the end of a book
_PARAGRAPH = 4  # passages in brief
_SPAN = 300  # days that a book lasts at least
_START = Moment(0, 1, 0)
_PASSAGES = 5  # of a day, about
_DATED = 0.35  # of the passages
_AT_ONCE = Moment(0, 0, 0)  # without a date
_NIGHT = ("night", "dream")


@dataclass(frozen=True, slots=True)
class Book:
    pieces: list[str]  # the text: each chapter by itself, with its heading
    events: list[Event]  # all but scenes, in the order of narration
    spans: list[Span]  # of the sentences that say so
    length: int  # characters

    def evidence(self, question: Question) -> tuple[Span, ...]:
        """The sentences that give the answer, as a reader needs them."""
        return tuple(self.spans[place] for place in evidence(question, self.events))


def write_book(story: Story, narrator: Narrator, tokens: int, *of: object) -> Book:
    """The story in about as many tokens; ``of`` names its random numbers.

    Every planned event stands at its place, or as near to it as there is room for, so that its
    depth hardly depends on the length. None of the sentences that state the events does.
    """
    full = tokens >= _FULL
    names = list(_names(story, narrator, *of))
    cost = [_cost(narrator, one.event, full, *names[i]) for i, one in enumerate(story.planned)]
    fillers = invent(story, seeded(*of, "filler"))
    writer = _Writer(narrator, tokens, full, seeded(*of, "prose"))
    left = sum(cost)
    for i, planned in enumerate(story.planned):
        due = min(planned.place * tokens, tokens - left - _SMALLEST)
        writer.fill(fillers, due, exact=i == len(story.planned) - 1)
        writer.hurry = writer.written + left > tokens
        writer.narrate(planned.event, seeded(*names[i]))
        left -= cost[i]
    return writer.finished()


def _names(story: Story, narrator: Narrator, *of: object) -> Iterator[tuple[object, ...]]:
    """The random seeds of each planned event, such that no two events have the same words."""
    seen: set[str] = set()
    for i, planned in enumerate(story.planned):
        again = 0
        while (text := _fact(narrator, planned.event, *of, i, again)) in seen:
            again += 1
        seen.add(text)
        yield *of, i, again


def _fact(narrator: Narrator, event: Event, *of: object) -> str:
    """The sentence that states the event, which is the same in every position."""
    passage = narrator.narrate(event, _AT_ONCE, seeded(*of), full=False)
    return passage.text[passage.start : passage.end]


def _cost(narrator: Narrator, event: Event, full: bool, *of: object) -> float:
    """About how many tokens an event takes, of which some come with a new date and some without."""
    dated, undated = (
        narrator.tokens(narrator.narrate(event, moment, seeded(*of), full=full).text)
        for moment in (_START, _AT_ONCE)
    )
    return dated * _DATED + undated * (1 - _DATED)


@dataclass(slots=True)
class _Writer:
    narrator: Narrator
    tokens: int
    full: bool
    rng: Random
    written: float = 0.0  # tokens
    hurry: bool = False  # no room is left for dates: it all happens on one day
    _length: int = 0  # characters
    _pieces: list[str] = field(default_factory=list)
    _parts: list[str] = field(default_factory=list)  # of the chapter
    _chapter: float = 0.0  # tokens at its start
    _row: int = 0  # passages in the paragraph
    _moment: Moment = _START
    _events: list[Event] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)

    def fill(self, fillers: Iterator[Event], due: float, *, exact: bool) -> None:
        """Write filler until so many tokens are written, to the nearest passage."""
        while self.written + _SCENE[self.full] / 2 < due:
            self.narrate(next(fillers), self.rng)
        full, self.full = self.full, False
        while exact and self.written < due:
            self.narrate(next(fillers), self.rng)
        self.full = full

    def narrate(self, event: Event, rng: Random) -> None:
        """Add a passage about the event."""
        self._go_on(event)
        passage = self.narrator.narrate(event, self._moment, rng, full=self.full)
        gap = self._gap(event)
        if not isinstance(event, Scene):
            start = self._length + len(gap)
            self._events.append(event)
            self._spans.append((start + passage.start, start + passage.end))
        self._add(f"{gap}{passage.text}")

    def finished(self) -> Book:
        self._end_chapter()
        return Book(self._pieces, self._events, self._spans, self._length)

    def _gap(self, event: Event) -> str:
        """What stands before a passage: perhaps the heading of a new chapter."""
        size = min(max(self.tokens / _CHAPTERS, _CHAPTER[0]), _CHAPTER[1])
        if not self._parts or self.written - self._chapter > size:
            return self._begin_chapter()
        self._row += 1
        if self.full:
            return "\n\n"
        if self._row >= _PARAGRAPH or self._moment.since or isinstance(event, Beat):
            self._row = 0
            return "\n"
        return self.narrator.gap

    def _begin_chapter(self) -> str:
        opening = "" if self._pieces or self._parts else self.narrator.opening(self.rng)
        self._end_chapter()
        self._row, self._chapter = 0, self.written
        return f"{opening}{self.narrator.heading(len(self._pieces) + 1, self.rng)}"

    def _end_chapter(self) -> None:
        if self._parts:
            self._add("\n\n")
            self._pieces.append("".join(self._parts))
            self._parts.clear()

    def _add(self, text: str) -> None:
        self._parts.append(text)
        self._length += len(text)
        self.written += self.narrator.tokens(text)

    def _go_on(self, event: Event) -> None:
        """Time passes: to a later part of the day, or to another day."""
        day, part = self._moment.day, self._moment.part
        night = isinstance(event, Scene) and event.kind in _NIGHT
        if self._pieces or self._parts:
            over = part == 4 or self.rng.random() * _PASSAGES < 1
            days = self._days() if over and not self.hurry else 0
        else:
            days, day = 1, between(self.rng, 0, 359)
        part = between(self.rng, 0, 3) if days else min(4, part + self._later())
        self._moment = Moment(day + days, days, 4 if night else part)

    def _later(self) -> int:
        """How many parts of the day later, on the same day."""
        return int(self.rng.random() * _PASSAGES < 2)

    def _days(self) -> int:
        """How many days later: the more, the shorter the book."""
        changes = self.tokens / _SCENE[self.full] / _PASSAGES
        return 1 + int(self.rng.random() * 2 * _SPAN / changes)
