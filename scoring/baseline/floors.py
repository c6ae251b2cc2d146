"""The floors of a release: what constants, searches and rules of thumb score on its questions.

What the searches and windows leave of a text is answered by the rule-based reader of
``scoring.baseline``, which understands generated texts: whatever it can answer from a part, that
part gives away. All scores are ``strict``. On other texts the reader is hardly better than without
a text, and then its floors say little.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import repeat
from multiprocessing import get_context
from pathlib import Path

from scoring.baseline import read
from scoring.catalog import TASKS, Kind
from scoring.labels import LETTERS, answer_text
from scoring.metrics import Question, verdict_under
from scoring.releases.facets import Facets, evidence_text, read_facets
from scoring.releases.floors import NOVELS, TaskFloors
from scoring.releases.gold import GoldExample, ReleaseRow, read_release
from scoring.stats import mean_percent
from scoring.text import rules_of_thumb as rules
from scoring.text.excerpts import bm25, grep
from scoring.text.prompts import prompt_of

_MOST = 40  # questions of a task that are tried
_WINDOW = 8_000  # tokens: the first and the last 4,000
_LONG = 16_000  # tokens, from which on a window of 8,000 is only a part
_CONSTANTS = 5  # correct answers that are tried as the answer to all questions

_RULES: Mapping[str, tuple[Mapping[str, rules.Rule], tuple[str, ...]]] = {
    "options_only": (rules.OPTION_RULES, ("longbook_choice_eng", "code_debug")),
    "turns": (rules.TURN_RULES, ("longdialogue_qa_eng",)),
    "text_rules": (rules.TEXT_RULES, ("code_debug",)),
}


def measure_floors(
    release: Path, tasks: Sequence[str], *, jobs: int = 1, most: int = _MOST
) -> list[TaskFloors]:
    """For a release in a folder, task by task; ``most`` questions of each, spread over its rows.

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
    scores: dict[str, list[float]] = {}
    labels: list[GoldExample] = []  # of all rows: a constant that fits a few by chance is no floor
    asked = set()  # the same question at several lengths counts once
    for at, row in enumerate(read_release(task, file)):
        labels.append(row.example)
        if at % every:
            continue
        found = facets[row.example.key]
        asked.add(row.example.key if found.ladder is None else found.ladder)
        for name, answer in _answers(task, row, found):
            scores.setdefault(name, []).append(_score(task, row.example, answer))
    floors: dict[str, float] = {"constant": _best_constant(task, labels)}
    best: dict[str, str] = {}
    for name, of_rule in scores.items():
        floor, _, rule = name.partition("/")
        percent = mean_percent(of_rule) or 0.0
        if percent >= floors.get(floor, 0.0):
            floors[floor] = percent
            best |= {floor: rule} if rule else {}
    rounded = {name: round(percent, 1) for name, percent in floors.items()}
    return TaskFloors(task, len(asked), rounded, best)


def _answers(task: str, row: ReleaseRow, facets: Facets) -> Iterator[tuple[str, str]]:
    """By name of a floor, and of a rule if the floor is the best of several."""

    def reading(context: str, window: int | None = None) -> str:
        return read(prompt_of(task, context, row.question, row.example.options).text, window)

    yield "no_context", reading("")
    if facets.evidence and facets.evidence != ((0, len(row.context)),):
        yield "evidence_only", reading(evidence_text(row.context, facets.evidence))
    if task in NOVELS:
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
    return verdict_under("strict", task, answer, example.label, question).score


def _best_constant(task: str, examples: Sequence[GoldExample]) -> float:
    """Out of the most frequent answers, their most frequent words, and the letters."""
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
