"""The demo's large release: twelve tasks at four lengths, and entries of reference readers.

It takes a minute or two, so it is made while the site is already up. Each part is made once.
"""

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from portal.demo.baseline_entries import (
    REVIEWER,
    ReferenceEntryError,
    ReferenceReader,
    publish_reference_entry,
    reference_owner,
)
from portal.demo.later_entries import prepare_later_entry
from portal.demo.progress import Making, end_progress, show_progress
from portal.errors import QuotaError, ReleaseError, StateError
from portal.models import Release, User
from portal.releases.importer import import_release
from scoring.baseline.release import AnswerError, answer_release
from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.release import GenerateError, generate_release
from scoring.releases.gold import GoldError

SLUG = "ladder"
SEED = 11
READERS = tuple(ReferenceReader(1024 * thousands) for thousands in (8, 32, 128))
_FAILURES = (
    AnswerError, GenerateError, GoldError, OSError, QuotaError, ReferenceEntryError, ReleaseError,
    StateError,
)  # fmt: skip
_GENERATING, _IMPORTING = 1, 2
_STEPS = _IMPORTING + len(READERS) + 1  # the last: the later entries
_PROCESSES = os.cpu_count() or 1


@dataclass(frozen=True, slots=True)
class Ladder:
    """Lengths in tokens; examples of each synthetic and realistic task at each of them."""

    lengths: tuple[int, ...] = (4_000, 16_000, 64_000, 128_000)
    synthetic: int = 50
    realistic: int = 10

    @property
    def examples(self) -> dict[str, int]:
        return {
            task: self.synthetic if TASKS[task].context == "synthetic" else self.realistic
            for task in RECIPES
        }

    @property
    def title(self) -> str:
        first, last = self._names[0], self._names[-1]
        return f"Ladder, {first}" if first == last else f"Ladder, {first}–{last}"

    @property
    def description(self) -> str:
        return (
            f"The same questions at {', '.join(self._names)} tokens, generated from a seed: at "
            f"each length {self.synthetic} of each synthetic and {self.realistic} of each "
            "realistic task. Not comparable with published scores."
        )

    @property
    def _names(self) -> list[str]:
        return [f"{length // 1000}K" for length in sorted(self.lengths)]


def prepare_ladder(ladder: Ladder, report: Callable[[str], None]) -> bool:
    """Make the release and its entries where missing. Returns whether everything exists.

    As long as its folder is there, something is still to be done.
    """
    state = settings.STATE_DIR
    folder = state / "releases" / SLUG
    for unfinished in folder.parent.glob(".*-*"):  # left by an interrupted start
        shutil.rmtree(unfinished)
    if Release.objects.filter(slug=SLUG).exists() and not folder.exists():
        return True

    def report_step(step: int, line: str) -> None:
        report(line)
        show_progress(state, Making(step, _STEPS, line))

    try:
        _make(ladder, folder, report_step)
    except _FAILURES as error:
        report(f"{SLUG}: left out. {error}")
        return False
    finally:
        end_progress(state)
    return True


def _make(ladder: Ladder, folder: Path, report: Callable[[int, str], None]) -> None:
    if not folder.exists():
        report(_GENERATING, f"generating {len(RECIPES)} tasks …")
        generate_release(
            folder,
            seed=SEED,
            tokens=ladder.lengths,
            examples=ladder.examples,
            jobs=_PROCESSES,
            progress=partial(report, _GENERATING),
        )
    release = import_release(
        folder,
        slug=SLUG,
        title=ladder.title,
        description=ladder.description,
        processes=_PROCESSES,
        report=partial(report, _IMPORTING),
    )
    owner, reviewer = reference_owner(), User.objects.get(username=REVIEWER)
    predictions = {reader: folder.with_name(f"{folder.name}-{reader.window}") for reader in READERS}
    for step, (reader, answers) in enumerate(predictions.items(), _IMPORTING + 1):
        if not answers.exists() and not reader.is_decided_in(release):
            report(step, f"{reader.name}: reading {len(RECIPES)} tasks …")
            answer_release(folder, answers, window=reader.window, jobs=_PROCESSES)
        report(step, f"{reader.name}: scoring")
        if not reader.is_decided_in(release):
            publish_reference_entry(reader, release, answers, owner=owner, reviewer=reviewer)
    if (answers := predictions[READERS[1]]).exists():
        report(_STEPS, "an entry for a later day")
        prepare_later_entry(release, answers, reviewer=reviewer)
    # By now everything is in the database. Each folder is renamed before it is deleted, so that a
    # start that is interrupted here leaves nothing that looks complete.
    for done in (*predictions.values(), folder):
        if done.exists():
            shutil.rmtree(done.rename(done.with_name(f".{done.name}-done")))
