"""Whatever a query string or a key contains, the response is clear and never a server error."""

import json
import re
from collections.abc import Iterator
from http import HTTPStatus
from urllib.parse import quote

import pytest
from bs4 import BeautifulSoup
from django.http import HttpResponse
from django.test import Client

from portal.models import Example, Release, Submission
from portal.web import throttle
from tests.leaderboard.examples.conftest import KEYS, TASK
from tests.support.contexts import store_context

pytestmark = pytest.mark.django_db

LIST = f"/examples/hf/{TASK}"
EXAMPLE = f"{LIST}/{quote(KEYS[1], safe='')}"
CLEAR = {200, 302, 400, 404}
EACH = 32  # 1: nine thousand requests
# Percent-encoded where a client could not send them otherwise.
NUMBERS = [
    "0", "-1", "-0", "+1", "1.5", "1e3", "1e309", "NaN", "nan", "Infinity", "-inf", "0x10", "1_000",
    "9" * 12, "9" * 13, "9" * 400, "9" * 5_000, "-" + "9" * 20, "2147483648", "9223372036854775808",
    "%D9%A3", "%EF%BC%91", "%E2%91%A0", "%C2%B2", "%F0%9D%9F%8F", "1%C2%A0", "%20", "%09", "1%0A",
    "1,000", "1%2C5", "50%25", "١٢", "①", "two", "null", "None", "true", "[]", "{}",
]  # fmt: skip
TEXTS = [
    "%00", "a%00b", "%ED%A0%80", "%ED%BF%BF", "%FF%FE", "%C0%AF", "%F5%80%80%80", "%", "%%", "%zz",
    "x" * 10_000, "%E4%BB%96" * 3_000, "%22" * 3_001, "(" * 5_000, "a " * 5_000, "is:" * 400,
    '"', '"a', 'a"', '""', '"" ""', '"a" "', "'", "''", "\\", "\\\\", "\\'", '\\"', "“a", "„a„",
    ".*", "(", ")", "[", "]", "[[:alnum:]", "(?i)", "(?<a>", "a{1,99999}", "*", "+", "?", "^$",
    "\\1", "\\y", "\\m", "***=a", "***:a", "(*ACCEPT)", "a|b", "||", "--", ";", "/*", "*/", "$$",
    "'; DROP TABLE portal_example; --", "' OR 1=1 --", "%25", "%25s", "%25(x)s", "_", "a:*", "!a",
    "a & b", "a <-> b", "a:A", "{0}", "{x}", "%s", "%(word0)s", "${x}", "{{ 1 }}", "{% if %}",
    "%E2%80%AE", "%E2%80%8B", "%EF%BB%BF", "%EF%BF%BE", "%CC%81" * 500, "%F3%A0%80%81", "%0D%0A",
    "<script>", "javascript:alert(1)", "../../etc/passwd", "%2e%2e%2f", "/", "%2F", "%5C", "%23",
    "%3F",
    "words=", "=", ":", "::", "a:b:c", "score_from=1", "%26is=right", "is=right%26is=wrong",
    "100k", "1e9", "99999999999999999999", "K", "1KK", f"{'9' * 300}M", "%EF%BC%91k", "-1e-400",
    "right", "RIGHT", "right,wrong", "noted", "strict", "-position", "--tokens", "-tokens",
    "00000000-0000-0000-0000-000000000000", "0" * 400, "%F0%9F%98%80", "good", "Good,Bad", "good,",
    ",", ",,", "," * 600, "good" + ",good" * 200, "a/b", "two words", "word " * 13, '"a b" ' * 13,
    "%E3%80%80", "%EF%BC%9Aa", "他:的", "的 的",
]  # fmt: skip


@pytest.fixture(autouse=True)
def world(good: Submission, bad: Submission, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 10**9)
    monkeypatch.setattr(throttle, "MOST_SEARCHES", 10**9)
    context = store_context("The pass key is 7. 他的书 (.*) %s ''\n" * 40)
    Example.objects.filter(data_set__task=TASK, index__lt=3).update(context=context)


def get(client: Client, address: str) -> HttpResponse:
    """The response to a browser or script that sends these bytes; failures raise exceptions."""
    path, _, query = address.partition("?")
    raw = quote(query, safe="%=&:/?#[]@!$'()*+,;<>\"\\{}|^`~ ").replace(" ", "%20")
    found = client.get(path, QUERY_STRING=raw)
    assert isinstance(found, HttpResponse)
    return found


def check(client: Client, address: str) -> None:
    found = get(client, address)
    shown = f"{found.status_code} {address[:120]}"
    assert found.status_code in CLEAR, shown
    if found.status_code == HTTPStatus.BAD_REQUEST:
        if found["Content-Type"].startswith("application/json"):
            document = json.loads(found.content)
            assert document["code"], shown
            assert document["detail"].endswith((".", ".)")), shown
        else:
            text = BeautifulSoup(found.content, "html.parser").get_text()
            assert re.search(r"\w\.", text), shown
    if found.status_code == HTTPStatus.FOUND:
        assert get(client, found["Location"]).status_code in CLEAR, shown


def parameters(names: tuple[str, ...], first: int) -> Iterator[str]:
    """One in ``EACH`` of all values for each name, different ones for the next name."""
    for number, name in enumerate(names, first):
        for value in [*TEXTS, *NUMBERS][number % EACH :: EACH]:
            yield f"{name}={value}"
        yield f"{name}=a&{name}=b&{name}=1"
        yield f"{name}[]=a"
        yield f"{name}"


@pytest.mark.parametrize(
    ("address", "names", "first"),
    [
        (f"{LIST}/?", ("words", "from", "tokens_from", "is", "hops", "solved", "score_to"), 0),
        (f"{LIST}.json?", ("words", "from", "higher", "kind", "sort"), 5),
        (f"{LIST}/contexts?", ("q",), 9),
        (f"{LIST}/contexts?q=key&", ("from",), 10),
        (f"{EXAMPLE}/context?", ("from", "tokens", "line", "q"), 11),
        (f"{EXAMPLE}/search?", ("q",), 15),
        (f"{EXAMPLE}/search?q=key&", ("from", "limit", "before"), 16),
        (f"{EXAMPLE}/?", ("list", "list=words%3D1&entry", "find", "entry"), 19),
        (f"{EXAMPLE}/?", ("at", "go", "page", "metric_set", "unit=line&go", "unit=percent&go"), 22),
        (f"{EXAMPLE}.json?", ("start", "entry", "tokens", "tokens=5&from"), 28),
        (f"{EXAMPLE}.md?", ("start", "entry", "tokens", "tokens=5&from"), 32),
    ],
)
def test_every_query_string_has_a_clear_answer(
    client: Client, address: str, names: tuple[str, ...], first: int
) -> None:
    for query in parameters(names, first):
        check(client, f"{address}{query}")


@pytest.mark.parametrize(
    "key",
    [
        *("..", "../..", ".", "a/../b", "..%2f", "/", "//x", "a/context", "context", "search"),
        *("%", "%2F", "%252F", "%00", "\\", "?", "#", "'", " ", "\x00", "\ufffd", "第"),
        *("é" * 300, "x" * 5_000, ".json", "x.json/"),
    ],
)
def test_keys_that_are_not_there_are_not_found(client: Client, key: str) -> None:
    for end in ("/", ".json", ".md", "/context", "/search?q=a"):
        found = client.get(f"{LIST}/{quote(key, safe='')}{end}")
        assert found.status_code in (301, 400, 404), (found.status_code, key, end)


@pytest.mark.parametrize(
    "key", ["..", "../../etc", "a/b", "/", "a/", "%2F", "%", "x.json", "x/context", "search", " "]
)
def test_an_example_with_any_key_has_all_its_addresses(
    client: Client, board: Release, key: str
) -> None:
    Example.objects.filter(data_set__task=TASK, key=KEYS[1]).update(key=key)
    start = f"{LIST}/{quote(key, safe='')}"
    assert client.get(f"{start}.json").json()["key"] == key
    assert client.get(f"{start}/").status_code == 200
    assert client.get(f"{start}.md").status_code == 200
    assert client.get(f"{start}/context?tokens=2").json()["from"] == 0
    assert client.get(f"{start}/search?q=key").json()["total"] == 40
