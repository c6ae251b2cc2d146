"""Fill an empty database with a demo to look at. Every step skips what is already done, so the next
start completes one that was interrupted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from portal.demo.accounts import prepare_accounts
from portal.demo.baseline_entries import ReferenceEntryError
from portal.demo.samples import write_samples
from portal.demo.small_release import SLUG, prepare_small_release
from portal.demo.state_folder import samples_folder
from portal.entries.figures import import_figures
from portal.entries.historical import HistoricalError, import_historical
from portal.entries.released import LABEL_VERSIONS, LABELS, RELEASED_FILES, RESULTS
from portal.entries.reported import ReportedError, import_reported
from portal.errors import QuotaError, ReleaseError, StateError
from portal.language_models.services import LanguageModelError
from portal.models import Release, ReportedEntry, SubmissionState
from portal.releases.official import import_checked_release, warn_of_other_labels
from scoring.baseline.release import AnswerError
from scoring.generators.release import GenerateError
from scoring.releases.gold import GoldError

Report = Callable[[str], None]

ACCOUNTS = "accounts.json"  # in the state folder
_REPORTED = Path(__file__).parents[1] / "data" / "published_results.csv"
_FAILURES = (
    AnswerError, GenerateError, GoldError, HistoricalError, LanguageModelError, OSError, QuotaError,
    ReferenceEntryError, ReleaseError, ReportedError, StateError,
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
    report("∞Bench: published and released results …")
    if not ReportedEntry.objects.exists():
        import_reported(_REPORTED)
    if data:
        _import_released(data, report)
    with _failures_reported("released results", report):
        import_figures()
    folder = settings.STATE_DIR / "releases" / SLUG
    with _failures_reported(SLUG, report):
        prepare_small_release(folder, report)
        write_samples(folder, samples_folder(settings.STATE_DIR))


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
