"""En.QA, En.MC, En.Sum and Zh.QA: questions about books, several about each.

A question that filters has its evidence together at one depth, and the depths cover 0..1 evenly.
One that aggregates has its evidence all over the book, and so no depth.
A depth is characters before the first piece / (characters of the book − of the piece).
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random
from typing import NamedTuple

from scoring.generators.draws import between, pick, seeded, shuffled
from scoring.generators.example import STREAMS, Example, ExampleSpec, balanced_choice
from scoring.generators.novel.book import Book, write_book
from scoring.generators.novel.chinese import CHINESE
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.events import Beat, Event
from scoring.generators.novel.language import Language
from scoring.generators.novel.narrator import Narrator
from scoring.generators.novel.questions import AGGREGATE, Question, Value, answer, evidence, rivals
from scoring.generators.novel.story import EACH, Story, make_story
from scoring.generators.novel.world import make_world
from scoring.labels import NUMBER
from scoring.releases.facets import depth_of

QUESTION = 45  # tokens, about
_OPTIONS = 4
_RIVALS = 4  # of which the wrong options are drawn
_LANGUAGES: dict[str, Language] = {"english": ENGLISH, "chinese": CHINESE}


class Novel(NamedTuple):
    story: Story
    narrator: Narrator
    book: Book

    def example(self, place: int, options: Sequence[str] = ()) -> Example:
        """The question with that place among those about the book."""
        thread = self.story.threads[place]
        asked = thread.question
        value = answer(asked, self.book.events)
        spans = self.book.evidence(thread)
        start, end = spans[0]
        return Example(
            context=self.book.pieces,
            question=self.narrator.ask(asked),
            answer=[self.narrator.answer(value)],
            evidence=tuple(spans),
            options=tuple(options),
            depth=None
            if asked.kind in AGGREGATE
            else depth_of(start, self.book.length - (end - start)),
            hops=len(evidence(asked, self.book.events)),
            kind=asked.kind,
            answer_type=NUMBER if value.table == "number" and not options else "",
        )


# Makes the book of a number: of what, the seed, the number, the tokens, the near-misses.
Write = Callable[[tuple[str, str], int, int, int, float], Novel]

# Consecutive examples are about one book, so it is kept until the next is asked for.


@lru_cache(maxsize=1)
def novel(of: tuple[str, str], seed: int, number: int, tokens: int, near_misses: float) -> Novel:
    """The book of that number, of a language and a task.

    En.QA and En.Sum ask about the same books, En.MC about others.
    """
    speech = _LANGUAGES[of[0]]
    of_all = (STREAMS, seed, "novel", *of)
    world = make_world(seeded(*of_all, number, "world"), speech.sizes)
    numbers = range(number * EACH, (number + 1) * EACH)
    story = make_story(world, speech, numbers, seeded(*of_all, number, "story"), seed=of_all)
    narrator = Narrator(world, speech)
    book = write_book(story, narrator, tokens - QUESTION, near_misses, *of_all, number)
    return Novel(story, narrator, book)


def longbook_qa(spec: ExampleSpec, speech: str = "english", write: Write = novel) -> Example:
    """A question about a book of which four consecutive examples ask."""
    number, place = divmod(spec.index, EACH)
    return write((speech, "qa"), spec.seed, number, spec.tokens, spec.near_misses).example(place)


def longbook_choice(spec: ExampleSpec, write: Write = novel) -> Example:
    """The same with four options; the wrong ones come from the story too.

    Book, question and options do not depend on how many examples there are, but the letters do.
    """
    number, place = divmod(spec.index, EACH)
    asked = write(("english", "mc"), spec.seed, number, spec.tokens, spec.near_misses)
    events = [event for _, event in asked.story.planned if isinstance(event, Event)]
    thread = asked.story.threads[place]
    wrong = _wrong(thread.question, events, spec.draws("novel", "options", spec.index))
    options = [asked.narrator.answer(value) for value in wrong]
    right = asked.narrator.answer(answer(thread.question, events))
    options.insert(balanced_choice(spec, "novel", _OPTIONS), right)
    return asked.example(place, options)


def longbook_sum(spec: ExampleSpec) -> Example:
    """The main plot of a book. Here each example is about another."""
    made = novel(("english", "qa"), spec.seed, spec.index, spec.tokens, spec.near_misses)
    beats = [event for _, event in made.story.planned if isinstance(event, Beat)]
    return Example(
        context=made.book.pieces,
        question=ENGLISH.questions["summary"],
        answer=[made.narrator.summary(beats)],
        evidence=tuple(made.book.beats),
        hops=len(beats),
        kind="summary",
    )


def _wrong(question: Question, events: Sequence[Event], rng: Random) -> list[Value]:
    """Wrong options in any order. The right number is of any rank among the four, and no nearer to
    the others than they are to one another."""
    right = answer(question, events)
    if question.kind == "count of visits":
        least = right.value - question.rank
        numbers = [least + rank for rank in range(_OPTIONS) if rank != question.rank]
        return [Value("number", number) for number in numbers]
    if right.table == "number":
        paid = [one for one in events if one.kind == "paid" and one.key == question.key]
        gaps = [one.price for one in paid] + [one.asked - one.price for one in paid]
        return [Value("number", number) for number in _steps(right.value, gaps, rng)]
    found = rivals(question, events)
    if right.table == "people":  # others of the story, where a question leaves too few
        people = sorted({person for event in events for person in event.people})
        found += [Value("people", person) for person in shuffled(rng, people)]
    values = [value for value in dict.fromkeys(found) if value != right]
    return shuffled(rng, values[:_RIVALS])[: _OPTIONS - 1]


def _steps(right: int, gaps: Sequence[int], rng: Random) -> list[int]:
    """Three numbers so that each of the four is one of the gaps from the next."""
    rank = between(rng, 0, _OPTIONS - 1)
    drawn = [pick(rng, gaps) for _ in range(_OPTIONS - 1)]
    numbers, low, high = [], right, right
    for gap in drawn[:rank]:
        low -= min(gap, max(1, low // 3))
        numbers.append(low)
    for gap in drawn[rank:]:
        high += gap
        numbers.append(high)
    return numbers
