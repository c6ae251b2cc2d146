"""Where the answer begins in a prediction that also holds the model's reasoning.

The marks are those that the reasoning parsers of vLLM and SGLang accept, and the usual choices for
lm-evaluation-harness' ``think_end_token``: a pair of tags, of which the chat template may already
have written the first into the prompt; the channels of gpt-oss, with and without its special
tokens; and Granite's, which are in words.
"""

import re
from typing import NamedTuple


class Answer(NamedTuple):
    """The part of a prediction that is its answer."""

    text: str  # empty: the prediction ends inside the reasoning
    start: int  # its offset in the prediction, in characters


_TAG = r"(?:seed:|mm:)?(?:think|thinking|thought|reasoning|reason)"
_MARKS = re.compile(
    rf"(?P<open><{_TAG}>|\[think\]|◁think▷|<\|(?:start_thinking|inner_prefix|begin_of_thought)\|>|"
    r"[<\[]unused16[>\]]|<\|channel>|<\|channel\|>(?!final\b)[a-z]+[^<\n]{0,80}<\|message\|>)|"
    rf"(?P<close></{_TAG}>|\[/think\]|◁/think▷|<\|(?:end_thinking|inner_suffix|end_of_thought)\|>|"
    r"[<\[]unused17[>\]]|<channel\|>|<\|channel\|>final[^<\n]{0,80}(?:<\|constrain\|>\w{1,20})?"
    r"<\|message\|>|assistantfinal)",
    re.IGNORECASE,
)
# What every mark contains, for a quick look at the many predictions without one.
_HINTS = (
    "hink", "HINK", "hought", "HOUGHT", "eason", "EASON", "channel", "inner_", "INNER_", "unused1",
    "assistantfinal",
)  # fmt: skip
_GRANITE = re.compile(r"\s{0,20}Here(?:'s| is) my thought process:")
_GRANITE_ANSWER = re.compile(r"Here(?:'s| is) my response:")
# Around the answer itself.
_BEFORE = re.compile(
    r"(?:\s|<answer>|<response>|<\|START_RESPONSE\|>|<\|begin_of_solution\|>)+", re.IGNORECASE
)
_AFTER = (
    "</answer>", "</response>", "<|END_RESPONSE|>", "<|end_of_solution|>", "<|return|>", "<|end|>",
)  # fmt: skip


def answer_part(prediction: str) -> Answer | None:
    """The answer after the reasoning, or None if the prediction has no reasoning in it.

    The answer is what follows the last block. If nothing follows, it is what stands before that
    block; nothing does if the prediction begins with it, as when the output limit ended the
    reasoning. White space and tags around the answer are left out. Takes linear time.
    """
    nothing = Answer("", len(prediction))
    if granite := _GRANITE.match(prediction):
        lead_in = _GRANITE_ANSWER.search(prediction, granite.end())
        begin = lead_in.end() if lead_in else len(prediction)
        return _trimmed(prediction, begin, len(prediction)) or nothing
    if not any(hint in prediction for hint in _HINTS):
        return None
    marks = list(_MARKS.finditer(prediction))
    if not marks:
        return None
    end = len(prediction)
    while marks:
        mark = marks.pop()
        if mark["close"]:
            if answer := _trimmed(prediction, mark.end(), end):
                return answer
            while marks and marks[-1]["close"]:
                marks.pop()
            if not marks:  # the prompt had opened the block
                return nothing
            mark = marks.pop()
        end = mark.start()
    return _trimmed(prediction, 0, end) or nothing


def _trimmed(prediction: str, begin: int, end: int) -> Answer | None:
    """What is between two offsets, without what only surrounds it; None if that is nothing."""
    if around := _BEFORE.match(prediction, begin, end):
        begin = around.end()
    while True:
        while end > begin and prediction[end - 1].isspace():
            end -= 1
        tag = next((tag for tag in _AFTER if prediction.endswith(tag, begin, end)), None)
        if tag is None:
            break
        end -= len(tag)
    return Answer(prediction[begin:end], begin) if end > begin else None
