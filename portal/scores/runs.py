"""How predictions were made, as far as it is known, in a line."""

from typing import NamedTuple

from django.utils.translation import gettext as _

from portal.models import Submission


class Run(NamedTuple):
    """What belongs to every score, as its author has told it."""

    prompt_strategy: str = ""
    truncation: str = Submission.Truncation.UNKNOWN
    input_limit: int | None = None  # tokens
    output_limit: int | None = None

    def __str__(self) -> str:
        """In the reader's language; empty where nothing is known."""
        truncation = Submission.Truncation(self.truncation)
        parts = [
            self.prompt_strategy,
            "" if truncation == Submission.Truncation.UNKNOWN else str(truncation.label),
            _tokens(_("input up to %(tokens)s tokens"), self.input_limit),
            _tokens(_("output up to %(tokens)s tokens"), self.output_limit),
        ]
        return "; ".join(part for part in parts if part)


def run_of(submission: Submission) -> Run:
    return Run(*(getattr(submission, name) for name in Run._fields))


def _tokens(sentence: str, tokens: int | None) -> str:
    return sentence % {"tokens": f"{tokens:,}"} if tokens else ""
