"""What search engines and link previews read: descriptions, the sitemap, robots.txt."""

import re
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from leaderboard.sharing.sitemap import public_paths
from portal.models import LanguageModel, Release, Submission, SubmissionState, User
from tests.support import html
from tests.support.addresses import SAMPLES, site_addresses
from tests.support.factories import ALL, published, reported

SITE = "https://localhost"


@pytest.fixture
def entry(alice: User, official: Release) -> Submission:
    reported("Reported", ALL)
    published(alice, official, "Private", ALL, state=SubmissionState.PRIVATE)
    return published(alice, official, "First", ALL)


def addresses(client: Client) -> list[str]:
    root = ET.fromstring(client.get("/sitemap.xml").content)
    return [one.text or "" for one in root.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")]


def test_every_address_of_the_map_is_a_page_with_its_description(
    client: Client, entry: Submission
) -> None:
    found = [one.removeprefix(SITE) for one in addresses(client)]
    assert len(found) == len({*found}) > 20
    assert f"/entries/{entry.entry_id}/" in found
    descriptions = set()
    for path in found:
        response = client.get(path)
        assert response.status_code == 200, path
        page = html.page(response)
        [description] = page.select('meta[name="description"]')
        [canonical] = page.select('link[rel="canonical"]')
        assert canonical["href"] == f"{SITE}{path}"
        values = {str(one["property"]): one["content"] for one in page.select("meta[property]")}
        assert values["og:url"] == f"{SITE}{path}"
        assert values["og:description"] == description["content"]
        assert page.title
        assert html.text(page.title).startswith(str(values["og:title"]))
        descriptions.add(description["content"])
    assert len(descriptions) > 15


def test_the_map_has_nothing_private(client: Client, entry: Submission) -> None:
    Submission.objects.filter(pk=entry.pk).update(state=SubmissionState.WITHDRAWN)
    names = LanguageModel.objects.filter(name__in=("First", "Private")).values_list("slug")
    found = public_paths()
    assert not any(f"/models/{slug}/" in found for [slug] in names)
    assert not any(one.entry_id in path for path in found for one in Submission.objects.all())


def test_descriptions_are_escaped(client: Client, entry: Submission) -> None:
    LanguageModel.objects.update(name='"><script>&amp;')
    for path in (f"/entries/{entry.entry_id}/", "/board/hf/"):
        page = html.page(client.get(path))
        assert not page.head.select("script:not([src])") if page.head else False
        for one in page.select("meta[name=description], meta[property='og:description']"):
            assert set(one.attrs) <= {"name", "property", "content"}
    page = html.page(client.get(f"/entries/{entry.entry_id}/"))
    assert '">' in str(page.select('meta[property="og:title"]')[0]["content"])


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("?q=first&weights=open", ""),
        ("?set=strict&errors=on&sort=passkey", "?set=strict&sort=passkey"),
    ],
)
def test_a_board_has_few_canonical_addresses(
    client: Client, entry: Submission, query: str, canonical: str
) -> None:
    [link] = html.page(client.get(f"/board/hf/{query}")).select('link[rel="canonical"]')
    assert link["href"] == f"{SITE}/board/hf/{canonical}"


# Robots

PRIVATE = ("account_", "submission", "review", "my-model", "submit", "profile", "theme", "language",
           "demo-", "healthz", "readyz", "metrics", "entry-hide", "entry-restore", "note-",
           "label-report", "rename-", "token", "mfa_",
           "github_", "openid_connect_", "socialaccount_", "account-", "session-",
           "usersessions_")  # fmt: skip
EXPORT = re.compile(
    r".*(\.(csv|jsonl?|md|tex|zip)|/SHA256SUMS|/(?!badge)[a-z]+\.svg|/api/v1/(?!docs/).+)"
)


def may_visit(robots: str, path: str) -> bool:
    """RFC 9309: the longest matching rule decides; of equally long ones, the one that allows."""
    rules = re.findall(r"^(Allow|Disallow): (\S+)$", robots, re.MULTILINE)
    matching = [
        (len(rule), kind == "Allow")
        for kind, rule in rules
        if re.match(re.escape(rule).replace(r"\*", ".*").replace(r"\$", "$"), path)
    ]
    return max(matching, default=(0, True))[1]


def test_robots_visit_pages_and_nothing_private(client: Client, entry: Submission) -> None:
    response = client.get("/robots.txt")
    assert response["Content-Type"].startswith("text/plain")
    robots = response.content.decode()
    assert f"Sitemap: {SITE}/sitemap.xml" in robots
    for address in site_addresses():
        name, path = address.name, address.path()
        is_private = name.startswith(PRIVATE) and not name.startswith("language-model")
        is_export = bool(EXPORT.fullmatch(path))
        assert may_visit(robots, path) is not (is_private or is_export), (name, path)
    assert all(may_visit(robots, path) for path in public_paths())
    assert "small" in SAMPLES["slug"]


@pytest.mark.parametrize(
    ("path", "may"),
    [
        ("/?set=strict", True),
        ("/?q=x", False),
        ("/board/hf/?sort=passkey", True),
        ("/board/hf/?sort=passkey&q=x", False),
        ("/board/hf/?weights=open&size=7b", False),
        ("/board/hf/?pin=x", False),
        ("/compare/?a=x&b=y", True),
        ("/board/hf/picture.png?set=strict", True),
        ("/board/hf/feed.atom", True),
        ("/board/hf/board.md?sort=passkey", False),
    ],
)
def test_robots_do_not_search(client: Client, db: None, path: str, may: bool) -> None:
    assert may_visit(client.get("/robots.txt").content.decode(), path) is may
