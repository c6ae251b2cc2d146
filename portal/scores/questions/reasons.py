"""Why a verdict is what it is, in the reader's language."""

from scoring.metrics import REASONS, Verdict
from scoring.metrics.verdict import shortened
from scoring.problems import visible

# Phrases of the scorer inside its sentences. They are listed, so that no word of a label or a
# prediction is taken for one.
_PHRASES = {
    "wanted": frozenset({
        "digits",
        "a word",
        "a number",
        "a whole number",
        "an option",
        "a name",
        "a UUID",
    }),
    "why": frozenset({"it is empty"}),
}  # fmt: skip


def reason_text(verdict: Verdict) -> str:
    params = {
        name: str(value) if value in _PHRASES.get(name, ()) else value
        for name, value in verdict.params.items()
    }
    extracted = visible(shortened(verdict.extracted))
    return REASONS[verdict.code].format(extracted=extracted, **params)
