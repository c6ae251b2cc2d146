"""``python -m tests.image.scaling``: two workers in containers of their own against one.

The workers are up, and held while the same uploads are accepted; then they go on at the same moment
until all are scored. Counted is the middle of each run, by the database's clock: from the second
that is done to the last but one, when no worker starts or has run out of work. On a machine with
two processors and nothing else to do the second worker must bring 1.8 times as much; exit code 1
where it does not. Beside it stands what two bare processes bring against one, in a few seconds, as
a measure of the machine. As root, with the variables of ``make image-test``.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.image.faults import Site, psql, running, within
from tests.image.load import Load

JOBS, ROUNDS = 16, 2  # the best of so many
LEAST = 1.8
_READY = " ready."
# Asked once, and waited for there: whoever asks again and again takes the time that is measured.
_WAIT = """
DO $$ BEGIN
    FOR turn IN 1..1200 LOOP
        EXIT WHEN {count} = (SELECT count(*) FROM portal_evaluation WHERE state = 'scored');
        PERFORM pg_sleep(0.5);
    END LOOP;
END $$
"""
_DONE = "SELECT count(*) FROM portal_evaluation WHERE state = 'scored'"
_FINISHED = """
SELECT extract(epoch FROM finished) FROM portal_evaluation
WHERE state = 'scored' ORDER BY finished DESC LIMIT {count}
"""
# What the scorer mostly does: objects, and numbers of any size.
_BARE = """
found = {}
for number in range(6_000_000):
    key = number * 7919 % 65_537
    found[key] = found.get(key, 0) + number
"""


def rate_with(site: Site, workers: int) -> float:
    """Evaluations in a second."""
    stack = site.stack
    stack.scale("scoring", workers)
    containers = stack.containers("scoring")
    assert len(containers) == workers
    assert within(60, lambda: all(_READY in stack.logs(one) for one in containers)), "not ready"
    load, before = Load(stack, site.tokens), int(psql(site, _DONE))
    stack.engine("pause", *containers)
    for number in range(JOBS):
        load.upload(number, slow=True)
    stack.engine("unpause", *containers)
    psql(site, _WAIT.format(count=before + JOBS))
    finished = sorted(map(float, psql(site, _FINISHED.format(count=JOBS)).split()))
    assert int(psql(site, _DONE)) == before + JOBS, "not all were scored"
    return (JOBS - 3) / (finished[-2] - finished[1])


def bare_rate(processes: int) -> float:
    begun = time.monotonic()
    started = [subprocess.Popen([sys.executable, "-c", _BARE]) for _ in range(processes)]
    assert all(one.wait() == 0 for one in started)
    return processes / (time.monotonic() - begun)


def main() -> int:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with running(folder, with_bucket=False, settings="MIN_FREE_BYTES=20000000\n") as site:
            bare = max(bare_rate(2) for _ in range(ROUNDS)) / max(
                bare_rate(1) for _ in range(ROUNDS)
            )
            one = max(rate_with(site, 1) for _ in range(ROUNDS))
            two = max(rate_with(site, 2) for _ in range(ROUNDS))
    sys.stdout.write(
        f"{JOBS} uploads: one worker {one:.3f} in a second, two {two:.3f}, "
        f"so {two / one:.2f} times one; two bare processes {bare:.2f} times one "
        f"(load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors)\n"
    )
    return 0 if two / one >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())
