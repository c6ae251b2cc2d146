"""En.QA, En.MC, En.Sum and Zh.QA: questions about books, several about each.

A question that filters has its evidence together at one depth, and the depths cover 0..1 evenly.
One that aggregates has its evidence all over the book, and so no depth.
A depth is characters before the first piece / (characters of the book − of the piece).
"""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Generic, NamedTuple, TypeVar

from scoring.generators.draws import between, seeded, shuffled
from scoring.generators.example import GENERATOR, Example, ExampleSpec, balanced_choice
from scoring.generators.novel.book import Book, write_book
from scoring.generators.novel.chinese.narrator import Chinese
from scoring.generators.novel.english.answers import SUMMARY, option
from scoring.generators.novel.english.narrator import English
from scoring.generators.novel.events import Beat, Event
from scoring.generators.novel.narrator import Narrator
from scoring.generators.novel.questions import Crowns, Question, Times, Value, answer, rivals
from scoring.generators.novel.story import Story, make_story
from scoring.generators.novel.world import make_world, pick
from scoring.releases.facets import depth_of

_EACH = 5  # questions of a task about one book
_QUESTION = 40  # tokens, about
_OPTIONS = 4
_RIVALS = 5  # of which the wrong options are drawn
_AGGREGATE = frozenset({"total spent", "dearest purchase", "count of visits"})


N = TypeVar("N", bound=Narrator)


class _Novel(NamedTuple, Generic[N]):
    story: Story
    narrator: N
    book: Book


# Consecutive examples are about one book, so it is kept until the next is asked for.


@lru_cache(maxsize=1)
def _english(seed: int, number: int, tokens: int) -> _Novel[English]:
    """The book of that number: its first questions are for En.QA, the others for En.MC."""
    return _novel(English, seed, number, 2 * _EACH, tokens)


@lru_cache(maxsize=1)
def _chinese(seed: int, number: int, tokens: int) -> _Novel[Chinese]:
    return _novel(Chinese, seed, number, _EACH, tokens)


def _novel(narrates: type[N], seed: int, number: int, questions: int, tokens: int) -> _Novel[N]:
    """A world, its story with ``questions`` questions, and the book."""
    of = (GENERATOR, seed, "novel", narrates.__name__)
    world = make_world(seeded(*of, number, "world"))
    numbers = range(number * questions, (number + 1) * questions)
    story = make_story(world, numbers, seeded(*of, number, "story"), of)
    narrator = narrates(world)
    return _Novel(story, narrator, write_book(story, narrator, tokens - _QUESTION, *of, number))


def longbook_qa_eng(spec: ExampleSpec) -> Example:
    """A question about a book of which five consecutive examples ask."""
    number, place = divmod(spec.index, _EACH)
    return _asked(_english(spec.seed, number, spec.tokens), place)


def longbook_qa_chn(spec: ExampleSpec) -> Example:
    """The same about a book in Chinese."""
    number, place = divmod(spec.index, _EACH)
    return _asked(_chinese(spec.seed, number, spec.tokens), place)


def _asked(novel: "_Novel[English] | _Novel[Chinese]", place: int) -> Example:
    question = novel.story.questions[place]
    value = answer(question, novel.story.events)
    return _example(
        novel.book, question, novel.narrator.ask(question), novel.narrator.answers(value)
    )


def longbook_choice_eng(spec: ExampleSpec) -> Example:
    """The same with four options; the wrong ones come from the story too.

    Book, question and options do not depend on how many examples there are, but the letters do.
    """
    number, place = divmod(spec.index, _EACH)
    novel = _english(spec.seed, number, spec.tokens)
    question = novel.story.questions[_EACH + place]
    events = novel.story.events
    value = answer(question, events)
    wrong = _wrong(question, events, spec.draws("novel", "options", spec.index))
    right, *options = [option(one, novel.narrator.name) for one in (value, *wrong)]
    options.insert(balanced_choice(spec, "novel", _OPTIONS), right)
    asked = novel.narrator.ask(question)
    return _example(novel.book, question, asked, [right], tuple(options))


def longbook_sum_eng(spec: ExampleSpec) -> Example:
    """The main plot of a book. Here each example is about another."""
    novel = _english(spec.seed, spec.index, spec.tokens)
    beats = [event for event in novel.story.events if isinstance(event, Beat)]
    pairs = zip(novel.book.events, novel.book.spans, strict=True)
    return Example(
        context=novel.book.pieces,
        question=SUMMARY,
        answer=[novel.narrator.summary(beats)],
        evidence=tuple(span for event, span in pairs if isinstance(event, Beat)),
        hops=len(beats),
        kind="summary",
    )


def _example(
    book: Book,
    question: Question,
    asked: str,
    answers: list[str],
    options: tuple[str, ...] = (),
) -> Example:
    evidence = book.evidence(question)
    start, end = evidence[0]
    return Example(
        context=book.pieces,
        question=asked,
        answer=answers,
        evidence=evidence,
        options=options,
        depth=None if question.kind in _AGGREGATE else depth_of(start, book.length - (end - start)),
        hops=len(evidence),
        kind=question.kind,
    )


def _wrong(question: Question, events: Sequence[Event], rng: Random) -> list[Value]:
    """Wrong options in any order. The right number is of any rank among the four, and no nearer to
    the others than they are to one another."""
    right, values = answer(question, events), rivals(question, events)
    match right:
        case Times(times):
            least = times - question.nth
            return [Times(least + rank) for rank in range(_OPTIONS) if least + rank != times]
        case Crowns(amount):
            gaps = [abs(_crowns(value) - amount) for value in values]
            return [Crowns(other) for other in _steps(amount, gaps, rng)]
    return shuffled(rng, values[:_RIVALS])[: _OPTIONS - 1]


def _crowns(value: Value) -> int:
    return value.amount if isinstance(value, Crowns) else 0


def _steps(right: int, gaps: Sequence[int], rng: Random) -> list[int]:
    """Three numbers so that each of the four is one of the gaps from the next."""
    rank = between(rng, 0, _OPTIONS - 1)
    drawn = [pick(rng, gaps) for _ in range(_OPTIONS - 1)]
    low, high, lower, higher = right, right, [], []
    for gap in drawn[:rank]:
        low -= min(gap, max(1, low // 3))
        lower.append(low)
    for gap in drawn[rank:]:
        high += gap
        higher.append(high)
    return lower + higher
