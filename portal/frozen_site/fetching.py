"""Pages as the site answers them to somebody without an account, through all of its middleware."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import BytesIO
from time import process_time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.core.handlers.wsgi import WSGIHandler
from django.urls import reverse

from portal.frozen_site.addresses import Page
from portal.frozen_site.copies import Copy
from portal.frozen_site.rewriting import links_in, links_in_sheet, target_of
from portal.frozen_site.selection import Batch
from portal.snapshot import TOGETHER, join_snapshot
from portal.web.throttle import UNCOUNTED

_TYPES = {
    "text/html": "html", "application/json": "json", "application/yaml": "yaml",
    "application/vnd.oai.openapi+json": "json", "application/vnd.oai.openapi": "yaml",
}  # fmt: skip
_STORED = (200, 410)  # the page of an entry that was withdrawn says so
_MOVED = (301, 302, 307, 308)
_IN_SITEMAP = re.compile(r"<loc>([^<]*)</loc>")
_NEXT = re.compile(r'"next": ?"([^"]*)"')
_handler = cache(WSGIHandler)


class FreezeError(Exception):
    """The message says what could not be frozen."""


class Answer(NamedTuple):
    page: Page
    file: str  # empty: nothing was stored
    links: list[Page]
    leads_to: Page | None
    seconds: float


def request_environ(copy: Copy, page: Page, together: Sequence[str] = ()) -> dict[str, Any]:
    """A request by somebody without an account, as the server in front of the site sends it."""
    parts = urlsplit(copy.site)
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": page.path.encode().decode("latin-1"),  # PEP 3333
        "QUERY_STRING": page.query,
        "SERVER_NAME": parts.hostname or "localhost",
        "SERVER_PORT": str(parts.port or (443 if parts.scheme == "https" else 80)),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": parts.netloc,
        "HTTP_X_FORWARDED_PROTO": parts.scheme,
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": BytesIO(),
        UNCOUNTED: True,
        TOGETHER: together,
    }


def fetch_together(copy: Copy, batch: Batch) -> list[Answer]:
    """Each with only those links that no earlier page has, since most pages have the same."""
    join_snapshot(copy.snapshot)
    known: dict[Page, None] = {}
    answers = []
    for page in batch.pages:
        answer = _fetch(copy, page, batch.together)
        new = [link for link in answer.links if link not in known]
        known |= dict.fromkeys(new)
        answers.append(answer._replace(links=new))
    return answers


def _fetch(copy: Copy, page: Page, together: Sequence[str]) -> Answer:
    """Raises ``FreezeError`` if the site fails."""
    started: list[Any] = []
    begun = process_time()
    body = _handler()(request_environ(copy, page, together), lambda *said: started.extend(said))  # type: ignore[arg-type]
    try:
        status, headers = int(started[0].partition(" ")[0]), dict(started[1])
        if status >= 500 or status == 429:
            raise FreezeError(f"{page.path} was answered with {status}")
        if status == 400 and page.path == reverse("home"):
            raise FreezeError(f"{copy.site} is not among ALLOWED_HOSTS")
        leads_to, links, file = None, [], ""
        if status in _MOVED:
            target = target_of(headers["Location"], page, copy.site)
            leads_to = target.page if target else None
        elif status in _STORED:
            kind = headers.get("Content-Type", "").partition(";")[0]
            is_sheet, is_data = kind == "text/css", page.path.startswith(reverse("api"))
            if kind == "text/html" or is_sheet or is_data or page.path == reverse("sitemap"):
                content = b"".join(body)
                links = list(_links(copy, page, kind, content.decode()))
                parts: Iterable[bytes] = [content]
            else:
                parts = body
            if page.path != reverse("sitemap"):
                file = store_page(copy, page, _TYPES.get(kind, ""), parts)
        return Answer(page, file, links, leads_to, process_time() - begun)
    finally:
        if hasattr(body, "close"):
            body.close()


def _links(copy: Copy, page: Page, kind: str, text: str) -> Iterator[Page]:
    if kind == "text/css":
        yield from links_in_sheet(text, page)
    elif kind == "text/html":
        yield from dict.fromkeys(links_in(text, page, copy.site))
    else:
        for link in (_NEXT if kind == "application/json" else _IN_SITEMAP).findall(text):
            target = target_of(link, page, copy.site)
            if target:
                yield target.page


def store_page(copy: Copy, page: Page, ending: str, body: Iterable[bytes]) -> str:
    name = page.file(ending)
    path = copy.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.writelines(body)
    return name
