"""Render the Markdown that people write; nothing else turns their text into HTML.

Paragraphs, lists, quotations, code, emphasis and links: no HTML, no images, and no headings, which
would be among those of the page.
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

from scoring.problems import readable

_LEFT_OUT: Final = ("image", "html_inline", "html_block", "heading", "lheading", "reference")


class _Markdown(MarkdownIt):
    def __init__(self) -> None:
        super().__init__("commonmark", {"html": False, "maxNesting": 12})
        self.disable(_LEFT_OUT)

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the library's
        """Only links to another site, or to an email address."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        is_web = parts.scheme in ("http", "https") and bool(parts.netloc)
        return super().validateLink(url) and (is_web or parts.scheme == "mailto")


_MARKDOWN: Final = _Markdown()


def as_html(text: str) -> SafeString:
    """Text in it is escaped; characters that nobody would see are shown by their codes."""
    tokens = _MARKDOWN.parse(readable(text))
    _mark_links(tokens)
    html: str = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return mark_safe(html)  # noqa: S308 - made by the renderer, which escapes


def _mark_links(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.type == "link_open":
            token.attrSet("rel", "nofollow noopener")
        _mark_links(token.children or ())
