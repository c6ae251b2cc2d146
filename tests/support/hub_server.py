"""A small Hub on this machine: what its client asks of a data set, and what can go wrong there."""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

REPOSITORY = "xinrongzhang2022/InfiniteBench"
COMMIT = "90f0394333616266d9fe85824ceaf505093cbaa5"
_LARGE = 1_000  # bytes: larger files are kept elsewhere, and found through a redirect


@dataclass
class Hub:
    """One data set with one commit, and a list of what was asked."""

    files: dict[str, bytes]
    repository: str = REPOSITORY
    commit: str = COMMIT
    url: str = ""
    elsewhere: str = ""  # where large files are: for the client another host
    xet: bool = False  # offer the client its faster way to large files
    refuse: tuple[int, str] | None = None  # every answer: a status, and the Hub's code for it
    token: str = ""  # required from clients if set
    failing_at: str = ""  # a file: every answer about it is 500
    cut: int = 0  # bytes after which the next large file breaks off
    instead: dict[str, bytes] = field(default_factory=dict)  # what is sent in a file's place
    shown_elsewhere: list[str] = field(default_factory=list)  # tokens, which have no business there
    asked: list[str] = field(default_factory=list)  # "METHOD path", with " from N" for a part

    def info(self) -> bytes:
        siblings = [_listed(name, data) for name, data in self.files.items()]
        return json.dumps(
            {"id": self.repository, "sha": self.commit, "siblings": siblings}
        ).encode()

    def fetched(self) -> list[str]:
        """The bodies of large files that were asked for, in order."""
        names = {f"/cdn/{_sha256(data)}": name for name, data in self.files.items()}
        asked = (line.removeprefix("GET ").split(" ", 1) for line in self.asked)
        return [" ".join([names[path], *more]) for path, *more in asked if path in names]


def official_hub(directory: Path) -> Hub:
    """The layout of the official data set, with the files of a directory."""
    about = {".gitattributes": b"*.jsonl filter=lfs\n", "README.md": b"# InfiniteBench\n"}
    return Hub(about | {file.name: file.read_bytes() for file in sorted(directory.glob("*.jsonl"))})


@contextmanager
def running(hub: Hub) -> Iterator[Hub]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answers", (_Answers,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    hub.elsewhere = f"http://localhost:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _listed(name: str, data: bytes) -> dict[str, object]:
    blob = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
    listed = {"rfilename": name, "size": len(data), "blobId": blob}
    lfs = {"sha256": _sha256(data), "size": len(data), "pointerSize": 134}
    return listed | {"lfs": lfs} if len(data) > _LARGE else listed


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _Answers(BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        part = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        self.hub.asked.append(f"{self.command} {path}" + (f" from {part}" if part else ""))
        if path.startswith("/cdn/"):
            self._send_large(path.removeprefix("/cdn/"))
            return
        if self._is_refused(path):
            return
        for beginning, answer in (
            (f"/api/datasets/{self.hub.repository}/revision/", self._answer_revision),
            (f"/datasets/{self.hub.repository}/resolve/{self.hub.commit}/", self._answer_file),
        ):
            if path.startswith(beginning):
                answer(path.removeprefix(beginning))
                return
        self._refuse(404, "RepoNotFound")

    def _is_refused(self, path: str) -> bool:
        if self.hub.refuse:
            self._refuse(*self.hub.refuse)
        elif self.hub.failing_at and path.endswith(self.hub.failing_at):
            self._refuse(500, "")
        elif self.hub.token and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self._refuse(401, "GatedRepo")
        else:
            return False
        return True

    def _refuse(self, status: int, code: str) -> None:
        self.send_response(status)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer_revision(self, revision: str) -> None:
        if revision not in ("main", self.hub.commit):
            self._refuse(404, "RevisionNotFound")
            return
        self._send(self.hub.info(), {"Content-Type": "application/json"})

    def _answer_file(self, name: str) -> None:
        if name not in self.hub.files:
            self._refuse(404, "EntryNotFound")
            return
        data, commit = self.hub.files[name], {"X-Repo-Commit": self.hub.commit}
        if len(data) <= _LARGE:
            self._send(data, commit | {"ETag": f'"{_listed(name, data)["blobId"]}"'})
            return
        self.send_response(302)
        linked = {"X-Linked-Size": str(len(data)), "X-Linked-ETag": f'"{_sha256(data)}"'}
        place = {"Location": f"{self.hub.elsewhere}/cdn/{_sha256(data)}", "Content-Length": "0"}
        xet = {"X-Xet-Hash": _sha256(data), "X-Xet-Refresh-Route": f"{self.hub.url}/xet"}
        for header, value in (commit | linked | place | (xet if self.hub.xet else {})).items():
            self.send_header(header, value)
        self.end_headers()

    def _send_large(self, sha256: str) -> None:
        self.hub.shown_elsewhere += self.headers.get_all("Authorization", [])
        found = (name for name, data in self.hub.files.items() if _sha256(data) == sha256)
        name = next(found)
        cut, self.hub.cut = self.hub.cut, 0 if self.command == "GET" else self.hub.cut
        self._send(self.hub.instead.get(name, self.hub.files[name]), {}, cut)

    def _send(self, data: bytes, headers: dict[str, str], cut: int = 0) -> None:
        start = int(self.headers.get("Range", "bytes=0-")[len("bytes=") : -1])
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
        for header, value in ({"Content-Length": str(len(data) - start)} | headers).items():
            self.send_header(header, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(data[start : start + cut if cut else None])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """The list of what was asked is enough."""
