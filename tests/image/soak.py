"""``python -m tests.image.soak --minutes 20``: the composed site under a steady load.

Each minute it looks at the memory and the open files of each service, the connections of PostgreSQL
and Redis, and the files on the disks. At the end the second half is compared with the first: memory
that grows, or a file or a connection that is left behind, is exit code 1. As root, with the
variables of ``make image-test``.
"""

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.image.faults import OPEN, Site, children, is_twice, psql, running, within
from tests.image.load import PATIENCE, Load

SERVICES = (
    "proxy", "web", "scoring", "runs", "imports", "mail", "sweeper", "database", "redis",
)  # fmt: skip
# Half of the load that the site was made for: 40 reads and an upload in a second. The proxy takes
# 30 uploads a minute from one address.
READS, UPLOADS = 20.0, 0.45
_GROWTH, _LEAST = 1.1, 12.0  # times and MiB by which memory may grow from half to half
_WARM_UP = 0.25  # of the time, in which memory may grow as it likes
_FEW = 8  # samples
_SPARE = 8  # open files or connections that come and go


@dataclass(frozen=True, slots=True)
class Sample:
    memory: dict[str, float]  # MiB by service, what is shared counted once
    files: dict[str, int]  # open ones, by service
    connections: int  # of PostgreSQL
    incoming: int  # files that are half here
    boxes: int  # what boxes have left in the scorer's /tmp


def sample(site: Site) -> Sample:
    families = {name: family(site.stack.pid(name)) for name in SERVICES}
    tmp = site.stack.inside("scoring", "find", "/tmp", "-mindepth", "1")
    return Sample(
        memory={name: sum(map(memory_of, pids)) for name, pids in families.items()},
        files={name: sum(map(open_files, pids)) for name, pids in families.items()},
        connections=int(psql(site, "SELECT count(*) FROM pg_stat_activity") or 0),
        incoming=len(list((site.folder / "data" / "incoming").glob("*"))),
        boxes=len(tmp.stdout.splitlines()),
    )


def family(pid: int) -> list[int]:
    return [pid, *(one for child in children(pid) for one in family(child))]


def memory_of(pid: int) -> float:
    """In MiB; nothing of a process that has ended meanwhile. Without memory that processes share by
    name: PostgreSQL's cache has a fixed size and fills as there is more to read."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    own = [line for line in lines if line.startswith(("Pss_Anon:", "Pss_File:"))]
    return sum(int(line.split()[1]) for line in own) / 1024


def open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0


def judge(samples: list[Sample]) -> list[str]:
    """What has grown, in words; a service with a job at the moment has more for as long, so that
    medians are compared."""
    if len(samples) < _FEW:
        return [f"{len(samples)} samples are too few to judge by"]
    samples = samples[int(len(samples) * _WARM_UP) :]
    half = len(samples) // 2
    first, second = samples[:half], samples[half:]
    wrong = []
    for name in SERVICES:
        before = statistics.median(one.memory[name] for one in first)
        after = statistics.median(one.memory[name] for one in second)
        if after > max(before * _GROWTH, before + _LEAST):
            wrong.append(f"memory of {name}: {before:.0f} → {after:.0f} MiB")
        opened = [statistics.median(one.files[name] for one in half) for half in (first, second)]
        # PostgreSQL keeps tables open as long as a connection lives; these are counted below.
        if name != "database" and opened[1] > opened[0] + _SPARE:
            wrong.append(f"open files of {name}: {opened[0]:.0f} → {opened[1]:.0f}")
    asked = [statistics.median(one.connections for one in half) for half in (first, second)]
    if asked[1] > asked[0] + _SPARE:
        wrong.append(f"connections of PostgreSQL: {asked[0]:.0f} → {asked[1]:.0f}")
    return wrong


def soak(site: Site, minutes: float) -> list[str]:
    samples, wrong = [], []
    with Load(site.stack, site.tokens, UPLOADS, READS) as load:
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            time.sleep(min(60.0, max(0.0, end - time.monotonic())))
            samples.append(sample(site))
            print_sample(samples[-1], load)
    if not within(300, lambda: psql(site, OPEN).strip() == "0"):
        wrong.append("not everything was scored")
    states = load.states()
    if any(is_twice(one) for one in states.values()):
        wrong.append("something was scored twice, or not at all")
    last = within(60, lambda: (found := sample(site)).incoming == 0 and found)
    if not last:
        wrong.append("incoming files are left")
    elif last.boxes > samples[0].boxes + 2:
        wrong.append(f"{last.boxes} files are left in /tmp of scoring")
    stored = int(psql(site, "SELECT count(*) FROM portal_original"))
    if stored != len(states) or set(states) != set(load.accepted):
        wrong.append(f"{len(load.accepted)} accepted, {len(states)} there, {stored} files")
    errors = [answer for _, answer in load.reads if not answer.is_well]
    times = sorted(answer.seconds for _, answer in load.reads)
    if errors or times[-1] > PATIENCE:
        wrong.append(f"{len(errors)} reads failed")
    sys.stdout.write(
        f"{len(load.accepted)} uploads, {len(times)} reads: median {times[len(times) // 2]:.3f} s, "
        f"95 % {times[len(times) * 95 // 100]:.3f} s, slowest {times[-1]:.2f} s\n"
    )
    return wrong + judge(samples) + load.wrong[:1]


def print_sample(one: Sample, load: Load) -> None:
    memory = ", ".join(f"{name} {one.memory[name]:.0f}/{one.files[name]}" for name in SERVICES)
    sys.stdout.write(
        f"MiB and open files: {memory}; connections {one.connections}; incoming {one.incoming}; "
        f"boxes {one.boxes}; uploads {len(load.accepted)}, reads {len(load.reads)}\n"
    )
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    minutes = parser.parse_args().minutes
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        with running(folder, with_bucket=False) as site:
            wrong = soak(site, minutes)
    sys.stdout.write("\n".join(wrong or ["Memory, files and connections stay as they are."]) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
