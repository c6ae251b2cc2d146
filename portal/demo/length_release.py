"""The demo's large release: twelve tasks at four lengths, and what reference readers make of it.

It takes a minute or two, so it is made while the site is up already. Each part is made once.
"""

import os
import shutil
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings

from portal.demo.baseline_entries import (
    ReferenceEntryError,
    ReferenceReader,
    publish_reference_entry,
)
from portal.demo.progress import Making, end_progress, tell_progress
from portal.demo.steps import Steps, fingerprint_of
from portal.errors import QuotaError, ReleaseError, StateError
from portal.models import Release, Role, User
from portal.releases.importer import import_release
from portal.telling import Tell
from scoring.baseline.release import AnswerError, answer_release
from scoring.catalog import TASKS, Task
from scoring.generators import RECIPES
from scoring.generators.example import GENERATOR
from scoring.generators.release import GenerateError, generate_release
from scoring.releases.gold import GoldError

SLUG = "ladder"
SEED = 11
READERS = tuple(ReferenceReader(1024 * thousands) for thousands in (8, 32, 128))
OWNER = "reference"  # an account that nobody signs in to
REVIEWER = "reviewer"
_FAILURES = (
    AnswerError, GenerateError, GoldError, OSError, QuotaError, ReferenceEntryError, ReleaseError,
    StateError,
)  # fmt: skip
_GENERATING, _IMPORTING = 1, 2
_STEPS = _IMPORTING + len(READERS)


@dataclass(frozen=True, slots=True)
class Ladder:
    """How long it is: tokens of each rung, examples of each task on each rung."""

    lengths: tuple[int, ...] = (4_000, 16_000, 64_000, 128_000)
    synthetic: int = 50
    realistic: int = 10

    @property
    def examples(self) -> dict[str, int]:
        return {task: self._examples_of(TASKS[task]) for task in RECIPES}

    def _examples_of(self, task: Task) -> int:
        return self.synthetic if task.context == "synthetic" else self.realistic

    @property
    def title(self) -> str:
        first, last = self._told[0], self._told[-1]
        return f"Ladder, {first}" if first == last else f"Ladder, {first}–{last}"

    @property
    def title_zh(self) -> str:
        return self.title.replace("Ladder, ", "长度阶梯，")

    @property
    def description(self) -> str:
        return (
            f"The same questions told at {', '.join(self._told)} tokens, made from a seed: "
            f"at each length {self.synthetic} of each synthetic and {self.realistic} of each "
            "realistic task. Not comparable with any published score."
        )

    @property
    def description_zh(self) -> str:
        return (
            f"相同的问题，长度分别为 {'、'.join(self._told)} token，由种子生成：每种长度下，"
            f"每项合成任务 {self.synthetic} 个样本，每项真实文本任务 {self.realistic} 个样本。"
            "不能与任何已发表的分数比较。"
        )

    @property
    def _told(self) -> list[str]:
        return [f"{length // 1000}K" for length in sorted(self.lengths)]


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells the log, and the pages."""

    state: Path
    tell: Tell

    def __call__(self, step: int, line: str) -> None:
        self.tell(line)
        tell_progress(self.state, Making(step, _STEPS, line))


def prepare_ladder(ladder: Ladder, tell: Tell) -> bool:
    """Make the release and its entries, as far as they are not there. Returns whether all are."""
    state = settings.STATE_DIR
    steps = Steps(state / "ladder-prepared.json", tell, _FAILURES)
    recipe = fingerprint_of([], GENERATOR, SEED, ladder, READERS)
    try:
        return steps.take(SLUG, recipe, partial(_make, ladder, state, Teller(state, tell)))
    finally:
        end_progress(state)


def _make(ladder: Ladder, state: Path, tell: Teller) -> None:
    folder = state / "releases" / SLUG
    _clear_unfinished(folder.parent)
    if Release.objects.filter(slug=SLUG).exists() and not folder.exists():
        return  # that of an earlier version: a release never changes
    if not folder.exists():
        _generate(ladder, folder, tell)
    release = import_release(
        folder,
        slug=SLUG,
        title=ladder.title,
        title_zh=ladder.title_zh,
        description=ladder.description,
        description_zh=ladder.description_zh,
        processes=_processes(),
        report=partial(tell, _IMPORTING),
    )
    for step, reader in enumerate(READERS, _IMPORTING + 1):
        if not reader.is_decided_in(release):
            _publish(reader, release, folder, partial(tell, step))
    for done in (*(_predictions(folder, reader) for reader in READERS), folder):
        _remove(done)  # by now all of it can be had from the pages of the site


def _clear_unfinished(folder: Path) -> None:
    """What a start that was ended in the middle has left."""
    for left in folder.glob(".*-*"):
        shutil.rmtree(left)


def _predictions(folder: Path, reader: ReferenceReader) -> Path:
    return folder.with_name(f"{folder.name}-{reader.window}")


def _remove(folder: Path) -> None:
    """All of it at once: a start that is ended here leaves nothing that looks whole."""
    if folder.exists():
        shutil.rmtree(folder.rename(folder.with_name(f".{folder.name}-done")))


def _generate(ladder: Ladder, folder: Path, tell: Teller) -> None:
    tell(_GENERATING, f"generating {len(RECIPES)} tasks …")
    generate_release(
        folder,
        seed=SEED,
        tokens=ladder.lengths,
        examples=ladder.examples,
        jobs=_processes(),
        progress=partial(tell, _GENERATING),
    )


def _publish(reader: ReferenceReader, release: Release, folder: Path, tell: Tell) -> None:
    predictions = _predictions(folder, reader)
    if not predictions.exists():
        tell(f"{reader.name}: reading {len(RECIPES)} tasks …")
        answer_release(folder, predictions, window=reader.window, jobs=_processes())
    tell(f"{reader.name}: scoring")
    owner, _ = User.objects.get_or_create(
        username=OWNER, defaults={"email": f"{OWNER}@example.org", "role": Role.AUTHOR}
    )
    reviewer = User.objects.get(username=REVIEWER)
    publish_reference_entry(reader, release, predictions, owner=owner, reviewer=reviewer)


def _processes() -> int:
    return os.cpu_count() or 1
