"""The programs of this folder that make starts, which load no configuration of pytest."""

import subprocess
import sys

import pytest

from tests.support.paths import ROOT

PROGRAMS = ("tests.tools.screens", "tests.tools.release_samples", "tests.bench.__main__")


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_loads_without_pytest(program: str) -> None:
    source = f"import importlib; importlib.import_module({program!r})"
    subprocess.run([sys.executable, "-c", source], cwd=ROOT, check=True)
