"""The novel tasks: one right answer, which the text alone gives, at every length."""

import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.baseline import read
from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.draws import seeded
from scoring.generators.example import NEAR_MISSES, Example, ExampleSpec
from scoring.generators.novel.chinese import CHINESE
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.events import NONE, Event, Scene
from scoring.generators.novel.language import Language
from scoring.generators.novel.narrator import Narrator
from scoring.generators.novel.plot import PLOT, make_plot
from scoring.generators.novel.questions import AGGREGATE, KINDS, answer, evidence
from scoring.generators.novel.story import EACH
from scoring.generators.novel.tasks import (
    Novel,
    novel,
)
from scoring.generators.novel.world import CORE, Moment, make_world
from scoring.metrics import METRIC_SETS, score_example
from scoring.metrics.rouge import rouge_lsum
from scoring.text.tokens import count_tokens
from scoring.text.variety import sentences, variety
from tests.scoring.generators.chronicle import Chronicle
from tests.support.paths import ROOT
from tests.support.releases import about

LENGTHS = (4_000, 11_000, 40_000)
ASKING = ("longbook_qa_eng", "longbook_choice_eng", "longbook_qa_chn")
NOVELS = (*ASKING, "longbook_sum_eng")
OF = {
    "longbook_qa_eng": ("english", "qa"),
    "longbook_choice_eng": ("english", "mc"),
    "longbook_qa_chn": ("chinese", "qa"),
}
SEEDS = st.integers(0, 2**64)
SLOT = re.compile(r"\[\w+\]")
LANGUAGES = (ENGLISH, CHINESE)


def made(task: str, index: int, tokens: int = 4_000, seed: int = 7, count: int = 16) -> Example:
    return RECIPES[task].make(ExampleSpec(seed, tokens, index, count))


def text(example: Example) -> str:
    return "".join(example.context)


@cache
def examples(task: str, tokens: int) -> tuple[Example, ...]:
    return tuple(made(task, index, tokens) for index in range(16))


@pytest.fixture(params=ASKING)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def right(example: Example) -> str:
    assert isinstance(example.answer, list)
    return str(example.answer[0])


def reads(example: Example, context: str) -> bool:
    mark = "Question: " if example.question.isascii() else "问题："
    options = "".join(
        f"\n{one}" for one in map(". ".join, zip("ABCD", example.options, strict=False))
    )
    said = read(f"A book.\n\n{context}\n\n{mark}{example.question}{options}")
    return right(example) == (said.partition(". ")[2] if options else said)


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


def test_without_the_first_of_its_evidence_there_is_another_answer_or_none() -> None:
    lost = [
        not reads(example, text(example)[:start] + text(example)[end:])
        for example in examples("longbook_qa_eng", 4_000)
        for start, end in example.evidence[:1]
        if example.kind not in ("dearest purchase", "order of signing")  # possibly one of several
    ]
    assert all(lost)


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.integers(0, 99), st.sampled_from(LENGTHS), st.sampled_from(ASKING))
def test_any_seed_and_index_can_be_answered(seed: int, index: int, tokens: int, task: str) -> None:
    example = made(task, index, tokens, seed, count=100)
    assert reads(example, text(example)), example.question


def test_all_kinds_of_questions_are_asked(task: str) -> None:
    assert {example.kind for example in examples(task, 4_000)} == set(KINDS)


def story_of(task: str, seed: int, number: int, tokens: int = 4_000) -> Novel:
    return novel(OF[task], seed, number, tokens, NEAR_MISSES)


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.integers(0, 20), st.integers(4_000, 60_000), st.sampled_from(ASKING))
def test_nothing_that_fills_a_book_changes_an_answer(
    seed: int, number: int, tokens: int, task: str
) -> None:
    made = story_of(task, seed, number, tokens)
    planned = [event for _, event in made.story.planned if isinstance(event, Event)]
    for thread in made.story.threads:
        asked = thread.question
        assert answer(asked, made.book.events) == answer(asked, planned)
        found = [made.book.events[place] for place in evidence(asked, made.book.events)]
        assert found == [planned[place] for place in evidence(asked, planned)]


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(0, 20), st.sampled_from(ASKING), st.integers(4_000, 60_000))
def test_labels_are_right_by_the_order_of_events(
    seed: int, number: int, task: str, tokens: int
) -> None:
    """An independent program follows the events one by one, and finds no contradiction."""
    made = story_of(task, seed, number, tokens)
    chronicle = Chronicle(made.book.events)
    for thread in made.story.threads:
        found = chronicle.answer(thread.question)
        assert found == [answer(thread.question, made.book.events).value], thread.question


def test_a_book_of_any_length_contradicts_itself_nowhere() -> None:
    for seed in range(3):
        for task in ASKING:
            assert Chronicle(story_of(task, seed, 0, 200_000).book.events).contradictions == []


# The same story at every length


@pytest.mark.parametrize("task", NOVELS)
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
    apart = [abs(one.depth - other.depth) for one, other in pairs
             if one.depth is not None and other.depth is not None]  # fmt: skip
    assert max(apart) < 0.12
    assert sum(apart) / len(apart) < 0.05


def test_what_is_all_over_a_book_has_no_depth_and_the_rest_any() -> None:
    every = [made("longbook_qa_eng", index, count=160) for index in range(160)]
    assert {one.kind for one in every if one.depth is None} == AGGREGATE
    depths = [one.depth for one in every if one.depth is not None]
    tenths = [sum(tenth <= depth * 10 < tenth + 1 for depth in depths) for tenth in range(10)]
    assert min(tenths) >= len(depths) / 30


@pytest.mark.parametrize("kind", sorted({kind.about for kind in KINDS.values()}))
def test_near_misses_are_as_dense_in_a_long_book_as_in_a_short_one(kind: str) -> None:
    density = dict.fromkeys((4000, 256000), 0.0)
    for tokens in density:
        for number in (0, 1):
            events = story_of("longbook_qa_eng", 5, number, tokens).book.events
            density[tokens] += sum(event.kind == kind for event in events) / tokens
    assert 0.5 < density[256_000] / density[4_000] < 2


def test_there_may_be_more_or_fewer_near_misses() -> None:
    few, many = (novel(("english", "qa"), 5, 0, 30_000, rate).book.events for rate in (2.0, 8.0))
    assert len(many) > 3 * len(few)


def test_the_book_of_an_example_does_not_depend_on_how_many_there_are() -> None:
    few, many = (made("longbook_qa_eng", 3, count=count) for count in (4, 100))
    assert (text(few), few.question, few.depth) == (text(many), many.question, many.depth)


def test_questions_share_a_text_and_so_does_the_summary() -> None:
    first, *others = [made("longbook_qa_eng", index) for index in range(EACH)]
    assert all(other.context is first.context for other in others)
    assert text(made("longbook_sum_eng", 0)) == text(first)
    assert text(made("longbook_qa_eng", EACH)) == text(made("longbook_sum_eng", 1)) != text(first)


@pytest.mark.parametrize("tokens", [4_000, 5_500, 16_000, 20_000, 128_000])
@pytest.mark.parametrize("task", ["longbook_qa_eng", "longbook_qa_chn"])
def test_a_book_is_as_long_as_ordered(task: str, tokens: int) -> None:
    example = made(task, 0, tokens, seed=tokens)
    length = sum(map(count_tokens, example.context), count_tokens(example.question))
    assert length.value == about(tokens, 0.05 if tokens < 64_000 else 0.015, length)


def test_no_token_crosses_from_a_piece_to_the_next() -> None:
    example = made("longbook_qa_eng", 0, 40_000)
    pieces = sum(count_tokens(piece).value for piece in example.context)
    assert pieces == count_tokens(text(example)).value


# Scores


@pytest.mark.parametrize("metric_set", METRIC_SETS)
@pytest.mark.parametrize("task", NOVELS)
def test_a_perfect_reader_has_all_points_and_an_empty_one_none(task: str, metric_set: str) -> None:
    for example in examples(task, 4_000):
        options = list(example.options)
        said = "ABCD"[options.index(right(example))] if options else right(example)
        for prediction, score in ((said, 1), ("", 0)):
            scored = score_example(
                metric_set, TASKS[task].id, prediction, example.answer, options=example.options,
                answer_type=example.answer_type,
            )  # fmt: skip
            assert scored.score == pytest.approx(score)


def test_numbers_are_digits_and_places_have_no_preposition() -> None:
    for one in (*examples("longbook_qa_eng", 4_000), *examples("longbook_qa_chn", 4_000)):
        assert isinstance(one.answer, list)
        assert len(one.answer) == 1
        counts = one.kind in ("total spent", "count of visits")
        assert right(one).isdecimal() == counts == (one.answer_type == "number")
        assert not right(one).startswith(("at ", "在"))
        assert not right(one).endswith("色")


def test_four_options_differ_and_one_of_them_is_right() -> None:
    for example in examples("longbook_choice_eng", 4_000):
        assert len(set(example.options)) == 4
        assert right(example) in example.options


def test_a_right_number_is_of_any_rank() -> None:
    every = [made("longbook_choice_eng", index, count=320) for index in range(320)]
    numbers = [one for one in every if right(one).isdecimal()]
    ranks = Counter(sorted(map(int, one.options)).index(int(right(one))) for one in numbers)
    assert min(ranks.values()) > len(numbers) / 8
    assert all(int(option) > 0 for one in numbers for option in one.options)


def test_the_right_letter_is_spread_evenly() -> None:
    letters = [one.options.index(right(one)) for one in examples("longbook_choice_eng", 4_000)]
    assert [letters.count(letter) for letter in range(4)] == [4, 4, 4, 4]


# The main plot


def test_a_summary_only_names_what_is_in_the_book() -> None:
    for example in examples("longbook_sum_eng", 4_000)[:5]:
        assert 150 <= len(right(example).split()) <= 400
        names = set(re.findall(r"[A-Z]\w+ [A-Z]\w+", right(example)))
        assert all(name in " ".join(quoted(example)) for name in names)
        assert len(example.evidence) == example.hops
        assert example.hops in (9, 10)


def test_every_statement_of_a_summary_is_in_the_book() -> None:
    for stage in PLOT["stages"].values():
        for narration, summary in stage["ways"]:
            assert set(SLOT.findall(summary)) <= set(SLOT.findall(narration))


def test_a_plot_keeps_the_order_that_its_steps_need() -> None:
    orders = set()
    for seed in range(200):
        stages = [beat.stage for _, beat in make_plot(seeded(seed))]
        assert (stages[0], *stages[-2:]) == ("arrival", "reckoning", "ending")
        for first, then in (("bequest", "loss"), ("treason", "repentance"), ("prison", "rescue")):
            assert (first in stages) == (then in stages)
            assert first not in stages or stages.index(first) < stages.index(then)
        if "prison" in stages:
            assert stages[stages.index("prison") + 1] == "rescue"
        orders.add(tuple(stages))
    assert len(orders) > 190


def test_no_summary_does_for_another_book(summary_line: Callable[[str], None]) -> None:
    """Without reading a book, the best of twenty summaries of others gains little."""
    books = [right(made("longbook_sum_eng", index, seed=2)) for index in range(40)]
    best = max(
        sum(rouge_lsum(one, [book]).f_measure for book in books[20:]) / 20 for one in books[:20]
    )
    summary_line(f"En.Sum, the best constant summary: {best:.1%}")
    assert best < 0.24


# The prose


@cache
def book_of(task: str) -> str:
    return text(made(task, 0, 128_000, seed=11))


@pytest.mark.parametrize("task", ["longbook_qa_eng", "longbook_qa_chn"])
def test_hardly_a_sentence_comes_twice(task: str, summary_line: Callable[[str], None]) -> None:
    found = variety([book_of(task)])
    summary_line(f"{TASKS[task].title}, 128,000 tokens: {found}")
    assert found.distinct > 0.8
    assert found.compressed > 0.2


MISTAKES = (
    r"\b[Aa] [aeiou](?!ne\b|nce\b|se|ni)", r"\b[Aa]n [^aeiouAEIOUh]", r"[\[\]{}|^_]",
    r"(?<!\n)\n\n\n", r"\b(\w+) \1\b", r"  ", r" [,.;:?!](?!\w)", r"[,;:]\.", r"\.\.",
    r"(?:^|[.!?] )[a-z]",
)  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_kind_of_mistake_is_not_made(mistake: str) -> None:
    book = book_of("longbook_qa_eng")
    found = re.search(mistake, book, re.MULTILINE)
    assert found is None, book[found.start() - 60 : found.end() + 60]


@pytest.mark.parametrize(
    "mistake", [r"[\[\]{}|/]", "。。", "，。", "，，", "。，", r"[a-zA-Z]", "一一"]
)
def test_a_kind_of_mistake_is_not_made_in_chinese(mistake: str) -> None:
    book = book_of("longbook_qa_chn")
    found = re.search(mistake, book)
    assert found is None, book[found.start() - 30 : found.end() + 30]


def test_every_quotation_is_closed() -> None:
    for line in book_of("longbook_qa_eng").splitlines():
        assert line.count('"') % 2 == 0, line
    for line in book_of("longbook_qa_chn").splitlines():
        assert line.count("“") == line.count("”"), line


SCENES = [Scene(kind, (CORE, CORE + 1), 3) for kind in ENGLISH.shapes["full"]]


def scenes(day: int) -> Iterator[str]:
    """Scenes of every kind on that day of the year, in full and in brief."""
    narrator = Narrator(make_world(seeded("scenes"), ENGLISH.sizes), ENGLISH)
    rng = seeded("scenes", day)
    for scene in SCENES * 12:
        yield narrator.scene(scene, Moment(day, 1, 2), rng, full=rng.random() < 0.8)


def test_only_plants_of_the_season_are_mentioned() -> None:
    winter, summer = " ".join(scenes(340)), " ".join(scenes(100))
    assert not re.search(r"marigolds|poppies|violets|young barley|roses", winter)
    assert not re.search(r"mistletoe|bare willows|frozen rushes|primroses", summer)
    assert "poppies" in summer
    assert "mistletoe" in winter


def test_days_go_by_in_order() -> None:
    """The dates of a book start anywhere in a year of 360 days, and wrap around."""
    months = ENGLISH.calendar["months"]
    ordinals = {ENGLISH.ordinal(number): number for number in range(1, 31)}
    dates = re.findall(r"On the ([\w-]+) of ([A-Z]\w+),", book_of("longbook_qa_eng"))
    days = [months.index(month) * 30 + ordinals[day] for day, month in dates]
    assert len(days) > 50
    assert all((after - before) % 360 < 60 for before, after in pairwise(days))


def test_pieces_are_chapters() -> None:
    pieces = list(made("longbook_qa_eng", 0, 128_000, seed=11).context)
    assert all(f"Chapter {number}." in piece for number, piece in enumerate(pieces, 1))
    assert max(map(len, pieces)) < 40_000
    assert len(list(sentences("".join(pieces)))) > 5_000


# The tables


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
def test_what_is_told_is_read_back(language: Language) -> None:
    """Each sentence that can state an event is read as that event, and as no other."""
    world = make_world(seeded("facts"), language.sizes)
    narrator, rng = Narrator(world, language), seeded("facts", language.file)
    names = {person: narrator.name(person) for person in range(CORE)}
    for number in range(3_000):
        kind = ("gave", "told", "signed", "went")[number % 4]
        source = NONE if number % 3 else 2
        event = Event(kind, 3, 0, 1 if kind in ("gave", "told") else NONE, source=source,
                      real=number % 5 > 1)  # fmt: skip
        passage = narrator.fact(event, rng, {})
        lines = [line.rstrip(".。") for line in passage.text.split("\n")]
        (found,) = language.facts.statements(kind, lines)
        assert found.real == event.real, passage.text
        assert found.words["A"], names


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.file)
def test_no_trade_of_one_who_is_asked_about_is_in_other_phrases(language: Language) -> None:
    path = ROOT / "scoring/generators/novel" / f"{language.file}.toml"
    phrases = str(tomllib.loads(path.read_text(encoding="utf-8"))["phrases"])
    for trade in language.words["trades"]:
        assert not re.search(rf"\b{trade}\b" if trade.isascii() else trade, phrases), trade


def test_both_languages_have_as_many_words_of_each_table() -> None:
    for table in ("goods", "places", "things", "secrets", "petitions", "nights", "calamities"):
        assert ENGLISH.sizes[table] == CHINESE.sizes[table]
