"""``make demo`` as a person has it: real processes, from an empty folder to a page and back."""

import gzip
import json
import os
import re
import signal
import socket
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from email.message import Message
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command

from portal.demo.accounts import DEMO_ACCOUNTS, prepare_accounts
from portal.demo.children import Children
from portal.demo.postgres import left_over
from portal.demo.processes import Identity
from portal.demo.samples import sample_predictions
from portal.models import Role, User
from scoring.generators import RECIPES
from scoring.generators.release import generate_release
from scoring.predictions.reader import read_predictions
from scoring.releases.gold import read_gold
from scoring.score import score
from tests.support.databases import open_folder
from tests.support.processes import DEADLINE, Run, free_port
from tests.support.worlds import write_rows

START = (  # a run in the background of a shell would ignore Ctrl-C
    "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "from portal.demo.__main__ import main; raise SystemExit(main())"
)
READY = "Ctrl-C stops everything."
PREPARATION = 180.0  # seconds; only a failing test waits so long

folder = pytest.fixture(open_folder, scope="module")


class Answer(NamedTuple):
    status: int
    headers: Message
    body: bytes


class Demo:
    """A state folder with a port; the demo in it is started when a test needs it."""

    def __init__(self, state: Path) -> None:
        self.state = state
        self.port = free_port()
        self.first_output = ""
        self.run: Run | None = None

    def start(self, **more: object) -> Run:
        own = {"DEMO_DIR": self.state, "PORT": self.port, "LADDER": "no"}
        given = {**own, "LC_ALL": "C.UTF-8", **more}
        known = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        words = (f"{name}={value}" for name, value in {**known, **given}.items())
        return Run(START, before=("/usr/bin/env", "-i", *words))

    def running(self) -> Run:
        if self.run is None:
            run = self.start()
            try:
                said = ""
                for words in ("preparation: starting", "preparation: done", READY):
                    said = run.until(words, within=PREPARATION)
            except AssertionError:
                run.close()
                raise
            self.first_output = self.first_output or said
            self.run = run
        return self.run

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        run, self.run = self.running(), None
        run.send(number)
        try:
            return run.end()
        finally:
            run.close()

    def get(self, path: str, **headers: str) -> Answer:
        self.running()
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=DEADLINE)) as connection:
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    def processes(self) -> set[Identity]:
        """All that run for it, but not the one that was started by a test."""
        database = left_over(self.state / "postgres" / "data")
        return {*Children(self.state, {}, self.state).left_overs(), *database}

    def nothing_left(self) -> bool:
        return not self.processes() and is_free(self.port)


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.fixture(scope="module")
def demo(folder: Path) -> Iterator[Demo]:
    found = Demo(folder / "state")
    yield found
    if found.run:
        found.stop()
    assert found.nothing_left()


def passwords(output: str) -> dict[str, str]:
    return dict(re.findall(r"^    (author|reviewer|admin) +(\S+)$", output, re.MULTILINE))


def test_the_welcome_names_the_address_the_accounts_and_a_folder_to_upload(demo: Demo) -> None:
    said = demo.running().output
    assert f"http://127.0.0.1:{demo.port}/" in said
    assert passwords(said).keys() == {"author", "reviewer", "admin"}
    samples = demo.state / "demo-samples"
    assert f"    {samples}\n" in said
    assert {file.name for file in samples.iterdir()} == {f"preds_{t}.jsonl" for t in RECIPES}
    endpoint = re.search(r"    (http://127\.0\.0\.1:\d+/v1)   (\S+)\n", said)
    assert endpoint
    with urllib.request.urlopen(f"{endpoint[1]}/models") as answer:
        assert endpoint[2] in answer.read().decode()


def test_every_slow_step_of_the_first_start_is_logged(demo: Demo) -> None:
    demo.running()
    for words in (
        "postgres: starting",
        "migrations",
        "collecting",
        "released results",
        "generating",
        "answers",
    ):
        assert words in demo.first_output


def test_the_site_is_ready_and_reports_its_sandbox(demo: Demo) -> None:
    answer = demo.get("/readyz")
    found = json.loads(answer.body)
    assert answer.status == 200
    assert found["sandbox"]["level"] in ("strong", "lockdown")
    assert f"Sandbox: {found['sandbox']['level']}." in demo.running().output


def test_the_author_signs_in_with_the_printed_password(demo: Demo) -> None:
    site = f"http://127.0.0.1:{demo.port}"
    page = f"{site}/accounts/login/"
    password = passwords(demo.running().output)["author"]
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(page) as answer:
        form = answer.read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', form)
    assert token
    fields = {"csrfmiddlewaretoken": token[1], "login": "author", "password": password}
    browser.open(page, urlencode(fields).encode()).close()
    with browser.open(f"{site}/profile/") as answer:
        assert answer.url == f"{site}/profile/"  # and not the page to sign in


def test_static_files_are_compressed_ahead_of_time_and_kept_for_long(demo: Demo) -> None:
    html = demo.get("/").body.decode()
    [address, *_] = re.findall(r'"(/static/[^"]+\.[0-9a-f]{12}\.css)"', html)
    answer = demo.get(address, **{"Accept-Encoding": "br, gzip"})
    assert answer.status == 200
    assert answer.headers["Content-Encoding"] == "br"
    assert "immutable" in answer.headers["Cache-Control"]
    assert gzip.decompress(demo.get(address, **{"Accept-Encoding": "gzip"}).body)


def test_secret_files_are_readable_only_by_their_owner(demo: Demo) -> None:
    demo.running()
    for name in ("accounts.json", "secret-key", "endpoint-key-secret", "run-token", "database-url"):
        assert (demo.state / name).stat().st_mode & 0o077 == 0, name


def test_a_second_start_keeps_everything_and_prepares_nothing(demo: Demo) -> None:
    before = passwords(demo.running().output)
    assert demo.stop() == 0
    assert demo.nothing_left()
    said = demo.running().output
    assert passwords(said) == before
    for word in ("migrations", "collecting", "generating", "answers …"):
        assert word not in said


def test_a_second_demo_in_the_same_folder_is_refused(demo: Demo) -> None:
    demo.running()
    second = demo.start(PORT=free_port())
    assert second.end() != 0
    assert second.output == (
        f"A demo runs in {demo.state} already. Stop it first, or name another folder in DEMO_DIR.\n"
    )
    second.close()


def test_a_busy_port_is_reported_before_anything_slow(demo: Demo, folder: Path) -> None:
    demo.running()
    other = Demo(folder / "other")
    run = other.start(PORT=demo.port)
    assert run.end() != 0
    assert run.output == (
        f"Port {demo.port} cannot be used (Address already in use). Name another one:  "
        f"make demo PORT={demo.port + 1}\n"
    )
    assert not (other.state / "postgres").exists()
    run.close()


def test_a_restart_cleans_up_after_a_killed_demo(demo: Demo) -> None:
    killed = demo.running()
    before = demo.processes()
    os.kill(
        max(before, key=lambda who: who.started).pid, signal.SIGSTOP
    )  # so that it gets no signal
    killed.kill()
    killed.close()
    demo.run = None
    demo.running()
    assert not before & demo.processes()
    assert demo.get("/readyz").status == 200


def test_ctrl_c_stops_everything(demo: Demo) -> None:
    assert demo.stop(signal.SIGINT) == 0
    assert demo.nothing_left()


def test_the_state_of_an_earlier_release_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    (state / "postgres" / "data").mkdir(parents=True)
    for version in (None, "1", "3"):
        if version:
            (state / "state-version").write_text(version)
        run = Demo(state).start()
        assert run.end() != 0
        assert run.output == (
            f"{state} was made by another release, and this one cannot use it. Delete it, or name "
            "another folder:  make demo DEMO_DIR=/path/to/folder\n"
        )
        run.close()


@pytest.mark.parametrize("port", ["http", "0", "65536"])
def test_an_invalid_port_is_reported(tmp_path: Path, port: str) -> None:
    run = Demo(tmp_path / "state").start(PORT=port)
    assert run.end() != 0
    assert run.output == f"PORT is “{port}”; it must be a number from 1 to 65535.\n"
    run.close()


def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    run = Demo(tmp_path / "file" / "state").start()
    assert run.end() != 0
    assert "cannot be used (Not a directory). Name another folder" in run.output
    run.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="NOT ROOT: only root can make another's folder")
def test_a_folder_of_another_user_is_refused(folder: Path) -> None:
    theirs = folder / "theirs"
    theirs.mkdir()
    os.chown(theirs, 65_534, 65_534)
    run = Demo(theirs).start()
    assert run.end() != 0
    assert "belongs to another user" in run.output
    run.close()


# What it is made of


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "accounts.json"


def kept(file: Path) -> dict[str, str | None]:
    return {name: one["password"] for name, one in json.loads(file.read_text()).items()}


@pytest.mark.django_db
def test_the_accounts_have_their_roles_and_a_verified_address(file: Path) -> None:
    prepare_accounts(file)
    users = {user.username: user for user in User.objects.all()}
    assert {name: user.role for name, user in users.items()} == DEMO_ACCOUNTS
    assert [user.is_superuser for user in users.values() if user.role == Role.ADMIN] == [True]
    for name, user in users.items():
        address = EmailAddress.objects.get(user=user)
        assert (address.email, address.verified) == (f"{name}@example.org", True)
        assert user.check_password(kept(file)[name] or "")


@pytest.mark.django_db
def test_a_changed_password_is_kept_and_not_shown(file: Path) -> None:
    prepare_accounts(file)
    before = kept(file)
    author = User.objects.get(username="author")
    author.set_password("my own")
    author.save()
    prepare_accounts(file)
    assert kept(file) == {**before, "author": None}
    assert User.objects.get(username="author").check_password("my own")


@pytest.mark.django_db
def test_without_the_file_no_password_is_shown_and_none_is_changed(file: Path) -> None:
    prepare_accounts(file)
    hashes = set(User.objects.values_list("password"))
    file.unlink()
    prepare_accounts(file)
    assert set(kept(file).values()) == {None}
    assert set(User.objects.values_list("password")) == hashes


def test_accounts_with_known_names_are_only_made_in_the_demo() -> None:
    with pytest.raises(CommandError, match="so it needs DEMO=1"):
        call_command("prepare_demo")


def test_the_sample_predictions_are_partly_right_wrong_and_missing(tmp_path: Path) -> None:
    generate_release(tmp_path / "gold", seed=7, tokens=(4_000, 5_000), examples=10)
    for task in RECIPES:
        rows = sample_predictions(task, (tmp_path / "gold" / f"{task}.jsonl").read_bytes())
        write_rows(tmp_path / "preds" / f"preds_{task}.jsonl", rows)
    report = score(read_predictions(tmp_path / "preds"), read_gold(tmp_path / "gold"))
    for task, found in report.tasks.items():
        assert 40 < (found.means["strict"] or 0) < 95, task
    assert {task.answered for task in report.tasks.values()} == {19}  # enough for publication
    assert [problem for problem in report.problems if problem.severity == "error"] == []
