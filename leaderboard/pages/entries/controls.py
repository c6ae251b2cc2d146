"""The controls of an entry, and the entry that a control belongs to."""

from typing import NamedTuple

from leaderboard.entries import Entry
from leaderboard.pages.entries.entry import EntryDetails, ScoreRow, submission_details
from leaderboard.queries import has_controls, public_submissions
from portal.scores.controls import Control, control_of, submissions_of, title_of

_MOST = 50  # entries that are looked at, newest first
_KINDS = (None, *Control)
_WHOLE = "With the texts"


class Related(NamedTuple):
    entry: Entry
    row: ScoreRow  # its overall mean under every metric set

    @property
    def title(self) -> str:
        return title_of(self.entry.control) if self.entry.control else _WHOLE


def related_entries(details: EntryDetails) -> list[Related]:
    """Of the same model and method on the same release, the newest of each kind: for an entry its
    controls, for a control the entry itself and the other control."""
    submission = details.submission
    if submission is None or not has_controls(submission):
        return []
    same = public_submissions().filter(
        language_model=submission.language_model,
        method=submission.method,
        release=submission.release,
    )
    if details.entry.control is None:
        same = same.filter(submissions_of(*Control))
    newest: dict[Control | None, object] = {}
    columns = ("pk", "run_strategy", "prompt_strategy")
    for pk, strategy, stated in same.order_by("-created", "pk").values_list(*columns)[:_MOST]:
        newest.setdefault(control_of(strategy, stated), pk)
    newest.pop(details.entry.control, None)
    if not newest:
        return []
    found = submission_details(public_submissions().filter(pk__in=newest.values()))
    related = [Related(one.entry, one.sheet.overall) for one in found]
    return sorted(related, key=lambda one: _KINDS.index(one.entry.control))
