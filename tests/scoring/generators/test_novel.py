"""The novel tasks: one right answer, which can be found in the text alone, at every length."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.draws import seeded
from scoring.generators.example import Example, ExampleSpec
from scoring.generators.novel import things
from scoring.generators.novel.book import Book, write_book
from scoring.generators.novel.english.calendar import MONTHS
from scoring.generators.novel.english.narrator import English
from scoring.generators.novel.english.plot import BEATS
from scoring.generators.novel.english.values import ordinal
from scoring.generators.novel.english.words import NOUNS
from scoring.generators.novel.events import (  # fmt: skip
    NOBODY,
    Beat,
    Denied,
    Gave,
    Meant,
    Met,
    Scene,
    Went,
    people_of,
)
from scoring.generators.novel.filler import invent
from scoring.generators.novel.plot import STAGES, WAYS, make_plot
from scoring.generators.novel.questions import KINDS, Question, answer, evidence, rivals
from scoring.generators.novel.story import Story, make_story
from scoring.generators.novel.world import Moment, make_world
from scoring.generators.release import generate_release
from scoring.generators.variety import sentences, variety
from scoring.labels import release_label
from scoring.metrics import METRIC_SETS, score_example
from scoring.metrics.rouge import rouge_lsum
from scoring.releases.gold import read_gold
from scoring.text.tokens import count_tokens
from tests.scoring.generators.novel_reader import NAME, READERS
from tests.support.releases import about

LENGTHS = (4_000, 11_000, 40_000)
ASKING = ("longbook_qa_eng", "longbook_choice_eng")
ENGLISH = (*ASKING, "longbook_sum_eng")
SEEDS = st.integers(0, 2**64)
SLOT = re.compile(r"\[\w+\]")


def made(task: str, index: int, tokens: int = 4_000, seed: int = 7, count: int = 20) -> Example:
    return RECIPES[task].make(ExampleSpec(seed, tokens, index, count))


def text(example: Example) -> str:
    return "".join(example.context)


@cache
def examples(task: str, tokens: int) -> tuple[Example, ...]:
    return tuple(made(task, index, tokens) for index in range(20))


@pytest.fixture(params=ASKING)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# The answers


@pytest.mark.parametrize("tokens", LENGTHS)
def test_every_answer_can_be_found_in_the_text_alone(task: str, tokens: int) -> None:
    for example in examples(task, tokens):
        assert reads(example, text(example)), example.question


@pytest.mark.parametrize("tokens", LENGTHS)
def test_the_evidence_alone_is_enough(task: str, tokens: int) -> None:
    for example in examples(task, tokens):
        found = [text(example)[start:end] for start, end in example.evidence]
        assert reads(example, "\n".join(found)), example.question
        assert example.hops == len(found)


def test_without_one_of_its_sentences_there_is_another_answer_or_none() -> None:
    """So nothing is called evidence that is not needed, be it first or last."""
    for example in examples("longbook_qa_eng", 4_000):
        if example.kind == "dearest purchase":  # all have to be compared
            continue
        for start, end in (example.evidence[0], example.evidence[-1]):
            assert not reads(example, text(example)[:start] + text(example)[end:])


def reads(example: Example, context: str) -> bool:
    try:
        found = READERS[str(example.kind)](context, example.question)
    except (KeyError, IndexError, ValueError, StopIteration):
        return False
    assert isinstance(example.answer, list)
    return any(found in (way, str(way).split()[0]) for way in example.answer)


@settings(max_examples=25)
@given(SEEDS, st.integers(0, 99), st.sampled_from(LENGTHS), st.sampled_from(ASKING))
def test_any_seed_and_index_can_be_answered(seed: int, index: int, tokens: int, task: str) -> None:
    example = made(task, index, tokens, seed, count=100)
    assert reads(example, text(example)), example.question


def test_all_kinds_of_questions_are_asked(task: str) -> None:
    assert {example.kind for example in examples(task, 4_000)} == set(KINDS)


@settings(max_examples=25)
@given(SEEDS, st.integers(0, 20))
def test_no_two_events_of_a_story_have_the_same_wording(seed: int, number: int) -> None:
    """Otherwise a repeated event would read like a repeated sentence."""
    story, book = narrated(seed, number, 4_000)
    whole, planned = "".join(book.pieces), set(story.events)
    spans = zip(book.events, book.spans, strict=True)
    said = [whole[slice(*span)] for event, span in spans if event in planned]
    assert len(set(said)) == len(said)


# The same story at every length


@settings(max_examples=40)
@given(SEEDS, st.integers(0, 20), st.integers(4_000, 60_000))
def test_nothing_that_fills_a_book_changes_an_answer(seed: int, number: int, tokens: int) -> None:
    story, book = narrated(seed, number, tokens)
    assert set(story.events) <= set(book.events)
    for question in story.questions:
        assert answer(question, book.events) == answer(question, story.events)
        found = [book.events[place] for place in evidence(question, book.events)]
        assert found == [story.events[place] for place in evidence(question, story.events)]


@settings(max_examples=30)
@given(SEEDS, st.integers(0, 20))
def test_events_that_a_question_is_about_happen_only_as_planned(seed: int, number: int) -> None:
    story, _ = narrated(seed, number, 4_000)
    reserve = story.reserve
    events = [*story.events, *islice(invent(story, seeded(seed, "more")), 2_000)]
    for event in events:
        if reserve.parts(*people_of(event)):
            assert isinstance(event, Met), event
        place = "" if isinstance(event, Meant | Denied) else getattr(event, "place", "")
        if reserve.closed(place, *people_of(event)):
            assert isinstance(event, Went), event


@settings(max_examples=30)
@given(SEEDS, st.integers(0, 20), st.integers(4_000, 40_000))
def test_a_thing_described_by_its_last_owner_is_unique(seed: int, number: int, tokens: int) -> None:
    """So it is clear of what is spoken where a thing is not called by its name."""
    _, book = narrated(seed, number, tokens)
    gave = [event for event in book.events if isinstance(event, Gave)]
    pairs = Counter((gift.who, gift.whom) for gift in gave)
    passed = [gift for gift in gave if gift.had_from != NOBODY]
    assert passed or not any(question.kind == "last owner" for question in story_of(seed, number))
    assert {pairs[gift.had_from, gift.who] for gift in passed} <= {1}


def story_of(seed: int, number: int) -> tuple[Question, ...]:
    return narrated(seed, number, 4_000)[0].questions


def narrated(seed: int, number: int, tokens: int) -> tuple[Story, Book]:
    world = make_world(seeded(seed, "world"))
    story = make_story(world, range(number * 10, number * 10 + 10), seeded(seed, "story"), 0.5)
    return story, write_book(story, English(world), tokens, seed)


@pytest.mark.parametrize("task", ENGLISH)
def test_a_longer_book_has_the_same_questions_answers_and_evidence(task: str) -> None:
    for shorter, longer in zip(examples(task, 4_000), examples(task, 40_000), strict=True):
        assert asked(shorter) == asked(longer)
        assert quoted(shorter) == quoted(longer)


def asked(example: Example) -> tuple[object, ...]:
    return example.question, example.answer, example.options, example.kind, example.hops


def quoted(example: Example) -> list[str]:
    return [text(example)[start:end] for start, end in example.evidence]


def test_evidence_stands_as_deep_in_a_longer_book(task: str) -> None:
    pairs = zip(examples(task, 4_000), examples(task, 40_000), strict=True)
    filtering = [pair for pair in pairs if pair[0].depth is not None]
    apart = [abs(depth(shorter) - depth(longer)) for shorter, longer in filtering]
    assert max(apart) < 0.1
    assert sum(apart) / len(apart) < 0.04


def depth(example: Example) -> float:
    assert example.depth is not None
    return example.depth


def test_questions_that_filter_have_their_evidence_at_all_depths() -> None:
    scattered = ("total spent", "count of visits", "dearest purchase")
    every = (made("longbook_qa_eng", index, count=100) for index in range(100))
    depths = [depth(example) for example in every if example.kind not in scattered]
    tenths = [sum(tenth <= depth * 10 < tenth + 1 for depth in depths) for tenth in range(10)]
    assert min(tenths) >= len(depths) / 60


def test_the_book_of_an_example_does_not_depend_on_how_many_there_are() -> None:
    few, many = (made("longbook_qa_eng", 3, count=count) for count in (4, 100))
    assert (text(few), few.question, few.depth) == (text(many), many.question, many.depth)


def test_five_questions_share_one_text_and_so_do_the_three_tasks() -> None:
    first, *others = [made("longbook_qa_eng", index) for index in range(5)]
    assert all(other.context is first.context for other in others)
    assert text(made("longbook_choice_eng", 0)) == text(made("longbook_sum_eng", 0)) == text(first)
    assert text(made("longbook_qa_eng", 5)) == text(made("longbook_sum_eng", 1)) != text(first)


@pytest.mark.parametrize("tokens", [4_000, 5_500, 16_000, 20_000, 128_000])
def test_a_book_is_as_long_as_ordered(tokens: int) -> None:
    example = made("longbook_qa_eng", 0, tokens, seed=tokens)
    length = sum(map(count_tokens, example.context), count_tokens(example.question))
    assert length.value == about(tokens, 0.05 if tokens < 64_000 else 0.01, length)


def test_no_token_crosses_from_a_piece_to_the_next() -> None:
    example = made("longbook_qa_eng", 0, 40_000)
    pieces = sum(count_tokens(piece).value for piece in example.context)
    assert pieces == count_tokens(text(example)).value


# Scores


@pytest.mark.parametrize("metric_set", METRIC_SETS)
@pytest.mark.parametrize("task", ENGLISH)
def test_a_perfect_reader_has_all_points_and_an_empty_one_none(task: str, metric_set: str) -> None:
    for example in examples(task, 4_000):
        assert isinstance(example.answer, list)
        scored = score(metric_set, task, example)
        for way in map(str, example.answer):
            said = "ABCD"[example.options.index(way)] if example.options else way
            assert scored(said) == pytest.approx(1)
        assert scored("") == 0


def score(metric_set: str, task: str, example: Example) -> Callable[[str], float]:
    def scored(prediction: str) -> float:
        return score_example(
            metric_set, TASKS[task].id, prediction, example.answer, options=example.options
        ).score

    return scored


def test_a_release_is_read_as_gold(tmp_path: Path) -> None:
    out = tmp_path / "release"
    generate_release(out, seed=7, tokens=[4_000], tasks=ENGLISH, examples=2)
    labels = {task: [one.label for one in found.examples] for task, found in read_gold(out).items()}
    for task in ENGLISH:
        made_now = [made(task, index, count=2) for index in range(2)]
        assert labels[task] == [
            release_label(TASKS[task], example.answer, example.options) for example in made_now
        ]


def test_four_options_differ_and_one_of_them_is_right() -> None:
    for example in examples("longbook_choice_eng", 4_000):
        assert len(set(example.options)) == 4
        assert right(example) in example.options


@settings(max_examples=50)
@given(SEEDS, st.integers(0, 30))
def test_there_are_always_three_wrong_answers(seed: int, number: int) -> None:
    world = make_world(seeded(seed, "world"))
    story = make_story(world, range(number * 10, number * 10 + 10), seeded(seed, "story"), 0.5)
    for question in story.questions:
        assert len(rivals(question, story.events)) >= 3


def test_the_right_letter_is_spread_evenly() -> None:
    every = examples("longbook_choice_eng", 4_000)
    letters = [example.options.index(right(example)) for example in every]
    assert [letters.count(letter) for letter in range(4)] == [5, 5, 5, 5]
    assert any(len(set(letters[start : start + 4])) < 4 for start in range(0, 20, 4))


def right(example: Example) -> str:
    """The first of the right answers."""
    assert isinstance(example.answer, list)
    return str(example.answer[0])


def test_a_summary_only_names_what_is_in_the_book() -> None:
    for example in examples("longbook_sum_eng", 4_000)[:5]:
        assert isinstance(example.answer, list)
        (summary,) = map(str, example.answer)
        assert 150 <= len(summary.split()) <= 400
        names = set(re.findall(NAME, summary))
        assert all(name in " ".join(quoted(example)) for name in names)
        assert len(example.evidence) == example.hops
        assert example.hops in (9, 10)


def test_every_statement_of_a_summary_is_in_the_book() -> None:
    """All of its content words are in the beats."""
    for beat, (narration, summary) in BEATS.items():
        assert set(SLOT.findall(summary)) <= set(SLOT.findall(narration)), beat
    assert BEATS.keys() == {f"{stage}.{way}" for stage in STAGES for way in range(WAYS)}


def test_a_plot_keeps_the_order_that_its_steps_need() -> None:
    orders = set()
    for seed in range(200):
        beats = [beat for _, beat in make_plot(seeded(seed))]
        stages = [beat.name.split(".")[0] for beat in beats]
        assert (stages[0], *stages[-2:]) == ("arrival", "reckoning", "ending")
        for first, then in (("bequest", "loss"), ("treason", "repentance"), ("prison", "rescue")):
            assert (first in stages) == (then in stages)
            assert first not in stages or stages.index(first) < stages.index(then)
        if "prison" in stages:
            assert stages[stages.index("prison") + 1] == "rescue"
        orders.add(tuple(stages))
    assert len(orders) > 190


@pytest.mark.parametrize("blanked", [False, True])
def test_no_summary_does_for_another_book(
    blanked: bool, summary_line: Callable[[str], None]
) -> None:
    """Who has not read a book gains little by the best of twenty summaries of others."""
    books = [summarized(seed=2, number=number) for number in range(60)]  # fewer differ by 1 %
    fixed = [summarized(seed=1, number=number, blanked=blanked) for number in range(20)]
    best = max(
        sum(rouge_lsum(one, [book]).f_measure for book in books) / len(books) for one in fixed
    )
    summary_line(f"En.Sum, the best constant summary{', names blanked' * blanked}: {best:.1%}")
    assert best < 0.22


def summarized(*, seed: int, number: int, blanked: bool = False) -> str:
    """The summary of a book, optionally without names."""
    world = make_world(seeded(seed, number, "world"))
    story = make_story(world, range(10), seeded(seed, number, "story"), 0.5)
    narrator = English(world)
    summary = narrator.summary([event for event in story.events if isinstance(event, Beat)])
    if blanked:
        names = {name for person in world.people for name in narrator.name(person.key).split()}
        summary = re.sub(rf"\b({'|'.join(names)})\b", "", summary)
    return summary


# The prose


@pytest.fixture(scope="module")
def novel() -> str:
    return text(made("longbook_qa_eng", 0, 128_000, seed=11))


def test_hardly_a_sentence_comes_twice(novel: str, summary_line: Callable[[str], None]) -> None:
    found = variety([novel])
    summary_line(f"En.QA, 128,000 tokens: {found}")
    assert found.distinct > 0.99
    assert found.compressed > 0.25


@pytest.mark.parametrize(
    "mistake",
    [
        r"\b[Aa] [aeiou](?!ne\b|nce\b|se|ni)",
        r"\b[Aa]n [^aeiouAEIOUh]",
        r"[\[\]{}|^_]",
        r"(?<!\n)\n\n\n",
        r"\b(\w+) \1\b",
        r"  ",
        r" [,.;:?!](?!\w)",
        r"[,;:]\.",
        r"\.\.",
        r"(?:^|[.!?] )[a-z]",
    ],
)
def test_a_kind_of_mistake_is_not_made(novel: str, mistake: str) -> None:
    found = re.search(mistake, novel, re.MULTILINE)
    assert found is None, novel[found.start() - 60 : found.end() + 60]


SCENES = [Scene(kind, (0, 1), "tannery") for kind in things.SCENES]


def scenes(day: int) -> Iterator[str]:
    """Some of every kind on that day of the year, in full and in brief."""
    narrator, rng = English(make_world(seeded("scenes"))), seeded("scenes", day)
    for scene in SCENES * 12:
        yield narrator.narrate(scene, Moment(day, 1, 2), rng, full=rng.random() < 0.8).text


def test_a_passage_introduces_a_thing_before_it_refers_to_it() -> None:
    """“The rusty ladle” stands only where a rusty ladle was spoken of."""
    looks, objects = (NOUNS[name].replace("\n", "|").split("|") for name in ("adj", "thing"))
    named = re.compile(
        rf"\b(\w+) ((?:{'|'.join(map(str.strip, filter(str.strip, looks)))}) "
        rf"(?:{'|'.join(map(str.strip, filter(str.strip, objects)))}))\b"
    )
    for text in scenes(100):
        met: set[str] = set()
        for word, thing in named.findall(text):
            assert word != "the" or thing in met, text
            met.add(thing)


def test_only_plants_of_the_season_are_mentioned() -> None:
    winter, summer = " ".join(scenes(340)), " ".join(scenes(100))
    assert not re.search(r"marigolds|poppies|violets|young barley|roses", winter)
    assert not re.search(r"mistletoe|bare willows|frozen rushes|primroses", summer)
    assert "poppies" in summer
    assert "mistletoe" in winter


def test_every_pronoun_follows_a_name() -> None:
    """So that no pronoun lacks its antecedent."""
    for text in scenes(200):
        pronoun = re.search(r"\b(?:[Ss]?[Hh]e|[Hh]is|[Hh]ers?|[Hh]im)\b", text)
        assert pronoun is None or re.search(NAME, text[: pronoun.start()]), text


def test_every_quotation_is_closed(novel: str) -> None:
    for line in novel.splitlines():
        assert line.count('"') % 2 == 0, line


def test_pieces_are_chapters(novel: str) -> None:
    pieces = list(made("longbook_qa_eng", 0, 128_000, seed=11).context)
    assert all(f"Chapter {number}." in piece for number, piece in enumerate(pieces, 1))
    assert max(map(len, pieces)) < 40_000
    assert len(list(sentences(novel))) > 5_000


def test_days_go_by_in_order(novel: str) -> None:
    """The dates of a book start somewhere in a year of 360 days, and go round it."""
    days = [day(*date) for date in re.findall(r"On the ([\w-]+) of ([A-Z]\w+),", novel)]
    assert len(days) > 50
    assert all((after - before) % 360 < 60 for before, after in pairwise(days))


def day(nth: str, month: str) -> int:
    return MONTHS.index(month) * 30 + [ordinal(number) for number in range(1, 31)].index(nth)
