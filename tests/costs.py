"""What a run costs: processor seconds by folder, and the most expensive tests, as its last lines.

Children that have ended count for the test in which they ended, PostgreSQL for itself. Fixtures
that are shared count for the test that needs them first.
"""

import os
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

BUDGET = 800  # processor seconds of the suite (`make test`), everything counted
_SHOWN_FOLDERS, _SHOWN_TESTS = 14, 10
_TICKS = os.sysconf("SC_CLK_TCK")


class Costs:
    """Of one process; the one that the terminal belongs to adds up those of the others."""

    def __init__(self) -> None:
        self.by_test: defaultdict[str, float] = defaultdict(float)
        self.collection = 0.0  # until the first test, imports included
        self.total = 0.0
        self.postmaster: int | None = None

    def add(self, other: dict[str, float], collection: float, total: float) -> None:
        self.by_test |= other
        self.collection = max(self.collection, collection)
        self.total += total

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        begin = _processor_seconds()
        result = yield
        self.by_test[item.nodeid] += _processor_seconds() - begin
        return result

    def pytest_collection_finish(self) -> None:
        self.collection = _processor_seconds()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.total:  # of our workers, which are our children
            self.total += time.process_time()
        else:
            self.total = _processor_seconds()
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output["costs"] = (dict(self.by_test), self.collection, self.total)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: "WorkerController") -> None:
        self.add(*getattr(node, "workeroutput", {}).get("costs", ({}, 0.0, 0.0)))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        database = _seconds_of(self.postmaster) if self.postmaster else 0.0
        folders: defaultdict[str, float] = defaultdict(float)
        for test, seconds in self.by_test.items():
            folders["/".join(test.partition("::")[0].split("/")[1:3])] += seconds
        terminalreporter.section("processor seconds")
        lines = [
            f"{self.total + database:7.0f}  in all; the suite's budget is {BUDGET}",
            f"{database:7.0f}  of them PostgreSQL",
            f"{self.collection:7.1f}  collection, in each process",
            *_most_expensive(folders, _SHOWN_FOLDERS),
            "",
            *_most_expensive(self.by_test, _SHOWN_TESTS),
        ]
        for line in lines:
            terminalreporter.write_line(line)


def _most_expensive(seconds: Mapping[str, float], shown: int) -> list[str]:
    ordered = sorted(seconds, key=seconds.__getitem__, reverse=True)
    return [f"{seconds[name]:7.1f}  {name}" for name in ordered[:shown]]


def _processor_seconds() -> float:
    """Of this process and its children that have ended."""
    return sum(os.times()[:4])


def _seconds_of(pid: int) -> float:
    """Likewise, of another process; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS
