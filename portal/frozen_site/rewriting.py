"""Pages of the site as files: links between them are relative, and nothing asks for a server.

Only our own templates are rewritten. They quote every attribute, escape what they are given, and
nest no links or forms, so that regular expressions are enough; parsing every page would take longer
than rendering it.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from html import escape, unescape
from posixpath import relpath
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from portal.frozen_site.addresses import Page

_TAG = re.compile(r"<(a|link|img|image|script|source|use)\b([^>]*)>")
_ADDRESS = re.compile(r'(?<=\s)(href|src)="([^"]*)"')
_TITLE = re.compile(r'\stitle="[^"]*"')
_IN_SHEETS = re.compile(r"""url\(\s*["']?([^"')]+)["']?\s*\)""")
_SHARED = re.compile(r'(<link rel="canonical" href|property="og:\w+" content)="([^"]*)"')
_FORM = re.compile(r"<form\b([^>]*)>.*?</form>", re.DOTALL)
_OUTSIDE_FORMS = re.compile(r'<input\b[^>]*\bform="[^"]*"[^>]*>')
# Of the bar at the top: what is about the reader, and what cannot be done here.
_BAR = re.compile(
    r'<details class="theme".*?</details>|<div class="account">.*?</div>'
    r'|<div class="banner" data-banner="demo">.*?</div>',
    re.DOTALL,
)
# Scripts that ask the site for more.
_ASKING = re.compile(r"<script\b[^>]*\bdata-asks\b[^>]*></script>")
_BUTTON = re.compile(r'<a\b[^>]*\bclass="(?:[^"]* )?button\b[^>]*>.*?</a>', re.DOTALL)
_NAVIGATION = re.compile(r"<nav aria-label.*?</nav>", re.DOTALL)
_LINK = re.compile(r"<a\b([^>]*)>.*?</a>", re.DOTALL)
_LEFT = "data-left-out"
_NOTED = "<!--form-->"
_NOTES = re.compile(rf"(?:{_NOTED}\s*)+")


class Target(NamedTuple):
    page: Page
    fragment: str


def target_of(link: str, page: Page, site: str) -> Target | None:
    """The page of the site that a link on a page leads to; None: another site, or the page itself.
    ``site``: its address, without a slash at the end."""
    link = unescape(link)
    if link.startswith(f"{site}/"):
        link = link.removeprefix(site)
    elif not link or link.startswith(("#", "//")) or urlsplit(link).scheme:
        return None
    is_absolute = link.startswith("/")
    return _target(link if is_absolute else urljoin(f"{quote(page.path)}?{page.query}", link))


@lru_cache(10_000)  # most pages have the same links
def _target(address: str) -> Target:
    parts = urlsplit(urljoin("/", address))
    return Target(Page.of(parts.path, parts.query), parts.fragment)


def links_in(text: str, page: Page, site: str) -> Iterator[Page]:
    for _, attributes in _TAG.findall(_ASKING.sub("", text)):
        for _, link in _ADDRESS.findall(attributes):
            target = target_of(link, page, site)
            if target:
                yield target.page


def links_in_sheet(text: str, page: Page) -> Iterator[Page]:
    for link in _IN_SHEETS.findall(text):
        target = target_of(link, page, "")
        if target and not link.startswith("data:"):
            yield target.page


class Files(NamedTuple):
    """``files``: by page, its path below the folder; ``reason``: why a page is not among them."""

    files: dict[Page, str]
    reason: Callable[[Page], str]
    site: str  # its address
    base: str  # the address of the copy; empty: unknown


def rewritten(html: str, page: Page, files: Files, banner: str, note: str) -> str:
    """``banner``: HTML for the top of the page; ``note``: in place of forms, once for those that
    are next to each other."""
    here = files.files[page]

    def link(match: re.Match[str]) -> str:
        tag, attributes = match.groups()
        left = ""

        def address(found: re.Match[str]) -> str:
            nonlocal left
            target = target_of(found[2], page, files.site)
            if target is None:
                return found[0]
            file = files.files.get(target.page)
            if file is None or (file == here and target.page != page and target.page.query):
                left = files.reason(target.page)
                return ""
            fragment = f"#{escape(target.fragment)}" if target.fragment else ""
            return f'{found[1]}="{escape(relative(file, here))}{fragment}"'

        attributes = _ADDRESS.sub(address, attributes)
        if not left:
            return f"<{tag}{attributes}>"
        attributes = _TITLE.sub("", attributes)
        return f'<a{attributes} {_LEFT} title="{escape(left)}">' if tag == "a" else ""

    def shared(match: re.Match[str]) -> str:
        """An address for other sites: of the copy if that is known, else of the site."""
        target = target_of(match[2], page, files.site) if match[2].startswith("http") else None
        file = files.files.get(target.page) if target and files.base else None
        return f'{match[1]}="{files.base}/{quote(file)}"' if file else match[0]

    head, body_tag, body = html.partition("<body>")
    head = _SHARED.sub(shared, _ASKING.sub("", head)).replace(
        'rel="canonical" href=', "rel=canonical-href="
    )
    head = _TAG.sub(link, head).replace("rel=canonical-href=", 'rel="canonical" href=')
    body = _BAR.sub("", body)
    body = _FORM.sub(lambda form: _NOTED if 'method="get"' in form[1] else "", body)
    body = _TAG.sub(link, _OUTSIDE_FORMS.sub("", body))
    body = _BUTTON.sub(_without_left_out, body)
    body = _NAVIGATION.sub(lambda nav: _LINK.sub(_without_left_out, nav[0]), body)
    body = _NOTES.sub(lambda _: note, body)  # last: its links stay as they are
    return head + body_tag + body.replace("<header>", f"<header>{banner}", 1)


def _without_left_out(link: re.Match[str]) -> str:
    return "" if f" {_LEFT} " in link[0].partition(">")[0] else link[0]


def relative(file: str, here: str) -> str:
    """The address of a file relative to another one."""
    return quote(relpath(file, here.rpartition("/")[0] or "."))
