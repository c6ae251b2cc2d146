"""Scores as the Hub shows them on a model card, ``.eval_results/*.yaml``, and the ``eval.yaml`` of
a release, which defines the leaderboards that they belong to.

Both formats are those of the Hub's documentation (“Evaluation Results”, read in November 2026). All
releases of the site are in one dataset there (``HUB_BENCHMARK``), so ids of tasks begin with the
name of the release. Scores are in percent, under the metric set of the paper.
"""

from typing import Any

import yaml
from django.conf import settings
from django.db.models import OuterRef
from django.urls import reverse

from portal.models import Evaluation, Release, Submission
from portal.models.submission import NOT_STATED
from portal.scores.attempts import scored_attempts
from portal.scores.scores import Score, mean_of, scores_by_set
from scoring.catalog import BOARD_ORDER, OVERALL
from scoring.metrics import PAPER_SET

# In the Hub's list of frameworks, to which it adds one when a dataset becomes a benchmark.
_FRAMEWORK = "infinitebench"
_SOURCE = "∞Bench leaderboard"
_NO_FOLDS = 10_000  # characters of a line: lines are not wrapped


def evaluation_for_card(entry_id: str) -> Evaluation | None:
    """The scores of an entry that is public with its name, on a release with public labels; None if
    there is no such entry."""
    found = Submission.objects.for_model_cards().at(entry_id)
    current = found.annotate(current=Evaluation.objects.current_of(OuterRef("pk")))
    related = ("submission__language_model", "submission__release")
    scored = Evaluation.objects.select_related(*related)
    return scored.filter(pk__in=current.values("current")).first()


def card_name(submission: Submission) -> str:
    """Of the file in the model's folder ``.eval_results``. Each entry has one of its own, as the
    Hub requires for scores with different settings."""
    return f"infinitebench-{submission.pk.hex[:8]}.yaml"


def entry_address(submission: Submission) -> str:
    return f"{settings.SITE_URL}{reverse('entry', args=[submission.entry_id])}"


def eval_results(evaluation: Evaluation) -> str:
    """``evaluation``: from ``evaluation_for_card``. The mean of all tasks comes first."""
    submission = evaluation.submission
    release = submission.release
    scores = scores_by_set(evaluation, exact=True)[PAPER_SET]
    of_release = set(release.data_sets.values_list("task", flat=True))
    found = {task: scores[task] for task in BOARD_ORDER if task in scores}
    if of_release == set(found) and (mean := mean_of(sorted(of_release), scores)):
        found = {OVERALL: mean, **found}
    assert evaluation.finished is not None  # noqa: S101 - a constraint of scored evaluations
    setup = _setup(submission)
    rows = [
        {
            "dataset": {"id": settings.HUB_BENCHMARK, "task_id": _task_id(release, task)},
            "value": round(score.percent, 2),
            "date": f"{evaluation.finished:%Y-%m-%dT%H:%M:%SZ}",
            "source": {"url": entry_address(submission), "name": _SOURCE},
            "notes": "; ".join([*setup, *_extent(score)]),
        }
        for task, score in found.items()
    ]
    return _yaml(rows)


def benchmark(release: Release) -> str:
    """The ``eval.yaml`` of a release. Each task of official data is a split of the dataset."""
    own = set(release.data_sets.values_list("task", flat=True))
    tasks = [
        {
            "id": _task_id(release, task),
            **({"config": "default", "split": task} if release.official else {}),
        }
        for task in BOARD_ORDER
        if task in own
    ]
    document = {
        "name": f"∞Bench: {release.title}",
        "description": release.description
        or "Long-context tasks from retrieval, code, mathematics, novels and dialogue.",
        "evaluation_framework": _FRAMEWORK,
        "tasks": [{"id": _task_id(release, OVERALL)}, *tasks],
    }
    return _yaml(document)


def _task_id(release: Release, task: str) -> str:
    return f"{release.slug}/{task}"


def _setup(submission: Submission) -> list[str]:
    """How the answers were made and scored, as far as stated."""
    stated = {
        "method": submission.method,
        "prompt": submission.prompt_strategy,
        "truncation": submission.truncation,
        "input limit": submission.input_limit,
        "output limit": submission.output_limit,
    }
    known = [f"{name}: {value}" for name, value in stated.items() if value not in NOT_STATED]
    attempts = scored_attempts([submission.pk]).get(submission.pk, 1)
    chosen = [f"one of {attempts} scored submissions"] if attempts > 1 else []
    return [f"metric set: {PAPER_SET}", *known, *chosen]


def _extent(score: Score) -> list[str]:
    """How many examples the score is based on, unless it is all of them."""
    if score.asked is not None:
        return [f"estimated from {score.asked} of {score.size} examples"]
    if score.answered is not None and score.answered != score.size:
        return [f"{score.answered} of {score.size} examples answered"]
    return []


def _yaml(document: Any) -> str:  # noqa: ANN401 - lists and dicts of plain values
    return yaml.dump(
        document, Dumper=yaml.SafeDumper, sort_keys=False, allow_unicode=True, width=_NO_FOLDS
    )
