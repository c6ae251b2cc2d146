"""Write the whole public site as files: what an anonymous reader is answered at every address that
``addresses`` keeps and that a page leads to.

Every page is asked of the site itself, through all of its middleware, by processes that share one
snapshot of the database, in which they can write nothing: the copy is the site at one moment.
"""

import gc
import json
import multiprocessing
import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from hashlib import sha256
from io import BytesIO
from itertools import chain
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple, TypeVar
from urllib.parse import quote, urlsplit

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.cache import caches
from django.core.cache.backends.base import BaseCache
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, connections
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.functional import Promise

from portal.board_version import board_version
from portal.frozen_site.addresses import KEPT, REASONS, Page, Place, Reason, place_of
from portal.frozen_site.rewriting import (
    Files,
    links_in,
    links_in_sheet,
    relative,
    rewritten,
    target_of,
)
from portal.ledger.chain import ledger_head
from portal.review.openings import open_due
from portal.snapshot import TOGETHER, join_snapshot, one_moment
from portal.web.throttle import UNCOUNTED
from scoring.atomic_folder import atomic_directory
from scoring.ledger import Head

ABOUT = Page("/frozen/")  # the page about the copy
SUMS, FACTS = "SHA256SUMS", "frozen.json"
FORMAT = "infinitebench frozen site 1"
_SEEDS = ("home", "sitemap", "api", "api-entries", "api-models", "api-tasks", "receipt-keys")
_TYPES = {
    "text/html": "html", "application/json": "json", "application/yaml": "yaml",
    "application/vnd.oai.openapi+json": "json", "application/vnd.oai.openapi": "yaml",
}  # fmt: skip
_STORED = (200, 410)  # the page of an entry that was withdrawn says so
_MOVED = (301, 302, 307, 308)
_IN_SITEMAP = re.compile(r"<loc>([^<]*)</loc>")
_NEXT = re.compile(r'"next": ?"([^"]*)"')
_MOST_REGIONS = 200
_PART = 20  # pages that a process is given at a time
_BLOCK = 1 << 20

Each = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]
_Value = TypeVar("_Value")


class FreezeError(Exception):
    """The message says what could not be frozen."""


class Copy(NamedTuple):
    """What all processes know; addresses have no slash at the end."""

    folder: Path
    site: str
    base: str  # where the copy will be; empty: nobody knows
    language: str
    at: datetime
    version: int
    head: Head  # of the ledger
    samples: int  # of the examples of each task
    with_answers: bool
    snapshot: str  # its name in PostgreSQL; empty: everything happens in one transaction


class Batch(NamedTuple):
    pages: Sequence[Page]
    together: Sequence[str] = ()  # as ``portal.snapshot.asked_together``


class Answer(NamedTuple):
    page: Page
    file: str  # empty: nothing was stored
    links: list[Page]
    leads_to: Page | None
    seconds: float


@dataclass
class Frozen:
    """``counts`` and ``seconds``, of one processor, are by the names of addresses."""

    files: int = 0
    size: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)


def freeze_site(
    out: Path,
    *,
    base: str = "",
    language: str = "en",
    samples: int = 5,
    with_answers: bool = True,
    processes: int = 1,
) -> Frozen:
    """``out``: a new folder, or that of an earlier copy, which is replaced. Raises ``FreezeError``,
    and ``FileExistsError`` where ``out`` has anything else in it."""
    frozen = Frozen()
    check_folder(out)
    open_due()
    with atomic_directory(out, ".freezing-", may_replace=is_frozen_site) as folder, _prepared():
        with _workers(processes) as each, one_moment() as snapshot:
            copy = Copy(
                folder, settings.SITE_URL, base.rstrip("/"), language, timezone.now(),
                board_version(), ledger_head(), samples, with_answers,
                snapshot if processes > 1 else "",
            )  # fmt: skip
            files = _fetch_all(copy, each, frozen)
            files[ABOUT] = _store(copy, ABOUT, "html", [_about_page(copy).encode()])
        known = Files(files, _why_left_out, copy.site, copy.base)
        pages = {file: page for page, file in reversed(files.items())}
        sums = []
        with _workers(processes, known) as each:
            for finished in each(partial(_finish_all, copy), _parts(sorted(pages.items()))):
                for file, digest, size in finished:
                    sums.append(f"{digest}  {file}\n")
                    frozen.size += size
        facts = json.dumps(_facts(copy), indent=2, ensure_ascii=False) + "\n"
        folder.joinpath(FACTS).write_text(facts, encoding="utf-8")
        sums.append(f"{sha256(facts.encode()).hexdigest()}  {FACTS}\n")
        folder.joinpath(SUMS).write_text("".join(sums), encoding="utf-8")
        frozen.files = len(sums)
    return frozen


def check_folder(out: Path) -> None:
    """Raises ``FileExistsError`` where a copy would destroy what is no copy."""
    if out.exists() and not (out.is_dir() and (is_frozen_site(out) or not any(out.iterdir()))):
        raise FileExistsError(f"{out} has something else in it than a frozen site.")


def is_frozen_site(folder: Path) -> bool:
    """Whether there is nothing in it but what was written here."""
    try:
        facts = json.loads(folder.joinpath(FACTS).read_bytes())
        sums = folder.joinpath(SUMS).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    written = {line.partition("  ")[2] for line in sums.splitlines()} | {SUMS}
    found = (path for path in folder.rglob("*") if not path.is_dir())
    return facts.get("format") == FORMAT and all(
        str(path.relative_to(folder)) in written for path in found
    )


@contextmanager
def _workers(processes: int, known: Files | None = None) -> Iterator[Each]:
    """Applies a function to many values, in their order. ``known`` goes to all processes once."""
    if processes == 1:
        _know(known)
        yield map
        return
    connections.close_all()  # no process may use those of another one
    gc.freeze()
    context = multiprocessing.get_context("fork")
    with context.Pool(processes, _begin, (known,)) as pool:
        yield pool.imap


class _Regions(BaseCache):
    """Regions as they are, where the site pickles them: ``ranks`` of a large board are long."""

    def __init__(self) -> None:
        super().__init__({})
        self._kept: OrderedDict[str, object] = OrderedDict()

    def get(self, key: str, default: object = None, version: int | None = None) -> object:
        if key not in self._kept:
            return default
        self._kept.move_to_end(key)
        return self._kept[key]

    def set(
        self, key: str, value: object, timeout: object = None, version: int | None = None
    ) -> None:
        self._kept[key] = value
        if len(self._kept) > _MOST_REGIONS:
            self._kept.popitem(last=False)


@contextmanager
def _prepared() -> Iterator[None]:
    """One transaction lasts for many requests, as with the client of Django's tests."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    regions, caches["regions"] = caches["regions"], _Regions()
    try:
        yield
    finally:
        caches["regions"] = regions
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def _fetch_all(copy: Copy, each: Each, frozen: Frozen) -> dict[Page, str]:
    """By page, also of those that only lead to another one: its file."""
    files: dict[Page, str] = {}
    leads_to: dict[Page, Page] = {}
    examples: dict[tuple[str, ...], set[str]] = {}
    seen: set[Page] = set()
    found: Iterable[Page] = [Page(reverse(name)) for name in _SEEDS]
    while todo := list(_to_fetch(found, copy, seen, leads_to, examples)):
        links: dict[Page, None] = {}
        answers = chain.from_iterable(each(partial(_fetch_together, copy), _batches(todo)))
        for answer in answers:
            name = _name_of(answer.page)
            frozen.seconds[name] += answer.seconds
            if answer.file:
                files[answer.page] = answer.file
                frozen.counts[name] += 1
            if answer.leads_to:
                leads_to[answer.page] = answer.leads_to
                links[answer.leads_to] = None
            links |= dict.fromkeys(answer.links)
        found = links
    for page in leads_to:
        target = page
        for _ in range(5):  # an address that has moved twice is enough
            target = leads_to.get(target, target)
        if target in files:
            files.setdefault(page, files[target])
    return files


def _to_fetch(
    found: Iterable[Page],
    copy: Copy,
    seen: set[Page],
    leads_to: dict[Page, Page],
    examples: dict[tuple[str, ...], set[str]],
) -> Iterator[Page]:
    """Those that are kept and new, with the documents of the API that say the same."""
    for page in found:
        if page in seen:
            continue
        seen.add(page)
        place = None if _is_static(page) else place_of(page)
        if _is_static(page) or page.path == reverse("sitemap"):
            yield page
        elif place and place.page and _is_wanted(place, copy, examples):
            if place.page != page:
                leads_to[page] = place.page
            for one in filter(None, (place.page, _data_of(place))):
                if one == page or one not in seen:
                    seen.add(one)
                    yield one


def _batches(todo: Iterable[Page]) -> Iterator[Batch]:
    """What a process is given at a time: pages that are made from the same data, or any."""
    others: list[Page] = []
    together: dict[str, dict[str, list[Page]]] = {}  # by what is read, and by the part
    for page in todo:
        place = None if _is_static(page) else place_of(page)
        reads = KEPT[place.name].reads if place and place.page else ""
        if place and reads:
            [part] = place.parts.values()
            together.setdefault(reads, {}).setdefault(part, []).append(page)
        else:
            others.append(page)
    for pages in _parts(others):
        yield Batch(pages)
    for by_part in together.values():
        for parts in _parts(list(by_part)):
            yield Batch([page for part in parts for page in by_part[part]], parts)


def _parts(values: Sequence[_Value]) -> Iterator[Sequence[_Value]]:
    for start in range(0, len(values), _PART):
        yield values[start : start + _PART]


def _is_wanted(place: Place, copy: Copy, examples: dict[tuple[str, ...], set[str]]) -> bool:
    """``examples``: by their task, the keys of those that are."""
    kept = KEPT[place.name]
    if kept.is_sample:
        *task, key = place.parts.values()
        keys = examples.setdefault(tuple(task), set())
        if key not in keys and len(keys) >= copy.samples:
            return False
        keys.add(key)
    return copy.with_answers or not kept.has_answers


def _data_of(place: Place) -> Page | None:
    name, _, parameter = KEPT[place.name].data.partition("?")
    if not name:
        return None
    values = list(place.parts.values())
    if parameter:
        return Page.of(reverse(name), f"{parameter}={quote(values[0])}")
    return Page(reverse(name, args=values))


def _is_static(page: Page) -> bool:
    return page.path.startswith(settings.STATIC_URL)


def _name_of(page: Page) -> str:
    place = None if _is_static(page) else place_of(page)
    return place.name if place else "static"


@cache
def _why_left_out(page: Page) -> str:
    place = place_of(page)
    reason = place.reason if place else None
    if place and not reason and KEPT[place.name].has_answers:
        reason = Reason.ANSWERS
    return str(REASONS[reason or Reason.EXAMPLES])


def _environ(copy: Copy, page: Page, together: Sequence[str] = ()) -> dict[str, Any]:
    """Of a request by somebody without an account, as the server in front of the site sends it."""
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
        "HTTP_ACCEPT_LANGUAGE": copy.language,
        "wsgi.url_scheme": parts.scheme,
        "wsgi.input": BytesIO(),
        UNCOUNTED: True,
        TOGETHER: together,
    }


_handler = cache(WSGIHandler)


def _fetch_together(copy: Copy, batch: Batch) -> list[Answer]:
    """Of links only those that no page before has, since most pages have the same."""
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
    """Raises ``FreezeError`` where the site fails."""
    started: list[Any] = []
    begun = process_time()
    body = _handler()(_environ(copy, page, together), lambda *said: started.extend(said))  # type: ignore[arg-type]
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
                file = _store(copy, page, _TYPES.get(kind, ""), parts)
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


def _store(copy: Copy, page: Page, ending: str, body: Iterable[bytes]) -> str:
    name = page.file(ending)
    path = copy.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.writelines(body)
    return name


def _about_page(copy: Copy) -> str:
    request = WSGIRequest(_environ(copy, ABOUT))
    request.user = AnonymousUser()
    with translation.override(copy.language):
        context = {"copy": copy, "reasons": list(_reasons(copy).values()), "sums": SUMS}
        return render_to_string("frozen_site/about.html", context, request)


def _reasons(copy: Copy) -> dict[Reason, str | Promise]:
    unused = {Reason.ANSWERS} if copy.with_answers else set()
    return {reason: text for reason, text in REASONS.items() if reason not in unused}


def _facts(copy: Copy) -> dict[str, object]:
    return {
        "format": FORMAT,
        "frozen": copy.at.isoformat(timespec="seconds"),
        "version": copy.version,
        "ledger": {"entries": copy.head.number, "hash": copy.head.hash},
        "of": copy.site,
        "at": copy.base or None,
        "language": copy.language,
        "left_out": {reason.value: str(text) for reason, text in _reasons(copy).items()},
    }


_known: list[Files] = []  # of this process


def _know(known: Files | None) -> None:
    _known[:] = [known] if known else []


def _begin(known: Files | None) -> None:
    """Of a process of its own: looking for cycles costs a tenth of the time."""
    gc.set_threshold(100_000)
    _know(known)


def _finish_all(copy: Copy, entries: Iterable[tuple[str, Page]]) -> list[tuple[str, str, int]]:
    return [_finish(copy, entry) for entry in entries]


def _finish(copy: Copy, entry: tuple[str, Page]) -> tuple[str, str, int]:
    """The file with its links rewritten, its hash and its size."""
    file, page = entry
    path = copy.folder / file
    if file.endswith(".html"):
        html = path.read_text(encoding="utf-8")
        with translation.override(copy.language):
            html = rewritten(html, page, _known[0], *_words(copy, page))
        path.write_text(html, encoding="utf-8")
    digest, size = sha256(), 0
    with path.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return file, digest.hexdigest(), size


def _words(copy: Copy, page: Page) -> tuple[str, str]:
    """The banner, and what stands in the place of a form."""
    files = _known[0].files
    place = None if page == ABOUT else place_of(page)
    data = _data_of(place) if place else None
    living = f"{copy.site}{quote(page.path)}" + (f"?{page.query}" if page.query else "")
    context = {
        "copy": copy,
        "living": copy.site if page == ABOUT else living,
        "about": "" if page == ABOUT else relative(files[ABOUT], files[page]),
        "data": relative(files[data], files[page]) if data in files else "",
    }
    return (
        render_to_string("frozen_site/_banner.html", context),
        render_to_string("frozen_site/_no_form.html", context),
    )
