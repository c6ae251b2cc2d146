"""Why a verdict is what it is, in the reader's language."""

from django.utils.translation import gettext, gettext_noop

from scoring.metrics import REASONS, Verdict
from scoring.metrics.verdict import shortened
from scoring.problems import visible

# Phrases of the scorer inside its sentences. They are listed, so that no word of a label or a
# prediction is taken for one.
_PHRASES = {
    "wanted": frozenset({
        gettext_noop("digits"),
        gettext_noop("a word"),
        gettext_noop("a number"),
        gettext_noop("a whole number"),
        gettext_noop("an option"),
        gettext_noop("a name"),
        gettext_noop("a UUID"),
    }),
    "why": frozenset({gettext_noop("it is empty")}),
}  # fmt: skip


def reason_text(verdict: Verdict) -> str:
    params = {
        name: gettext(str(value)) if value in _PHRASES.get(name, ()) else value
        for name, value in verdict.params.items()
    }
    extracted = visible(shortened(verdict.extracted))
    return gettext(REASONS[verdict.code]).format(extracted=extracted, **params)
