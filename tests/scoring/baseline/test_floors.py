"""Floors: constants, searches and rules of thumb are found where they work, and are bounded."""

import json
from pathlib import Path

import pytest

from scoring.baseline.floors import measure_floors, task_floors
from scoring.generators.release import generate_release
from scoring.releases.facets import evidence_text
from scoring.releases.floors import FLOORS, TaskFloors, read_floors, write_floors
from scoring.text import rules_of_thumb as rules
from scoring.text.excerpts import bm25, bm25_scores, grep, words_of


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    tasks = ["passkey", "longdialogue_qa_eng", "code_debug"]
    generate_release(out, seed=31337, tokens=[4_000], tasks=tasks, examples=60)
    return out


def test_what_decides_is_enough_for_the_reader_and_nothing_is_not(release: Path) -> None:
    for task in ("passkey", "longdialogue_qa_eng", "code_debug"):
        found = task_floors(release, task, most=60)
        assert found.questions == 60
        assert found.floors["evidence_only"] >= 95
        assert found.floors["no_context"] <= (40 if task == "code_debug" else 15)
        assert found.above == {}


def test_floors_are_read_as_they_were_written(release: Path) -> None:
    found = measure_floors(release, ["passkey"], most=5)
    write_floors(release, found)
    assert read_floors(release) == {"passkey": found[0]}
    assert read_floors(release / "facets") == {}


@pytest.mark.parametrize("text", ["[]", "{", '{"passkey": 1}', '{"passkey": {"questions": "x"}}'])
def test_floors_of_another_form_are_none(tmp_path: Path, text: str) -> None:
    (tmp_path / FLOORS).write_text(text)
    assert read_floors(tmp_path) == {}


def test_a_floor_is_too_high_where_chance_cannot_be_the_reason() -> None:
    def above(percent: float, questions: int) -> dict[str, float]:
        return TaskFloors("longbook_qa_eng", questions, {"grep": percent}, {}).above

    assert above(90, 40) == {"grep": 50}
    assert above(55, 40) == {}  # within two standard errors
    assert above(55, 4_000) == {"grep": 50}
    assert TaskFloors("passkey", 40, {"constant": 90.0}, {}).above == {}  # this floor has no bound


def test_the_constant_answer_to_every_question_is_a_floor(tmp_path: Path) -> None:
    (tmp_path / "facets").mkdir()
    answers = ["at the house", "at the mill", "at the house", "in the town"]
    texts = [
        json.dumps({"id": one, "context": "x", "input": "?", "answer": [text]})
        for one, text in enumerate(answers)
    ]
    (tmp_path / "longbook_qa_eng.jsonl").write_text("\n".join(texts))
    facets = "\n".join(json.dumps({"id": one}) for one in range(len(answers)))
    (tmp_path / "facets" / "longbook_qa_eng.jsonl").write_text(facets)
    found = task_floors(tmp_path, "longbook_qa_eng")
    assert found.floors["constant"] > 60
    assert "constant" in found.above


TEXT = "Ann sold a horse to Ben. It rained. Ann met Ben at the mill. Cid sold a horse. Ben slept."


def test_grep_keeps_sentences_with_two_words_of_the_question() -> None:
    found = grep(TEXT, "To whom did Ann sell a horse?")
    assert found == "Ann sold a horse to Ben."


def test_bm25_ranks_rare_words_above_common_ones_and_keeps_the_order() -> None:
    documents = [words_of(one) for one in ("horse ann", "horse", "horse", "mill", "")]
    scores = bm25_scores(documents, {"horse", "ann"})
    assert scores[0] > scores[1] == scores[2] > scores[3] == scores[4] == 0
    assert bm25(TEXT, "Did Ben sleep at the mill?").splitlines() == [
        "Ann sold a horse to Ben.",
        "Ann met Ben at the mill.",
        "Ben slept.",
    ]


def test_chinese_is_searched_by_pairs_of_characters() -> None:
    assert words_of("他买了马") == ["他买", "买了", "了马"]


def test_evidence_is_joined_in_the_order_of_the_text() -> None:
    assert evidence_text("abcdef", [(4, 6), (0, 2)]) == "ab\n…\nef"


def test_the_hub_of_numbers_is_the_middle_and_of_texts_what_the_others_share() -> None:
    hub = rules.OPTION_RULES["hub"]
    assert hub("", "", ["10 crowns", "17 crowns", "14 crowns", "90 crowns"])[:2] in ("B.", "C.")
    assert hub("", "", ["a red coat", "a red hat", "a blue hat", "a green scarf"])[:2] == "B."


PLAY = """ROSE: One.
$$MASK$$: Two.
ROSE: Three.
$$MASK$$: Four.
TED: Five.
ANN: Six.
"""


def test_turns_two_away_and_frequent_names_are_tried() -> None:
    assert rules.TURN_RULES["two turns after"](PLAY, "", ()) == "ANN"
    assert rules.TURN_RULES["nearest frequent"](PLAY, "", ()) == "ANN"


def test_the_look_of_code_is_that_of_the_functions_named() -> None:
    code = "def f(a):\n    return (a\n\n\ndef g(a):\n    return a + 1\n"
    open_brackets = rules.TEXT_RULES["open brackets"]
    assert open_brackets(code, "", ["g", "f"]) == "B. f"
    assert rules.TEXT_RULES["longest function"](code, "", ["g", "missing"]) == "A. g"
