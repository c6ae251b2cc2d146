"""Where the answer begins after a model's reasoning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.reasoning import answer_part

# Prediction → its answer.
ANSWERS = {
    "<think>It is 7, no, 42.</think>\n\n42": "42",
    "The template opened it.</think>42": "42",
    "<think>a</think>7<think>b</think> 42": "42",
    "<Think>a</Think>42": "42",
    "<thinking>a</thinking>42": "42",
    "<thought>a</thought>42": "42",
    "<reasoning>a</reasoning>\n42": "42",
    "a</reasoning>42": "42",
    "<seed:think>a</seed:think>42": "42",
    "a</mm:think>42": "42",
    "[THINK]a[/THINK]42": "42",
    "a[/THINK]42": "42",
    "◁think▷a◁/think▷42": "42",
    "<|START_THINKING|>a<|END_THINKING|><|START_RESPONSE|>42<|END_RESPONSE|>": "42",
    "<|inner_prefix|>a<|inner_suffix|>42": "42",
    "[unused16]a[unused17]42": "42",
    "<|channel>thought\na<channel|>42": "42",
    "<think>a</think><answer>\n42\n</answer>": "42",
    "<think>a</think>\n<response>42</response>": "42",
    "<|begin_of_thought|>a<|end_of_thought|><|begin_of_solution|>42<|end_of_solution|>": "42",
    "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>42": "42",
    "<|channel|>analysis<|message|>a<|end|><|channel|>final<|message|>42<|return|>": "42",
    "<|channel|>final <|constrain|>JSON<|message|>42": "42",
    "analysisWe need the key.assistantfinal42": "42",
    "Here is my thought process:\na\nHere is my response:\n42": "42",
    "Here's my thought process: a Here's my response: 42": "42",
    # Blocks after the answer
    "42\n<think>Is it?</think>": "42",
    "42 <think>Let me check": "42",
    "<think>a</think>42<think>b": "42",
    "<think>a</think>42<think>b</think>": "42",
    # Unfinished, or nothing follows
    "<think>It could be 42": "",
    "  <think>It could be 42": "",
    "<think>a</think>": "",
    "a</think> \n": "",
    "[THINK]42": "",
    "<|channel|>analysis<|message|>It could be 42": "",
    "Here is my thought process: 42": "",
    "<think>a<think>b</think>": "",
}
WITHOUT = (
    "", "42", "I think it is 42.", "The channel is 42", "a < b and [THINK", "He thought: 42",
    "Here is my response: 42", "the assistant's final answer is 42", "<answer>42</answer>",
)  # fmt: skip


@pytest.mark.parametrize(("prediction", "answer"), ANSWERS.items())
def test_the_answer_is_what_follows_the_reasoning(prediction: str, answer: str) -> None:
    found = answer_part(prediction)
    assert found is not None
    assert found.text == answer
    assert prediction[found.start :].startswith(answer)


@pytest.mark.parametrize("prediction", WITHOUT)
def test_a_prediction_without_reasoning_is_left_alone(prediction: str) -> None:
    assert answer_part(prediction) is None


PIECES = ["<think>", "</think>", "[THINK]", "a", " ", "</answer>", "<|channel|>final<|message|>"]


@given(st.lists(st.sampled_from(PIECES)).map("".join))
def test_an_answer_is_a_part_of_its_prediction(prediction: str) -> None:
    found = answer_part(prediction)
    assert (found is None) == (not {"hink", "THINK", "channel"} & set(_hints(prediction)))
    if found:
        assert prediction[found.start : found.start + len(found.text)] == found.text
        assert found.text == found.text.strip()


def _hints(prediction: str) -> list[str]:
    return [hint for hint in ("hink", "THINK", "channel") if hint in prediction]
