"""The second pass: links lead within the copy, and every file gets its hash."""

from collections.abc import Iterable
from hashlib import sha256
from urllib.parse import quote

from django.template.loader import render_to_string

from portal.frozen_site.addresses import Page, place_of
from portal.frozen_site.copies import ABOUT, Copy
from portal.frozen_site.processes import known_files
from portal.frozen_site.rewriting import relative, rewritten
from portal.frozen_site.selection import data_of

_BLOCK = 1 << 20


def finish_all(copy: Copy, entries: Iterable[tuple[str, Page]]) -> list[tuple[str, str, int]]:
    return [_finish(copy, entry) for entry in entries]


def _finish(copy: Copy, entry: tuple[str, Page]) -> tuple[str, str, int]:
    """The file with its links rewritten, its hash and its size."""
    file, page = entry
    path = copy.folder / file
    if file.endswith(".html"):
        html = path.read_text(encoding="utf-8")
        html = rewritten(html, page, known_files(), *_banner_and_note(copy, page))
        path.write_text(html, encoding="utf-8")
    digest, size = sha256(), 0
    with path.open("rb") as content:
        while block := content.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return file, digest.hexdigest(), size


def _banner_and_note(copy: Copy, page: Page) -> tuple[str, str]:
    """HTML of the banner, and of the note that replaces forms."""
    files = known_files().files
    place = None if page == ABOUT else place_of(page)
    data = data_of(place) if place else None
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
