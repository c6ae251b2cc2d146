"""The judgement of one prediction under one metric set, with its reason.

A reason is a code with parameters, stored with a score; its sentence is made when it is shown.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from scoring.problems import visible

Parameters = Mapping[str, str | int | float]

REASONS: dict[str, str] = {
    "match": "“{extracted}” is the answer.",
    "mismatch": "“{extracted}” is not the answer.",
    "nothing_found": "Nothing in the prediction could be read as {wanted}.",
    "label_unusable": "This rule cannot use the label of this example: {why}.",
    "label_in_list": "This revision compares the word with a list, so it never matches.",
    "word_found": "“{extracted}” is one of the words of the prediction.",
    "word_absent": "“{label}” is not one of the words of the prediction.",
    "name_found": "The prediction contains “{extracted}”.",
    "name_absent": "The prediction contains none of the names.",
    "last_word_no_integer": "The last word, “{extracted}”, is not a whole number.",
    "official_crash_no_integer": "The official code fails: “{extracted}” is not a whole number.",
    "official_crash_long_number": "The official code fails on numbers of more than {limit} digits.",
    # With counts, right for one as for many: sentences here have no plural forms.
    "prefix_broken": "Correct values from the first one on: {right} of {total}; then comes "
    "“{extracted}” instead of {wanted}.",
    "prefix_ended": "Correct values from the first one on: {right} of {total}; then the numbers "
    "end.",
    "starts_right": "The prediction starts with “{extracted}”, the right answer.",
    "cue_right": "Found “{extracted}” after “{cue}”, which starts with the right answer.",
    "cue_wrong": "Found “{extracted}” after “{cue}”, which does not start with the right answer.",
    "no_cue": "The prediction does not start with the right answer, and no phrase such as “answer "
    "is:” comes before one.",
    "first_character": "The first character, “{extracted}”, is taken as the answer.",
    "letter_on_line": "The last single letter of the first line that has one is “{extracted}”.",
    "first_letter_word": "The first word made of option letters is “{extracted}”.",
    "token_overlap": "Tokens in common: {common}, of {predicted} in the prediction and {wanted} in "
    "the label “{label}”.",
    "rouge_overlap": "Words of the reference that appear in order: {hits}, of {wanted} in the "
    "reference and {predicted} in the prediction.",
    # strict: how the one guess was found; start and end are its characters, end excluded
    "strict_boxed_right": "Found “{extracted}” in \\boxed (characters {start}–{end}): correct.",
    "strict_boxed_wrong": "Found “{extracted}” in \\boxed (characters {start}–{end}): wrong.",
    "strict_announced_right": "Found “{extracted}” after “{cue}” (characters {start}–{end}): "
    "correct.",
    "strict_announced_wrong": "Found “{extracted}” after “{cue}” (characters {start}–{end}): "
    "wrong.",
    "strict_leading_right": "Starts with “{extracted}” (characters {start}–{end}): correct.",
    "strict_leading_wrong": "Starts with “{extracted}” (characters {start}–{end}): wrong.",
    "strict_stated_right": "Says “{cue}” about “{extracted}” (characters {start}–{end}): correct.",
    "strict_stated_wrong": "Says “{cue}” about “{extracted}” (characters {start}–{end}): wrong.",
    "strict_only_right": "The only option named is “{extracted}” (characters {start}–{end}): "
    "correct.",
    "strict_only_wrong": "The only option named is “{extracted}” (characters {start}–{end}): "
    "wrong.",
    "strict_line_right": "The first line is “{extracted}” (characters {start}–{end}): correct.",
    "strict_line_wrong": "The first line is “{extracted}” (characters {start}–{end}): wrong.",
    "strict_first_right": "The first possible value is “{extracted}” (characters {start}–{end}): "
    "correct.",
    "strict_first_wrong": "The first possible value is “{extracted}” (characters {start}–{end}): "
    "wrong.",
    "strict_number_right": "The only number is “{extracted}” (characters {start}–{end}): correct.",
    "strict_number_wrong": "The only number is “{extracted}” (characters {start}–{end}): wrong.",
    "strict_last_right": "Ends with “{extracted}” (characters {start}–{end}): correct.",
    "strict_last_wrong": "Ends with “{extracted}” (characters {start}–{end}): wrong.",
}


class Verdict(NamedTuple):
    """``score`` is from 0 to 1; ``extracted`` is what was read as the model's answer, if anything.

    ``code`` is a key of ``REASONS``, ``params`` fill its sentence.
    """

    score: float
    extracted: str | None
    code: str
    params: Parameters = MappingProxyType({})

    @property
    def reason(self) -> str:
        """A sentence that explains the score; characters that nobody sees are visible in it."""
        extracted = visible(shortened(self.extracted))
        return REASONS[self.code].format(extracted=extracted, **self.params)


def moved(verdict: Verdict, by: int) -> Verdict:
    """The verdict on a part of a prediction, with offsets in the whole of it: ``by`` is where the
    part starts."""
    offsets = {name: verdict.params[name] for name in ("start", "end") if name in verdict.params}
    if not by or not offsets:
        return verdict
    return verdict._replace(
        params={**verdict.params, **{name: int(at) + by for name, at in offsets.items()}}
    )


def shortened(text: str | None, limit: int = 80) -> str:
    """The text on one line, with its middle left out beyond ``limit`` characters."""
    line = " ".join((text or "").split())
    if len(line) <= limit:
        return line
    half = (limit - 1) // 2
    return f"{line[:half]}…{line[-half:]}"
