"""The composed site, brought up and taken down as an operator does, in a copy of the checkout.

The engine is docker, or whatever ``ENGINE`` and ``COMPOSE`` name, as for make; ``BASE`` and
``BUILD_FLAGS`` are passed on too.
"""

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.support.paths import ROOT
from tests.support.processes import free_port

# Others for two tests at once.
VERSION = os.environ.get("VERSION", "image-test")
PROJECT = os.environ.get("COMPOSE_PROJECT_NAME", "infinitebench-image-test")
ENGINE = os.environ.get("ENGINE", "docker")
COMPOSE = shlex.split(os.environ.get("COMPOSE", f"{ENGINE} compose"))
IMAGES = ("site", "proxy", "database", "redis")
_MOUNTED = "/given"
# Second factors have tests of their own; here they would hide what is looked at.
_SITE = """ALLOWED_HOSTS=localhost
SITE_URL=https://localhost:{port}
DEFAULT_FROM_EMAIL=board@localhost
EMAIL_HOST=127.0.0.1
EMAIL_PORT=9
SECOND_FACTOR=0
"""


@dataclass(frozen=True)
class Stack:
    folder: Path  # of the compose file
    port: int
    variables: dict[str, str]
    link: str = ""  # the invitation that `make up` printed
    project: str = PROJECT

    @property
    def address(self) -> str:
        return f"https://localhost:{self.port}"

    def compose(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return run([*COMPOSE, *arguments], self.folder, self.variables, check=check)

    def inside(self, service: str, *command: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in the container of a service."""
        place = self.container(service) or "none"
        return run([ENGINE, "exec", place, *command], self.folder, self.variables, check=False)

    def python(self, service: str, code: str) -> subprocess.CompletedProcess[str]:
        return self.inside(service, "python3", "-c", code)

    def container(self, service: str) -> str:
        """The id of the container of a service; empty while it has none."""
        return next(iter(self.containers(service)), "")

    def containers(self, service: str) -> list[str]:
        labels = [
            f"label=com.docker.compose.project={self.project}",
            f"label=com.docker.compose.service={service}",
        ]
        filters = [part for label in labels for part in ("--filter", label)]
        return self.engine("ps", "--all", *filters, "--format", "{{.ID}}").split()

    def pid(self, service: str) -> int:
        """Of the first process of the container, as this machine knows it; 0 while it is down."""
        found = self.container(service)
        return int(self.engine("inspect", "--format", "{{.State.Pid}}", found) if found else 0)

    def signal(self, service: str, number: int = signal.SIGKILL) -> None:
        """Not through the engine, which would not start again what it was asked to kill."""
        os.kill(self.pid(service), number)

    def scale(self, service: str, count: int) -> None:
        """Containers of it, one or more."""
        self.compose("up", "-d", "--no-deps", "--scale", f"{service}={count}", service)

    def engine(self, *arguments: str) -> str:
        return run([ENGINE, *arguments], self.folder, self.variables).stdout.strip()

    def logs(self, container: str) -> str:
        """What it has said since its start, on either stream."""
        done = run([ENGINE, "logs", container], self.folder, self.variables)
        return done.stdout + done.stderr

    def manage(self, *arguments: str, given: Path | None = None) -> str:
        """A command of the site in a container of its own, which may read a folder."""
        volume = ["--volume", f"{given}:{_MOUNTED}:ro"] if given else []
        place = [_MOUNTED] if given else []
        name, *more = arguments
        run_it = ["run", "--rm", "-T", *volume, "manage", name, *place, *more]
        return self.compose("--profile", "manage", *run_it).stdout


def run(
    command: list[str], folder: Path, variables: dict[str, str], *, check: bool = True
) -> subprocess.CompletedProcess[str]:
    # A make within a make says more, and these tests are started by one.
    own = {name: value for name, value in variables.items() if not name.startswith("MAKE")}
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True, text=True, check=False)
    if check:
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    return done


def copy_checkout(copy: Path) -> Path:
    """What is tracked here, or will be."""
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, tracked.stdout.split("\0")):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy / name, follow_symlinks=False)
    return copy


def variables_of(project: str, version: str, port: int) -> dict[str, str]:
    return {
        **os.environ,
        "COMPOSE": shlex.join(COMPOSE),
        "COMPOSE_PROJECT_NAME": project,
        "HTTP_PORT": str(free_port()),
        "HTTPS_PORT": str(port),
        "VERSION": version,
    }


def take_down(folder: Path, variables: dict[str, str]) -> None:
    """With all that is stored, and the images."""
    # With the profile: otherwise what its service uses too would stay.
    down = [*COMPOSE, "--profile", "manage", "down", "--volumes"]
    run(down, folder, variables, check=False)
    # podman-compose leaves some behind, which have their device, or what is stored, of this time.
    volumes = run([ENGINE, "volume", "ls", "--quiet"], folder, variables).stdout.split()
    ours = [one for one in volumes if one.startswith(f"{variables['COMPOSE_PROJECT_NAME']}_")]
    if ours:
        run([ENGINE, "volume", "rm", "--force", *ours], folder, variables)
    tags = [f"localhost/infinitebench/{name}:{variables['VERSION']}" for name in IMAGES]
    run([ENGINE, "rmi", "--force", *tags], folder, variables, check=False)


@contextmanager
def composed(
    folder: Path,
    site: str = "",
    override: Mapping[str, Any] | None = None,
    key_of_bucket: tuple[str, str] | None = None,
) -> Iterator[Stack]:
    """Built, up, and down again with all that it has stored. ``site``: more lines of site.env;
    ``override``: another compose file, which changes the first; with a key, files are in a bucket.
    """
    copy = copy_checkout(folder / "site")
    port = free_port()
    variables = variables_of(PROJECT, VERSION, port)
    (copy / "docker" / "site.env").write_text(_SITE.format(port=port) + site)
    files = ["compose.yaml"]
    if key_of_bucket:
        files.append("s3.yaml")
        secrets = copy / "docker" / "secrets"
        secrets.mkdir(mode=0o700)
        names = ("s3_access_key_id", "s3_secret_access_key")
        for name, value in zip(names, key_of_bucket, strict=True):
            (secrets / name).write_text(value)
            os.chown(secrets / name, 10001, 10001)
            (secrets / name).chmod(0o600)
    if override:
        files.append("override.yaml")
        (copy / "docker" / "override.yaml").write_text(yaml.safe_dump(dict(override)))
    variables["COMPOSE_FILE"] = ":".join(files)
    try:
        up = run(["make", "up", "ADMIN=ada@board.example"], copy, variables)
        yield Stack(copy / "docker", port, variables, up.stdout.splitlines()[-1])
    finally:
        take_down(copy / "docker", variables)
