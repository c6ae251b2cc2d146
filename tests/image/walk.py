"""The whole way through the composed site, and what its containers may and may not do.

``make image-test`` runs this, as root; ``make test`` does not: it needs an engine for containers.
"""

import json
import os
import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Page, expect

from tests.browser.people import PASSWORD, fill_in, publish, request_publication, send, sign_out
from tests.image.stack import ENGINE, IMAGES, VERSION, Stack
from tests.support.processes import eventually
from tests.support.releases import build_release

RUNNING = (
    "proxy", "web", "scoring", "runs", "imports", "mail", "sweeper", "database", "redis",
)  # fmt: skip
CLOSED = ("web", "scoring", "sweeper", "database", "redis")
LARGEST = 220_000_000  # bytes of the image of the site, compressed
MANY = 200  # threads, more than a small service may have
BOXED = ("web", "scoring")
_DIRECT = """
import socket
try:
    socket.create_connection(({address!r}, {port}), 3).close()
except OSError as error:
    print(type(error).__name__, error)
else:
    print("connected")
"""
_HEADERS = """
import http.client, socket
connection = http.client.HTTPConnection("localhost")
connection.sock = socket.socket(socket.AF_UNIX)
connection.sock.connect("/run/web/http")
connection.request("GET", {path!r}, headers={{"Host": "localhost", "X-Forwarded-Proto": "https"}})
print(connection.getresponse().headers["X-Accel-Redirect"])
"""
_KILL_OTHERS = """
import os
for name in filter(str.isdigit, os.listdir("/proc")):
    if int(name) not in (1, os.getpid()):
        os.kill(int(name), 9)
"""


def accept(page: Page, link: str) -> None:
    """Follows an invitation and sets the password, which signs in."""
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("Confirm new password").fill(PASSWORD)
    page.locator("main form button").click()
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()


def write_predictions(folder: Path) -> Path:
    folder.mkdir()
    answers = {"passkey": "12345", "math_find": "5"}
    for task, answer in answers.items():
        rows = [json.dumps({"id": key, "prediction": answer}) for key in range(5)]
        (folder / f"preds_{task}.jsonl").write_text("\n".join(rows))
    return folder


def test_from_an_invitation_to_the_board(stack: Stack, page: Page, tmp_path: Path) -> None:
    """Two admins: nobody publishes what they have submitted themselves."""
    release = build_release(stack.folder / "release", examples=5, tokens=500)
    stack.manage("import_release", "--slug", "small", "--title", "Small", given=release)
    accept(page, stack.link)
    fill_in(page, write_predictions(tmp_path / "p"), release="Small", model="Composed Model")
    send(page)
    request_publication(page)
    sign_out(page)
    invited = stack.inside("web", "/app/docker/entry.sh", "invite_admin", "bob@board.example")
    accept(page, invited.stdout.strip())
    page.goto("/review/")
    page.get_by_role("link", name="Composed Model").first.click()
    publish(page)
    sign_out(page)
    page.goto("/board/small/")
    expect(page.locator("table.board-table tbody")).to_contain_text("Composed Model")


def test_an_invitation_works_once(stack: Stack, page: Page) -> None:
    page.goto(stack.link)
    expect(page.get_by_role("link", name="Send a new link")).to_be_visible()


@pytest.mark.parametrize("service", BOXED)
def test_the_box_of_the_scorer_is_strong(stack: Stack, service: str) -> None:
    code = "from scoring.sandbox.preflight import preflight; print(preflight().level.value)"
    done = stack.python(service, code)
    assert done.stdout.strip() == "strong", done.stdout + done.stderr


@pytest.mark.parametrize("service", RUNNING)
def test_a_service_is_healthy_as_its_own_check_says(stack: Stack, service: str) -> None:
    check = {
        "proxy": ("curl", "-sf", "http://127.0.0.1:8080/proxy-health"),
        "web": ("python3", "-IS", "/app/docker/health.py", "web"),
        "database": ("pg_isready", "-q", "-h", "/tmp"),
        "redis": ("redis-health",),
    }.get(service, ("python3", "-IS", "/app/docker/health.py", "worker"))
    eventually(lambda: stack.inside(service, *check).returncode == 0, service, every=1)


@pytest.mark.parametrize("service", RUNNING)
def test_a_service_is_not_root_and_has_no_rights(stack: Stack, service: str) -> None:
    text = stack.inside(service, "cat", "/proc/1/status").stdout
    status = dict(line.split(":\t", 1) for line in text.splitlines())
    assert int(status["Uid"].split()[0]) > 10_000
    assert {status[name] for name in ("CapPrm", "CapEff", "CapBnd")} == {"0" * 16}
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


@pytest.mark.parametrize("service", RUNNING)
def test_a_service_cannot_write_where_its_programs_are(stack: Stack, service: str) -> None:
    for folder in ("/", "/usr/bin", "/etc"):
        done = stack.inside(service, "touch", f"{folder}/written")
        assert "Read-only file system" in done.stderr


@pytest.fixture(scope="module")
def listener(stack: Stack) -> Iterator[Callable[[str], str]]:
    """What happens to a service that connects to this machine as to any other: at the gateway of
    the network of runs."""
    route = stack.inside("runs", "cat", "/proc/net/route").stdout.splitlines()[1:]
    gateway = next(line.split()[2] for line in route if line.split()[1] == "00000000")
    address = socket.inet_ntoa(bytes.fromhex(gateway)[::-1])
    with socket.create_server((address, 0)) as server:
        code = _DIRECT.format(address=address, port=server.getsockname()[1])
        yield lambda service: stack.python(service, code).stdout.strip()


def test_the_worker_for_runs_reaches_other_machines(listener: Callable[[str], str]) -> None:
    assert listener("runs") == "connected"


@pytest.mark.parametrize("service", CLOSED[:3])
def test_what_needs_no_network_reaches_no_other_machine(
    listener: Callable[[str], str], service: str
) -> None:
    assert "unreachable" in listener(service)


@pytest.mark.parametrize("service", CLOSED)
def test_what_needs_no_network_has_no_way_out(stack: Stack, service: str) -> None:
    routes = stack.inside(service, "cat", "/proc/net/route").stdout.splitlines()[1:]
    assert routes
    assert "00000000" not in [line.split()[1] for line in routes]


def test_the_proxy_does_not_meet_the_database(stack: Stack) -> None:
    assert stack.inside("proxy", "getent", "hosts", "database").stdout == ""
    assert stack.inside("web", "getent", "hosts", "database").stdout != ""


def test_memory_is_limited(stack: Stack) -> None:
    """The worker for mail has 512 MiB."""
    done = stack.python("mail", "held = bytearray(b'1') * (700 << 20); print('held')")
    assert done.returncode != 0
    assert "held" not in done.stdout
    assert stack.inside("mail", "true").returncode == 0


def test_processes_are_limited(stack: Stack) -> None:
    code = (
        "import threading\nstop = threading.Event()\nstarted = 0\n"
        f"for _ in range({MANY}):\n"
        "    try:\n        threading.Thread(target=stop.wait, daemon=True).start()\n"
        "    except RuntimeError:\n        break\n"
        "    started += 1\n"
        "print(started)\nstop.set()"
    )
    assert int(stack.python("mail", code).stdout) < 64


def test_no_secret_is_in_an_environment(stack: Stack) -> None:
    secrets = [file.read_text().strip() for file in (stack.folder / "secrets").iterdir()]
    for service in RUNNING:
        environment = stack.inside(service, "env").stdout
        assert environment
        assert not [secret for secret in secrets if secret and secret in environment]


def test_each_service_has_the_secrets_that_it_needs_and_no_other(stack: Stack) -> None:
    services = yaml.safe_load((stack.folder / "compose.yaml").read_text())["services"]
    for service in RUNNING:
        found = stack.inside(service, "ls", "/run/secrets").stdout.split()
        assert set(found) == set(services[service].get("secrets", []))


def test_a_stored_file_is_sent_by_the_proxy_and_only_when_the_site_says_so(stack: Stack) -> None:
    path = "/releases/small/passkey.jsonl"
    assert "/stored-files/" in stack.python("web", _HEADERS.format(path=path)).stdout
    done = subprocess.run(
        ["curl", "-skD", "-", f"{stack.address}{path}"], capture_output=True, text=True, check=True
    )
    head, _, body = done.stdout.partition("\n\n")
    assert len(list(map(json.loads, body.splitlines()))) == 5
    assert "content-security-policy: sandbox" in head.lower()
    assert "x-accel" not in head.lower()
    [stored] = re.findall(
        "/stored-files/.*", stack.python("web", _HEADERS.format(path=path)).stdout
    )
    assert asked(stack, stored) == "404"


def test_the_proxy_sees_files_that_it_sends_and_no_other_state(stack: Stack) -> None:
    assert stack.inside("proxy", "ls", "/files").stdout
    assert stack.inside("proxy", "ls", "/data").returncode != 0
    assert "Read-only" in stack.inside("proxy", "touch", "/files/written").stderr


def test_a_web_process_that_is_killed_comes_back_behind_the_proxy(stack: Stack) -> None:
    """The first process is an init, which ends when its only child does."""
    before = started(stack)
    assert asked(stack, "/healthz") == "200"
    stack.python("web", _KILL_OTHERS)
    eventually(lambda: started(stack) not in ("", before), "a new container", every=1)
    eventually(lambda: asked(stack, "/healthz") == "200", "an answer", every=1)


def started(stack: Stack) -> str:
    """When the container's first process started, in ticks; nothing while it is down."""
    fields = stack.inside("web", "cat", "/proc/1/stat").stdout.split()
    return fields[21] if fields else ""


def test_the_proxy_answers_by_https_only_to_the_names_of_the_site(stack: Stack) -> None:
    assert asked(stack, "/", "-H", "Host: other.example") in ("400", "421")
    assert asked(stack, "/") == "200"
    assert asked(stack, "/", scheme="http") == "301"


def test_a_body_that_is_too_long_is_refused_by_the_proxy(stack: Stack, tmp_path: Path) -> None:
    (tmp_path / "body").write_bytes(b"a=" + b"x" * (2 << 20))
    assert asked(stack, "/accounts/login/", "--data-binary", f"@{tmp_path / 'body'}") == "413"


def asked(stack: Stack, path: str, *options: str, scheme: str = "https") -> str:
    """The status of the proxy's answer."""
    port = stack.port if scheme == "https" else stack.variables["HTTP_PORT"]
    command = ["curl", "-sk", "-o", os.devnull, "-w", "%{http_code}", *options]
    address = f"{scheme}://localhost:{port}{path}"
    done = subprocess.run([*command, address], capture_output=True, text=True, check=False)
    return done.stdout


def test_the_image_of_the_site_is_small(
    stack: Stack, tmp_path: Path, summary_line: Callable[[str], None]
) -> None:
    for name in IMAGES:
        archive = tmp_path / "image.tar"
        tag = f"localhost/infinitebench/{name}:{VERSION}"
        subprocess.run([ENGINE, "save", "-o", archive, tag], env=stack.variables, check=True)
        done = subprocess.run(["gzip", "-6c", archive], capture_output=True, check=True)
        archive.unlink()
        size = len(done.stdout)
        summary_line(f"the image of {name}: {size / 1e6:.0f} MB compressed")
        assert size < LARGEST
