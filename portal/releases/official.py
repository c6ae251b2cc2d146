"""Import data that others made: find their evidence, and say how they differ from ∞Bench's."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from django.db.models import Avg

from portal.errors import ReleaseError
from portal.models import Example, Release
from portal.releases.importer import check_texts, import_release
from portal.telling import Tell, silence
from scoring.catalog import TASKS
from scoring.releases.check import TaskCheck, differences_of_lengths, differences_of_tasks
from scoring.releases.facets import facets_file
from scoring.releases.gold import read_release, release_files
from scoring.releases.manifest import check_manifest
from scoring.releases.official import Difference

# Of a smaller one, the questions that are public tell by trying which it was: 2**32 in hours.
_LEAST_SEED = 2**64  # of a hidden release


_OTHER_LABELS = "labels_other"  # of scoring.releases.official.DIFFERENCES


class Checked(NamedTuple):
    release: Release
    differences: list[Difference]  # from the official data, if it is said to be of them

    @property
    def with_other_labels(self) -> list[str]:
        """Titles of the tasks whose labels are none that are known of ∞Bench."""
        return [TASKS[one.task].title for one in self.differences if one.code == _OTHER_LABELS]


def import_checked_release(
    directory: Path,
    *,
    slug: str,
    title: str,
    title_zh: str = "",
    description: str = "",
    description_zh: str = "",
    hidden: bool = False,
    official: bool = False,
    other_labels: bool = False,
    tell: Tell = silence,
) -> Checked:
    """Import the release in a directory, with facets where it has none; nothing is written there.

    Differences do not stop an import. But where labels are not the benchmark's, what papers report
    is no measure beside them: the release is then not official, unless ``other_labels`` says that
    the benchmark itself has new ones. Raises as ``import_release`` does; nothing is stored then.
    """
    _check_description(description)
    check_texts(
        Release(
            slug=slug,
            title=title,
            title_zh=title_zh,
            description=description,
            description_zh=description_zh,
        )
    )
    if hidden:
        _check_seed(directory / "release.json")
    files = release_files(directory)
    check_manifest(directory)
    checks = _checked(files, official, tell)
    known = all(one.code != _OTHER_LABELS for one in _differences_of_rows(checks))
    release = import_release(
        directory,
        slug=slug,
        title=title,
        title_zh=title_zh,
        description=description,
        description_zh=description_zh,
        hidden=hidden,
        official=official and (known or other_labels),
        facets={task: check.facets() for task, check in checks.items()},
        tell=tell,
    )
    return Checked(release, list(_differences(checks, release)) if official else [])


def tell_differences(differences: list[Difference], tell: Tell) -> None:
    tell(f"Differences from the official data: {len(differences) or 'none'}")
    for difference in differences:
        tell(f"- {difference}")


def warn_of_labels(checked: Checked, tell: Tell) -> None:
    """Where some are not those that were asked for as official ones."""
    tasks = ", ".join(checked.with_other_labels)
    if not tasks:
        return
    told = (
        "It is official all the same: reported and historical rows stand on its board."
        if checked.release.official
        else "So this release is NOT official, and no reported or historical rows stand on its "
        "board. If ∞Bench itself has corrected its labels, import it once more with --official "
        "--other-labels."
    )
    tell(f"The labels of {tasks} are neither those on the Hub nor the paper's. {told}")


def _check_description(description: str) -> None:
    most = Release._meta.get_field("description").max_length
    if most and len(description) > most:
        raise ReleaseError(
            f"The description has {len(description)} characters, and {most} have room, with where "
            "the data come from. Write a shorter --description."
        )


def _check_seed(manifest: Path) -> None:
    """Raises ``ReleaseError`` where the seed it was generated from can be found out by trying."""
    try:
        told = json.loads(manifest.read_bytes())
    except (OSError, ValueError):
        return  # it is not one of ours
    seed = told.get("seed") if isinstance(told, dict) else None
    if isinstance(seed, int) and abs(seed) < _LEAST_SEED:
        raise ReleaseError(
            "This release was generated from a seed so small that anybody can find it by trying, "
            "and then has its answers: it cannot be hidden. Generate another one without --seed, "
            "which draws a seed that nobody can guess."
        )


def _checked(files: Mapping[str, Path], official: bool, tell: Tell) -> dict[str, TaskCheck]:
    """What was seen in the rows of each task of which there is something to find out."""
    checks = {}
    for task, file in files.items():
        if official or not facets_file(file).is_file():
            tell(f"looking through {file.name}")
            checks[task] = check = TaskCheck(task)
            for row in read_release(task, file):
                check.look(row)
    return checks


def _differences(checks: Mapping[str, TaskCheck], release: Release) -> Iterator[Difference]:
    yield from differences_of_tasks(checks)
    yield from _differences_of_rows(checks)
    yield from differences_of_lengths(_average_tokens(release))


def _differences_of_rows(checks: Mapping[str, TaskCheck]) -> Iterator[Difference]:
    for check in checks.values():
        yield from check.differences()


def _average_tokens(release: Release) -> dict[str, float]:
    counted = Example.objects.filter(data_set__releases=release, tokens__isnull=False)
    averages = counted.values_list("data_set__task").annotate(Avg("tokens")).order_by()
    return {task: float(average) for task, average in averages}
