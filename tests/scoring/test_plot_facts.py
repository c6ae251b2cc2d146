"""En.Sum by facts: a summary in other words counts, that of another book does not."""

import json
from itertools import pairwise

import pytest

from scoring.generators import RECIPES
from scoring.generators.example import Example, ExampleSpec
from scoring.plot_facts import PlotFact, facts_document, read_facts, score_facts, stems

OWN = (
    "Ysolt Greaves is a castaway whom Alderman Zouch pulls out of the sea. She and Olwen are "
    "robbed of a guitar and some money, and Sergeant Gossage brings them back. Mabyn's "
    "papers are in a toboggan, as nobody but Ysolt and Nurse Lavender knows. Roderick Judson's "
    "love letter turns up in a sledge, and Countess Vane reads it out to everybody. Mabyn forgets "
    "herself and takes Ysolt for Sister Bodkin. Olwen discovers in a harmonium what Squire Pluck "
    "has helped to steal from Ysolt. The two friends fight about a doll's cot until Bailiff Dandy "
    "shuts them in. Godfrey Ridley pays Corporal Crane to spy on Ysolt. Before Judge Pym she asks "
    "Godfrey about a cradle, and he is lost. In the end Ysolt takes Roderick, who sits on a "
    "mandolin, and Captain Sprott starts the mill."
)


def made(index: int) -> Example:
    return RECIPES["longbook_sum_eng"].make(ExampleSpec(77, 4_000, index, 20))


def reference(example: Example) -> str:
    assert isinstance(example.answer, list)
    return str(example.answer[0])


def test_the_reference_tells_all_and_nothing_else() -> None:
    for index in range(10):
        example = made(index)
        found = score_facts(reference(example), example.facts)
        assert (found.recall, found.precision, found.score) == (1, 1, 1)


def test_the_summary_of_another_book_tells_next_to_nothing() -> None:
    books = [made(index) for index in range(20)]
    pairs = pairwise(books)
    scores = [score_facts(reference(other), book.facts).score for book, other in pairs]
    assert sum(scores) / len(scores) < 0.06


def test_a_summary_in_other_words_tells_nearly_all() -> None:
    assert score_facts(OWN, made(0).facts).score > 0.8


def test_what_is_made_up_costs_precision_only() -> None:
    plain = score_facts(OWN, made(0).facts)
    longer = score_facts(f"{OWN} A dragon then devoured the whole town at once." * 2, made(0).facts)
    assert longer.recall == plain.recall
    assert longer.precision < plain.precision


FACTS = (
    PlotFact((("Ann Venn", "Ann"),), stems("lamp"), stems("married gladly")),
    PlotFact((("Ben Marsh", "Ben"),), stems("kettle"), stems("drowned slowly")),
)


@pytest.mark.parametrize(
    ("summary", "recall", "precision"),
    [("Ann bought a lamp.", 0.5, 1), ("Cy bought a lamp.", 0, 0), ("Ann married gladly.", 0.5, 0),
     ("Ann was there. She had a lamp.", 0.5, 1), ("Ann, once more, married.", 0, 0), ("", 0, 0),
     ("Ann had a lamp and Ben a kettle.", 1, 1), ("Annie had a fine lamp.", 0, 0)],
)  # fmt: skip
def test_a_fact_is_told_by_a_person_and_a_detail(
    summary: str, recall: float, precision: float
) -> None:
    found = score_facts(summary, FACTS)
    assert (found.recall, found.precision) == (recall, precision)


def test_facts_are_read_as_they_were_written() -> None:
    assert read_facts(json.loads(json.dumps(facts_document(FACTS)))) == FACTS


@pytest.mark.parametrize("document", [[{}], [3], [{"people": 1, "details": [], "deeds": []}]])
def test_another_form_is_refused(document: list[object]) -> None:
    with pytest.raises(ValueError, match="facts"):
        read_facts(document)  # type: ignore[arg-type]
