"""Between an empty database and a demo with something to see; what is done already is left out.

Each step is known by a fingerprint of all that it depends on, so that a start after an update does
what the update asks for, and any other start nothing.
"""

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple

import orjson
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from portal.accounts import prepare_accounts
from portal.historical import Historical, HistoricalError, import_historical
from portal.language_models import LanguageModelError
from portal.machine.statefiles import write_file
from portal.releases import ReleaseError, import_release
from portal.reported import ReportedError, import_reported
from scoring.gold import GoldError
from scoring.synthetic import RECIPES
from scoring.synthetic.release import generate_release


class _About(NamedTuple):
    """What a release is called, and what it is."""

    title: str
    description: str


ACCOUNTS = "accounts.json"  # names in the state folder, for the welcome
SAMPLES = "sample-predictions"
SYNTHETIC = "synthetic-demo"
_SYNTHETIC = _About(
    "Synthetic tasks, 4K and 16K tokens (generated for this demo)",
    "Six tasks made up for this demo from a fixed seed, with short texts: to try the site in "
    "seconds. Not comparable with any published score.",
)
_SEED, _LENGTHS, _EXAMPLES = 7, (4_000, 16_000), 10  # of each task at each length
_REPORTED = Path(__file__).parent / "data" / "published_results.csv"
_RELEASES = {  # the last one is the newest, which the form of the submit page chooses
    "paper": _About(
        "∞Bench as in the paper (labels)",
        "Labels of the paper's released result files, with older ids in En.QA, En.MC and En.Sum.",
    ),
    "hf": _About(
        "∞Bench as on the Hub (labels)",
        "Labels as on the Hub since March 2024, ids from 0: choose this for runs on the public "
        "data set.",
    ),
}
# By folder. The official scorer lets GPT-4's answers of Math.Calc repeat the first operand.
_RELEASED_FILES = {
    "gpt4": Historical("GPT-4 (1106-preview)", "OpenAI", drop_first=True),
    "claude2": Historical("Claude 2", "Anthropic"),
    "kimi": Historical("Kimi-Chat", "Moonshot AI"),
}
_FAILURES = (
    GoldError, HistoricalError, LanguageModelError, ReleaseError, ReportedError, OSError
)  # fmt: skip

Tell = Callable[[str], None]


def prepare_demo(data: Path | None, tell: Tell) -> None:
    """Everything that the demo needs before its first page. ``data`` holds real files, if any."""
    _migrate(tell)
    state = settings.STATE_DIR
    steps = Steps(state / "prepared.json", tell)
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():
        steps.forget("static files")
    steps.take("static files", _fingerprint_of_static(), lambda: _collect_static(tell))
    prepare_accounts(state / ACCOUNTS)
    steps.take(SYNTHETIC, _fingerprint([], *_SYNTHETIC), lambda: _synthetic(state, tell))
    steps.take("published results", _fingerprint([_REPORTED]), lambda: _reported(tell))
    if data:
        _real(data, steps, tell)


@dataclass(slots=True)
class Steps:
    """Which steps earlier starts have taken, in this very database, and with which fingerprint."""

    file: Path
    tell: Tell
    _taken: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        database = _birth_of_database()
        if self.file.exists():
            self._taken = json.loads(self.file.read_text(encoding="utf-8"))
        if self._taken.get("database") != database:
            self._taken = {"database": database}

    def forget(self, name: str) -> None:
        self._taken.pop(name, None)

    def take(self, name: str, fingerprint: str, do: Callable[[], object]) -> None:
        """Take a step, unless it has been; one that fails is told, and taken by the next start."""
        if self._taken.get(name) == fingerprint:
            return
        try:
            do()
        except _FAILURES as error:
            self.tell(f"{name}: left out. {error}")
            return
        self._taken[name] = fingerprint
        write_file(self.file, json.dumps(self._taken, indent=2))


def _birth_of_database() -> str:
    """When its first migration was applied: no other database has the same."""
    first = MigrationRecorder.Migration.objects.order_by("pk").first()
    return first.applied.isoformat() if first else ""


def _fingerprint(files: Iterable[Path], *more: str) -> str:
    """Of names, sizes and times: contents take longer to read than to import again."""
    digest = hashlib.sha256(repr(more).encode())
    for file in files:
        facts = file.stat()
        digest.update(f"{file}\0{facts.st_size}\0{facts.st_mtime_ns}\0".encode())
    return digest.hexdigest()


# The steps


def _migrate(tell: Tell) -> None:
    executor = MigrationExecutor(connection)
    if missing := executor.migration_plan(executor.loader.graph.leaf_nodes()):
        tell(f"database: {len(missing)} migrations …")
        call_command("migrate", verbosity=0, interactive=False)


def _fingerprint_of_static() -> str:
    found = sorted(
        Path(storage.path(name)) for finder in get_finders() for name, storage in finder.list([])
    )
    return _fingerprint(found, str(settings.STORAGES["staticfiles"]))


def _collect_static(tell: Tell) -> None:
    tell("static files: collecting and compressing them ahead of time …")
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)


def _reported(tell: Tell) -> None:
    import_reported(_REPORTED, tell=lambda line: tell(f"published results: {line}"))


def _real(data: Path, steps: Steps, tell: Tell) -> None:
    """Label-only releases and historical entries, as far as the folder has them."""
    for slug, about in _RELEASES.items():
        folder = data / "gold" / slug
        if files := sorted(folder.glob("*.jsonl")):
            do = partial(_release, folder, slug, about, tell)
            steps.take(slug, _fingerprint(files, *about), do)
    for name, model in _RELEASED_FILES.items():
        folder = data / "results" / name
        if files := sorted(path for path in folder.rglob("*") if path.is_file()):
            score = partial(import_historical, folder, model, tell=tell)
            steps.take(f"historical {name}", _fingerprint(files), score)


def _release(folder: Path, slug: str, about: _About, tell: Tell, *, official: bool = True) -> None:
    title, description = about
    import_release(
        folder, slug=slug, title=title, description=description, official=official, tell=tell
    )


# The release that is always there, and answers to it


def _synthetic(state: Path, tell: Tell) -> None:
    folder = state / "releases" / SYNTHETIC
    if not folder.exists():
        tell(f"{SYNTHETIC}: generating {len(RECIPES)} tasks …")
        generate_release(folder, seed=_SEED, tokens=_LENGTHS, examples=_EXAMPLES)
    _release(folder, SYNTHETIC, _SYNTHETIC, tell, official=False)
    samples = state / SAMPLES
    samples.mkdir(exist_ok=True)
    for task in RECIPES:
        rows = sample_predictions(task, (folder / f"{task}.jsonl").read_bytes())
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (samples / f"preds_{task}.jsonl").write_text(lines, encoding="utf-8")


def sample_predictions(task: str, release: bytes) -> list[dict[str, object]]:
    """Made from the answers of a release: about seven in ten right, two wrong (the answer of
    another example), one missing."""
    random = Random(f"{_SEED} {task}")  # noqa: S311 - seeded, so that every demo has the same
    rows = [orjson.loads(line) for line in release.splitlines()]
    answers = [row["answer"] for row in rows]
    found = []
    for row in rows:
        luck = random.random()
        if luck < 0.9:
            answer = row["answer"] if luck < 0.7 else random.choice(answers)
            found.append({"id": row["id"], "prediction": _as_a_model_says(answer)})
    return found


def _as_a_model_says(answer: object) -> str:
    while isinstance(answer, list) and len(answer) == 1:
        answer = answer[0]
    return json.dumps(answer) if isinstance(answer, list) else f"The answer is {answer}."
