"""An identity provider on this machine: as GitHub does it, and by OpenID Connect.

It never asks who is there: every visitor is the one person that it knows. It is strict about the
rest: a code is valid once, for one client, one address and one verifier.
"""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT, SECRET = "a-client", "a-secret-of-this-client-with-32-bytes"


@dataclass
class Person:
    uid: str = "7"
    name: str = "octo"
    email: str = "octo@example.org"
    verified: object = True  # what the provider says about the address
    claims: dict[str, object] = field(default_factory=dict)  # any further claims


@dataclass
class IdentityServer:
    person: Person = field(default_factory=Person)
    refuses: bool = False  # the person declines
    url: str = ""
    codes: dict[str, dict[str, str]] = field(default_factory=dict)  # the requests, by code
    tokens: set[str] = field(default_factory=set)
    asked: list[str] = field(default_factory=list)

    def profile(self) -> dict[str, object]:
        """The claims of OpenID Connect."""
        person = self.person
        return {
            "sub": person.uid, "preferred_username": person.name, "email": person.email,
            "email_verified": person.verified, **person.claims,
        }  # fmt: skip

    def id_token(self) -> str:
        stamp = {"iss": self.url, "aud": CLIENT, "iat": time.time(), "exp": time.time() + 60}
        return jwt.encode({**self.profile(), **stamp}, SECRET, "HS256")


@contextmanager
def running(site: IdentityServer) -> Iterator[IdentityServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Answers", (_Answers,), {"site": site}))
    site.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Answers(BaseHTTPRequestHandler):
    site: IdentityServer

    def do_GET(self) -> None:
        path = urlsplit(self.path).path
        self.site.asked.append(path)
        person = self.site.person
        if path == "/authorize":
            self._authorize({name: one for name, (one,) in self._query().items()})
        elif path == "/.well-known/openid-configuration":
            endpoints = ("authorization", "token", "userinfo")
            names = {"authorization": "authorize"}
            self._answer(
                {f"{one}_endpoint": f"{self.site.url}/{names.get(one, one)}" for one in endpoints}
                | {"issuer": self.site.url, "jwks_uri": f"{self.site.url}/keys"}
            )
        elif not self._has_token():
            self._answer({"error": "invalid_token"}, 401)
        elif path == "/userinfo":
            self._answer(self.site.profile())
        elif path == "/user":
            about = {"id": int(person.uid), "login": person.name, "email": person.email}
            self._answer({**about, **person.claims})
        elif path == "/user/emails":
            address = {"email": person.email, "primary": True, "verified": person.verified}
            self._answer([address])
        else:
            self._answer({}, 404)

    def do_POST(self) -> None:
        """Exchange a code for a token, once."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        given = {name: one for name, (one,) in parse_qs(body).items()}
        asked = self.site.codes.pop(given.get("code", ""), None)
        if asked is None or not _is_right(asked, given):
            self._answer({"error": "invalid_grant"}, 400)
            return
        token = secrets.token_hex(8)
        self.site.tokens.add(token)
        found = {"access_token": token, "token_type": "bearer", "expires_in": 60}
        self._answer(found | {"id_token": self.site.id_token()})

    def _authorize(self, asked: dict[str, str]) -> None:
        code = secrets.token_hex(8)
        self.site.codes[code] = asked
        said = {"error": "access_denied"} if self.site.refuses else {"code": code}
        query = urlencode({**said, "state": asked["state"]})
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}?{query}")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _query(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.path).query)

    def _has_token(self) -> bool:
        return self.headers.get("Authorization", "").partition(" ")[2] in self.site.tokens

    def _answer(self, found: object, status: int = 200) -> None:
        body = json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def _is_right(asked: dict[str, str], given: dict[str, str]) -> bool:
    digest = hashlib.sha256(given.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
    return (
        (given.get("client_id"), given.get("client_secret")) == (CLIENT, SECRET)
        and given.get("redirect_uri") == asked["redirect_uri"]
        and challenge == asked.get("code_challenge")
    )
