"""The section “Where it fails” on the page of an entry."""

from collections.abc import Mapping
from functools import partial
from hashlib import sha256

import orjson
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from leaderboard.cache import Texts, cached_region
from leaderboard.charts.breakdowns import answers_of, figures_of
from leaderboard.example_links import list_address, releases_with_questions
from leaderboard.pages.entries.entry import EntryDetails
from portal.kept_regions import FOREVER, kept_region
from portal.models import Evaluation
from portal.scores.titles import METRIC_SET_TITLES
from portal.web.throttle import count_expensive
from scoring.breakdowns.answers import TaskAnswers
from scoring.metrics import PAPER_SET


def breakdown_section(
    request: HttpRequest, details: EntryDetails, evaluation: Evaluation, metric_set: str
) -> SafeString:
    """Kept as long as its inputs stay the same, whatever else changes on the boards: permutation
    tests take longer than pages may."""
    entry, release = details.entry, evaluation.submission.release
    window = entry.model.context_window

    def section() -> SafeString:
        answers = answers_of(evaluation, metric_set)
        slugs = releases_with_questions(evaluation)

        def render() -> Texts:
            count_expensive(request)
            figures = figures_of(answers, window, entry.run)
            rule = "" if metric_set == PAPER_SET else metric_set
            parameters = (("entry", entry.id), ("set", rule))
            linked = [
                one.with_links(partial(list_address, slugs[one.task.id], one.task.id, *parameters))
                if one.task.id in slugs
                else one
                for one in figures.tasks
            ]
            context = {
                "entry": entry,
                "release": release,
                "figures": figures._replace(tasks=linked),
                "metric_set": METRIC_SET_TITLES[metric_set],
                "metric_sets": list(METRIC_SET_TITLES.values()),
            }
            return {"html": render_to_string("charts/_breakdowns.html", context)}

        about = (entry.id, release.slug, release.generator, metric_set, window, entry.run, slugs)
        name = f"breakdowns/{about!r}/{_digest(answers)}"
        return mark_safe(kept_region(name, FOREVER, render)["html"])  # noqa: S308 - rendered above

    return cached_region(f"breakdowns/{evaluation.pk}/{entry.id}/{metric_set}/{window}", section)


def _digest(answers: Mapping[str, TaskAnswers]) -> str:
    """Of everything that the figures depend on."""
    data = [
        (task, one.scores, one.facets, one.tokens, one.texts, one.control)
        for task, one in answers.items()
    ]
    blank = [(sorted(one.missing), sorted(one.empty)) for one in answers.values()]
    return sha256(orjson.dumps([data, blank], default=tuple)).hexdigest()
