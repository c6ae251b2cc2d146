"""Where the tests find the real files of ∞Bench, and how they tell what they counted."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
_FINDINGS = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real prediction files, labels and official scores."""
    folder = ROOT / os.environ.get("INFINITEBENCH_DATA", "../shared/infinitebench")
    if not folder.is_dir():
        pytest.skip(f"NO REAL DATA: {folder} is absent; set INFINITEBENCH_DATA to run this test")
    return folder.resolve()


@pytest.fixture
def tell(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Keep a line for the end of the test output: how many of how many."""
    return request.config.stash.setdefault(_FINDINGS, []).append


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    lines = config.stash.get(_FINDINGS, [])
    if lines:
        terminalreporter.section("counted")
        for line in lines:
            terminalreporter.write_line(line)
