"""Read the page of a language model: all of its entries."""

from typing import NamedTuple

from leaderboard.names import MARKS, MarkTitle
from leaderboard.pages.entry import EntryDetails, reported_details, submission_details
from leaderboard.queries import public_submissions
from portal.models import LanguageModel


class ModelEntry(NamedTuple):
    details: EntryDetails
    mark: MarkTitle
    scored: int  # number of tasks
    tasks: int  # of its board


def public_model(slug: str) -> tuple[LanguageModel, list[ModelEntry]] | None:
    """A language model and its entries; None if none is public.

    The newest first, and after them the reported ones.
    """
    model = LanguageModel.objects.filter(slug=slug).first()
    if model is None:
        return None
    with_scores = model.reported_entries.select_related("language_model").prefetch_related("scores")
    found = [
        *submission_details(public_submissions().filter(language_model=model)),
        *map(reported_details, with_scores.order_by("-created", "-pk")),
    ]
    entries = []
    for details in found:
        tasks = details.sheet.overall.column.tasks
        scored = details.entry.count_scored(tasks)
        entries.append(ModelEntry(details, MARKS[details.entry.mark], scored, len(tasks)))
    return (model, entries) if entries else None
