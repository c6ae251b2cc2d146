"""The interface of a narrator: what a language must provide to write a book in it."""

from random import Random
from typing import ClassVar, NamedTuple, Protocol

from scoring.generators.novel.events import Event
from scoring.generators.novel.questions import Question, Value
from scoring.generators.novel.world import Moment, World


class Passage(NamedTuple):
    text: str  # without a line break at its end
    start: int  # of the sentence that states the event
    end: int


class Narrator(Protocol):
    """Writes about one world. Everything that varies is drawn from the given random stream."""

    gap: ClassVar[str]  # between two sentences

    def __init__(self, world: World) -> None: ...

    def opening(self, rng: Random) -> str:
        """The title of the book, and two line breaks."""

    def heading(self, chapter: int, rng: Random) -> str:
        """The heading of a chapter (from 1), and two line breaks."""

    def narrate(self, event: Event, moment: Moment, rng: Random, *, full: bool) -> Passage:
        """A passage about the event: a scene of some paragraphs, or a part of a paragraph.

        The sentence that states the event depends on the event and the stream only. It is drawn
        first, so that it is the same at every moment, and full or not.
        """

    def ask(self, question: Question) -> str:
        """The question, and how to answer it."""

    def answers(self, value: Value) -> list[str]:
        """All ways of writing the answer that are right, the plainest first."""

    def tokens(self, text: str) -> float:
        """An estimate of the tokens of a part of a book: fast, and the same on every machine."""
