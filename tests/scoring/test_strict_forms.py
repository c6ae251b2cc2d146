"""Plainly right answers, and plain denials, that an attack on ``strict`` found misread."""

import pytest

from scoring.labels import Label
from scoring.metrics import strict
from scoring.metrics.rule import Question

TEXT = "the old ferryman"
FUNCTION = ("Reader.convert", "B")
ACE = ("ACE", "ACE ROTHSTEIN")
KEY, VALUE = "aaaaaaaa-1111-4222-8333-bbbbbbbbbbbb", "0ca1ea6d-d4c5-4f1b-9ef5-b8ee585ba083"
LONG = "She looks at the river and thinks about all that was said. " * 12


def _score(task: str, prediction: str, label: Label) -> float:
    return strict.RULES[task](prediction, label, Question()).score


THINKING = ("<think>{}</think>\n\n", "◁think▷{}◁/think▷\n", "[THINK]{}[/THINK]", "{}</thinking>")
AFTER = [
    *(("longbook_choice_eng", (TEXT, "B"), x) for x in ("B", "**B**", "Option B", f"B. {TEXT}")),
    *(("code_debug", FUNCTION, x) for x in ("B", "**B**", "Option B", "convert", "`convert`")),
    *(("longdialogue_qa_eng", ACE, x) for x in ("Ace", "ACE", "**Ace**", "It is Ace.")),
    *(("code_run", -4, x) for x in ("-4", "**-4**", "The answer is -4.")),
    ("kv_retrieval", VALUE, VALUE),
]


@pytest.mark.parametrize("thinking", THINKING)
@pytest.mark.parametrize(("task", "label", "answer"), AFTER)
def test_an_answer_after_long_thinking_is_read_as_if_it_stood_alone(
    task: str, label: Label, answer: str, thinking: str
) -> None:
    prediction = thinking.format("It could be A, C or 7, or Nicky. " + LONG) + answer
    verdict = strict.RULES[task](prediction, label, Question())
    assert verdict.score == 1
    assert int(verdict.params["start"]) >= len(prediction) - len(answer)


@pytest.mark.parametrize(("task", "label", "answer"), AFTER)
def test_white_space_at_the_start_does_not_count(task: str, label: Label, answer: str) -> None:
    assert _score(task, "\n" * 9 + " " * 500 + answer, label) == 1
