"""The deviations on which samples are based: pooled over published entries, never 0."""

import math
from itertools import combinations
from statistics import fmean, variance

import pytest

from portal.endpoint_runs.deviations import difference_deviations, task_deviations
from portal.models import SubmissionState, User
from scoring.endpoint.subsets import DEVIATIONS, DIFFERENCES
from scoring.metrics import METRIC_SETS
from tests.support.factories import add_answers, published, release_of_all_tasks

pytestmark = pytest.mark.django_db

ENTRIES = ([1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 0.5])


def test_deviations_are_those_of_published_entries_with_two_more_for_the_released_models(
    alice: User,
) -> None:
    release = release_of_all_tasks()
    for place, scores in enumerate(ENTRIES):
        entry = published(alice, release, f"Model {place}", {"passkey": 50.0})
        add_answers(entry, {"passkey": dict.fromkeys(METRIC_SETS, scores)})
    private = published(alice, release, "Other", {"passkey": 50.0}, state=SubmissionState.PRIVATE)
    add_answers(private, {"passkey": dict.fromkeys(METRIC_SETS, (1.0, 1.0, 1.0, 0.0))})

    deviations, differences = task_deviations(release), difference_deviations(release)

    own = [variance(scores) for scores in ENTRIES]
    assert deviations["passkey"] == pytest.approx(
        math.sqrt(fmean([*own, *[DEVIATIONS["passkey"] ** 2] * 2]))
    )
    pairs = [
        variance([a - b for a, b in zip(one, other, strict=True)])
        for one, other in combinations(ENTRIES, 2)
    ]
    assert differences["passkey"] == pytest.approx(
        math.sqrt(fmean([*pairs, *[DIFFERENCES["passkey"] ** 2] * 2]))
    )
    others = [task for task in DEVIATIONS if task != "passkey"]
    assert all(deviations[task] == pytest.approx(DEVIATIONS[task]) for task in others)
    release.hidden = True
    assert task_deviations(release) == pytest.approx(DEVIATIONS)
