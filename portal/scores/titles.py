"""The names of the scoring core's terms on pages, and the settings of a submission in one line."""

from typing import NamedTuple

from django.utils.html import format_html
from django.utils.safestring import SafeString

from portal.models import Submission
from scoring.alignment import Method
from scoring.sandbox.run import Level

DOMAIN_TITLES: dict[str, str] = {
    "retrieval": "Retrieval",
    "code": "Code",
    "math": "Math",
    "novel": "Novel",
    "dialogue": "Dialogue",
}
ALIGNMENT_TITLES: dict[Method, str] = {"id": "by id", "order": "by order"}
SANDBOX_TITLES: dict[str, str] = {  # empty: evaluated before levels were stored
    "": "·",
    Level.STRONG: "strong",
    Level.LOCKDOWN: "lockdown",
    Level.NONE: "none",
}


class MetricSetTitle(NamedTuple):
    name: str  # in addresses, exports and reports
    title: str
    meaning: str

    @property
    def tooltip(self) -> str:
        return f"{self.name}: {self.meaning}"


METRIC_SET_TITLES: dict[str, MetricSetTitle] = {
    one.name: one
    for one in (
        MetricSetTitle(
            "official-2024-06",
            "Paper (v1)",
            "The official scoring code at revision 88b3daa, as in the paper and its README.",
        ),
        MetricSetTitle(
            "official-2024-09",
            "Official (v2)",
            (
                "The official scoring code at revision 51d9b37, its newest. Papers rarely say "
                "which of the two they used."
            ),
        ),
        MetricSetTitle(
            "strict",
            "Strict",
            (
                "Extracts one answer per example by fixed, published rules; listing candidates "
                "does not help."
            ),
        ),
    )
}


def breakable(title: str) -> SafeString:
    """The title of a task, with a possible line break for narrow columns."""
    return format_html("{}{}<wbr>{}", *title.partition("."))


class SettingsLine(NamedTuple):
    """The settings that belong to every score, as the author stated them."""

    prompt_strategy: str = ""
    truncation: str = Submission.Truncation.UNKNOWN
    input_limit: int | None = None  # tokens
    output_limit: int | None = None

    def __str__(self) -> str:
        """In the reader's language; empty if nothing is known."""
        parts = [self.prompt_strategy]
        if self.truncation != Submission.Truncation.UNKNOWN:
            parts.append(str(Submission.Truncation(self.truncation).label))
        if self.input_limit:
            parts.append(f"input up to {self.input_limit:,} tokens")
        if self.output_limit:
            parts.append(f"output up to {self.output_limit:,} tokens")
        return "; ".join(part for part in parts if part)

    def cut_of(self, tokens: int) -> tuple[int, int] | None:
        """The tokens [start, end) that a run with these settings has left out of a context of
        ``tokens``; approximate, since its model counts differently. None: nothing, or not known."""
        limit = self.input_limit
        if limit is None or limit >= tokens:
            return None
        start = limit // 2
        spans: dict[str, tuple[int, int]] = {
            Submission.Truncation.MIDDLE: (start, tokens - (limit - start)),
            Submission.Truncation.END: (limit, tokens),
            Submission.Truncation.START: (0, tokens - limit),
        }
        return spans.get(self.truncation)


def settings_line(submission: Submission) -> SettingsLine:
    return SettingsLine(
        submission.prompt_strategy,
        submission.truncation,
        submission.input_limit,
        submission.output_limit,
    )
