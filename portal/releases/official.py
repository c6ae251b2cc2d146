"""Import releases that others made: find the evidence in their contexts, and report how the data
differ from ∞Bench's."""

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from django.db.models import Avg

from portal.errors import ReleaseError
from portal.models import Example, Release
from portal.releases.importer import check_texts, import_release
from scoring.catalog import TASKS
from scoring.releases.check import TaskCheck, differences_of_lengths, differences_of_tasks
from scoring.releases.facets import facets_file
from scoring.releases.gold import read_release, release_files
from scoring.releases.manifest import check_manifest
from scoring.releases.official import Difference

# A smaller seed of a hidden release could be found by trying seeds until the public questions come
# out: 2**32 of them take hours.
_MIN_HIDDEN_SEED = 2**64
_OTHER_LABELS = "labels_other"  # of scoring.releases.official.DIFFERENCES

log = logging.getLogger(__name__)


class CheckedRelease(NamedTuple):
    release: Release
    differences: list[Difference]  # from the official data, if it is imported as official

    @property
    def tasks_with_other_labels(self) -> list[str]:
        """Titles of the tasks whose labels are not known as ∞Bench's."""
        return [TASKS[one.task].title for one in self.differences if one.code == _OTHER_LABELS]


def import_checked_release(
    directory: Path,
    *,
    slug: str,
    title: str,
    description: str = "",
    hidden: bool = False,
    official: bool = False,
    other_labels: bool = False,
    report: Callable[[str], None] = log.info,
) -> CheckedRelease:
    """Import the release in a directory, with facets where it has none; nothing is written there.

    Differences do not stop an import. But scores against labels other than the benchmark's cannot
    be compared with those in papers: the release is then not official, unless ``other_labels`` says
    that the benchmark itself has new ones. Raises as ``import_release`` does; nothing is stored
    then.
    """
    most = Release._meta.get_field("description").max_length
    if most and len(description) > most:
        raise ReleaseError(
            f"The description has {len(description)} characters, but at most {most} fit next to "
            "the source of the data. Write a shorter --description."
        )
    draft = Release(
        slug=slug,
        title=title,
        description=description,
    )
    check_texts(draft)
    if hidden:
        _check_seed(directory / "release.json")
    files = release_files(directory)
    check_manifest(directory)
    if not official:
        files = {task: file for task, file in files.items() if not facets_file(file).is_file()}
    checks = _check_files(files, report)
    differences = [*differences_of_tasks(checks)]
    for check in checks.values():
        differences += check.differences()
    known_labels = all(one.code != _OTHER_LABELS for one in differences)
    release = import_release(
        directory,
        slug=slug,
        title=title,
        description=description,
        hidden=hidden,
        official=official and (known_labels or other_labels),
        facets={task: check.facets() for task, check in checks.items()},
        report=report,
    )
    differences += differences_of_lengths(_average_tokens(release))
    return CheckedRelease(release, differences if official else [])


def _check_files(files: Mapping[str, Path], report: Callable[[str], None]) -> dict[str, TaskCheck]:
    checks = {}
    for task, file in files.items():
        report(f"checking {file.name}")
        checks[task] = TaskCheck(task)
        for row in read_release(task, file):
            checks[task].check_row(row)
    return checks


def report_differences(differences: list[Difference], report: Callable[[str], None]) -> None:
    report(f"Differences from the official data: {len(differences) or 'none'}")
    for difference in differences:
        report(f"- {difference}")


def warn_of_other_labels(checked: CheckedRelease, warn: Callable[[str], None]) -> None:
    """Warn if labels that should be the official ones are not."""
    tasks = ", ".join(checked.tasks_with_other_labels)
    if not tasks:
        return
    consequence = (
        "It is official all the same: its leaderboard shows reported and re-scored entries."
        if checked.release.official
        else "So this release is NOT official, and its leaderboard shows no reported or re-scored "
        "entries. If ∞Bench itself has corrected its labels, import it again with --official "
        "--other-labels."
    )
    warn(f"The labels of {tasks} are neither those on the Hub nor the paper's. {consequence}")


def _check_seed(manifest: Path) -> None:
    """Raises ``ReleaseError`` where the seed of a generated release could be found by trying."""
    try:
        about = json.loads(manifest.read_bytes())
    except (OSError, ValueError):
        return  # not generated by this project
    seed = about.get("seed") if isinstance(about, dict) else None
    if isinstance(seed, int) and abs(seed) < _MIN_HIDDEN_SEED:
        raise ReleaseError(
            "This release was generated from a seed so small that it can be found by trying, "
            "and then knows the answers: it cannot be hidden. Generate another one without "
            "--seed, which draws a seed that cannot be guessed."
        )


def _average_tokens(release: Release) -> dict[str, float]:
    """By task."""
    counted = Example.objects.filter(data_set__releases=release, tokens__isnull=False)
    averages = counted.values_list("data_set__task").annotate(Avg("tokens")).order_by()
    return {task: float(average) for task, average in averages}
