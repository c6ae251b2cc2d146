"""The judgement of one prediction under one metric set, with its reason.

A reason is a code with parameters, so that a page can say it in any language; the sentences here
are the English ones.
"""

from dataclasses import dataclass, field

Parameters = dict[str, str | int | float]

REASONS: dict[str, str] = {
    "match": "“{extracted}” is the answer.",
    "mismatch": "“{extracted}” is not the answer.",
    "nothing_found": "Nothing in the prediction could be read as {wanted}.",
    "label_unusable": "The label of this example cannot be used by this rule: {why}",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """``score`` is from 0 to 1; ``extracted`` is what was read as the model's answer, if anything."""

    score: float
    extracted: str | None
    code: str
    params: Parameters = field(default_factory=dict)

    @property
    def reason(self) -> str:
        """One English sentence that says why the score is what it is."""
        return REASONS[self.code].format(extracted=shortened(self.extracted), **self.params)


def shortened(text: str | None, limit: int = 80) -> str:
    """The text on one line, with its middle left out beyond ``limit`` characters."""
    line = " ".join((text or "").split())
    if len(line) <= limit:
        return line
    half = (limit - 1) // 2
    return f"{line[:half]}…{line[-half:]}"
