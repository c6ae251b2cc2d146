"""Processes known again without fail, logs that stay small, and the readiness of a site."""

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from portal.demo.leftovers import Record
from portal.demo.processes import Identity, alive, boot_id, end, identity, spawn
from portal.demo.state_files import last_lines, open_log, rotate, write_file
from portal.demo.supervisor import answers
from tests.conftest import ROOT
from tests.support.runs import Run, eventually, gone


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-S", "-c", "import signal; signal.pause()"])
    yield process
    process.kill()
    process.wait()


def test_a_stranger_with_a_pid_of_ours_is_left_in_peace(
    stranger: subprocess.Popen[bytes],
) -> None:
    somebody = identity(stranger.pid)
    assert somebody
    ours = Identity(stranger.pid, somebody.started - 1, somebody.boot)
    assert end([ours], ((signal.SIGKILL, 5.0),)) == []
    assert alive(somebody)


@pytest.mark.parametrize("shift", [(1, boot_id()), (0, "another-boot")], ids=["start", "boot"])
def test_an_old_record_points_at_nobody(
    tmp_path: Path, stranger: subprocess.Popen[bytes], shift: tuple[int, str]
) -> None:
    somebody = identity(stranger.pid)
    assert somebody
    started, boot = somebody.started + shift[0], shift[1]
    text = f'{{"boot": "{boot}", "started": {{"{stranger.pid}": {started}}}}}'
    write_file(tmp_path / "supervisor.json", text)
    assert Record(tmp_path).left_overs() == set()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boot": 1}', '{"boot": "", "started": [1]}'])
def test_a_damaged_record_is_no_record(tmp_path: Path, text: str) -> None:
    write_file(tmp_path / "supervisor.json", text)
    assert Record(tmp_path).left_overs() == set()


def test_a_record_finds_its_process_and_what_belongs_to_its_session(tmp_path: Path) -> None:
    code = "import os, signal; print(os.fork(), flush=True); signal.pause()"
    with (tmp_path / "pids").open("wb") as output:
        leader = spawn((sys.executable, "-S", "-c", code), output=output)
    try:
        record = Record(tmp_path)
        record.write([leader.pid])
        eventually(lambda: len(record.left_overs()) == 2, "both are found")
    finally:
        assert end(record.left_overs()) == []
        leader.wait()


def test_a_deaf_process_hears_the_last_step(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(1, flush=True)"
    deaf = Run(code + "; signal.pause()")
    deaf.until("1")
    who = identity(deaf.pid)
    assert who
    assert end([who], ((signal.SIGTERM, 0.05),)) == [who]
    assert end([who], ((signal.SIGTERM, 0.05), (signal.SIGKILL, 5.0))) == []
    deaf.close()


def test_a_zombie_is_nobody() -> None:
    process = spawn((sys.executable, "-S", "-c", ""))
    eventually(lambda: gone(process.pid), "it ends")
    assert process.wait() == 0


def test_who_is_left_alone_while_it_binds_itself_to_its_parent_ends() -> None:
    code = "import os; from portal.demo.processes import die_with_parent\n"
    code += "parents = iter((2, 1)); os.getppid = lambda: next(parents)\n"
    done = subprocess.run([sys.executable, "-c", code + "die_with_parent()"], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGTERM


# Logs and readiness


def test_a_log_above_its_cap_starts_anew_and_its_writer_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "log" / "web.log"
    with open_log(log) as file:
        file.write(b"x" * 101)
        file.flush()
        rotate(log, cap=100)
        file.write(b"after")
    assert log.read_bytes() == b"after"
    assert log.with_name("web.log.1").read_bytes() == b"x" * 101
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_last_lines_of_a_log_are_few(tmp_path: Path) -> None:
    log = tmp_path / "web.log"
    log.write_text("".join(f"{number}\n" for number in range(100_000)))
    assert last_lines(log, 2) == ["99998", "99999"]


@pytest.fixture
def site() -> Iterator[HTTPServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/readyz" else 503)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_site_is_ready_when_it_answers_200(site: HTTPServer) -> None:
    assert answers(site.server_port, "/readyz")(0)
    assert not answers(site.server_port, "/")(0)


def test_a_site_that_nobody_serves_is_not_ready(site: HTTPServer) -> None:
    port = site.server_port
    site.shutdown()
    site.server_close()
    assert not answers(port)(0)
