"""Between an empty database and a demo with something to see; what is done already is left out."""

import json
import os
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

from portal.demo.accounts import prepare_accounts
from portal.demo.steps import Steps, fingerprint_of
from portal.entries.historical import Historical, HistoricalError, import_historical
from portal.entries.reported import ReportedError, import_reported
from portal.errors import ReleaseError
from portal.language_models.services import LanguageModelError
from portal.releases.importer import import_release
from portal.releases.official import import_checked_release, warn_of_other_labels
from portal.telling import Tell
from scoring.catalog import TASKS, Kind, Task
from scoring.generators import RECIPES
from scoring.generators.release import generate_release
from scoring.labels import LETTERS
from scoring.releases.gold import GoldError


class _About(NamedTuple):
    """What a release is called, and what it is, in English and in Chinese."""

    title: str
    title_zh: str
    description: str
    description_zh: str


PREPARED = "prepared.json"
ACCOUNTS = "accounts.json"  # names in the state folder, for the welcome
SAMPLES = "sample-predictions"
SYNTHETIC = "synthetic-demo"
_SYNTHETIC = _About(
    "Short texts, 4K–16K",
    "短文本，4K–16K",
    "All twelve tasks at 4K and 16K tokens, made from a fixed seed, to try the site in "
    "seconds. Not comparable with any published score.",
    "十二项任务，长度为 4K 和 16K token，由固定种子生成，几秒即可试用本站。"
    "不能与任何已发表的分数比较。",
)
_SEED, _LENGTHS, _EXAMPLES = 7, (4_000, 16_000), 10  # of each task at each length
_REPORTED = Path(__file__).parents[1] / "data" / "published_results.csv"
_RELEASES = {  # the last one is the newest, and stands first in lists
    "paper": _About(
        "InfiniteBench (paper version)",
        "InfiniteBench（论文版）",
        "Labels of the paper's released result files, with older ids in En.QA, En.MC and "
        "En.Sum. GPT-4's released file of Retrieve.KV was made for other data: none of its 500 "
        "labels are among these.",
        "论文所发布结果文件中的标签，En.QA、En.MC 和 En.Sum 使用较早的 id。"
        "GPT-4 发布的 Retrieve.KV 文件是为其他数据生成的：其 500 个标签都不在其中。",
    ),
    "hf": _About(
        "InfiniteBench (public)",
        "InfiniteBench（公开版）",
        "Labels as on the Hub since March 2024, ids from 0: choose this for runs on the public "
        "data set.",
        "2024 年 3 月以来 Hub 上的标签，id 从 0 开始：在公开数据集上运行的结果请选这个。",
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


def prepare_demo(data: Path | None, tell: Tell) -> None:
    """Everything that the demo needs before its first page. ``data`` holds real files, if any."""
    _migrate(tell)
    state = settings.STATE_DIR
    steps = Steps(state / PREPARED, tell, _FAILURES)
    if not (settings.STATIC_ROOT / "staticfiles.json").exists():
        steps.forget("static files")
    steps.take("static files", _fingerprint_of_static(), lambda: _collect_static(tell))
    prepare_accounts(state / ACCOUNTS)
    steps.take(SYNTHETIC, fingerprint_of([], *_SYNTHETIC), lambda: _synthetic(state, tell))
    steps.take("published results", fingerprint_of([_REPORTED]), lambda: _reported(tell))
    if data:
        _real(data, steps, tell)


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
    return fingerprint_of(found, str(settings.STORAGES["staticfiles"]))


def _collect_static(tell: Tell) -> None:
    tell("static files: collecting and compressing them ahead of time …")
    call_command("collectstatic", verbosity=0, interactive=False, clear=True)


def _reported(tell: Tell) -> None:
    import_reported(_REPORTED, report=lambda line: tell(f"published results: {line}"))


def _real(data: Path, steps: Steps, tell: Tell) -> None:
    """Label-only releases and historical entries, as far as the folder has them."""
    for slug, about in _RELEASES.items():
        folder = data / "gold" / slug
        if files := sorted(folder.glob("*.jsonl")):
            do = partial(_official_release, folder, slug, about, tell)
            steps.take(slug, fingerprint_of(files, *about), do)
    for name, model in _RELEASED_FILES.items():
        folder = data / "results" / name
        if files := sorted(path for path in folder.rglob("*") if path.is_file()):
            score = partial(import_historical, folder, model, report=tell)
            steps.take(f"historical {name}", fingerprint_of(files), score)


def _official_release(folder: Path, slug: str, about: _About, tell: Tell) -> None:
    """As long as its labels are those that are known."""
    checked = import_checked_release(
        folder, slug=slug, **about._asdict(), official=True, report=tell
    )
    warn_of_other_labels(checked, tell)


# The release that is always there, and answers to it


def _synthetic(state: Path, tell: Tell) -> None:
    folder = state / "releases" / SYNTHETIC
    if not folder.exists():
        tell(f"{SYNTHETIC}: generating {len(RECIPES)} tasks …")
        jobs = os.cpu_count() or 1
        generate_release(folder, seed=_SEED, tokens=_LENGTHS, examples=_EXAMPLES, jobs=jobs)
    import_release(folder, slug=SYNTHETIC, **_SYNTHETIC._asdict(), report=tell)
    samples = state / SAMPLES
    samples.mkdir(exist_ok=True)
    for file in sorted(folder.glob("*.jsonl")):
        task = file.stem
        rows = sample_predictions(task, file.read_bytes())
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
            said = _as_a_model_says(TASKS[task], answer, row["options"])
            found.append({"id": row["id"], "prediction": said})
    return found


def _as_a_model_says(task: Task, answer: object, options: list[str]) -> str:
    """The first of several texts; all of a list of numbers; an option with its letter."""
    if task.kind is Kind.INTEGERS:
        return json.dumps(answer)
    text = answer[0] if isinstance(answer, list) else answer
    if task.kind is Kind.CHOICE:
        letter = LETTERS[options.index(text)] if text in options else "A"
        return f"{letter}. {text}"
    return f"{text}" if task.kind is Kind.TEXTS else f"The answer is {text}."
