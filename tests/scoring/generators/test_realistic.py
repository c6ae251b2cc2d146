"""What the realistic tasks of a generated release share: format, labels, lengths."""

from pathlib import Path

import pytest

from scoring.catalog import TASKS
from scoring.generators.release import generate_release
from scoring.labels import release_label
from scoring.releases.gold import read_gold
from scoring.text.tokens import TokenCount
from tests.support.releases import REALISTIC, Row, about, rows

LENGTHS = (4_000, 9_000)
EXAMPLES = 6
CHOICES = ("longbook_choice_eng", "code_debug")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "release"
    generate_release(out, seed=7, tokens=LENGTHS, tasks=REALISTIC, examples=EXAMPLES)
    return out


@pytest.mark.parametrize("task", REALISTIC)
def test_rows_have_the_official_keys_and_four_options_or_none(release: Path, task: str) -> None:
    found = [row.example for row in rows(release, task)]
    assert {tuple(key for key in example if key != "answer_type") for example in found} == {
        ("id", "context", "input", "answer", "options")
    }
    assert [example["id"] for example in found] == list(range(len(LENGTHS) * EXAMPLES))
    for example in found:
        assert len(set(example["options"])) == len(example["options"])
        assert len(example["options"]) == (4 if task in CHOICES else 0)


@pytest.mark.parametrize("task", REALISTIC)
def test_answers_are_read_as_gold(release: Path, task: str) -> None:
    gold = read_gold(release)[task].examples
    for row, example in zip(rows(release, task), gold, strict=True):
        answer = row.example["answer"]
        assert isinstance(answer, list)
        assert all(isinstance(item, str) for item in answer)
        label = release_label(TASKS[task], answer, tuple(row.example["options"]))
        assert example.label == label


@pytest.mark.parametrize("task", REALISTIC)
def test_a_ladder_asks_the_same_question_at_every_length(release: Path, task: str) -> None:
    by_question: dict[int, list[Row]] = {}
    for row in rows(release, task):
        by_question.setdefault(row.facets["ladder"], []).append(row)
    for same in by_question.values():
        assert [row.facets["target_tokens"] for row in same] == list(LENGTHS)
        questions = {
            str([row.example[key] for key in ("input", "options", "answer")]) for row in same
        }
        assert len(questions) == 1


@pytest.mark.parametrize("task", REALISTIC)
def test_evidence_is_inside_the_context_and_depths_are_from_0_to_1(
    release: Path, task: str
) -> None:
    for row in rows(release, task):
        assert row.facets["evidence"] or task == "longbook_sum_eng"
        assert all(row.evidence)
        assert row.facets["depth"] is None or 0 <= row.facets["depth"] <= 1


@pytest.mark.parametrize("task", REALISTIC)
def test_tokens_are_within_5_percent(release: Path, task: str) -> None:
    for row in rows(release, task):
        length = TokenCount(row.tokens["tokens"], row.tokens["estimated"])
        assert length.value == about(row.facets["target_tokens"], 0.05, length)
