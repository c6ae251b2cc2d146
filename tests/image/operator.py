"""``make operator-test``: what an operator does with docs/deployment.md alone, in containers.

A site of an earlier version is brought up and used; while it is used it is upgraded to this one;
it is restored from a backup as another site; and faults are planted in that, which the doctor and
the metrics have to find. Exit code 1 where anything is not as the page says. As root, with the
variables of ``make image-test``; about 15 minutes.
"""

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.image.faults import is_twice, within
from tests.image.load import PAGES, Load, ask, import_releases, shell, tokens_for
from tests.image.stack import Stack, copy_checkout, run, take_down, variables_of
from tests.support.mail_server import mail_server
from tests.support.paths import ROOT
from tests.support.processes import free_port

EARLIER, PRESENT = "operator-test-1", "operator-test-2"
PROJECT, ELSEWHERE = "infinitebench-operator-test", "infinitebench-operator-test-restored"
TOLD_WITHIN = 60  # seconds after a worker was killed; docs/deployment.md says so
SILENT_AT_MOST = 60.0  # seconds without an answer while containers are replaced
MOVED = ("docker/secrets", "docker/site.env")  # to another machine, beside the backups
_SITE = """ALLOWED_HOSTS=localhost
SITE_URL=https://localhost:{port}
DEFAULT_FROM_EMAIL=board@localhost
EMAIL_HOST={mail_host}
EMAIL_PORT={mail_port}
SECOND_FACTOR=0
SWEEP_SECONDS=5
"""
_PUBLISH = """
from portal.models import Submission, User
from portal.review.services import publish_submission, request_publication
one = Submission.objects.get(pk={pk!r})
other = User.objects.filter(username__startswith="load-").exclude(pk=one.owner_id).get()
request_publication(one, by=one.owner, unknown_confirmed=True)
publish_submission(one, by=other, reason="Complete and plausible.")
"""
_LOSE_A_FILE = """
from portal.models import Original
one = Original.objects.first()
one.file.storage.delete(one.file.name)
print(one.file.name)
"""


def say(sentence: str, *, well: bool | None = None) -> None:
    word = {None: "", True: "well      ", False: "NOT WELL  "}[well]
    sys.stdout.write(f"{word}{sentence}\n")
    sys.stdout.flush()


@dataclass
class Operator:
    """Of two sites: the one that is upgraded, and the one that is restored elsewhere."""

    folder: Path
    is_well: bool = True

    def find(self, sentence: str, *, well: bool) -> None:
        say(sentence, well=well)
        self.is_well &= well

    @property
    def backups(self) -> Path:
        return self.folder / "backups"


def earlier_revision() -> str:
    """The newest tag; before there is one, this version, since databases of others are refused."""
    return _git("describe", "--tags", "--abbrev=0", check=False) or "HEAD"


def _git(*arguments: str, check: bool = True) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=check
    )
    return done.stdout.strip()


def check_out(revision: str, copy: Path) -> None:
    copy.mkdir(parents=True)
    # With the modes of a checkout: with others the image would be another.
    modes = ["-c", "tar.umask=0022"]
    archive = subprocess.run(
        ["git", *modes, "archive", revision], cwd=ROOT, capture_output=True, check=True
    )
    subprocess.run(["tar", "-x", "-C", copy], input=archive.stdout, check=True)


def check_out_this(copy: Path) -> None:
    """As ``git checkout`` does: what is not tracked stays."""
    kept = {name: copy / name for name in MOVED}
    with tempfile.TemporaryDirectory(dir=copy.parent) as aside:
        for name, place in kept.items():
            shutil.move(place, Path(aside, Path(name).name))
        shutil.rmtree(copy)
        copy_checkout(copy)
        for name, place in kept.items():
            shutil.move(Path(aside, Path(name).name), place)


def command(stack: Stack, *arguments: str, backups: Path, check: bool = True) -> tuple[int, str]:
    """A command of the site, as the page has it."""
    volume = ["--volume", f"{backups}:/backups"]
    once = ["--profile", "manage", "run", "--rm", "--no-deps", "-T", *volume, "manage", *arguments]
    done = stack.compose(*once, check=check)
    return done.returncode, done.stdout + done.stderr


def use(stack: Stack, tokens: tuple[str, ...]) -> dict[str, Any]:
    """A few uploads, of which the first is published; what the site has of them, once scored."""
    load = Load(stack, tokens)
    for number in range(6):
        load.upload(number, slow=False)
    assert not load.wrong, load.wrong
    states = within(120, lambda: all_scored(load))
    assert states, "not all were scored"
    shell(stack, _PUBLISH.format(pk=next(iter(load.accepted))))
    return dict(states)


def all_scored(load: Load) -> dict[str, Any]:
    """What is there, or nothing while it is not all scored."""
    found = load.states()
    open_ones = [one for one in found.values() if one["evaluations"][-1]["state"] != "scored"]
    return {} if open_ones or not {*load.accepted} <= {*found} else found


def board(stack: Stack) -> dict[str, Any]:
    """The ranks and scores of entries."""
    found = json.loads(ask(stack, "/api/v1/entries/?release=small").body)["entries"]
    return {one["id"]: (one["rank"], one["scores"]) for one in found}


def pages_that_fail(stack: Stack) -> list[str]:
    return [page for page in PAGES if ask(stack, page).status != 200]


def upgrade(operator: Operator, stack: Stack, tokens: tuple[str, ...]) -> None:
    """To this version, while people upload and read."""
    assert within(60, lambda: board(stack))
    before = board(stack)
    check_out_this(stack.folder.parent)
    with Load(stack, tokens) as load:
        begun = time.monotonic()
        done = run(["make", "up"], stack.folder.parent, stack.variables, check=False)
        seconds = time.monotonic() - begun
        time.sleep(5)
    said = done.stdout + done.stderr
    operator.find(f"upgraded in {seconds:.0f} s", well=done.returncode == 0)
    if done.returncode:
        say(said[-3000:])
    states = within(180, lambda: all_scored(load)) or load.states()
    lost = [
        key for key, digest in load.accepted.items() if states.get(key, {}).get("sha256") != digest
    ]
    twice = sum(map(is_twice, states.values()))
    operator.find(
        f"{len(load.accepted)} uploads meanwhile: {len(lost)} lost, {twice} not scored once"
        f"{'; ' if load.wrong else ''}{'; '.join(load.wrong[:1])}",
        well=not (lost or twice or load.wrong),
    )
    failed = sum(not answer.is_well for _, answer in load.reads)
    silence = load.longest_silence()
    operator.find(
        f"{len(load.reads)} reads meanwhile, {failed} with an error, the slowest "
        f"{max(answer.seconds for _, answer in load.reads):.1f} s; no answer for {silence:.1f} s",
        well=silence < SILENT_AT_MOST,
    )
    same = board(stack) == before
    operator.find(f"the board is {'the same' if same else 'another'}", well=same)
    failing = pages_that_fail(stack)
    operator.find(f"pages that fail: {', '.join(failing) or 'none'}", well=not failing)


def back_up(operator: Operator, stack: Stack) -> None:
    code, said = command(stack, "backup", "/backups", backups=operator.backups, check=False)
    line = next((one for one in said.splitlines() if "the database and" in one), said[-500:])
    operator.find(line, well=code == 0)


@contextmanager
def restored(operator: Operator, stack: Stack) -> Iterator[Stack]:
    """From the newest backup, as another site, with the secrets of the first."""
    copy, port = copy_checkout(operator.folder / "elsewhere"), free_port()
    for name in MOVED:
        subprocess.run(["cp", "-a", stack.folder.parent / name, copy / name], check=True)
    variables = variables_of(ELSEWHERE, PRESENT, port)
    there = replace(
        stack, folder=copy / "docker", port=port, variables=variables, project=ELSEWHERE
    )
    try:
        run(["make", "image"], copy, variables)
        there.compose("up", "-d", "database", "redis")
        is_up = ("pg_isready", "-q", "-h", "/tmp")
        assert within(60, lambda: there.inside("database", *is_up).returncode == 0)
        code, said = command(there, "restore", "/backups", backups=operator.backups, check=False)
        for line in said.splitlines():
            if "restored" in line or "intact" in line or code:
                operator.find(line, well=code == 0)
        run(["make", "up"], copy, variables)
        yield there
    finally:
        take_down(there.folder, variables)


def compare(operator: Operator, first: Stack, second: Stack, tokens: tuple[str, ...]) -> None:
    same = board(first) == board(second) and board(first)
    operator.find(f"the board there is {'the same' if same else 'another'}", well=bool(same))
    states = [Load(stack, tokens).states() for stack in (first, second)]
    same = states[0] == states[1] and states[0]
    operator.find(
        f"of {len(states[0])} submissions all files and scores are {'the same' if same else 'NOT'}",
        well=bool(same),
    )
    failing = pages_that_fail(second)
    operator.find(f"pages that fail there: {', '.join(failing) or 'none'}", well=not failing)
    load = Load(second, tokens)
    load.upload(99, slow=False)
    operator.find("an upload there is scored", well=bool(within(60, lambda: all_scored(load))))


def wrong(operator: Operator, stack: Stack) -> dict[str, str]:
    """What the doctor says is not well, by check."""
    _, said = command(stack, "doctor", "--json", backups=operator.backups, check=False)
    findings = json.loads(said[said.index("{") : said.rindex("}") + 1])["findings"]
    return {one["check"]: one["sentence"] for one in findings if not one["ok"]}


def metric(stack: Stack, name: str) -> float | None:
    """With its labels, as Prometheus writes them."""
    token = (stack.folder / "secrets" / "metrics_token").read_text()
    answer = ask(stack, "/metrics", headers={"Authorization": f"Bearer {token}"})
    found = re.search(
        rf"^infinitebench_{re.escape(name)} (\S+)$", answer.body.decode(), re.MULTILINE
    )
    return float(found[1]) if found else None


def examine(operator: Operator, stack: Stack) -> None:
    """Faults are planted one after the other, told, and mended; by the engine, not a kill, since
    that would start the container again."""
    found = wrong(operator, stack)
    operator.find(f"the doctor of a well site: {found or 'all is well'}", well=not found)
    for service, check, told in (
        ("scoring", "workers", lambda: metric(stack, 'workers{queue="scoring"}') == 0),
        ("mail", "workers", lambda: metric(stack, 'workers{queue="mail"}') == 0),
        ("sweeper", "sweeper", lambda: (metric(stack, "sweeper_age_seconds") or 0) > 75),
        ("redis", "broker", lambda: True),
    ):
        plant(operator, stack, service, check, told)
    found = wrong(operator, stack)
    operator.find(f"the doctor after all was mended: {found or 'all is well'}", well=not found)
    # Podman loads its name server anew when a container ends, such as that of the doctor.
    within(30, lambda: stack.inside("web", "getent", "hosts", "database").returncode == 0)
    name = shell(stack, _LOSE_A_FILE).strip()
    code, said = command(stack, "backup", "/backups", backups=operator.backups, check=False)
    operator.find(
        f"a file is lost, and the backup names it: {name}", well=code == 1 and name in said
    )


def plant(
    operator: Operator, stack: Stack, service: str, check: str, told: Callable[[], bool]
) -> None:
    container = stack.container(service)
    stack.engine("kill", "--signal", "KILL", container)
    begun = time.monotonic()
    is_told = within(TOLD_WITHIN + 30, told)
    seconds = time.monotonic() - begun
    limit = TOLD_WITHIN + (20 if service == "sweeper" else 2)
    found = wrong(operator, stack)
    operator.find(
        f"{service} killed: told by the metrics after {seconds:.0f} s; the doctor: {found}",
        well=bool(is_told) and seconds < limit and {*found} == {check},
    )
    stack.engine("start", container)
    within(90, lambda: not wrong(operator, stack))


def own_address() -> str:
    """Of this machine, which containers reach; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--earlier", default="", help="revision that is brought up first")
    revision = parser.parse_args().earlier or earlier_revision()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.chmod(0o755)
        mail = stack.enter_context(mail_server(own_address()))
        port = free_port()
        site_env = _SITE.format(port=port, mail_host=own_address(), mail_port=mail.port)
        operator = Operator(folder)
        operator.backups.mkdir()
        os.chown(operator.backups, 10001, 10001)
        copy = folder / "board"
        check_out(revision, copy)
        (copy / "docker" / "site.env").write_text(site_env)
        earlier = variables_of(PROJECT, EARLIER, port)
        stack.callback(take_down, copy / "docker", earlier)
        up = run(["make", "up", "ADMIN=ada@board.example"], copy, earlier)
        first = Stack(copy / "docker", port, earlier, up.stdout.splitlines()[-1], PROJECT)
        say(f"{revision} is up")
        import_releases(first, folder)
        tokens = tokens_for(first)
        use(first, tokens)
        back_up(operator, first)
        first = replace(first, variables={**earlier, "VERSION": PRESENT})
        stack.callback(take_down, copy / "docker", first.variables)
        upgrade(operator, first, tokens)
        if not operator.is_well:
            return 1
        back_up(operator, first)
        with restored(operator, first) as second:
            compare(operator, first, second, tokens)
            back_up(operator, second)
            examine(operator, second)
    return 0 if operator.is_well else 1


if __name__ == "__main__":
    sys.exit(main())
