"""An operator's novels: people are found and renamed, our facts are told about them, and nothing
that conflicts with these facts is left."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiktoken import Encoding

from scoring.baseline import read
from scoring.generators.example import DEFAULT_DIALS, Example, ExampleSpec, Recipe
from scoring.generators.haystack import recipes_of
from scoring.generators.haystack.code import code_debug_from
from scoring.generators.haystack.names import characters
from scoring.generators.haystack.novels import Texts, novel_from, renaming
from scoring.generators.haystack.plays import dialogue_from
from scoring.generators.haystack.prose import may_be_a_fact, paragraphs
from scoring.generators.haystack.texts import HaystackError, Text, haystack_of, read_texts
from scoring.generators.novel.english import ENGLISH
from scoring.generators.novel.questions import AGGREGATE, KINDS, answer
from scoring.generators.novel.world import CORE
from scoring.generators.release import GenerateError, generate_release
from scoring.metrics import score_example
from scoring.releases.facets import evidence_text
from scoring.text.prompts import prompt_of
from scoring.text.tokens import count_tokens
from tests.scoring.generators.chronicle import Chronicle
from tests.scoring.generators.made_up_novels import CAST, OTHERS, novel
from tests.scoring.generators.test_haystack import play

TASKS = ("longbook_qa_eng", "longbook_choice_eng")
LENGTHS = (8_000, 24_000)
COUNT = 8


def text_of(example: Example) -> str:
    return "".join(example.context)


def supplied(folder: Path, *given: str) -> dict[str, Recipe]:
    return recipes_of(haystack_of(given or [f"novels={folder}"], "mine"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("novels")
    (folder / "one.txt").write_text(novel(1, chapters=14), encoding="utf-8")
    (folder / "other.txt").write_text(novel(2, OTHERS, chapters=14), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def made(folder: Path) -> dict[tuple[str, int], list[Example]]:
    recipes = supplied(folder)
    return {
        (task, tokens): [
            recipes[task].make(ExampleSpec(21, tokens, at, COUNT)) for at in range(COUNT)
        ]
        for task in TASKS
        for tokens in LENGTHS
    }


Made = dict[tuple[str, int], list[Example]]


def score(task: str, example: Example, context: str) -> float:
    said = read(prompt_of(task, context, example.question, example.options).text)
    return score_example("strict", task, said, example.answer, options=example.options).score


# People


def lines_of(text: str) -> list[str]:
    return [one.text for one in paragraphs(Text("x.txt", text, 1))]


def test_people_are_found_with_their_families_and_sexes() -> None:
    found = {(one.given, one.family, one.female) for one in characters(lines_of(novel(1)), CORE)}
    assert found == set(CAST)


def test_a_short_form_is_the_same_person_and_a_mans_wife_another() -> None:
    said = "“Dear Lizzy,” said {}, and she laughed. Then {} spoke, and she had her way. "
    text = said.format("Mrs. Moore", "Elizabeth") + "At last Mr. Moore spoke, and he sat down. "
    found = characters([text.replace("Then", "Yet Lizzy smiled at her sister; then")] * 9, CORE)
    assert {(one.given, one.family, one.female) for one in found} == {
        ("Elizabeth", "", True), ("", "Moore", True), ("", "Moore", False),
    }  # fmt: skip
    assert any(one.words == {"Elizabeth", "Lizzy"} for one in found)


@pytest.mark.parametrize("word", ["London", "French", "Sunday", "Will", "Thames"])
def test_words_with_a_capital_that_are_no_names_of_people_stay(word: str) -> None:
    lines = [
        f"He had been in {word} that year, as I will say, and it will rain near {word} again.",
        f"The {word} was known to all of them, and what will come of the {word} is not known.",
    ]
    assert word not in {one.given or one.family for one in characters(lines * 20, CORE)}


def test_no_name_of_the_novel_is_left_anywhere(made: Made) -> None:
    for examples in made.values():
        for example in examples:
            text = text_of(example)
            cast = [cast for cast in (CAST, OTHERS) if not _has_names(text, cast)]
            assert cast, "both novels keep their names"


def _has_names(text: str, cast: tuple[tuple[str, str, bool], ...]) -> bool:
    names = {name for given, family, _ in cast for name in (given, family)}
    # “Finch” and “Jasper” may be among our own names.
    names -= {*ENGLISH.names["families"], *ENGLISH.names["men"], *ENGLISH.names["women"]}
    return bool(re.search(rf"\b(?:{'|'.join(names)})(?:s|es)?\b", text, re.IGNORECASE))


def test_every_name_stands_for_one_name_and_families_stay_together(folder: Path) -> None:
    texts = Texts((str(folder / "one.txt"),), ())
    for number in range(4):
        world = novel_from(("english", "qa"), 5, number, 9_000, DEFAULT_DIALS, texts=texts).story
        people = characters(lines_of((folder / "one.txt").read_text()), CORE)
        names = renaming(people, world.draw.world)
        assert len({names[one.given] for one in people}) == len(people)
        families = {one.family for one in people}
        assert len({names[family] for family in families}) == len(families)
        assert names["BEXLEYS"] == names["Bexleys"].upper()
        assert not {*names.values()} & {"Jasper", "Finch"}
        assert {one.female for one in world.draw.world.people[: len(people)]} == {True, False}


# Answers


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("tokens", LENGTHS)
def test_the_reader_is_right_about_all_of_the_text_and_about_the_evidence(
    made: Made, task: str, tokens: int
) -> None:
    for example in made[task, tokens]:
        text = text_of(example)
        assert score(task, example, text) == 1, example.question
        assert score(task, example, evidence_text(text, example.evidence)) == 1, example.question
        assert score(task, example, "") < 1 or task == "longbook_choice_eng"


def test_answers_follow_from_the_events_one_by_one(folder: Path) -> None:
    texts = Texts((str(folder),), ())
    for number in range(6):
        one = novel_from(("english", "qa"), 8, number, 12_000, DEFAULT_DIALS, texts=texts)
        chronicle = Chronicle(one.book.events)
        assert not chronicle.contradictions
        for thread in one.story.threads:
            found = chronicle.answer(thread.question)
            assert found == [answer(thread.question, one.book.events).value]


def test_evidence_is_whole_sentences_of_ours(made: Made, real_encoding: Encoding | None) -> None:
    tolerance = 0.07 if real_encoding else 0.1  # estimates of paragraphs do not add up
    for (_, tokens), examples in made.items():
        for example in examples:
            text = text_of(example)
            assert count_tokens(text).value == pytest.approx(tokens, rel=tolerance)
            for start, end in example.evidence:
                assert text[start - 1] == "\n" == text[end]
                assert text[start:end] == text[start:end].strip()
            kind = example.kind
            assert kind in KINDS
            assert (example.depth is None) == (kind in AGGREGATE)


def test_a_longer_text_has_the_same_question_and_the_same_facts(made: Made) -> None:
    for task in TASKS:
        for short, long in zip(made[task, 8_000], made[task, 24_000], strict=True):
            assert (short.question, short.answer) == (long.question, long.answer)
            assert (short.kind, short.options, short.hops) == (long.kind, long.options, long.hops)
            facts = [
                sorted(text_of(one)[start:end] for start, end in one.evidence)
                for one in (short, long)
            ]
            assert facts[0] == facts[1]


# What is left out


CONFLICTS = (
    "Agnes Bexley took the road that ends at the lighthouse.",
    "Edward had bought a horse from Mr. Stokes, and it cost him forty pounds.",
    "Agnes brought out the silver compass as Matilda came in.",
    "The people counted the years from the night of the comet.",
    "Rachel asked the taxidermist for a light, and the cartographer and the locksmith laughed.",
    "Some said that the mayor had sold the common, and some that he had not.",
    "Edward stood before the petition for the new bridge and thought of Rachel.",
    "He signed, in a large hand.",
)


def test_sentences_that_read_like_facts_are_left_out(folder: Path, tmp_path: Path) -> None:
    text = (folder / "one.txt").read_text()
    planted = text.replace("CHAPTER", "\n\n".join([*CONFLICTS, "CHAPTER"]))
    (tmp_path / "planted.txt").write_text(planted)
    tails = (
        "it cost him forty pounds",
        "The people counted",
        "the cartographer and the locksmith",
        "had sold the common, and some",
        "petition for the new bridge and thought",
    )
    recipes = supplied(tmp_path)
    for index in range(0, 8, 4):
        example = recipes["longbook_qa_eng"].make(ExampleSpec(4, 14_000, index, 8))
        shown = text_of(example)
        for tail in tails:
            assert tail not in shown
        assert score("longbook_qa_eng", example, shown) == 1


@pytest.mark.parametrize("sentence", [*CONFLICTS[1:4], *CONFLICTS[5:]])
def test_what_may_be_a_fact_is_known(sentence: str) -> None:
    assert may_be_a_fact(sentence)
    assert not may_be_a_fact("“I am not at all tired,” said Agnes, though she had walked far.")


def test_two_between_whom_something_is_asked_are_in_no_paragraph_together(folder: Path) -> None:
    texts = Texts((str(folder / "one.txt"),), ())
    made = novel_from(("english", "qa"), 3, 0, 16_000, DEFAULT_DIALS, texts=texts)
    told = {line for start, end in made.book.spans
            for line in "".join(made.book.pieces)[start:end].split("\n")}  # fmt: skip
    prose = [line for line in "".join(made.book.pieces).split("\n") if line not in told]
    people = characters(lines_of((folder / "one.txt").read_text()), CORE)
    names = [made.narrator.name(person).split() for person in range(len(people))]
    pairs = {
        (event.who, event.whom)
        for thread in made.story.threads
        for event in thread.events
        if event.kind in ("gave", "told", "met") and max(event.who, event.whom) < len(people)
    }
    assert pairs
    for who, whom in pairs:
        for line in prose:
            assert not {names[who][0], names[whom][0]} <= set(re.findall(r"\w+", line))


# Texts of all sorts


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_has_paragraphs_of_one_line_or_none(text: str) -> None:
    for one in paragraphs(Text("x.txt", text, 1)):
        assert one.text.isprintable()
        assert one.text == " ".join(one.text.split(" "))
    characters(lines_of(text), CORE)


def test_byte_order_marks_and_line_ends_change_nothing(folder: Path, tmp_path: Path) -> None:
    text = (folder / "one.txt").read_text(encoding="utf-8")
    (tmp_path / "one.txt").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    (plain,) = read_texts((str(folder / "one.txt"),), ".txt")
    (marked,) = read_texts((str(tmp_path / "one.txt"),), ".txt")
    assert plain == marked


def test_the_frame_of_project_gutenberg_is_left_out() -> None:
    text = "Of a publisher.\n\n*** START OF IT ***\n\nIt rained.\n\n*** END OF IT ***\nIt ends."
    assert lines_of(text) == ["It rained."]


@pytest.mark.parametrize(
    "content",
    [
        b"word",
        b"",
        b"\xff\xfe\x00broken",
        b"A line. \x01\x02 With control signs.\n\n" * 50,
        ("从前有座山，山里有座庙。\n\n" * 400).encode(),
        b"Aa " * 400_000,
        b"x" * 3_000_000,
        b'"' * 500_000 + b".",
        b"_" * 500_000,
        b"\n " * 500_000,
        b"Mr. " * 300_000,
        b"A a. " * 300_000,
    ],
)
def test_texts_that_are_no_novel_are_refused_in_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "novel.txt").write_bytes(content)
    with pytest.raises(HaystackError, match=r"\.$"):
        supplied(tmp_path)["longbook_qa_eng"].make(ExampleSpec(1, 8_000, 0, 4))


# Releases


@pytest.fixture
def generate(tmp_path: Path) -> Callable[..., Path]:
    def made(name: str, *given: str, **changed: object) -> Path:
        arguments: dict[str, object] = {"tasks": TASKS, "examples": 4, "tokens": [8_000]}
        haystack = haystack_of(given, "As the author allows")
        generate_release(tmp_path / name, seed=9, haystack=haystack, **arguments | changed)  # type: ignore[arg-type]
        return tmp_path / name

    return made


def test_the_same_texts_and_seed_give_the_same_bytes_wherever_they_are(
    folder: Path, tmp_path: Path, generate: Callable[..., Path]
) -> None:
    copy = tmp_path / "elsewhere" / folder.name
    copy.mkdir(parents=True)
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    one, other = generate("one", f"novels={folder}"), generate("other", f"novels={copy}")
    for file in sorted(one.rglob("*")):
        if file.is_file():
            assert file.read_bytes() == (other / file.relative_to(one)).read_bytes(), file
    assert str(folder) not in (one / "release.json").read_text()


def test_too_short_novels_write_nothing_and_distractors_help(
    folder: Path, tmp_path: Path, generate: Callable[..., Path]
) -> None:
    with pytest.raises(GenerateError, match="too short"):
        generate("short", f"novels={folder / 'one.txt'}", tokens=[90_000])
    assert not (tmp_path / "short").exists()
    text = novel(5, OTHERS, chapters=90)
    (tmp_path / "more.txt").write_text(text.replace("Gresley", "Bexley"))
    given = (f"novels={folder / 'one.txt'}", f"distractors={tmp_path / 'more.txt'}")
    out = generate("long", *given, tokens=[90_000])
    row = json.loads((out / "longbook_qa_eng.jsonl").read_text().partition("\n")[0])
    assert "Sowerby" in row["context"]
    assert "Bexley" not in row["context"]  # a paragraph that names one of the novel's people
    assert set(json.loads((out / "release.json").read_text())["haystack"]["texts"]) == {
        "novels", "distractors",
    }  # fmt: skip


def test_distractors_pad_plays_and_packages_without_their_names(tmp_path: Path) -> None:
    (tmp_path / "plays").mkdir()
    for end in "AEIOUBCDFGHK":
        names = " ".join(f"{word}{end}" for word in ("ROS", "TED", "LEN", "MIR", "VIK"))
        (tmp_path / "plays" / f"{end}.txt").write_text(play(f"Play {end}", names))
    text = novel(6, chapters=60)
    for name, end in zip(("Agnes", "Rachel", "Edward"), "aei", strict=True):
        text = text.replace(name, f"Ros{end}")
    (tmp_path / "more.txt").write_text(text)
    paths, more = (str(tmp_path / "plays"),), (str(tmp_path / "more.txt"),)
    spec = ExampleSpec(2, 40_000, 0, 4)
    with pytest.raises(HaystackError, match="too short"):
        dialogue_from(paths, spec)
    example = dialogue_from(paths, spec, distractors=more)
    assert count_tokens(text_of(example)).value == pytest.approx(40_000, rel=0.1)
    prose = [line for line in text_of(example).split("\n") if "Lucinda" in line]
    assert prose
    assert isinstance(example.answer, list)
    own = f"Ros{str(example.answer[0])[-1].lower()}"
    assert not any(own in line for line in prose)
    code = haystack_of(["code=kombu"], "BSD").of_kind("code")
    spec = ExampleSpec(2, 1_000_000, 0, 4)
    with pytest.raises(HaystackError, match="too short"):
        code_debug_from(code, spec)
    (tmp_path / "more.txt").write_text(novel(6, chapters=700))
    read_texts.cache_clear()
    example = code_debug_from(code, spec, distractors=more)
    assert "# File: texts/0_more.txt\n" in text_of(example)
    named = [one.rpartition(".")[2] for one in example.options]
    listing = text_of(example).partition("# File: texts/0_more.txt\n")[2].partition("# File")[0]
    assert not re.search(rf"\b(?:{'|'.join(named)})\b", listing)


@pytest.mark.parametrize("given", [["distractors=/"], ["novels"], ["novels=/no/such/place"]])
def test_novels_that_are_not_there_are_refused(given: list[str]) -> None:
    with pytest.raises(HaystackError):
        haystack_of(given, "mine")


def test_questions_without_an_answer_are_asked_of_novels_too(folder: Path) -> None:
    recipe = supplied(folder)["longbook_qa_eng"]
    assert recipe.silence
    made = recipe.make(ExampleSpec(21, 8_000, 0, 4))
    for index in range(4):
        example = recipe.silence(ExampleSpec(21, 8_000, index, 4))
        assert text_of(example) == text_of(made)
        assert example.kind == "unanswerable"
        assert example.answer == [ENGLISH.questions["none"]]
        assert score("longbook_qa_eng", example, text_of(example)) == 0  # the reader guesses
