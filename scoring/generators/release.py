"""Generate a release from a seed: the same seed gives the same bytes.

A release is a directory:

- ``{task}.jsonl`` – the official format: one object a line with ``id``, ``context``, ``input``
  (the question), ``answer`` and ``options``.
- ``facets/{task}.jsonl`` – for each id ``target_tokens``, ``ladder``, ``depth``, ``hops``, ``kind``
  (null where the task has none) and ``evidence``: spans ``[start, end)`` in characters of the
  context. Examples with the same ``ladder`` ask the same question at several lengths.
- ``release.json`` – the generator's version, the arguments, rows and SHA-256 of the files above;
  the same in ``SHA256SUMS``, for ``sha256sum --check``.
- ``controls/no_context/{task}.jsonl``, ``controls/evidence_only/{task}.jsonl`` – the same rows with
  an empty context, and with the evidence alone where that is less than the whole context. What a
  model scores there says what it knows without reading, and how well it reads what it has found.
- ``tokens/{task}.jsonl`` – for each id the ``tokens`` of context and question together, counted by
  tiktoken (``estimated``: whether they had to be estimated). Not in ``release.json``: these files
  are measured, and differ where the vocabulary is not available. All others never do.

Of a hidden release, publish the questions alone: facets point at the answers, and the seed in
``release.json`` reproduces them.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from scoring.atomic_folder import atomic_directory
from scoring.catalog import TASKS
from scoring.generators import RECIPES
from scoring.generators.draws import seeded
from scoring.generators.example import (
    GENERATOR,
    NEAR_MISSES,
    ExampleSpec,
    Recipe,
)
from scoring.generators.haystack import recipes_of
from scoring.generators.haystack.texts import Haystack, HaystackError
from scoring.generators.rows import EVIDENCE_ONLY, NO_CONTEXT, TaskFiles, Written
from scoring.releases.manifest import MANIFEST, MOST_NEAR_MISSES
from scoring.text.tokens import NO_TOKENS, TokenCount

SUMS = "SHA256SUMS"
_SEED_BITS = 128  # of a seed for a length by itself
LONGEST = 50_000_000  # tokens: 200 MB of text for each example
_NOVELS = "longbook_"


class GenerateError(ValueError):
    """The arguments do not describe a release; the message is a sentence for the reader."""


@dataclass(frozen=True, slots=True)
class GeneratedTask:
    task: str
    file: Path
    rows: int
    sha256: str
    tokens: TokenCount  # of all its rows together


@dataclass(frozen=True, slots=True)
class Plan:
    """The arguments of a release: its bytes depend on them and ``GENERATOR`` alone."""

    seed: int
    tokens: tuple[int, ...]
    examples: dict[str, int]  # of each task at each length
    ladder: bool  # the same questions at every length
    haystack: Haystack | None = None  # texts of the operator, in the place of generated ones
    near_misses: float = NEAR_MISSES

    @property
    def recipes(self) -> dict[str, Recipe]:
        return RECIPES if self.haystack is None else RECIPES | recipes_of(self.haystack)

    @property
    def document(self) -> dict[str, object]:
        """Without paths of the machine: of an operator's texts, their sums and the licence."""
        fields = {name: getattr(self, name) for name in ("seed", "tokens", "examples", "ladder")}
        if self.haystack:
            fields["haystack"] = {"licence": self.haystack.licence, "texts": self.haystack.sums}
        if self.near_misses != NEAR_MISSES:
            fields["dials"] = {"near_misses": self.near_misses}
        return fields

    def spec(self, task: str, place: int, index: int) -> ExampleSpec:
        """The spec of an example at the length with index ``place``."""
        tokens = self.tokens[place]
        seed = self.seed if self.ladder else seeded(self.seed, tokens).getrandbits(_SEED_BITS)
        return ExampleSpec(seed, tokens, index, self.examples[task], self.near_misses)


_Files = tuple[list[Written], list[Written], TokenCount]  # rows and facets, controls, all tokens


def generate_release(
    out: Path,
    *,
    seed: int,
    tokens: Sequence[int],
    tasks: Sequence[str] = tuple(RECIPES),
    examples: int | Mapping[str, int] = 10,
    ladder: bool = True,
    haystack: Haystack | None = None,
    near_misses: float = NEAR_MISSES,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> tuple[GeneratedTask, ...]:
    """Make a release of ``examples`` examples of each task at each length, in the order given.

    ``examples`` may differ from task to task. Without a ``ladder``, every length has questions of
    its own, so that no short text gives away what a long one asks. ``jobs`` tasks are generated at
    the same time, each in its own process, and reported when finished; with one job each length is
    reported. With a ``haystack`` the tasks that it has texts for are made from these.
    ``near_misses`` in 1,000 tokens are for novels.
    Nothing exists at ``out`` before everything is written. Each example depends on the seed, its
    task, length and index (and on ``examples``, over which depths are spread): another task or
    length changes none of the others. Raises ``GenerateError`` for arguments that make no release
    and where ``out`` holds something already, ``OSError`` where it cannot be written.
    """
    if isinstance(examples, int):
        examples = dict.fromkeys(tasks, examples)
    counts = {task: examples.get(task, 0) for task in tasks}
    plan = Plan(seed, tuple(tokens), counts, ladder, haystack, near_misses)
    faults = [
        *_faults_of_tasks(tasks, counts),
        *_faults_of_lengths(plan, tasks),
        *_faults_of_near_misses(near_misses, tasks),
    ]
    if faults:
        raise GenerateError(" ".join(faults))
    try:
        with atomic_directory(out, ".generate-") as unfinished:
            files = _write_release(unfinished, plan, jobs, progress)
    except (FileExistsError, HaystackError) as error:
        raise GenerateError(str(error)) from error
    return tuple(
        GeneratedTask(task, out.absolute() / rows.name, rows.rows, rows.sha256, counted)
        for task, ([rows, _], _, counted) in zip(plan.examples, files, strict=True)
    )


def _write_release(
    directory: Path, plan: Plan, jobs: int, progress: Callable[[str], None]
) -> list[_Files]:
    for folder in ("facets", "tokens", NO_CONTEXT, EVIDENCE_ONLY):
        (directory / folder).mkdir(parents=True)
    files = _write_tasks(directory, plan, jobs, progress)
    _write_manifest(directory / MANIFEST, plan, files)
    return files


def _write_tasks(
    directory: Path, plan: Plan, jobs: int, progress: Callable[[str], None]
) -> list[_Files]:
    if jobs == 1:
        return [_write_task(directory, plan, task, progress) for task in plan.examples]
    # Spawned, not forked: the caller may have threads, or a database connection.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        works = [pool.submit(_write_task, directory, plan, task) for task in plan.examples]
        titles = dict(zip(works, plan.examples, strict=True))
        for work in as_completed(works):
            [rows, _], _, tokens = work.result()
            progress(f"{TASKS[titles[work]].title}: {rows.rows} examples, {tokens} tokens")
    return [work.result() for work in works]


def _write_task(
    directory: Path, plan: Plan, task: str, progress: Callable[[str], None] = lambda line: None
) -> _Files:
    make, count = plan.recipes[task].make, plan.examples[task]
    total = NO_TOKENS
    with TaskFiles(directory, task) as files:
        for place, target in enumerate(plan.tokens):
            progress(f"{TASKS[task].title}: {count} × {target:,} tokens")
            for index in range(count):
                key = place * count + index
                example = make(plan.spec(task, place, index))
                total += files.add(key, target, index if plan.ladder else key, example)
    return [files.rows.written, files.facets.written], [*files.controls], total


def _write_manifest(path: Path, plan: Plan, files: Sequence[_Files]) -> None:
    written = [file for of_task, _, _ in files for file in of_task]
    controls = [file for _, of_task, _ in files for file in of_task]
    manifest = {
        "generator": GENERATOR,
        **plan.document,
        "files": {file.name: {"rows": file.rows, "sha256": file.sha256} for file in written},
        "controls": {file.name: {"rows": file.rows, "sha256": file.sha256} for file in controls},
    }
    path.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    sums = "".join(f"{file.sha256}  {file.name}\n" for file in (*written, *controls))
    path.with_name(SUMS).write_text(sums, encoding="utf-8")


def _faults_of_tasks(tasks: Sequence[str], counts: Mapping[str, int]) -> Iterator[str]:
    known = ", ".join(RECIPES)
    if not tasks:
        yield f"No task is named: choose from {known}."
    for task in tasks:
        if task not in RECIPES:
            yield f"There is no task called {task!r}: choose from {known}."
    if len(set(tasks)) < len(tasks):
        yield "A task is named twice."
    if any(count < 1 for count in counts.values()):
        yield "Ask for at least one example of each task."


def _faults_of_lengths(plan: Plan, tasks: Sequence[str]) -> Iterator[str]:
    tokens, recipes = plan.tokens, plan.recipes
    recipes = {task: recipes[task] for task in tasks if task in recipes}
    if not tokens:
        yield "No length is given."
    for length in tokens:
        if short := [name for name, one in recipes.items() if length < one.shortest]:
            least = max(recipes[name].shortest for name in short)
            names = ", ".join(short)
            yield f"{length:,} tokens are too few for {names}: ask for {least:,} at least."
        if length > LONGEST:
            yield f"{length:,} tokens are too many: the longest length of a task is {LONGEST:,}."
    if len(set(tokens)) < len(tokens):
        yield "A length is given twice."


def _faults_of_near_misses(near_misses: float, tasks: Sequence[str]) -> Iterator[str]:
    if not 0 <= near_misses <= MOST_NEAR_MISSES:
        yield f"Near-misses are from 0 to {MOST_NEAR_MISSES:.0f} in 1,000 tokens."
    if near_misses != NEAR_MISSES and not any(task.startswith(_NOVELS) for task in tasks):
        yield "Only novels have near-misses: name some."
