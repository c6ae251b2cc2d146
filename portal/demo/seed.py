"""Fill an empty database with a demo to look at. Every step skips what is already done, so the next
start completes one that was interrupted.
"""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from portal.demo.accounts import prepare_accounts
from portal.entries.figures import import_figures
from portal.entries.historical import HistoricalError, import_historical
from portal.entries.released import LABEL_VERSIONS, LABELS, RELEASED_FILES, RESULTS
from portal.entries.reported import ReportedError, import_reported
from portal.errors import ReleaseError
from portal.language_models.services import LanguageModelError
from portal.models import Release, ReportedEntry, SubmissionState
from portal.releases.importer import import_release
from portal.releases.official import import_checked_release, warn_of_other_labels
from scoring.atomic_folder import atomic_directory
from scoring.catalog import TASKS, Kind, Task
from scoring.generators import RECIPES
from scoring.generators.release import generate_release
from scoring.labels import LETTERS
from scoring.releases.gold import GoldError

Report = Callable[[str], None]


class _Texts(NamedTuple):
    """Title and description of a release."""

    title: str
    title_zh: str
    description: str
    description_zh: str


ACCOUNTS = "accounts.json"  # with SAMPLES: names in the state folder
SAMPLES = "sample-predictions"
_RIGHT = 0.75  # share of the sample predictions
_FEW, _KEPT = 5, 0.85  # words of a text, and the share of them that a right answer repeats
_ENOUGH = 10  # examples: one missing answer in so many is a tenth, the most that a release allows
SYNTHETIC = "synthetic-demo"
_SYNTHETIC_TEXTS = _Texts(
    "Short texts, 4K–16K",
    "短文本，4K–16K",
    "All twelve tasks at 4K and 16K tokens, generated from a fixed seed, for trying out the site "
    "in seconds. Not comparable with published scores.",
    "十二项任务，长度为 4K 和 16K token，由固定种子生成，几秒即可试用本站。"
    "不能与任何已发表的分数比较。",
)
_SEED, _LENGTHS, _EXAMPLES = 7, (4_000, 16_000), 10  # of each task at each length
_REPORTED = Path(__file__).parents[1] / "data" / "published_results.csv"
_FAILURES = (
    GoldError, HistoricalError, LanguageModelError, ReleaseError, ReportedError, OSError
)  # fmt: skip


def prepare_demo(data: Path | None, report: Report) -> None:
    """Prepare all that the demo needs before its first page. ``data`` holds real files, if any."""
    executor = MigrationExecutor(connection)
    if missing := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        report(f"database: {len(missing)} migrations …")
        call_command("migrate", verbosity=0, interactive=False)
    # The manifest is the last of the static files that is collected.
    manifest = settings.STATIC_ROOT / "staticfiles.json"
    found = (storage.path(name) for finder in get_finders() for name, storage in finder.list([]))
    newest = max(Path(path).stat().st_mtime for path in found)
    if not manifest.exists() or manifest.stat().st_mtime < newest:
        report("static files: collecting and compressing them ahead of time …")
        call_command("collectstatic", verbosity=0, interactive=False, clear=True)
    prepare_accounts(settings.STATE_DIR / ACCOUNTS)
    _prepare_synthetic(settings.STATE_DIR, report)
    if not ReportedEntry.objects.exists():
        import_reported(_REPORTED, report=lambda line: report(f"published results: {line}"))
    if data:
        _import_released(data, report)
    with _failures_reported("released results", report):
        import_figures(report=report)


def _prepare_synthetic(state: Path, report: Report) -> None:
    """The release that every demo has, and predictions for it to upload."""
    folder, samples = state / "releases" / SYNTHETIC, state / SAMPLES
    if Release.objects.filter(slug=SYNTHETIC).exists() and samples.exists():
        return
    if not folder.exists():
        report(f"{SYNTHETIC}: generating {len(RECIPES)} tasks …")
        jobs = os.cpu_count() or 1
        generate_release(folder, seed=_SEED, tokens=_LENGTHS, examples=_EXAMPLES, jobs=jobs)
    import_release(folder, slug=SYNTHETIC, report=report, **_SYNTHETIC_TEXTS._asdict())
    with atomic_directory(samples, ".samples-") as draft:
        for file in sorted(folder.glob("*.jsonl")):
            rows = sample_predictions(file.stem, file.read_bytes())
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (draft / f"preds_{file.name}").write_text(lines, encoding="utf-8")


def _import_released(data: Path, report: Report) -> None:
    """The label versions and historical entries that the folder contains; they replace figures."""
    for slug, texts in LABEL_VERSIONS.items():
        folder = data / LABELS / slug
        known = Release.objects.filter(slug=slug).exclude(data_sets__figures_only=True)
        if any(folder.glob("*.jsonl")) and not known.exists():
            with _failures_reported(slug, report):
                checked = import_checked_release(
                    folder, slug=slug, official=True, report=report, **texts._asdict()
                )
                warn_of_other_labels(checked, report)
    for name, model in RELEASED_FILES.items():
        folder = data / RESULTS / name
        for run in model.runs_in(folder) if folder.is_dir() else ():
            entry = run.entry()
            if entry is None or entry.state == SubmissionState.PRIVATE or entry.is_figures_only:
                with _failures_reported(f"historical {name}", report):
                    import_historical(folder, run, report=report)


@contextmanager
def _failures_reported(name: str, report: Report) -> Iterator[None]:
    """A demo without one of these is better than none; the next start tries again."""
    try:
        yield
    except _FAILURES as error:
        report(f"{name}: left out. {error}")


def sample_predictions(task: str, release: bytes) -> list[dict[str, object]]:
    """Such as an honest model might give, made from the answers of a release: about three in four
    are right, long texts in most of their words, and the others wrong; one is missing where enough
    are left for publication."""
    random = Random(f"{_SEED} {task}")  # noqa: S311 - seeded, so that every demo has the same
    rows = [orjson.loads(line) for line in release.splitlines()]
    answers = [row["answer"] for row in rows]
    missing = random.choice(rows)["id"] if len(rows) >= _ENOUGH else None
    found = []
    for row in rows:
        is_right = random.random() < _RIGHT
        answer = row["answer"] if is_right else random.choice(answers)
        if row["id"] != missing:
            prediction = _phrase(TASKS[task], answer, row["options"], random, is_right=is_right)
            found.append({"id": row["id"], "prediction": prediction})
    return found


def _phrase(
    task: Task, answer: object, options: list[str], random: Random, *, is_right: bool
) -> str:
    """An answer as a model would write it: the first of several texts; all of a list of numbers; an
    option with its letter.

    Never a long text word for word, nor the gold answer of another question again and again: both
    raise warnings for reviewers.
    """
    if task.kind is Kind.INTEGERS:
        return json.dumps(answer)
    text = str(answer[0] if isinstance(answer, list) else answer)
    if task.kind is Kind.CHOICE:
        letter = LETTERS[options.index(text)] if text in options else "A"
        return f"{letter}. {text}"
    if task.kind is Kind.TEXTS:
        return _drop_words(text, random) if is_right else "I cannot find the answer."
    wrong = text[::-1] if task.kind is Kind.TEXT else text
    return f"The answer is {text if is_right else wrong}."


def _drop_words(text: str, random: Random) -> str:
    """Leave out some words, or Chinese characters, of a text with more than a few."""
    space = " " if " " in text else ""
    words = text.split() if space else list(text)
    if len(words) < _FEW or (not space and text.isascii()):
        return text
    kept = [word for word in words if random.random() < _KEPT]
    return space.join(kept if len(kept) < len(words) else words[1:])
