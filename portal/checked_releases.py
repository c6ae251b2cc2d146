"""Import data that others made: find their evidence first, and say how they differ from ∞Bench's.

What is found goes as ``facets/`` beside links to the files, so that the import reads one kind of
release only, and nothing is written where the data lie.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import orjson
from django.conf import settings
from django.db.models import Avg

from portal.faulty_releases import ReleaseError
from portal.models import Example, Release
from portal.releases import check_names, import_release
from scoring.catalog import TASKS
from scoring.gold import GoldError, read_release, release_files
from scoring.official import Difference
from scoring.release_check import TaskCheck, differences_of_lengths, differences_of_tasks

_PREFIX = "release-"  # of folders in CACHE_DIR, each of one import
_YOUNG = 60  # seconds; whoever has just made a folder may not have locked it yet
_BESIDE = ("facets", "tokens")  # folders of what is known of the examples

Tell = Callable[[str], None]


class Checked(NamedTuple):
    release: Release
    differences: list[Difference]  # from the official data, if it is said to be of them


def files_of(directory: Path) -> dict[str, Path]:
    """The files of a release in a directory, by their names in it. Raises ``GoldError``."""
    files = {file.name: file for file in release_files(directory).values()}
    beside = (f"{folder}/{name}" for folder in _BESIDE for name in files)
    return files | {name: directory / name for name in beside if (directory / name).is_file()}


def import_checked_release(
    files: Mapping[str, Path],
    *,
    slug: str,
    title: str,
    description: str = "",
    hidden: bool = False,
    official: bool = False,
    tell: Tell = lambda _: None,
) -> Checked:
    """Import the files of a release, by their names in it, with facets where it has none.

    Differences do not stop an import. Raises as ``import_release`` does; nothing is stored then.
    """
    _check_description(description)
    check_names(slug, title, description)
    with _folder() as place:
        checks = _prepared(files, place, official, tell)
        try:
            release = import_release(
                place,
                slug=slug,
                title=title,
                description=description,
                hidden=hidden,
                official=official,
                tell=tell,
            )
        except (GoldError, ReleaseError) as error:
            raise type(error)(str(error).replace(f"{place}/", "")) from error
    return Checked(release, list(_differences(checks, release)) if official else [])


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder that is gone at the end; those of imports that were killed are gone before."""
    cache = Path(settings.CACHE_DIR)
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in cache.glob(f"{_PREFIX}*"):
        with suppress(OSError):  # it is in use, or another import was quicker
            _remove_left(left)
    with tempfile.TemporaryDirectory(prefix=_PREFIX, dir=cache) as place, _locked(Path(place)):
        yield Path(place)


def _remove_left(folder: Path) -> None:
    if time.time() - folder.stat().st_mtime > _YOUNG:
        with _locked(folder):
            shutil.rmtree(folder)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Ours for so long; a lock ends with its process, however that ends. Raises ``OSError``."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def _prepared(
    files: Mapping[str, Path], place: Path, official: bool, tell: Tell
) -> dict[str, TaskCheck]:
    """A release of links to the files, with facets beside them; and what was seen in the rows."""
    _link(files, place)
    checks = _checked(files, official, tell)
    _write_facets(checks, files, place)
    return checks


def tell_differences(differences: list[Difference], tell: Tell) -> None:
    tell(f"Differences from the official data: {len(differences) or 'none'}")
    for difference in differences:
        tell(f"- {difference}")


def _check_description(description: str) -> None:
    most = Release._meta.get_field("description").max_length
    if most and len(description) > most:
        raise ReleaseError(
            f"The description has {len(description)} characters, and {most} have room, with where "
            "the data come from. Write a shorter --description."
        )


def _link(files: Mapping[str, Path], place: Path) -> None:
    for folder in _BESIDE:
        (place / folder).mkdir()
    for name, file in files.items():
        (place / name).symlink_to(file.absolute())


def _checked(files: Mapping[str, Path], official: bool, tell: Tell) -> dict[str, TaskCheck]:
    """What was seen in the rows of each task of which there is something to find out."""
    wanted = [
        task
        for task in TASKS
        if f"{task}.jsonl" in files and (official or f"facets/{task}.jsonl" not in files)
    ]
    checks = {}
    for task in wanted:
        tell(f"looking through {task}.jsonl")
        checks[task] = check = TaskCheck(task)
        for row in read_release(task, files[f"{task}.jsonl"]):
            check.look(row)
    return checks


def _write_facets(checks: Mapping[str, TaskCheck], files: Mapping[str, Path], place: Path) -> None:
    for task, check in checks.items():
        name = f"facets/{task}.jsonl"
        if name not in files:
            with (place / name).open("wb") as rows:
                rows.writelines(orjson.dumps(row) + b"\n" for row in check.facets())


def _differences(checks: Mapping[str, TaskCheck], release: Release) -> Iterator[Difference]:
    yield from differences_of_tasks(checks)
    for check in checks.values():
        yield from check.differences()
    yield from differences_of_lengths(_average_tokens(release))


def _average_tokens(release: Release) -> dict[str, float]:
    counted = Example.objects.filter(data_set__releases=release, tokens__isnull=False)
    averages = counted.values_list("data_set__task").annotate(Avg("tokens")).order_by()
    return {task: float(average) for task, average in averages}
