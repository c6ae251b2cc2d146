"""The twelve tasks and five domains of ∞Bench, as literal tables.

Numbers of examples and average input lengths: Zhang et al., ACL 2024, table 2.
"""

from collections.abc import Callable, Collection
from enum import StrEnum
from typing import Literal, NamedTuple


class Kind(StrEnum):
    """What a gold answer is; ``scoring.labels`` turns each kind into its canonical type."""

    TEXT = "text"  # one string, compared exactly
    TEXTS = "texts"  # one or more strings, any of which is right
    CHOICE = "choice"  # the text of the right option and its letter
    INTEGER = "integer"
    NUMBER = "number"  # int, or float for a median
    INTEGERS = "integers"  # every intermediate value of a calculation


class Task(NamedTuple):
    id: str
    title: str
    domain: str
    context: Literal["synthetic", "realistic"]
    examples: int
    input_tokens: int  # average in the public data set
    output_tokens: int  # limit of the official runs; chat models need more
    kind: Kind
    prediction_cap: int = 1 << 20  # characters; the rest is cut off, with a warning
    fractional: bool = False  # whether any metric set can judge an answer as partly right


OVERALL = "overall"  # the mean of all tasks
DOMAINS = ("retrieval", "code", "math", "novel", "dialogue")

# fmt: off
TASKS: dict[str, Task] = {task.id: task for task in (
    Task("passkey", "Retrieve.PassKey", "retrieval", "synthetic", 590, 122_400, 6, Kind.TEXT),
    Task("number_string", "Retrieve.Number", "retrieval", "synthetic", 590, 122_400, 12, Kind.TEXT),
    Task("kv_retrieval", "Retrieve.KV", "retrieval", "synthetic", 500, 121_100, 50, Kind.TEXT),
    # ROUGE costs more than reading: 64 KiB is thirteen times the longest reference summary.
    Task("longbook_sum_eng", "En.Sum", "novel", "realistic", 103, 103_500, 1_200, Kind.TEXTS, 1 << 16, fractional=True),
    Task("longbook_qa_eng", "En.QA", "novel", "realistic", 351, 192_600, 40, Kind.TEXTS, fractional=True),
    Task("longbook_choice_eng", "En.MC", "novel", "realistic", 229, 184_400, 40, Kind.CHOICE),
    Task("longbook_qa_chn", "Zh.QA", "novel", "realistic", 189, 2_068_600, 40, Kind.TEXTS, fractional=True),
    Task("longdialogue_qa_eng", "En.Dia", "dialogue", "realistic", 200, 103_600, 40, Kind.TEXTS),
    Task("code_debug", "Code.Debug", "code", "realistic", 394, 114_700, 5, Kind.CHOICE),
    Task("code_run", "Code.Run", "code", "synthetic", 400, 75_200, 5, Kind.INTEGER),
    Task("math_calc", "Math.Calc", "math", "synthetic", 50, 43_900, 30_000, Kind.INTEGERS, fractional=True),
    Task("math_find", "Math.Find", "math", "synthetic", 350, 87_900, 3, Kind.NUMBER),
)}
# fmt: on


def tasks_of(domain: str) -> tuple[str, ...]:
    """The ids of a domain's tasks, in the order of the table."""
    return tuple(task.id for task in TASKS.values() if task.domain == domain)


# The order of boards and pages: by domain. Reports and digests keep that of ``TASKS``.
BOARD_ORDER = tuple(task for domain in DOMAINS for task in tasks_of(domain))

# Tasks whose mean has a name, in the order of boards: by domain, and by context.
GROUPS: dict[str, tuple[str, ...]] = {
    **{domain: tasks_of(domain) for domain in DOMAINS},
    **{
        context: tuple(task for task in BOARD_ORDER if TASKS[task].context == context)
        for context in ("realistic", "synthetic")
    },
}


def named_means(tasks: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The named means for data with these tasks, each with its tasks: all of them, the complete
    domains, and realistic and synthetic tasks if there are both."""
    found = {OVERALL: tuple(task for task in BOARD_ORDER if task in tasks)}
    for name, group in GROUPS.items():
        included = tuple(task for task in group if task in tasks)
        if included == group if name in DOMAINS else 0 < len(included) < len(tasks):
            found[name] = included
    return found


# The questions of Math.Find, in the order of the public data set: kind → its name in the question, and
# how it is found in the sorted list and the sorted set.
FIND_KINDS: dict[str, tuple[str, Callable[[list[int], list[int]], int]]] = {
    "max": ("largest number", lambda numbers, distinct: distinct[-1]),
    "2nd max": ("second largest number", lambda numbers, distinct: distinct[-2]),
    "3rd max": ("third largest number", lambda numbers, distinct: distinct[-3]),
    "min": ("smallest number", lambda numbers, distinct: distinct[0]),
    "2nd min": ("second smallest number", lambda numbers, distinct: distinct[1]),
    "3rd min": ("third smallest number", lambda numbers, distinct: distinct[2]),
    "median": ("median", lambda numbers, distinct: numbers[len(numbers) // 2]),
}
