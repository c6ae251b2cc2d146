"""Addresses of examples, for pages whose numbers are computed from them.

The parameters of lists are those of ``leaderboard.examples.example_filter``.
"""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

from django.urls import reverse

from leaderboard.cache import cached_region
from portal.models import Evaluation, Example, Release, Submission
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import By
from scoring.text.amounts import short_amount

Parameter = tuple[str, str]


def list_address(release: str, task: str, *parameters: Parameter) -> str:
    """Parameters with an empty value are left out."""
    address = reverse("examples", args=[release, task])
    query = query_string(parameters)
    return f"{address}?{query}" if query else address


def example_address(
    release: str, task: str, key: str, *, entries: Sequence[str] = (), list_query: str = ""
) -> str:
    """``entries`` are those whose answers are opened, ``list_query`` is the query string of the
    list that the reader comes from."""
    query = query_string([*(("entry", entry) for entry in entries), ("list", list_query)])
    address = f"{reverse('examples', args=[release, task])}{quote(key, safe='')}/"
    return f"{address}?{query}" if query else address


def query_string(parameters: Sequence[Parameter]) -> str:
    """Without empty values; commas between entries stay as they are."""
    return urlencode([(name, value) for name, value in parameters if value], safe=",")


def bin_parameters(one: Bin, by: By) -> Sequence[Parameter]:
    """For the list of the examples in a bin of a breakdown."""
    match by:
        case By.KIND:
            return [("kind", one.label)]
        case By.HOPS:
            return [("hops", one.label)]
        case By.DEPTH:
            return _depths(one.start or 0, one.end or 0)
        case _:
            start, end = print_tokens(one.start or 0), print_tokens(one.end or 0)
            lengths = [("tokens_from", start), ("tokens_to", end)]
            return [*lengths, *(_depths(*one.depths) if one.depths else ())]


def print_tokens(limit: float) -> str:
    """``128K``, or all digits."""
    return short_amount(round(limit)).replace(",", "")


def _depths(start: float, end: float) -> list[Parameter]:
    return [("depth_from", f"{start:.6g}" if start else ""), ("depth_to", f"{end:.6g}")]


def releases_with_questions(evaluation: Evaluation) -> dict[str, str]:
    """By task, the slug of the release whose pages show the entry's answers: its own; for a
    historical entry, whose release has no pages, the first official one with the same questions."""
    submission = evaluation.submission
    data_sets = _data_sets(evaluation)
    if submission.origin != Submission.Origin.HISTORICAL:
        return dict.fromkeys(data_sets, submission.release.slug)
    numbered = Example.objects.filter(question_number__isnull=False)
    shared = set(
        numbered.filter(data_set__in=data_sets.values())
        .order_by()
        .values_list("data_set__task", flat=True)
        .distinct()
    )
    official = Release.objects.with_boards().filter(official=True, hidden=False)
    found: dict[str, str] = {}
    for task, slug in official.order_by("title", "slug").values_list("data_sets__task", "slug"):
        same = numbered.filter(data_set__releases__slug=slug, data_set__task=task)
        if task in shared and task not in found and same.exists():
            found[task] = slug
    return found


def pages_with_keys(evaluation: Evaluation) -> dict[str, str]:
    """By task, the address of the list of its examples, under the keys that the entry was scored
    with; without tasks whose data are in no release with public labels."""
    data_sets = _data_sets(evaluation)
    slugs = cached_region("releases-of-data-sets", _public_releases)
    return {
        task: list_address(slugs[data_set], task)
        for task, data_set in data_sets.items()
        if data_set in slugs
    }


def _public_releases() -> dict[int, str]:
    """By primary key of each data set with public labels, the slug of a release that has it."""
    public = Release.objects.public().filter(hidden=False, data_sets__isnull=False)
    slugs: dict[int, str] = {}
    for data_set, slug in public.order_by("part_of", "slug").values_list("data_sets", "slug"):
        slugs.setdefault(data_set, slug)
    return slugs


def _data_sets(evaluation: Evaluation) -> dict[str, int]:
    """By task, the primary key of the data set that it was scored with."""
    return {score.task: score.data_set_id for score in evaluation.task_scores.all()}
