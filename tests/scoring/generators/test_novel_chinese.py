"""Zh.QA: one right answer, which can be found in the Chinese text alone, at every length."""

import re
from collections.abc import Callable
from functools import cache
from itertools import combinations, islice, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.draws import seeded
from scoring.generators.example import Example, ExampleSpec
from scoring.generators.novel import things
from scoring.generators.novel.chinese import things as zh
from scoring.generators.novel.chinese.names import FAMILIES, MEN, TOWNS, WOMEN
from scoring.generators.novel.chinese.narrator import Chinese
from scoring.generators.novel.chinese.numbers import counted, date, numeral
from scoring.generators.novel.chinese.tokens import tokens_of
from scoring.generators.novel.events import Denied, Meant, Scene
from scoring.generators.novel.filler import invent
from scoring.generators.novel.questions import KINDS
from scoring.generators.novel.story import Story, make_story
from scoring.generators.novel.world import FAMILIES as FAMILY_COUNT
from scoring.generators.novel.world import GIVEN, Moment, make_world  # fmt: skip
from scoring.generators.novel.world import TOWNS as TOWN_COUNT
from scoring.generators.variety import variety
from scoring.metrics import METRIC_SETS, score_example
from scoring.text.tokens import count_tokens
from tests.scoring.generators.chinese_reader import PAID, READERS, UNREAL, found, sentences, worth
from tests.support.releases import about

TASK = "longbook_qa_chn"
LENGTHS = (4_000, 11_000, 40_000)
SEEDS = st.integers(0, 2**64)


def made(index: int, tokens: int = 4_000, seed: int = 7, count: int = 20) -> Example:
    return RECIPES[TASK].make(ExampleSpec(seed, tokens, index, count))


def text(example: Example) -> str:
    return "".join(example.context)


@cache
def examples(tokens: int, seed: int = 7) -> tuple[Example, ...]:
    return tuple(made(index, tokens, seed) for index in range(20))


# The answers


@pytest.mark.parametrize("seed", [7, 8])
@pytest.mark.parametrize("tokens", LENGTHS)
def test_every_answer_can_be_found_in_the_text_alone(tokens: int, seed: int) -> None:
    for example in examples(tokens, seed):
        assert reads(example, text(example)), example.question


@pytest.mark.parametrize("tokens", LENGTHS)
def test_the_evidence_alone_is_enough(tokens: int) -> None:
    for example in examples(tokens):
        assert reads(example, "\n".join(quoted(example))), example.question
        assert example.hops == len(example.evidence)


def test_without_one_of_its_sentences_there_is_another_answer_or_none() -> None:
    """So nothing is called evidence that is not needed, be it first or last."""
    for example in examples(4_000):
        if example.kind == "dearest purchase":  # all have to be compared
            continue
        for start, end in (example.evidence[0], example.evidence[-1]):
            assert not reads(example, text(example)[:start] + text(example)[end:])


def reads(example: Example, context: str) -> bool:
    try:
        answer = READERS[str(example.kind)](context, example.question)
    except (KeyError, IndexError, ValueError, StopIteration):
        return False
    assert isinstance(example.answer, list)
    return answer in example.answer


@settings(max_examples=25)
@given(SEEDS, st.integers(0, 99), st.sampled_from(LENGTHS))
def test_any_seed_and_index_can_be_answered(seed: int, index: int, tokens: int) -> None:
    example = made(index, tokens, seed, count=100)
    assert reads(example, text(example)), example.question


def test_all_kinds_of_questions_are_asked() -> None:
    assert {example.kind for example in examples(4_000)} == set(KINDS)


def test_a_longer_book_has_the_same_questions_answers_and_evidence() -> None:
    for shorter, longer in zip(examples(4_000), examples(40_000), strict=True):
        assert (shorter.question, shorter.answer) == (longer.question, longer.answer)
        assert quoted(shorter) == quoted(longer)


def quoted(example: Example) -> list[str]:
    return [text(example)[start:end] for start, end in example.evidence]


def test_evidence_is_whole_sentences_with_full_names() -> None:
    for example in (*examples(4_000), *examples(40_000)):
        for sentence in quoted(example):
            assert sentences(sentence) == [sentence]
            assert not re.search("[他她]", sentence)


@pytest.mark.parametrize("metric_set", METRIC_SETS)
def test_a_perfect_reader_has_all_points_and_an_empty_one_none(metric_set: str) -> None:
    for example in examples(4_000):
        assert isinstance(example.answer, list)
        scored = score(metric_set, example)
        assert {scored(str(way)) for way in example.answer} == {1}
        assert scored("") == 0


def score(metric_set: str, example: Example) -> Callable[[str], float]:
    return lambda said: score_example(metric_set, TASKS[TASK].id, said, example.answer).score


# What only seemed to happen


def a_story(seed: int) -> tuple[Story, Chinese]:
    world = make_world(seeded(seed, "world"))
    return make_story(world, range(5), seeded(seed, "story"), 0.5), Chinese(world)


def test_real_and_unreal_events_have_different_wording() -> None:
    story, narrator = a_story(3)
    rng = seeded("moment")
    fillers = invent(story, seeded("fillers"))
    for event in (*story.events, *(next(fillers) for _ in range(300))):
        passage = narrator.narrate(event, Moment(3, 0, 1), rng, full=True)
        fact = passage.text[passage.start : passage.end]
        assert bool(UNREAL.search(fact)) == isinstance(event, Meant | Denied)
        assert not UNREAL.search(passage.text.replace(fact, "") if fact else passage.text)


def test_every_price_of_the_book_is_read() -> None:
    for tokens in LENGTHS:
        context = text(made(0, tokens))
        prices = [worth(match["price"]) for match in found(context, PAID)]
        paid = [one for one in sentences(context) if "块银元" in one and not UNREAL.search(one)]
        assert len(prices) == len(paid)
        assert all(2 <= price <= 95 for price in prices)


@settings(max_examples=50)
@given(SEEDS)
def test_a_fact_does_not_depend_on_its_moment_and_length(seed: int) -> None:
    story, narrator = a_story(seed % 5)
    event = story.events[seed % len(story.events)]
    ways = [
        narrator.narrate(event, moment, seeded(seed), full=full)
        for moment in (Moment(0, 0, 0), Moment(200, 9, 4))
        for full in (True, False)
    ]
    assert len({way.text[way.start : way.end] for way in ways}) == 1
    assert not any(re.search(r"[\[\]{}|#/]|None", way.text) for way in ways)


# The prose


@pytest.fixture(scope="module")
def novel() -> str:
    return text(made(0, 128_000, seed=11))


def test_hardly_a_sentence_comes_twice(novel: str, summary_line: Callable[[str], None]) -> None:
    measured = variety([novel])
    summary_line(f"Zh.QA, 128,000 tokens: {measured}")
    assert measured.distinct > 0.99
    assert measured.compressed > 0.28


@pytest.mark.parametrize(
    "mistake",
    [
        r"[\[\]{}|/#A-Za-z]",
        "[，、：；。]{2}",
        "[？！][，。]",
        "”“(?=”)|“”",
        "一一|的的|了了|着着|在在|把把|和和",
        "。”。|，”。",
        "(?m)^[，。”]",
        "[^。？！”》\n]\n(?!\n)",
    ],
)
def test_a_kind_of_mistake_is_not_made(novel: str, mistake: str) -> None:
    match = re.search(mistake, novel)
    assert match is None, novel[match.start() - 40 : match.end() + 40]


def test_every_quotation_is_closed(novel: str) -> None:
    for line in novel.splitlines():
        assert re.fullmatch("(?:[^“”]*“[^“”]*(?:“[^“”]*”[^“”]*)*”)*[^“”]*", line), line


@pytest.mark.parametrize("tokens", [4_000, 5_500, 16_000, 128_000])
def test_a_book_is_as_long_as_ordered(tokens: int) -> None:
    example = made(0, tokens, seed=tokens)
    book = count_tokens(text(example))
    length = book + count_tokens(example.question)
    assert length.value == about(tokens, 0.05 if tokens < 64_000 else 0.01, length)
    assert tokens_of(text(example)) == about(book.value, 0.01, book)


# The words


def test_no_name_is_part_of_another() -> None:
    given = (*WOMEN, *MEN)
    assert len(set(given)) == len(given) == 2 * GIVEN
    assert len(set(FAMILIES)) == FAMILY_COUNT
    assert len(set(TOWNS)) == TOWN_COUNT
    names = [one.name(person) for _, one in [a_story(1)] for person in range(100)]
    assert not [pair for pair in combinations(names, 2) if pair[0] in pair[1] or pair[1] in pair[0]]


@pytest.mark.parametrize(
    ("words", "keys"),
    [
        (zh.PLACES, things.PLACES),
        (zh.COLOURS, things.COLOURS),
        (zh.THINGS, things.THINGS),
        (zh.SECRETS, things.SECRETS),
        (zh.PETITIONS, things.PETITIONS),
        (zh.NIGHTS, things.NIGHTS),
        (zh.CALAMITIES, things.CALAMITIES),
        (zh.TRADES, things.TRADES),
        ({key: ware.name for key, ware in zh.GOODS.items()}, tuple(things.GOODS)),
        ({key: garment.name for key, garment in zh.GARMENTS.items()}, things.GARMENTS),
    ],
)
def test_each_thing_has_a_word_of_its_own(words: dict[str, str], keys: tuple[str, ...]) -> None:
    assert tuple(words) == keys
    pairs = combinations(words.values(), 2)
    assert not [pair for pair in pairs if pair[0].endswith(pair[1]) or pair[1].endswith(pair[0])]


def test_subjects_of_questions_are_never_mentioned_in_passing() -> None:
    words = [*zh.THINGS.values(), *zh.SECRETS.values(), *zh.CALAMITIES.values()]
    words += [f"{night}那一夜" for night in zh.NIGHTS.values()]
    story, narrator = a_story(2)
    rng = seeded("prose")
    scenes = (event for event in invent(story, rng) if isinstance(event, Scene))
    for scene in islice(scenes, 500):
        passage = narrator.narrate(scene, Moment(40, 1, 2), rng, full=True).text
        elsewhere = [word for key, word in zh.PLACES.items() if key != scene.place]
        assert not [word for word in (*words, *elsewhere) if word in passage]
        assert not re.search("遇见|买下|卖给|付给|交给|送给|告诉|签名|银元|去了一|来到", passage)


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "零"), (2, "二"), (10, "十"), (41, "四十一"), (105, "一百零五"), (112, "一百一十二"),
     (200, "二百"), (320, "三百二十"), (1003, "一千零三"), (1010, "一千零一十")],
)  # fmt: skip
def test_numbers_are_written_as_they_are_spoken(number: int, words: str) -> None:
    assert numeral(number) == words


def test_the_number_two_and_dates_are_written_correctly() -> None:
    assert (counted(2), counted(12)) == ("两", "十二")
    assert (date(0), date(99), date(359)) == ("正月初一", "四月初十", "腊月三十")


def test_days_go_by_in_order(novel: str) -> None:
    """The dates of a book start somewhere in a year of 360 days, and go round it."""
    dates = {date(day): day for day in range(360)}
    longest_first = sorted(dates, key=len, reverse=True)
    days = [dates[one] for one in re.findall(f"(?m)^({'|'.join(longest_first)})", novel)]
    assert len(days) > 30
    assert all((after - before) % 360 < 90 for before, after in pairwise(days))
