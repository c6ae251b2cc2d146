"""Figures, and the released files that they were made from, in one database."""

import json
from pathlib import Path

import pytest

from portal.entries.figures import import_figures
from portal.entries.historical import import_historical
from portal.entries.released import LABEL_VERSIONS, RELEASED_FILES
from portal.models import Example, Release, Submission, TaskScore
from portal.releases.official import import_checked_release

pytestmark = pytest.mark.django_db(transaction=True)


def entry(model: str) -> Submission:
    return Submission.objects.get(language_model__name=model)


def test_the_released_files_replace_the_figures(real_data: Path) -> None:
    import_figures()
    figure = entry("Claude 2")
    before = {
        (one.task, one.metric_set): (one.mean, one.low, one.high, one.covariances)
        for one in TaskScore.objects.filter(evaluation__submission=figure)
    }
    for slug, texts in LABEL_VERSIONS.items():
        folder = real_data / "gold" / slug
        import_checked_release(folder, slug=slug, official=True, **texts._asdict())
    assert Release.objects.get(slug="infinitebench").accepts_submissions
    assert not Example.objects.filter(
        data_set__releases__official=True, label__has_key="hash"
    ).exists()
    claude = import_historical(real_data / "results" / "claude2", RELEASED_FILES["claude2"])
    assert claude.pk == figure.pk
    evaluation = claude.evaluations.get()
    assert not evaluation.figures_only
    assert claude.files.count() == 1
    after = {
        (one.task, one.metric_set): (one.mean, one.low, one.high, one.covariances)
        for one in evaluation.task_scores.all()
    }
    assert after == before
    assert not evaluation.example_results.filter(prediction=None).exists()


def test_figures_are_added_to_released_files_that_are_here(real_data: Path) -> None:
    """Their labels are then known, where they are the same."""
    folder = real_data / "gold" / "hf"
    hf = LABEL_VERSIONS["hf"]
    import_checked_release(folder, slug="hf", official=True, **hf._asdict())
    import_figures()
    kimi = entry("Kimi-Chat").release.data_sets.get(task="passkey")
    assert not kimi.figures_only
    assert kimi.examples.get(index=0).label == hf_label(folder)


def hf_label(folder: Path) -> str:
    line = (folder / "passkey.jsonl").read_text(encoding="utf-8").splitlines()[0]
    return str(json.loads(line)["answer"][0])
