"""What a whole process takes."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

# A process is charged with what the one that started it had until then: so a small one starts it.
_STARTER = """
import os, resource, subprocess, sys, time
begun = time.perf_counter()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
seconds = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
sys.exit(code)
"""


class Taken(NamedTuple):
    seconds: float
    processor: float  # seconds
    peak: float  # memory in MiB


def taken_by(
    command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> Taken:
    """Raises ``CalledProcessError`` where it fails."""
    starter = [sys.executable, "-I", "-c", _STARTER, *command]
    done = subprocess.run(starter, cwd=cwd, env=env, check=True, stdout=subprocess.PIPE)
    return Taken(*map(float, done.stdout.split()))
