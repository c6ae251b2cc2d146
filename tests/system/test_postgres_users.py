"""Who runs the embedded PostgreSQL: as root an account without rights, otherwise we ourselves."""

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from portal.demo.postgres import NOBODY, Server, database_user, prepared, running
from portal.demo.postgres_binaries import INSTALL, PACKAGE, find_binaries
from portal.demo.processes import User, spawn
from portal.demo.state_folder import DemoError
from tests.support.databases import open_folder, postmaster, temporary_server
from tests.support.paths import ROOT

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="NOT ROOT: only root can see how both kinds of users fare"
)

place = pytest.fixture(open_folder)
server = pytest.fixture(temporary_server, scope="module")


def test_as_root_the_server_runs_under_an_account_without_rights(server: Server) -> None:
    assert server.user
    status = Path(f"/proc/{postmaster(server.data)}/status").read_text()
    facts = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert facts["Uid"].split() == [str(server.user.uid)] * 4
    assert facts["Groups"].strip() == ""
    assert int(facts["CapEff"], 16) == 0
    assert server.user.uid not in (0, NOBODY)


def test_as_root_programs_and_configuration_belong_to_root(server: Server) -> None:
    kept = [path for path in server.home.rglob("*") if server.data not in (path, *path.parents)]
    assert kept
    assert {path.lstat().st_uid for path in kept} == {0}
    assert not any(path.lstat().st_mode & 0o022 for path in kept)


def test_as_root_data_of_an_unreachable_folder_is_kept_elsewhere(place: Path) -> None:
    (place / "closed").mkdir(mode=0o700)
    homes = set()
    for _ in range(2):
        with running(place / "closed" / "state", durable=False, elsewhere=place / "elsewhere") as (
            server,
            _process,
        ):
            homes.add(server.home)
    [home] = homes
    assert home.parent == place / "elsewhere"


def test_as_root_a_folder_of_another_user_is_refused(place: Path) -> None:
    (place / "postgres").mkdir()
    os.chown(place / "postgres", NOBODY, NOBODY)
    with pytest.raises(DemoError, match="belongs to another user"), prepared(place):
        pass


@pytest.mark.parametrize("name", ["root", "nobody", "no-such-account"])
def test_as_root_an_unsuitable_account_is_refused(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EMBEDDED_POSTGRES_USER", name)
    with pytest.raises(DemoError, match=f"no suitable account: {name}"):
        database_user()


def test_as_root_other_users_cannot_connect(server: Server) -> None:
    code = "import socket, sys; socket.socket(socket.AF_UNIX).connect(sys.argv[1])"
    socket = str(server.sockets / ".s.PGSQL.5432")
    tried = subprocess.run(
        [readable_python(), "-c", code, socket],
        check=False,
        user=NOBODY,
        group=NOBODY,
        capture_output=True,
    )
    assert b"PermissionError" in tried.stderr


# As an ordinary user, when we are root

ORDINARY = """
import json, os, sys
from pathlib import Path
import psycopg
from portal.demo.postgres import left_over, running
for _ in range(2):
    with running(Path(sys.argv[1]) / "state") as (server, _):
        with psycopg.connect(server.url) as session:
            owner = session.execute("SELECT user").fetchone()[0]
        uid = server.data.stat().st_uid
print(json.dumps({"owner": owner, "uid": uid, "left": len(left_over(server.data)),
                  "home": str(server.home)}))
"""


def readable_python() -> str:
    """A Python of our version that an ordinary user can run; root's own is often closed to them."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    somebody = User("nobody", NOBODY, NOBODY)
    for program in (sys.executable, f"/usr/bin/{name}", f"/usr/local/bin/{name}"):
        try:
            silent = subprocess.DEVNULL
            child = spawn((program, "-c", ""), user=somebody, output=silent, cwd=Path("/"))
        except OSError:
            continue
        if child.wait() == 0:
            return program
    pytest.skip(f"NO {name} THAT AN ORDINARY USER CAN RUN: install one to run this test")


@pytest.fixture
def packages(place: Path) -> Path:
    """A copy of what the embedded server needs, where every user can read it."""
    folder = place / "packages"
    site = find_binaries().folder
    shutil.copytree(ROOT / "portal", folder / "portal")
    shutil.copytree(site / INSTALL, folder / INSTALL, ignore=shutil.ignore_patterns("include"))
    shutil.copy(site / PACKAGE / "__init__.py", folder / PACKAGE)
    for pattern in (f"{PACKAGE}.libs", f"{PACKAGE}-*", "psycopg*", "typing_extensions.py"):
        for path in site.glob(pattern):
            copy = shutil.copytree if path.is_dir() else shutil.copy
            copy(path, folder / path.name)
    return folder


def test_an_ordinary_user_runs_everything_under_their_own_name(place: Path, packages: Path) -> None:
    home = place / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    environment = {"PYTHONPATH": str(packages), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    result = subprocess.run(
        [readable_python(), "-c", ORDINARY, str(home)],
        check=False,
        env=environment,
        cwd="/",
        user=NOBODY,
        group=NOBODY,
        extra_groups=(),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    facts = json.loads(result.stdout.splitlines()[-1])
    assert facts["owner"] == "leaderboard"
    assert facts["uid"] == pwd.getpwnam("nobody").pw_uid
    assert facts["home"] == str(home / "state" / "postgres")
    assert facts["left"] == 0
