"""Runs by this site that have not asked everything: their scores are estimates from what was asked.

What a run has asked is a random sample of its questions by texts (``scoring.endpoint.order``). So
what it has not asked, or what has failed by our fault, is left out of its scores: where nobody was
asked, no answer is not a wrong one. Files that leave questions out are another matter: there the
official rules count them 0.
"""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from portal.models import RunQuestion, Submission
from portal.scores.runs import WHOLE
from scoring.intervals import Design


def is_sample(submission: Submission) -> bool:
    return submission.pk in samples_among([submission])


def samples_among(submissions: Collection[Submission]) -> set[UUID]:
    """One query."""
    known = {one.pk for one in submissions}
    whole = Submission.objects.filter(WHOLE, pk__in=known).order_by()
    return known - set(whole.values_list("pk", flat=True))


def places_asked(submission: Submission) -> Mapping[str, list[int]] | None:
    """By task, which questions of its data set count, ascending; None: all, whether or not they
    have an answer."""
    if not is_sample(submission):
        return None
    counted = RunQuestion.objects.counted().filter(run__submission=submission)
    found: dict[str, list[int]] = {}
    rows = counted.order_by("task", "example__index").values_list("task", "example__index")
    for task, place in rows:
        found.setdefault(task, []).append(place)
    return found


def part_of_design(design: Design, places: Sequence[int]) -> Design:
    """Of these questions only."""
    return Design(
        texts=design.texts and [design.texts[place] for place in places],
        strata=design.strata and [design.strata[place] for place in places],
    )
