"""``python -m tests.image.scaling``: two workers in containers of their own against one.

Both score the same uploads, which wait when the workers start; by the database's clock, from the
first that is begun to the last that is done. On a machine with two processors and nothing else to
do the second worker must bring 1.8 times as much; exit code 1 where it does not. As root, with the
variables of ``make image-test``.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.image.faults import Site, psql, running, within
from tests.image.load import Load

JOBS, ROUNDS = 10, 2  # the best of so many
LEAST = 1.8
_DONE = "SELECT count(*) FROM portal_evaluation WHERE state = 'scored'"
_SECONDS = """
SELECT extract(epoch FROM max(finished) - min(started)) FROM
(SELECT started, finished FROM portal_evaluation ORDER BY id DESC LIMIT {count}) AS newest
"""


def seconds_with(site: Site, workers: int) -> float:
    stack = site.stack
    stack.scale("scoring", workers)
    containers = stack.containers("scoring")
    stack.engine("stop", *containers)
    load, before = Load(stack, site.tokens), int(psql(site, _DONE))
    for number in range(JOBS):
        load.upload(number, slow=True)
    stack.engine("start", *containers)
    assert within(300, lambda: int(psql(site, _DONE)) == before + JOBS), "not all were scored"
    return float(psql(site, _SECONDS.format(count=JOBS)))


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with running(folder, with_bucket=False) as site:
            one = min(seconds_with(site, 1) for _ in range(ROUNDS))
            two = min(seconds_with(site, 2) for _ in range(ROUNDS))
    sys.stdout.write(
        f"{JOBS} uploads: one worker {one:.1f} s, two {two:.1f} s, so {one / two:.2f} times one "
        f"(load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)\n"
    )
    return 0 if one / two >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
