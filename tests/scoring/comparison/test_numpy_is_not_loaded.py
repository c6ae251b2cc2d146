"""numpy takes longer to load than the command takes to score, so only comparisons load it."""

import subprocess
import sys

import pytest

SCORE = """
sys.argv[1:] = ["score", "--help"]
try:
    runpy.run_module("scoring", run_name="__main__")
except SystemExit:
    pass
"""


@pytest.mark.parametrize("statement", ["import scoring.score, scoring.cli.local.score", SCORE])
def test_scoring_does_not_load_numpy(statement: str) -> None:
    program = f"import runpy, sys\n{statement}\nassert 'scoring.score' in sys.modules"
    loads = f"{program}\nsys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", loads], check=True, capture_output=True)
