"""A small Hub on this machine: the requests about a repository, and what can go wrong there."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import parse_qs, unquote, urlsplit

REPOSITORY = "xinrongzhang2022/InfiniteBench"
COMMIT = "90f0394333616266d9fe85824ceaf505093cbaa5"
_LARGE = 1_000  # bytes: larger files are stored elsewhere, behind a redirect


@dataclass
class Hub:
    """One repository with one commit, and a log of the requests."""

    files: dict[str, bytes]
    repository: str = REPOSITORY
    kind: str = "dataset"
    commit: str = COMMIT
    names: tuple[str, ...] = ("main",)  # of the commit: branches and tags
    private: bool = False
    page: int = 1_000  # files on each page of a list
    limited: int = 0  # how many of the next answers are 429
    wait: dict[str, str] = field(default_factory=lambda: {"Retry-After": "7"})  # headers of these
    # Handlers that replace the normal answer, by the beginning of the path.
    tricks: "dict[str, Callable[[_Answers], None]]" = field(default_factory=dict)
    url: str = ""
    elsewhere: str = ""  # where large files are: another host, as the client sees it
    xet: bool = False  # offer the client's faster protocol for large files
    refuse: tuple[int, str] | None = None  # the only answer: a status, the Hub's error code
    token: str = ""  # required from clients if set
    failing_at: str = ""  # a file whose every answer is 500
    cut: int = 0  # the next large file breaks off after this many bytes
    instead: dict[str, bytes] = field(default_factory=dict)  # content sent in place of a file's own
    shown_elsewhere: list[str] = field(default_factory=list)  # tokens that were leaked there
    asked: list[str] = field(default_factory=list)  # "METHOD path", with " from N" for a range

    @property
    def api(self) -> str:
        return f"/api/{self.kind}s/{self.repository}"

    @property
    def resolve(self) -> str:
        folder = "" if self.kind == "model" else f"/{self.kind}s"
        return f"{folder}/{self.repository}/resolve/{self.commit}"

    def tree(self) -> list[dict[str, object]]:
        """Files, and the folders that they are in."""
        folders = {
            "/".join(name.split("/")[:depth])
            for name in self.files
            for depth in range(1, name.count("/") + 1)
        }
        rows: list[dict[str, object]] = [
            {"type": "directory", "oid": "0" * 40, "size": 0, "path": one} for one in folders
        ]
        return sorted(
            rows + [_row(*file) for file in self.files.items()], key=lambda row: str(row["path"])
        )

    def info(self) -> bytes:
        siblings = [_listed(name, data) for name, data in self.files.items()]
        return json.dumps(
            {
                "id": self.repository,
                "sha": self.commit,
                "private": self.private,
                "siblings": siblings,
            }
        ).encode()

    def fetched(self) -> list[str]:
        """The large files whose bodies were requested, in order."""
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


def _row(name: str, data: bytes) -> dict[str, object]:
    """As lists of folders have it."""
    listed = _listed(name, data)
    row = {"type": "file", "path": name, "size": len(data), "oid": listed["blobId"]}
    lfs = {"oid": _sha256(data), "size": len(data), "pointerSize": 134}
    return row | {"lfs": lfs, "xetHash": _sha256(data)} if "lfs" in listed else row


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


class _Answers(BaseHTTPRequestHandler):
    hub: Hub

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_POST(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        part = self.headers.get("Range", "").removeprefix("bytes=").removesuffix("-")
        self.hub.asked.append(f"{self.command} {path}" + (f" from {part}" if part else ""))
        if path.startswith("/cdn/"):
            self._send_large(path.removeprefix("/cdn/"))
            return
        for beginning, trick in self.hub.tricks.items():
            if path.startswith(beginning):
                trick(self)
                return
        if self._is_refused(path):
            return
        for beginning, answer in (
            (f"{self.hub.api}/revision/", self._answer_revision),
            (f"{self.hub.api}/paths-info/{self.hub.commit}", self._answer_paths),
            (f"{self.hub.api}/tree/{self.hub.commit}", self._answer_tree),
            (f"{self.hub.resolve}/", self._answer_file),
        ):
            if path.startswith(beginning):
                answer(path.removeprefix(beginning))
                return
        self._refuse(404, "RepoNotFound")

    def _is_refused(self, path: str) -> bool:
        if self.hub.refuse:
            self._refuse(*self.hub.refuse)
        elif self.hub.limited:
            self.hub.limited -= 1
            self._refuse(429, "", self.hub.wait)
        elif self.hub.failing_at and path.endswith(self.hub.failing_at):
            self._refuse(500, "")
        elif self.hub.token and self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self._refuse(401, "GatedRepo")
        else:
            return False
        return True

    def _refuse(self, status: int, code: str, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for header, value in (headers or {}).items():
            self.send_header(header, value)
        self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _answer_revision(self, revision: str) -> None:
        if revision not in (*self.hub.names, self.hub.commit):
            self._refuse(404, "RevisionNotFound")
            return
        wanted = self._query().get("expand")
        info = json.loads(self.hub.info())
        self.send_json({name: info[name] for name in ("id", *wanted)} if wanted else info)

    def _answer_paths(self, _rest: str) -> None:
        paths = parse_qs(self.body.decode())["paths"]
        self.send_json([row for row in self.hub.tree() if row["path"] in paths])

    def _answer_tree(self, rest: str) -> None:
        folder = rest.strip("/")
        rows = [
            row
            for row in self.hub.tree()
            if not folder or str(row["path"]).startswith(f"{folder}/")
        ]
        if folder and not rows:
            self._refuse(404, "EntryNotFound")
            return
        start = int(self._query().get("cursor", ["0"])[0])
        here, more = rows[start : start + self.hub.page], rows[start + self.hub.page :]
        place, _, _ = self.path.partition("?")
        following = f"{place}?recursive=true&cursor={start + self.hub.page}"
        link = {"Link": f'<{self.hub.url}{following}>; rel="next"'} if more else {}
        self.send_json(here, link)

    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query)

    def send_json(self, document: object, headers: dict[str, str] | None = None) -> None:
        kind = {"Content-Type": "application/json; charset=utf-8"}
        self._send(json.dumps(document).encode(), kind | (headers or {}))

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
        if self.command != "HEAD":
            self.wfile.write(data[start : start + cut if cut else None])

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silent: ``asked`` is the log."""
