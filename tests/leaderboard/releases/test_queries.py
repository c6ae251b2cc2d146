"""The list of all releases, and their names if two have the same title."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.releases.queries import all_releases
from portal.models import Release, User
from portal.releases.importer import import_release
from portal.releases.titles import unique_titles
from tests.support.factories import release_of_all_tasks
from tests.support.worlds import write_rows

pytestmark = pytest.mark.django_db


@pytest.fixture
def made(tmp_path: Path) -> Path:
    rows = [
        {"id": key, "context": "A long story. " * 50 * (key + 1), "input": "Who?",
         "answer": ["canary"], "options": []}
        for key in range(3)
    ]  # fmt: skip
    write_rows(tmp_path / "made" / "longbook_qa_eng.jsonl", rows)
    return tmp_path / "made"


def text_of(client: Client, address: str = "/releases/") -> str:
    response = client.get(address)
    assert response.status_code == 200
    return " ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split())


def test_without_any_release_the_page_says_so(client: Client) -> None:
    assert 'data-empty="releases"' in client.get("/releases/").content.decode()


def test_a_release_with_texts_shows_their_lengths_and_its_downloads(
    client: Client, made: Path
) -> None:
    import_release(made, slug="made", title="Made here")
    [line] = all_releases()
    assert (line.examples, [task.title for task in line.tasks]) == (3, ["En.QA"])
    assert line.span
    assert 100 < line.span.shortest < line.span.longest < 2_000
    text = text_of(client)
    lengths = f"{line.span.shortest:,}–{line.span.longest:,}"
    assert re.search(f"Made here En.QA 3 ≈?{lengths} public here [\\d.]+.KB leaderboard", text)


def test_the_size_of_a_hidden_release_is_that_of_its_questions(client: Client, made: Path) -> None:
    release = import_release(made, slug="made", title="Made here", hidden=True)
    [line] = all_releases()
    [data_set] = release.data_sets.all()
    assert data_set.questions_file
    assert line.size == data_set.questions_file.size
    assert " not public here " in text_of(client)


def test_where_only_labels_are_known_the_page_says_where_the_texts_are(client: Client) -> None:
    release_of_all_tasks("hf")
    release_of_all_tasks("own", official=False)
    text = text_of(client)
    assert "Release hf all twelve 48 · public on the Hub · leaderboard" in text
    assert "Release own all twelve 48 · public not here · leaderboard" in text


def test_the_newest_stands_first_and_historical_files_do_not(client: Client, alice: User) -> None:
    for slug in ("older", "newer"):
        release_of_all_tasks(slug)
    files = release_of_all_tasks("files")
    files.submissions.create(
        origin="historical",
        language_model=alice.language_models.create(slug="m", name="M"),
    )
    assert [line.release.slug for line in all_releases()] == ["newer", "older"]


def test_the_number_of_queries_does_not_depend_on_the_number_of_rows(made: Path) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            all_releases()
        return len(captured)

    import_release(made, slug="made", title="Made")
    few = queries()
    for number in range(4):
        release_of_all_tasks(f"r{number}")
    assert queries() == few == 3


def test_the_page_is_kept_until_something_changes(client: Client, tmp_path: Path) -> None:
    write_rows(tmp_path / "a" / "passkey.jsonl", [{"id": 0, "answer": ["12345"]}])
    import_release(tmp_path / "a", slug="a", title="First title")
    tag = client.get("/releases/").headers["ETag"]
    assert client.get("/releases/", headers={"If-None-Match": tag}).status_code == 304
    import_release(tmp_path / "a", slug="b", title="Second title")
    assert "Second title" in text_of(client)


def test_texts_imported_later_are_shown_at_once(client: Client, made: Path, tmp_path: Path) -> None:
    """The texts belong to a set whose labels were already stored."""
    import_release(made, slug="made", title="Made")
    [data_set] = Release.objects.get().data_sets.all()
    type(data_set).objects.update(whole_file=None)
    data_set.examples.update(tokens=None, context=None)
    assert " not here " in text_of(client)
    import_release(made, slug="made", title="Made")
    assert " here " in text_of(client).replace(" not here ", "")


def test_pages_lead_there(client: Client) -> None:
    release_of_all_tasks("hf")
    for address in ("/about/", "/tasks/", "/releases/hf/"):
        assert 'href="/releases/"' in client.get(address).content.decode(), address


# Titles


def test_only_repeated_titles_are_followed_by_their_slug() -> None:
    found = unique_titles(
        [Release(slug=slug, title=title) for slug, title in
         (("a", "Other"), ("b", " other"), ("c", "Another"))]
    )  # fmt: skip
    assert found == {"a": "Other (a)", "b": " other (b)", "c": "Another"}


def test_two_releases_of_one_title_can_be_distinguished(alice: User) -> None:
    for slug in ("one", "two"):
        release_of_all_tasks(slug)
    Release.objects.update(title="Other")
    author = Client()
    author.force_login(alice)
    for address in ("/submit/", "/board/one/", "/releases/", "/tasks/passkey/"):
        text = text_of(author, address)
        assert "Other (one)" in text, address
        assert "Other (two)" in text, address
