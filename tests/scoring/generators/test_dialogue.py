"""En.Dia: the masked speaker can be derived from the text, without ambiguity."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.generators.dialogue.phrases import CHATTER, NAMES
from scoring.generators.dialogue.task import HOPS, dialogue
from scoring.generators.draws import seeded
from scoring.generators.example import Example, ExampleSpec
from scoring.metrics import METRIC_SETS, score_example
from scoring.text.tokens import count_tokens
from tests.scoring.generators.plays import (
    MASK,
    SPEECH,
    VALUE,
    cast_of,
    facts_in,
    names_found,
    names_of,
    scenes,
    title_of,
)
from tests.support.releases import lines

LADDER = (4_000, 9_000, 40_000)


def context_of(example: Example) -> str:
    return "".join(example.context)


def spans(example: Example) -> list[str]:
    context = context_of(example)
    return [context[start:end] for start, end in example.evidence]


@settings(max_examples=150)
@given(
    seed=st.integers(), target=st.integers(4_000, 30_000), count=st.integers(1, 60), data=st.data()
)
def test_exactly_one_name_can_be_derived_from_the_text(
    seed: int, target: int, count: int, data: st.DataObject
) -> None:
    example = dialogue(ExampleSpec(seed, target, data.draw(st.integers(0, count - 1)), count))
    context = context_of(example)
    assert [*names_found(context, example.question)] == example.answer
    length = count_tokens(context) + count_tokens(example.question)
    assert length.value == pytest.approx(target, rel=0.2 if length.estimated else 0.05)


@settings(max_examples=50)
@given(seed=st.integers(), index=st.integers(0, 59))
def test_everyone_in_a_play_can_be_found_from_their_first_trait(seed: int, index: int) -> None:
    """Otherwise the masked speaker would be the only one with facts."""
    example = dialogue(ExampleSpec(seed, 5_000, index, 60))
    play = scenes(context_of(example), title_of(example.question))
    cast = cast_of(play)
    facts = [fact for scene in play for fact in facts_in(scene, cast) if fact.name != MASK]
    groups = {frozenset(names_of({value}, facts)) for fact in facts for value in fact.values}
    assert groups == {frozenset({name}) for name in cast}


@settings(max_examples=50)
@given(seed=st.integers(), index=st.integers(0, 59))
def test_the_name_occurs_only_in_other_scenes_of_the_play(seed: int, index: int) -> None:
    example = dialogue(ExampleSpec(seed, 20_000, index, 60))
    context, title = context_of(example), title_of(example.question)
    (name,) = example.answer if isinstance(example.answer, list) else []
    named = re.compile(rf"\b{name}\b", re.IGNORECASE)
    for scene in (part.splitlines() for part in context.split("\n\n") if part.strip()):
        text = "\n".join(scene)
        if not scene[0].startswith(f"{title}, Act "):
            assert not named.search(text)
        assert not (MASK in text and named.search(text))
        assert MASK not in text or f"{MASK}: " in text
    assert sum(MASK in scene for scene in context.split("\n\n")) == 1
    assert len(named.findall(context)) >= 3


@settings(max_examples=15)
@given(seed=st.integers(), index=st.integers(0, 59))
def test_other_plays_contain_no_facts_of_this_one(seed: int, index: int) -> None:
    example = dialogue(ExampleSpec(seed, 20_000, index, 60))
    context, title = context_of(example), title_of(example.question)
    asked = {value for scene in scenes(context, title) for value in VALUE.findall(str(scene))}
    others = [part for part in context.split("\n\n") if not part.startswith(f"{title}, Act ")]
    assert not asked & set(VALUE.findall("\n".join(others)))
    assert len(set(VALUE.findall("\n".join(others)))) > len(asked)  # but similar facts


@pytest.mark.parametrize("index", range(8))
def test_the_evidence_is_the_chain_in_order(index: int) -> None:
    example = dialogue(ExampleSpec(5, 8_000, index, 8))
    first, *facts = spans(example)
    assert example.hops == len(facts)
    assert example.hops in HOPS
    assert first.startswith(f"{MASK}: ")
    for before, after in pairwise([first, *facts]):
        assert set(VALUE.findall(before)) & set(VALUE.findall(after))
    assert re.search(rf"\b{example.answer[0]}\b", facts[-1], re.IGNORECASE)
    assert len(VALUE.findall(facts[-1])) == 1


@pytest.mark.parametrize("index", range(6))
def test_a_ladder_asks_of_the_same_play_at_every_length(index: int) -> None:
    made = [dialogue(ExampleSpec(3, tokens, index, 6)) for tokens in LADDER]
    plays = [scenes(context_of(one), title_of(one.question)) for one in made]
    assert plays[0] == plays[1] == plays[2]
    assert len({(one.question, str(one.answer), one.hops) for one in made}) == 1
    assert spans(made[0]) == spans(made[1]) == spans(made[2])


def test_depths_are_spread_evenly_from_start_to_end() -> None:
    made = [dialogue(ExampleSpec(3, 64_000, index, 5)) for index in range(5)]
    depths = [example.depth for example in made if example.depth is not None]
    assert sorted(depths) == pytest.approx([0, 0.25, 0.5, 0.75, 1], abs=0.01)
    for example, depth in zip(made, depths, strict=True):
        start = example.evidence[0][0] / len(context_of(example))
        assert start == pytest.approx(depth, abs=0.06)
        starts = [start / len(context_of(example)) for start, _ in example.evidence]
        assert max(starts) - min(starts) > 0.15


@pytest.mark.parametrize("name", METRIC_SETS)
def test_a_perfect_reader_scores_100_under_every_metric_set(name: str) -> None:
    for index in range(20):
        answer = dialogue(ExampleSpec(2, 4_000, index, 20)).answer
        assert isinstance(answer, list)
        assert score_example(name, "longdialogue_qa_eng", str(answer[0]), answer).score == 1


def test_answers_have_the_shape_of_the_released_labels(released: Path) -> None:
    real = [row["answer"] for row in lines(released / "gold" / "hf" / "longdialogue_qa_eng.jsonl")]
    made = dialogue(ExampleSpec(1, 4_000, 0, 1)).answer
    assert any(len(names) == 1 and names[0].isalpha() and names[0].isupper() for names in real)
    assert isinstance(made, list)
    assert [str(name).isalpha() and str(name).isupper() for name in made] == [True]


def test_no_name_is_part_of_another_or_of_what_people_say() -> None:
    assert len(set(NAMES)) == len(NAMES)
    assert [(a, b) for a in NAMES for b in NAMES if a != b and a in b] == []
    rng = seeded("words of the plays")
    words = {"friend": "", "other": "", "affair": "", "neighbour": ""}
    texts = (CHATTER.say(name, rng, words) for name in ("speech", "setting") * 2_000)
    said = {word.upper() for text in texts for word in re.findall(r"\w+", text)}
    assert len(said) > 500
    assert not said & set(NAMES)
    assert not said & {word.upper() for value in NAMES for word in value.split()}


def test_small_talk_never_contains_a_trait_by_chance() -> None:
    rng = seeded("talk of the plays")
    words = dict.fromkeys(("friend", "other", "affair", "neighbour"), "Igor")
    for name in ("speech", "setting", "business", "noise", "manner") * 2_000:
        assert not VALUE.search(CHATTER.say(name, rng, words))


def test_in_100_000_tokens_no_speech_comes_twice_and_hardly_a_sentence() -> None:
    context = context_of(dialogue(ExampleSpec(9, 100_000, 3, 7)))
    speeches = [found[2] for line in context.splitlines() if (found := SPEECH.fullmatch(line))]
    assert len(speeches) > 1_500
    assert len(set(speeches)) > 0.999 * len(speeches)
    sentences = [sentence.strip() for sentence in re.findall(r"[^.!?]+[.!?]", " ".join(speeches))]
    assert len(set(sentences)) > 0.95 * len(sentences)
    assert Counter(sentences).most_common(1)[0][1] < 10


def test_pieces_end_where_no_token_crosses() -> None:
    example = dialogue(ExampleSpec(9, 20_000, 3, 7))
    pieces = sum(count_tokens(piece).value for piece in example.context)
    assert pieces == count_tokens(context_of(example)).value
