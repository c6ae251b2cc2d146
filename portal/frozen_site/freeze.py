"""Write the whole public site as files: what an anonymous reader gets at every address that
``addresses`` keeps and that a page leads to.

Every page is requested from the site itself, through all of its middleware, by processes that share
one read-only snapshot of the database: the copy is the site at one moment.
"""

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.handlers.wsgi import WSGIRequest
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from portal.board_version import board_version
from portal.frozen_site.addresses import REASONS, Page, Reason
from portal.frozen_site.copies import ABOUT, Copy
from portal.frozen_site.fetching import fetch_together, request_environ, store_page
from portal.frozen_site.finishing import finish_all
from portal.frozen_site.processes import Each, one_transaction, workers
from portal.frozen_site.rewriting import Files
from portal.frozen_site.selection import batches_of, name_of, pages_to_fetch, parts_of, why_left_out
from portal.ledger.chain import ledger_head
from portal.review.openings import open_due
from portal.snapshot import one_moment
from scoring.atomic_folder import atomic_directory

SUMS, FACTS = "SHA256SUMS", "frozen.json"
FORMAT = "infinitebench frozen site 1"
_SEEDS = ("home", "sitemap", "api", "api-entries", "api-models", "api-tasks", "receipt-keys")


@dataclass
class Frozen:
    """``counts``, and ``seconds`` of processor time, are by the names of addresses."""

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
    and ``FileExistsError`` if ``out`` holds anything else."""
    frozen = Frozen()
    check_folder(out)
    open_due()
    with (
        atomic_directory(out, ".freezing-", may_replace=is_frozen_site) as folder,
        one_transaction(),
    ):
        with workers(processes) as each, one_moment() as snapshot:
            copy = Copy(
                folder, settings.SITE_URL, base.rstrip("/"), language, timezone.now(),
                board_version(), ledger_head(), samples, with_answers,
                snapshot if processes > 1 else "",
            )  # fmt: skip
            files = _fetch_all(copy, each, frozen)
            files[ABOUT] = store_page(copy, ABOUT, "html", [_about_page(copy).encode()])
        known = Files(files, why_left_out, copy.site, copy.base)
        pages = {file: page for page, file in reversed(files.items())}
        sums = []
        with workers(processes, known) as each:
            for finished in each(partial(finish_all, copy), parts_of(sorted(pages.items()))):
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
    """Raises ``FileExistsError`` if a copy would replace anything but an earlier copy."""
    if out.exists() and not (out.is_dir() and (is_frozen_site(out) or not any(out.iterdir()))):
        raise FileExistsError(f"{out} has something else in it than a frozen site.")


def is_frozen_site(folder: Path) -> bool:
    """Whether the folder holds nothing but what this module has written."""
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


def _fetch_all(copy: Copy, each: Each, frozen: Frozen) -> dict[Page, str]:
    """The file of each page, and of each address that only redirects to one."""
    files: dict[Page, str] = {}
    leads_to: dict[Page, Page] = {}
    examples: dict[tuple[str, ...], set[str]] = {}
    seen: set[Page] = set()
    found: Iterable[Page] = [Page(reverse(name)) for name in _SEEDS]
    while todo := list(pages_to_fetch(found, copy, seen, leads_to, examples)):
        links: dict[Page, None] = {}
        answers = chain.from_iterable(each(partial(fetch_together, copy), batches_of(todo)))
        for answer in answers:
            name = name_of(answer.page)
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
        for _ in range(5):  # more redirects in a row than any address has
            target = leads_to.get(target, target)
        if target in files:
            files.setdefault(page, files[target])
    return files


def _about_page(copy: Copy) -> str:
    request = WSGIRequest(request_environ(copy, ABOUT))
    request.user = AnonymousUser()
    with translation.override(copy.language):
        context = {"copy": copy, "reasons": list(_reasons(copy).values()), "sums": SUMS}
        return render_to_string("frozen_site/about.html", context, request)


def _reasons(copy: Copy) -> dict[Reason, str]:
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
