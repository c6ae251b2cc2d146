"""Promises of docs/promises.md that ``walk`` and the faults do not try, on the composed site.

``make image-test`` runs this after ``walk``, on the same site. What is asked goes through the proxy
where people ask it, and otherwise runs in the container that does it.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import ConsoleMessage, Dialog, Page

from tests.image.faults import within
from tests.image.load import ask, form_of, packed, shell
from tests.image.stack import Stack
from tests.support.payloads import PAYLOADS
from tests.support.processes import eventually
from tests.support.worlds import write_rows

SIZE = 10
LABELS = {key: str(10_000 + 7 * key) for key in range(SIZE)}
CANARIES = {key: str(98_017 + 131 * key) for key in range(SIZE)}  # of the hidden release
_PEOPLE = """
from portal.accounts.tokens import create_token
from portal.models import Role, User
for name, role in (("promise-author", Role.AUTHOR), ("promise-admin", Role.ADMIN)):
    user = User.objects.create_user(name, role=role)
    print(create_token(user, "promises", ["read", "submit"], 1).text)
"""
_LEFT = """
from portal.models import User
from portal.submissions.quotas import quota_of
print(quota_of(User.objects.get(username="promise-author")).left)
"""
_LOSE_ITS_FILE = """
from portal.models import Submission
file = Submission.objects.get(pk={pk!r}).files.get().original.file
file.storage.delete(file.name)
"""
_DRIP = """
import asyncio, json, socket, threading, time
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.transport import client
from scoring.endpoint.transport.failures import EndpointError

def serve(listener):
    connection, _ = listener.accept()
    connection.recv(65536)
    connection.sendall(HEAD)
    try:
        while True:
            connection.sendall(PART)
            time.sleep(PAUSE)
    except OSError:
        pass

async def ask(url):
    async with client.Endpoint(RunSettings(url, "model", timeout=2), "key") as endpoint:
        await endpoint.ask(json.dumps({"model": "model", "messages": []}).encode(), 100)

with socket.create_server(("127.0.0.1", 0)) as listener:
    threading.Thread(target=serve, args=[listener], daemon=True).start()
    begun = time.monotonic()
    try:
        asyncio.run(ask(f"http://127.0.0.1:{listener.getsockname()[1]}/v1"))
    except EndpointError as error:
        print(json.dumps([error.kind, time.monotonic() - begun]))
"""
_ENCRYPT = """
from uuid import UUID
from portal.endpoint_runs.keys import encrypt_key
print(encrypt_key("sk-canary", run_id=UUID(int=1), host="api.example.org"))
"""
_DECRYPT = """
from uuid import UUID
from portal.endpoint_runs.keys import EndpointKeyError, decrypt_key, renew_ciphertext
try:
    renewed = renew_ciphertext({text!r})
    assert decrypt_key(renewed, run_id=UUID(int=1), host="api.example.org") == "sk-canary"
    print(renewed)
except EndpointKeyError as error:
    print(error.code)
"""
_REVIEW = """
from django.test import Client
from portal.models import User
client = Client(headers={"host": "localhost"})
client.force_login(User.objects.get(username="promise-admin"))
answer = client.get("/review/", secure=True)
print(answer.status_code, answer.headers.get("Location", ""))
"""
_PUBLISH = """
from portal.models import Submission, User
from portal.review.services import publish_submission, request_publication
one = Submission.objects.get(pk={pk!r})
request_publication(one, by=one.owner, unknown_confirmed=True)
admin = User.objects.get(username="promise-admin")
publish_submission(one, by=admin, reason="Complete and plausible.")
"""
_CHANGE = """
from portal.models import Submission, User
from portal.review.services import hide_entry, restore_entry
admin = User.objects.get(username="promise-admin")
{service}(Submission.objects.get(pk={pk!r}), by=admin, reason="Looked at once more.")
"""
_TAMPER = """
ALTER TABLE portal_auditentry DISABLE TRIGGER USER;
UPDATE portal_auditentry SET reason = {reason} WHERE number = 1;
ALTER TABLE portal_auditentry ENABLE TRIGGER USER;
"""


class Site(NamedTuple):
    stack: Stack
    author: str  # token
    admin: str

    def body(self, path: str) -> bytes:
        """As the author sees it, and on pages everybody."""
        return ask(self.stack, path, headers={"Authorization": f"Bearer {self.author}"}).body

    def get(self, path: str) -> Any:
        return json.loads(self.body(path))

    def upload(self, answers: dict[int, str] | str, release: str = "promised") -> str:
        """By the author, through the proxy; the id."""
        rows = answers if isinstance(answers, str) else lines(answers)
        kind, body = form_of(packed({"preds_passkey.jsonl": rows}), release=release)
        headers = {"Authorization": f"Bearer {self.author}", "Content-Type": kind}
        answer = ask(self.stack, "/api/v1/submissions/", method="POST", headers=headers, body=body)
        assert answer.status in (200, 201, 202), answer
        return str(json.loads(answer.body)["id"])

    def ended(self, pk: str) -> dict[str, Any]:
        """Its evaluation, when it has come to an end, of up to three attempts."""
        assert within(300, lambda: self._evaluation(pk)["state"] in ("scored", "failed"))
        return self._evaluation(pk)

    def _evaluation(self, pk: str) -> dict[str, Any]:
        found: dict[str, Any] = self.get(f"/api/v1/submissions/{pk}/")["evaluation"]
        return found

    def quota_left(self) -> int:
        return int(shell(self.stack, _LEFT))

    def board(self) -> list[tuple[str, int, Any]]:
        entries = json.loads(ask(self.stack, "/api/v1/entries/?release=promised").body)["entries"]
        return [(one["id"], one["rank"], one["scores"]) for one in entries]

    def psql(self, query: str) -> str:
        return self.stack.inside(
            "database", "psql", "-U", "postgres", "-h", "/tmp", "-d", "site", "-Atc", query
        ).stdout.strip()

    def with_secrets(self, secrets: str, code: str) -> str:
        """What the code prints in a process of the web container with other secrets for keys."""
        change = [
            "env", "-u", "ENDPOINT_KEY_SECRETS_FILE", f"ENDPOINT_KEY_SECRETS={secrets}",
            "/app/docker/entry.sh", "shell", "--verbosity", "0", "-c", code,
        ]  # fmt: skip
        return self.stack.inside("web", *change).stdout.strip()


def lines(answers: dict[int, str]) -> str:
    rows = [{"id": key, "prediction": answer} for key, answer in answers.items()]
    return "\n".join(map(json.dumps, rows))


@pytest.fixture(scope="module")
def site(stack: Stack) -> Site:
    author, admin = shell(stack, _PEOPLE).split()
    for slug, labels, more in (("promised", LABELS, ()), ("hidden", CANARIES, ("--hidden",))):
        rows = [{"id": key, "answer": label} for key, label in labels.items()]
        write_rows(stack.folder / slug / "passkey.jsonl", rows)
        given = stack.folder / slug
        stack.manage("import_release", "--slug", slug, "--title", slug.title(), *more, given=given)
    return Site(stack, author, admin)


@contextmanager
def held(stack: Stack, service: str) -> Iterator[None]:
    container = stack.container(service)
    stack.engine("pause", container)
    try:
        yield
    finally:
        stack.engine("unpause", container)


def test_5_a_failure_of_the_site_uses_up_no_quota(site: Site) -> None:
    site.ended(site.upload(LABELS))
    before = site.quota_left()
    with held(site.stack, "scoring"):
        lost = site.upload(dict.fromkeys(LABELS, "lost"))
        shell(site.stack, _LOSE_ITS_FILE.format(pk=lost))
    assert site.ended(lost)["failure"] == "upload_lost"
    assert site.quota_left() == before


def test_6_a_rejection_names_the_file_the_line_and_what_to_do(site: Site) -> None:
    broken = f"{lines({0: LABELS[0]})}\n{{'id': 1}}\n{lines({2: LABELS[2]})}"
    problems = site.ended(site.upload(broken))["problems"]
    [found] = [one for one in problems if one["line"]]
    assert (found["file"], found["line"]) == ("preds_passkey.jsonl", 2)
    assert found["code"] and found["message"] and found["fix"]  # noqa: PT018 - of one thing


@pytest.mark.parametrize(
    ("head", "part", "pause", "kind"),
    [
        (b"HTTP/1.1 200 OK\r\n", "b'X'", 0.1, "timeout"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "b'x' * (1 << 20)", 0, "too large"),
    ],
)
def test_13_an_endpoint_holds_a_worker_for_its_deadline_and_its_bytes_at_most(
    site: Site, head: bytes, part: str, pause: float, kind: str
) -> None:
    """On its own loopback, the only address that is not public and may be named."""
    code = _DRIP.replace("HEAD", repr(head)).replace("PART", part)
    done = site.stack.python("runs", code.replace("PAUSE", repr(pause)))
    assert done.stdout, done.stderr
    found, seconds = json.loads(done.stdout)
    assert found == kind
    assert seconds < 20


def test_15_new_keys_lose_nothing_and_a_missing_one_fails_closed(site: Site) -> None:
    old = (site.stack.folder / "secrets" / "endpoint_key_secrets").read_text()
    new = "a new secret of more than thirty-two characters"
    text = shell(site.stack, _ENCRYPT).strip()
    renewed = site.with_secrets(f"{new},{old}", _DECRYPT.format(text=text))
    assert "canary" not in text + renewed
    assert site.with_secrets(new, _DECRYPT.format(text=renewed)) != "unreadable_key"
    assert site.with_secrets(new, _DECRYPT.format(text=text)) == "unreadable_key"
    assert site.with_secrets("", _ENCRYPT) == ""


def test_16_labels_of_a_hidden_release_are_in_no_answer(site: Site) -> None:
    pk = site.upload(dict.fromkeys(CANARIES, "99999"), "hidden")
    site.ended(pk)
    places = [
        *(f"/api/v1/submissions/{pk}/{part}" for part in ("", *_PARTS)),
        *(f"/examples/{{}}/passkey/{key}/" for key in CANARIES),
        "/examples/{}/passkey/",
        "/board/{}/", "/releases/{}/", "/releases/{}/manifest.json", "/releases/{}/passkey.jsonl",
        "/api/v1/releases/{}/", "/api/v1/entries/?release={}",
    ]  # fmt: skip
    found = {
        place: re.findall(rf"\b({'|'.join(CANARIES.values())})\b", site.body(place).decode())
        for place in [place.format("hidden") for place in places]
    }
    assert not any(found.values()), found
    assert LABELS[0].encode() in site.body("/examples/promised/passkey/0/")


def test_17_an_author_learns_nothing_about_a_hidden_release_by_uploading_again(site: Site) -> None:
    told = set()
    for right in (0, 1, SIZE):
        answers = {key: label if key < right else "99999" for key, label in CANARIES.items()}
        pk = site.upload(answers, "hidden")
        assert site.ended(pk)["state"] == "scored"
        answer = json.dumps([site.get(f"/api/v1/submissions/{pk}/{part}") for part in _PARTS])
        told.add(answer.replace(pk, ""))
    scores = {json.dumps(scores_in(json.loads(one))) for one in told}
    assert len(scores) == 1, scores


_PARTS = ("report/", "examples/")


def scores_in(document: Any) -> list[Any]:
    """All that is called a score or a mean, anywhere."""
    if isinstance(document, list):
        return [found for one in document for found in scores_in(one)]
    if isinstance(document, dict):
        of_this = [value for key, value in document.items() if key in ("score", "mean", "correct")]
        return of_this + [found for one in document.values() for found in scores_in(one)]
    return []


def test_22_staff_need_a_second_factor(site: Site) -> None:
    asked = ["env", "SECOND_FACTOR=1", "/app/docker/entry.sh", "shell", "--verbosity", "0", "-c"]
    status, _, address = site.stack.inside("web", *asked, _REVIEW).stdout.strip().partition(" ")
    assert (status, address.partition("?")[0]) == ("302", "/accounts/2fa/")


def test_22_a_log_that_was_tampered_with_says_so(site: Site) -> None:
    def verified() -> int:
        command = ["--profile", "manage", "run", "--rm", "-T", "manage", "verify_audit"]
        return site.stack.compose(*command, check=False).returncode

    assert verified() == 0
    before = site.psql("SELECT reason FROM portal_auditentry WHERE number = 1")
    site.psql(_TAMPER.format(reason="'another'"))
    assert verified() == 1
    site.psql(_TAMPER.format(reason=f"$reason${before}$reason$"))
    assert verified() == 0


def test_23_ranks_follow_from_what_is_published_and_nothing_else(site: Site) -> None:
    entries = [
        site.upload({key: label if key < right else "1" for key, label in LABELS.items()})
        for right in (4, 8)
    ]
    for pk in entries:
        site.ended(pk)
        shell(site.stack, _PUBLISH.format(pk=pk))
    eventually(lambda: len(site.board()) == len(entries), "two entries", every=1)
    before = site.board()
    assert [pk for pk, _, _ in before] == entries[::-1]
    site.ended(site.upload(dict.fromkeys(LABELS, "private")))
    assert site.board() == before
    shell(site.stack, _CHANGE.format(service="hide_entry", pk=entries[1]))
    eventually(lambda: [pk for pk, _, _ in site.board()] == entries[:1], "one entry", every=1)
    shell(site.stack, _CHANGE.format(service="restore_entry", pk=entries[1]))
    eventually(lambda: site.board() == before, "the same board", every=1)


def test_19_texts_of_others_are_only_texts(site: Site, page: Page) -> None:
    """All payloads in the answers of an entry, on the pages that show them."""
    texts = [" ".join(PAYLOADS[key::SIZE]) for key in LABELS]
    pk = site.upload(dict(enumerate(texts)))
    site.ended(pk)
    shell(site.stack, _PUBLISH.format(pk=pk))
    wrong: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def listen(message: ConsoleMessage) -> None:  # breaches of the policy, too
        if message.type == "error":
            wrong.append(message.text)

    page.on("dialog", dismiss)
    page.on("console", listen)
    for key in LABELS:
        page.goto(f"/examples/promised/passkey/{key}/")
        assert PAYLOADS[key][:20] in page.locator("main").inner_text()
    assert not wrong
