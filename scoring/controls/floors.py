"""The floors of a release: what its questions are worth to constants, searches and rules of thumb.

The searches and windows are read by the rule-based reader of ``scoring.baseline``, which
understands generated texts: what it answers from a part, that part gives away. All scores are
``strict``. Other texts than generated ones it reads hardly better than no text, and then its floors
say little.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from scoring.baseline import read
from scoring.catalog import TASKS, Kind
from scoring.controls import rules
from scoring.controls.excerpts import bm25, evidence_text, grep
from scoring.labels import LETTERS, answer_text
from scoring.metrics import Question, capped, rule_of
from scoring.releases.facets import Facets, read_facets
from scoring.releases.gold import GoldExample, ReleaseRow, read_release
from scoring.stats import mean_percent
from scoring.text.prompts import prompt_of

FLOORS = "floors.json"
_MOST = 40  # questions of a task that are tried
_WINDOW = 8_000  # tokens: the first and the last 4,000
_LONG = 16_000  # tokens, from which on a window of 8,000 is a part
_CONSTANTS = 5  # right answers that are tried as the answer to all questions
_NOVELS = ("longbook_qa_eng", "longbook_choice_eng", "longbook_qa_chn")

FLOOR_TITLES = {  # in the order of tables
    "constant": "constant",
    "no_context": "no context",
    "options_only": "options",
    "grep": "grep",
    "bm25": "BM25@30",
    "turns": "turns",
    "text_rules": "look of code",
    "ends": "first and last 4K",
    "evidence_only": "evidence only",  # no floor but the ceiling: what finding everything is worth
}

# In percent: above, a release does not measure reading. Tasks that are not named have no bound,
# such as retrieval, where to search is the task.
BOUNDS: Mapping[str, Mapping[str, float]] = {
    "constant": {"longbook_qa_eng": 8, "longbook_qa_chn": 8, "longbook_choice_eng": 35,
                 "code_debug": 35, "longdialogue_qa_eng": 15},
    "no_context": {"longbook_qa_eng": 8, "longbook_qa_chn": 8, "longbook_choice_eng": 35,
                   "code_debug": 35, "longdialogue_qa_eng": 15},
    "options_only": {"longbook_choice_eng": 35, "code_debug": 35},
    "grep": dict.fromkeys(_NOVELS, 50),
    "bm25": dict.fromkeys(_NOVELS, 50),
    "turns": {"longdialogue_qa_eng": 35},
    "text_rules": {"code_debug": 35},
}  # fmt: skip
_ERRORS = 2  # standard errors above a bound that a sample may be by chance

_RULES: Mapping[str, tuple[Mapping[str, rules.Rule], tuple[str, ...]]] = {
    "options_only": (rules.OPTION_RULES, ("longbook_choice_eng", "code_debug")),
    "turns": (rules.TURN_RULES, ("longdialogue_qa_eng",)),
    "text_rules": (rules.TEXT_RULES, ("code_debug",)),
}


class TaskFloors(NamedTuple):
    task: str
    questions: int  # that were tried
    floors: dict[str, float]  # percent under ``strict``, by name
    best: dict[str, str]  # of several rules, the one that scored most

    @property
    def above(self) -> dict[str, float]:
        """The bounds that are exceeded by more than chance, by name of the floor."""
        found = {}
        for name, percent in self.floors.items():
            bound = BOUNDS.get(name, {}).get(self.task)
            if bound is not None and percent > bound + self._error(bound):
                found[name] = bound
        return found

    def _error(self, bound: float) -> float:
        return float(_ERRORS * (bound * (100 - bound) / self.questions) ** 0.5)


def measure_floors(
    release: Path, tasks: Sequence[str], *, jobs: int = 1, most: int = _MOST
) -> list[TaskFloors]:
    """Of a release in a folder, task by task; of each, ``most`` questions spread over its rows.

    Raises ``GoldError`` and ``OSError``.
    """
    if jobs == 1:
        return [task_floors(release, task, most) for task in tasks]
    # Spawned, not forked: the caller may have threads, or a database connection.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        return list(pool.map(task_floors, repeat(release), tasks, repeat(most)))


def task_floors(release: Path, task: str, most: int = _MOST) -> TaskFloors:
    file = release / f"{task}.jsonl"
    facets = read_facets(file)
    every = max(1, round(len(facets) / most))
    rows = (row for at, row in enumerate(read_release(task, file)) if at % every == 0)
    scores: dict[str, list[float]] = {}
    labels = []
    for row in rows:
        labels.append(row.example)
        for name, answer in _answers(task, row, facets[row.example.key]):
            scores.setdefault(name, []).append(_score(task, row.example, answer))
    floors: dict[str, float] = {"constant": _best_constant(task, labels)}
    best: dict[str, str] = {}
    for name, found in scores.items():
        floor, _, rule = name.partition("/")
        percent = mean_percent(found) or 0.0
        if percent >= floors.get(floor, 0.0):
            floors[floor] = percent
            best |= {floor: rule} if rule else {}
    rounded = {name: round(percent, 1) for name, percent in floors.items()}
    return TaskFloors(task, len(labels), rounded, best)


def _answers(task: str, row: ReleaseRow, facets: Facets) -> Iterator[tuple[str, str]]:
    """By name of a floor, and of a rule where it is the best of several."""

    def reading(context: str, window: int | None = None) -> str:
        return read(prompt_of(task, context, row.question, row.example.options).text, window)

    yield "no_context", reading("")
    if facets.evidence and facets.evidence != ((0, len(row.context)),):
        yield "evidence_only", reading(evidence_text(row.context, facets.evidence))
    if task in _NOVELS:
        asked = " ".join((row.question, *row.example.options))
        yield "grep", reading(grep(row.context, asked))
        yield "bm25", reading(bm25(row.context, asked))
    if (facets.target_tokens or 0) > _LONG:
        yield "ends", reading(row.context, _WINDOW)
    for name, (of_name, of_tasks) in _RULES.items():
        for title, rule in of_name.items() if task in of_tasks else ():
            yield f"{name}/{title}", rule(row.context, row.question, row.example.options)


def _score(task: str, example: GoldExample, answer: str) -> float:
    question = Question(example.options, answer_type=example.answer_type)
    return rule_of("strict", task, question)(capped(task, answer), example.label, question).score


def _best_constant(task: str, examples: Sequence[GoldExample]) -> float:
    """Of the most frequent answers, of their most frequent words, or of the letters."""
    if TASKS[task].kind is Kind.CHOICE:
        tried = list(LETTERS)
    else:
        answers = Counter(answer_text(TASKS[task], one.label) for one in examples)
        tried = [text for text, _ in answers.most_common(_CONSTANTS)]
        words = Counter(word for text in answers.elements() for word in text.split())
        frequent = [word for word, _ in words.most_common(_CONSTANTS)]
        tried += [" ".join(frequent[:count]) for count in range(1, len(frequent) + 1)]
    own = TASKS[task].kind is Kind.TEXTS and task == "longbook_sum_eng"  # each book has its own
    return max(
        mean_percent(
            [
                _score(task, one, text)
                for one in examples
                if not (own and text == answer_text(TASKS[task], one.label))
            ]
        )
        or 0.0
        for text in tried
    )


def write_floors(release: Path, found: Sequence[TaskFloors]) -> None:
    """To ``floors.json`` in the folder. Not part of ``release.json``: it is measured, as counts of
    tokens are, and nothing that is scored depends on it."""
    text = json.dumps(floors_document(found), indent=2) + "\n"
    (release / FLOORS).write_text(text, encoding="utf-8")


def floors_document(found: Iterable[TaskFloors]) -> dict[str, object]:
    return {
        one.task: {"questions": one.questions, "floors": one.floors, "best": one.best}
        for one in found
    }


def read_floors(release: Path) -> dict[str, TaskFloors]:
    """By task, as written there; none where there is no such file, or one of another form."""
    try:
        return floors_of(json.loads((release / FLOORS).read_bytes()))
    except (OSError, ValueError):
        return {}


def floors_of(document: dict[str, Any]) -> dict[str, TaskFloors]:
    """From what ``floors_document`` returns; none from anything else."""
    try:
        return {
            task: TaskFloors(
                task,
                int(one["questions"]),
                {str(name): float(percent) for name, percent in one["floors"].items()},
                {str(name): str(rule) for name, rule in one["best"].items()},
            )
            for task, one in document.items()
            if task in TASKS
        }
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
