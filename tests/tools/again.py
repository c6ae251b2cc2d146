"""``make test-again TESTS=tests/…``: ten runs beside two busy processes.

For tests that use threads, time or other programs. Ends with the first run that fails.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

RUNS, BUSY = 10, 2


@contextmanager
def busy_machine() -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(BUSY)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def main(tests: list[str]) -> int:
    if not tests:
        print("Name the tests:  make test-again TESTS=tests/portal/…", file=sys.stderr)
        return 2
    with busy_machine():
        for run in range(1, RUNS + 1):
            print(f"run {run} of {RUNS}", flush=True)
            pytest = [sys.executable, "-m", "pytest", "-q", *tests]
            status = subprocess.run(pytest, check=False).returncode
            if status:
                return status
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
