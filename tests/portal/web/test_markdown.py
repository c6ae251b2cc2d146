"""Markdown by users of the site: what becomes markup, and what stays text."""

import pytest
from bs4 import BeautifulSoup

from portal.web.markdown import as_html
from tests.support.payloads import PAYLOADS

_TAGS = {"p", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "a", "br", "hr"}


def elements(text: str) -> list[str]:
    return [one.name for one in BeautifulSoup(as_html(text), "html.parser").find_all(True)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a **b** *c* `d`", ["p", "strong", "em", "code"]),
        ("- a\n- b", ["ul", "li", "li"]),
        ("1. a", ["ol", "li"]),
        ("> a", ["blockquote", "p"]),
        ("```\n<b>\n```", ["pre", "code"]),
        ("# a", ["p"]),
        ("a\n===", ["p"]),
        ("<b>a</b>", ["p"]),
        ("<div>\n\na", ["p", "p"]),
        ("![a](https://example.org/a.png)", ["p", "a"]),
        ("[a]\n\n[a]: https://example.org", ["p", "p"]),
    ],
)
def test_only_some_markup_is_read(text: str, expected: list[str]) -> None:
    assert elements(text) == expected


@pytest.mark.parametrize(
    "url", ["http://a.org", "https://a.org/b?c=d&e#f", "mailto:a@b.org", "HTTPS://a.org"]
)
def test_links_lead_to_other_sites_without_recommending_them(url: str) -> None:
    for text in (f"[a]({url})", f"<{url}>"):
        [link] = BeautifulSoup(as_html(text), "html.parser").select("a")
        assert link["rel"] == ["nofollow", "noopener"]
        assert str(link["href"]).lower() == url.lower()


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "JaVaScRiPt:alert(1)", "java&#115;cript:alert(1)", "vbscript:a",
        "data:text/html,a", "file:///etc/passwd", "ftp://a.org", "//a.org", "/admin/", "a", "#a",
        "java\\script:alert(1)", "&#106;avascript:alert(1)", "http:a",
        "https:/admin/", "http:\\\\[a",
    ],
)  # fmt: skip
def test_other_addresses_stay_text(url: str) -> None:
    assert "a" not in elements(f"[a]({url}) <{url}> [b](<{url}>)")


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_stay_text(payload: str) -> None:
    for text in (payload, f"- {payload}", f"> `{payload}", f"[{payload}]({payload})"):
        found = BeautifulSoup(as_html(text), "html.parser").find_all(True)
        assert {one.name for one in found} <= _TAGS
        assert {name for one in found for name in one.attrs} <= {"href", "rel", "class", "title"}


def test_what_nobody_sees_is_shown() -> None:
    assert "⟨U+202E⟩" in as_html("a\u202eb")
