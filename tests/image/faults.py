"""``make fault-test``: what the composed site does when its parts fail, under a light load.

Prints a table: each fault, and what became of it. Nothing that was accepted may be lost, nothing
scored twice, no page may hang, and the site recovers without a hand. Exit code 1 where one of them
is not so. As root, with the variables of ``make image-test``; about 25 minutes.

The lease, the sweeper's turn and the time after which a message is sent again are shortened, so
that what recovers does so in seconds; nothing else is different.
"""

import argparse
import logging
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.image.load import (
    PATIENCE,
    Load,
    ask,
    form_of,
    import_releases,
    shell,
    tokens_for,
    upload_of,
)
from tests.image.stack import COMPOSE, PROJECT, Stack, composed
from tests.support.s3_server import BUCKET, S3Server

SECONDS = 8  # that a fault lasts, where it is no moment
RECOVERY = 120  # seconds in which everything that was accepted is scored, after a fault
_SUBNET, _GATEWAY, _S3_PORT = "10.213.7.0/24", "10.213.7.1", 9412
_SHORTER = """LEASE_SECONDS=10
HEARTBEAT_SECONDS=2
SWEEP_SECONDS=5
RESEND_SECONDS=10
MIN_FREE_BYTES=20000000
"""
_BUCKET = f"STORAGE_URL=s3://{BUCKET}/one?endpoint=http://{_GATEWAY}:{_S3_PORT}\n"
_CLOCK = """
import datetime, mmap, struct, time
with open("/clock/ahead", "r+b") as file:
    ahead = mmap.mmap(file.fileno(), 8, prot=mmap.PROT_READ)
real, real_time = datetime.datetime, time.time
def shift():
    return struct.unpack("d", ahead[:])[0]
class OfBoth(type):
    def __instancecheck__(cls, value):
        return isinstance(value, real)
class Shifted(real, metaclass=OfBoth):
    @classmethod
    def now(cls, tz=None):
        return real.now(tz) + datetime.timedelta(seconds=shift())
    @classmethod
    def utcnow(cls):
        return real.utcnow() + datetime.timedelta(seconds=shift())
datetime.datetime = Shifted
time.time = lambda: real_time() + shift()
time.time_ns = lambda: int(time.time() * 1e9)
"""
_CUT_OFF = ("web", "scoring", "database", "redis")
_OF_PYTHON = ("web", "scoring", "runs", "imports", "mail", "sweeper")
_DELIVER = """
from portal.models import Evaluation
from portal.queue import SCORE, _is_sent
[pk] = Evaluation.objects.filter(submission={id!r}).values_list("pk", flat=True)
print([_is_sent(SCORE, pk) for _ in range(5)])
"""
_FILL_REDIS = """
export REDISCLI_AUTH=$(sed -n 's/^requirepass //p' /run/secrets/redis_password)
redis-cli config set maxmemory {size}
"""


@dataclass(frozen=True, slots=True)
class Site:
    stack: Stack
    tokens: tuple[str, ...]
    folder: Path  # with a disk of limited size for each kind of what is stored
    bucket: S3Server | None


@dataclass(frozen=True, slots=True)
class Outcome:
    lost: int
    twice: int
    unfinished: int
    slowest: float  # seconds of a read
    failed: int  # reads that got an error while the fault lasted, of so many
    reads: int
    accepted: int
    seconds: float  # from the end of the fault until everything accepted was scored
    remark: str = ""

    @property
    def is_well(self) -> bool:
        none_wrong = not (self.lost or self.twice or self.unfinished or self.remark)
        return none_wrong and self.slowest < PATIENCE


Inject = Callable[[Site, Load], str]  # returns a remark where something is not as promised


def nothing(_site: Site, _load: Load) -> str:
    time.sleep(SECONDS)
    return ""


# Processes


def killed(service: str) -> Inject:
    def inject(site: Site, _load: Load) -> str:
        before = site.stack.pid(service)
        site.stack.signal(service)
        return comes_back(site, service, before)

    return inject


def asked_to_stop(service: str, number: int = signal.SIGTERM) -> Inject:
    def inject(site: Site, _load: Load) -> str:
        before = site.stack.pid(service)
        site.stack.signal(service, number)
        return comes_back(site, service, before)

    return inject


def comes_back(site: Site, service: str, before: int) -> str:
    """As another process, by the engine alone."""
    is_new = within(60, lambda: site.stack.pid(service) not in (0, before))
    return "" if is_new else f"{service} stays down"


def stopped_and_continued(site: Site, _load: Load) -> str:
    """For longer than a lease: the late result is refused."""
    container = site.stack.container("scoring")
    site.stack.engine("pause", container)
    time.sleep(15)
    site.stack.engine("unpause", container)
    return ""


def box_killed(site: Site, load: Load) -> str:
    load.upload(1, slow=True)
    found = within(30, lambda: boxes_of(site.stack.pid("scoring")))
    for pid in found or ():
        subprocess.run(["kill", "-9", str(pid)], check=False)
    return "" if found else "no box was seen"


def boxes_of(pid: int) -> list[int]:
    found = []
    for child in children(pid):
        name = Path(f"/proc/{child}/comm").read_text().strip() if exists(child) else ""
        found += [child] if name == "bwrap" else boxes_of(child)
    return found


def children(pid: int) -> list[int]:
    try:
        return [
            int(child)
            for place in Path(f"/proc/{pid}/task").glob("*/children")
            for child in place.read_text().split()
        ]
    except OSError:
        return []


def exists(pid: int) -> bool:
    return Path(f"/proc/{pid}/comm").exists()


def killed_between_the_scores_and_the_commit(site: Site, load: Load) -> str:
    """The worker waits for a table to store them in when it is killed."""
    lock = "BEGIN; LOCK TABLE portal_taskscore IN EXCLUSIVE MODE; SELECT pg_sleep(25); COMMIT"
    holder = subprocess.Popen(
        [*COMPOSE, "exec", "-T", "database", *PSQL, lock],
        cwd=site.stack.folder, env=site.stack.variables,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    load.upload(2, slow=False)
    waits = "SELECT count(*) FROM pg_locks WHERE NOT granted"
    seen = within(20, lambda: psql(site, waits).strip() not in ("", "0"))
    before = site.stack.pid("scoring")
    site.stack.signal("scoring")
    holder.wait()
    return comes_back(site, "scoring", before) if seen else "nothing was about to be stored"


def all_killed_at_once(site: Site, _load: Load) -> str:
    """As by a power cut."""
    before = {name: site.stack.pid(name) for name in (*_OF_PYTHON, "redis", "database", "proxy")}
    for service in before:
        site.stack.signal(service)
    return "".join(comes_back(site, service, pid) for service, pid in before.items())


# Jobs


def delivered_five_times(site: Site, load: Load) -> str:
    found = load.upload(3, slow=True)
    sent = shell(site.stack, _DELIVER.format(id=found))
    return "" if sent.count("True") == 5 else sent.strip()


def two_sweepers(site: Site, _load: Load) -> str:
    name = f"{PROJECT}-second-sweeper"
    site.stack.compose("run", "-d", "--name", name, "--no-deps", "sweeper")
    time.sleep(3 * SECONDS)
    site.stack.engine("rm", "--force", name)
    return ""


def cut_at_half(site: Site, _load: Load) -> str:
    kind, body = form_of(upload_of(9, slow=True), "slow")
    head = (
        "POST /api/v1/submissions/ HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {site.tokens[0]}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    ).encode()
    context = ssl._create_unverified_context()
    with (
        socket.create_connection(("localhost", site.stack.port)) as plain,
        context.wrap_socket(plain, server_hostname="localhost") as connection,
    ):
        connection.sendall(head + body[: len(body) // 2])
    left = list((site.folder / "data" / "incoming").glob("*"))
    return f"{len(left)} files are left" if left else ""


# Redis


def flushed(site: Site, _load: Load) -> str:
    for _ in range(5):
        site.stack.inside(
            "redis", "sh", "-c", _FILL_REDIS.format(size="192mb") + "redis-cli flushall"
        )
        time.sleep(1)
    return ""


def redis_full(site: Site, _load: Load) -> str:
    site.stack.inside("redis", "sh", "-c", _FILL_REDIS.format(size="1"))
    time.sleep(SECONDS)
    site.stack.inside("redis", "sh", "-c", _FILL_REDIS.format(size="192mb"))
    return ""


def gone(service: str) -> Inject:
    """Taken away, and back after a while."""

    def inject(site: Site, _load: Load) -> str:
        container = site.stack.container(service)
        site.stack.engine("stop", container)
        remark = ""
        if service == "database":
            remark = says_so(site)
        time.sleep(SECONDS)
        site.stack.engine("start", container)
        return remark

    return inject


def says_so(site: Site) -> str:
    """The process lives, and the site is not ready."""
    alive, ready = ask(site.stack, "/healthz").status, ask(site.stack, "/readyz").status
    return "" if (alive, ready) == (200, 503) else f"/healthz {alive}, /readyz {ready}"


def switched(service: str) -> Inject:
    """To another container, with another address."""

    def inject(site: Site, _load: Load) -> str:
        site.stack.engine("rm", "--force", site.stack.container(service))
        site.stack.compose("up", "-d", "--no-deps", service)
        return ""

    return inject


# Disks


def disk_full(name: str) -> Inject:
    def inject(site: Site, _load: Load) -> str:
        with filled(site.folder / name):
            time.sleep(SECONDS)
        return ""

    return inject


@contextmanager
def filled(folder: Path) -> Iterator[None]:
    ballast = folder / "ballast"
    try:
        subprocess.run(
            ["dd", "if=/dev/zero", f"of={ballast}", "bs=1M"], check=False, capture_output=True
        )
        yield
    finally:
        ballast.unlink()


def disk_of_the_scorer_full(site: Site, _load: Load) -> str:
    site.stack.inside("scoring", "dd", "if=/dev/zero", "of=/tmp/ballast", "bs=1M")
    time.sleep(SECONDS)
    site.stack.inside("scoring", "rm", "/tmp/ballast")
    return ""


# Clocks


def clock_jumps(hours: int) -> Inject:
    def inject(site: Site, _load: Load) -> str:
        set_clock(site.folder, 3600 * hours)
        time.sleep(SECONDS)
        set_clock(site.folder, 0)
        return ""

    return inject


def set_clock(folder: Path, seconds: float) -> None:
    with (folder / "clock" / "ahead").open("r+b") as file:
        file.write(struct.pack("d", seconds))


# Networks


def disconnected(service: str) -> Inject:
    """From the network inside, and joined to it again."""

    def inject(site: Site, _load: Load) -> str:
        network, container = f"{PROJECT}_back", site.stack.container(service)
        site.stack.engine("network", "disconnect", "--force", network, container)
        time.sleep(SECONDS)
        site.stack.engine("network", "connect", "--alias", service, network, container)
        return ""

    return inject


def silent(service: str, direction: str, seconds: float = 2 * SECONDS) -> Inject:
    """What goes in one direction is dropped, and nobody is told."""

    def inject(site: Site, _load: Load) -> str:
        inside = ["nsenter", "--target", str(site.stack.pid(service)), "--net", "iptables"]
        rule = [direction, "!", "-i" if direction == "INPUT" else "-o", "lo", "-j", "DROP"]
        subprocess.run([*inside, "-A", *rule], check=True)
        time.sleep(seconds)
        subprocess.run([*inside, "-D", *rule], check=True)
        return ""

    return inject


# The bucket


def bucket_slow(site: Site, _load: Load) -> str:
    assert site.bucket
    site.bucket.goes_on.clear()
    time.sleep(2 * SECONDS)
    site.bucket.goes_on.set()
    return ""


def bucket_refuses(site: Site, _load: Load) -> str:
    assert site.bucket
    site.bucket.fails = True
    time.sleep(SECONDS)
    site.bucket.fails = False
    return ""


def bucket_unreachable(site: Site, _load: Load) -> str:
    """Nothing answers at its address."""
    rule = ["INPUT", "-d", _GATEWAY, "-p", "tcp", "--dport", str(_S3_PORT), "-j", "DROP"]
    subprocess.run(["iptables", "-I", *rule], check=True)
    time.sleep(2 * SECONDS)
    subprocess.run(["iptables", "-D", *rule], check=True)
    return ""


FAULTS: dict[str, Inject] = {
    "nothing": nothing,
    **{f"{name} killed": killed(name) for name in (*_OF_PYTHON, "proxy", "redis", "database")},
    "all killed at once": all_killed_at_once,
    "web asked to stop": asked_to_stop("web"),
    "scoring asked to stop": asked_to_stop("scoring"),
    "scoring stopped for longer than a lease": stopped_and_continued,
    "a box killed": box_killed,
    "scoring killed between scores and commit": killed_between_the_scores_and_the_commit,
    "a message delivered five times": delivered_five_times,
    "two sweepers": two_sweepers,
    "an upload cut at half": cut_at_half,
    "Redis flushed": flushed,
    "Redis full": redis_full,
    "Redis gone": gone("redis"),
    "Redis switched to another": switched("redis"),
    "database restarted": asked_to_stop("database", signal.SIGINT),
    "database gone": gone("database"),
    "database switched to another address": switched("database"),
    "disk for files full": disk_full("files"),
    "disk for incoming uploads full": disk_full("data"),
    "disk of the database full": disk_full("database"),
    "disk of the scorer full": disk_of_the_scorer_full,
    "clocks an hour ahead, and back": clock_jumps(1),
    "clocks an hour behind, and back": clock_jumps(-1),
    **{f"{name} disconnected": disconnected(name) for name in _CUT_OFF},
    **{
        f"{name}: {what} lost silently": silent(name, direction)
        for name in _CUT_OFF
        for what, direction in (("what it sends", "OUTPUT"), ("what it is sent", "INPUT"))
    },
}  # fmt: skip
OF_A_BUCKET: dict[str, Inject] = {
    "bucket slow": bucket_slow,
    "bucket refuses": bucket_refuses,
    "bucket unreachable": bucket_unreachable,
}
OPEN = "SELECT count(*) FROM portal_evaluation WHERE state NOT IN ('scored', 'failed')"
PSQL = ("psql", "-U", "postgres", "-h", "/tmp", "-d", "site", "-Atc")


def psql(site: Site, query: str) -> str:
    return site.stack.inside("database", *PSQL, query).stdout


def within(seconds: float, condition: Callable[[], Any]) -> Any:
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.25)
    return found


def suffer(site: Site, inject: Inject) -> Outcome:
    """A fault under load, and what became of what was accepted."""
    with Load(site.stack, site.tokens) as load:
        time.sleep(2)
        remark = inject(site, load)
        healed = time.monotonic()
        ready = within(RECOVERY, lambda: ask(site.stack, "/board/small/").status == 200)
        time.sleep(2)
        load.upload(7, slow=False)
    within(RECOVERY, lambda: psql(site, OPEN).strip() == "0")
    seconds = time.monotonic() - healed
    states: dict[str, Any] = within(RECOVERY, lambda: of_load(load)) or {}
    lost = [key for key, digest in load.accepted.items() if differs(states.get(key), digest)]
    unfinished = [key for key, one in states.items() if one["evaluations"][-1]["state"] != "scored"]
    if not ready:
        remark = f"{remark} the board stays away".strip()
    remark = "; ".join(filter(None, [remark, *load.wrong[:1]]))
    times = [answer.seconds for _, answer in load.reads]
    return Outcome(
        lost=len(lost),
        twice=sum(map(is_twice, states.values())) + max(0, len(states) - len(load.accepted)),
        unfinished=len(unfinished),
        slowest=max(times, default=0),
        failed=sum(not answer.is_well for _, answer in load.reads),
        reads=len(load.reads),
        accepted=len(load.accepted),
        seconds=seconds,
        remark=remark,
    )


def of_load(load: Load) -> dict[str, Any]:
    """What the site has of it now; nothing while it cannot be asked."""
    try:
        found = load.states()
    except AssertionError:
        return {}
    return {key: one for key, one in found.items() if key not in KNOWN}


KNOWN: set[str] = set()  # submissions of earlier faults


def differs(found: dict[str, Any] | None, digest: str) -> bool:
    return found is None or found["sha256"] != digest


def is_twice(found: dict[str, Any]) -> bool:
    """Each has one evaluation, with three scores of each task and one result of each answer."""
    scores = [(one["scores"], one["results"]) for one in found["evaluations"] if one["scores"]]
    return len(found["evaluations"]) != 1 or any(pair not in ((6, 10), (3, 5)) for pair in scores)


@contextmanager
def disks(folder: Path) -> Iterator[None]:
    """One of limited size for each kind of what is stored: 300 MB for what arrives and for files, 1
    GB for the database."""
    sizes = {"data": ("300m", 10001, 0o700), "files": ("300m", 10001, 0o750)}
    sizes["database"] = ("1g", 10002, 0o700)
    mounted = []
    try:
        for name, (size, owner, mode) in sizes.items():
            place = folder / name
            place.mkdir()
            options = f"size={size},uid={owner},gid={owner},mode={mode:o}"
            subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)
            mounted.append(place)
        yield
    finally:
        for place in mounted:
            subprocess.run(["umount", "--lazy", place], check=True)


def override(folder: Path, *, with_bucket: bool) -> dict[str, Any]:
    """These disks, a clock that can be set, and for a bucket a network of known addresses."""
    clock = folder / "clock"
    clock.mkdir()
    (clock / "sitecustomize.py").write_text(_CLOCK)
    (clock / "ahead").write_bytes(struct.pack("d", 0))
    wrong_clock = {"environment": {"PYTHONPATH": "/clock"}, "volumes": [f"{clock}:/clock:ro"]}
    volumes = {
        name: {"driver_opts": {"type": "none", "o": "bind", "device": str(folder / name)}}
        for name in ("data", "files", "database")
    }
    addresses = {"ipam": {"config": [{"subnet": _SUBNET}]}} if with_bucket else {}
    return {
        "services": dict.fromkeys(_OF_PYTHON, wrong_clock),
        "networks": {"back": {"internal": True, **addresses}},
        "volumes": volumes,
    }


@contextmanager
def running(folder: Path, *, with_bucket: bool, settings: str = _SHORTER) -> Iterator[Site]:
    with ExitStack() as stack:
        stack.enter_context(disks(folder))
        lines = settings + (_BUCKET if with_bucket else "")
        more = override(folder, with_bucket=with_bucket)
        key = ("known to everybody", "for tests only") if with_bucket else None
        site = stack.enter_context(composed(folder, lines, more, key))
        bucket = None
        if with_bucket:
            bucket = S3Server(_GATEWAY, _S3_PORT)
            bucket.make_bucket()
            stack.callback(bucket.close)
        import_releases(site, folder)
        yield Site(site, tokens_for(site), folder, bucket)


def print_row(name: str, outcome: Outcome) -> None:
    word = "well" if outcome.is_well else "NOT WELL"
    sys.stdout.write(
        f"{name:48} {word:8}  accepted {outcome.accepted:3}, lost {outcome.lost}, twice "
        f"{outcome.twice}, open {outcome.unfinished}; recovered in {outcome.seconds:5.1f} s; reads "
        f"{outcome.reads:3}, errors {outcome.failed:3}, slowest {outcome.slowest:4.1f} s"
        f"{'; ' if outcome.remark else ''}{outcome.remark}\n"
    )
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", default=[""], nargs="+", help="faults whose names have one of these in them"
    )
    parser.add_argument("--after", default="", help="faults that follow this one in the table")
    chosen, after = parser.parse_args().only, parser.parse_args().after
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # it has a line for each request
    is_well = True
    for faults, with_bucket in ((FAULTS, False), (OF_A_BUCKET, True)):
        names = list(faults)
        names = names[names.index(after) + 1 :] if after in names else names
        some = {name: faults[name] for name in names if any(part in name for part in chosen)}
        if not some:
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            folder.chmod(0o755)
            with running(folder, with_bucket=with_bucket) as site:
                for fault, inject in some.items():
                    outcome = suffer(site, inject)
                    KNOWN.update(Load(site.stack, site.tokens).states())
                    print_row(fault, outcome)
                    is_well &= outcome.is_well
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
