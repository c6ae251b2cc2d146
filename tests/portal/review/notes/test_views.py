"""The forms for notes, on the page of an example and on their own."""

from typing import Any

import pytest
from django.test import Client

from portal.models import Example, Note, Release, Submission, User
from portal.review.notes.services import write_note
from tests.portal.review.conftest import GOLD, answered
from tests.support import html
from tests.support.clients import signed_in

KEYS = "passkey"
PAGE = f"/examples/texts/{KEYS}/{KEYS}%2F3/"


@pytest.fixture
def example(tasks_of_text: Release) -> Example:
    return Example.objects.get(key=f"{KEYS}/3")


@pytest.fixture
def entry(alice: User, tasks_of_text: Release) -> Submission:
    return answered(alice, tasks_of_text, "Entry", {KEYS: GOLD[KEYS]})


def send_form(client: Client, page: str, form: int, text: str) -> Any:
    """Fill in and send a form of a page, like a browser without JavaScript."""
    fields = html.page(client.get(page)).select("form[action*='/review/examples/']")[form]
    sent = {str(one["name"]): str(one.get("value", "")) for one in fields.select("input")}
    return client.post(str(fields["action"]), {**sent, "text": text})


def test_a_note_is_written_on_the_page_of_the_example(
    example: Example, entry: Submission, rita: User
) -> None:
    client, page = signed_in(rita), f"{PAGE}?entry={entry.pk}"
    on_question = send_form(client, page, 0, "<b>odd</b> question")
    on_answer = send_form(client, page, 1, "odd answer")
    assert [one.url.partition("#")[2] for one in (on_question, on_answer)] == [
        "notes", f"notes-{entry.pk}",
    ]  # fmt: skip
    found = html.page(client.get(on_answer.url))
    assert [html.text(one) for one in found.select("#notes .note .text")] == ["<b>odd</b> question"]
    assert [html.text(one) for one in found.select("article.opened .note .text")] == ["odd answer"]


@pytest.mark.usefixtures("entry")
def test_only_reviewers_see_notes(example: Example, rita: User, alice: User) -> None:
    write_note(example, "for reviewers", by=rita)
    for client in (Client(), signed_in(alice)):
        response = client.get(PAGE)
        assert response.status_code == 200
        assert "for reviewers" not in html.text_of(response)
        assert not html.page(response).select(".notes")


@pytest.mark.usefixtures("tasks_of_text")
@pytest.mark.parametrize("text", ["", "  \n", "x" * 4_001])
def test_a_note_that_says_nothing_or_too_much_comes_back(
    example: Example, rita: User, text: str
) -> None:
    response = send_form(signed_in(rita), PAGE, 0, text)
    assert response.status_code == 422
    assert len(html.form_errors(response)) == 1
    assert html.one(response, ".form input[name=next]")["value"] == f"{PAGE}#notes"
    assert not Note.objects.exists()


@pytest.mark.usefixtures("tasks_of_text")
def test_a_line_end_counts_once_as_in_browsers(example: Example, rita: User) -> None:
    text = f"{'a' * 1_999}\r\n{'b' * 2_000}"
    assert send_form(signed_in(rita), PAGE, 0, text).status_code == 302
    assert Note.objects.get().text == text.replace("\r", "")


def test_a_note_is_edited_on_a_page_of_its_own(example: Example, rita: User) -> None:
    note = write_note(example, "first", by=rita)
    client = signed_in(rita)
    [link] = html.page(client.get(PAGE)).select("[data-note] a")
    form = client.get(str(link["href"]))
    assert html.one(form, "textarea").text.strip() == "first"
    back = client.post(str(link["href"]), {"text": "second", "next": PAGE})
    assert back["Location"] == f"{PAGE}#notes"
    note.refresh_from_db()
    assert note.text == "second"


def test_what_others_wrote_has_no_edit_page(example: Example, rita: User, adam: User) -> None:
    note = write_note(example, "first", by=rita)
    assert signed_in(adam).get(f"/review/notes/{note.pk}/edit/").status_code == 404


def test_a_note_is_removed(example: Example, rita: User, adam: User) -> None:
    note = write_note(example, "first", by=rita)
    for client in (signed_in(rita), signed_in(adam)):
        assert html.page(client.get(PAGE)).select(f"form[action='/review/notes/{note.pk}/remove/']")
    response = client.post(f"/review/notes/{note.pk}/remove/", {"next": PAGE})
    assert response["Location"] == f"{PAGE}#notes"
    assert not Note.objects.exists()


def test_another_reviewers_note_has_no_button(example: Example, rita: User) -> None:
    note = write_note(example, "first", by=rita)
    rolf = User.objects.create_user("rolf", role=rita.role)
    client = signed_in(rolf)
    assert not html.page(client.get(PAGE)).select("[data-note] form, [data-note] a")
    client.post(f"/review/notes/{note.pk}/remove/")
    assert Note.objects.get() == note


def test_without_an_address_to_go_back_to_it_is_the_example(
    example: Example, entry: Submission, rita: User
) -> None:
    address = f"/review/examples/{example.pk}/notes/"
    client = signed_in(rita)
    assert client.post(address, {"text": "a"})["Location"] == f"{PAGE}#notes"
    for elsewhere in ("//x.invalid/", "https://x.invalid/", "javascript:alert(1)"):
        data = {"text": "a", "next": elsewhere, "entry": str(entry.pk)}
        assert client.post(address, data)["Location"] == f"{PAGE}?entry={entry.pk}#notes-{entry.pk}"


def test_there_are_no_notes_on_what_did_not_answer_the_task(
    example: Example, alice: User, rita: User, tasks_of_text: Release
) -> None:
    other = answered(alice, tasks_of_text, "Other", {"longbook_qa_eng": GOLD["longbook_qa_eng"]})
    own = answered(rita, tasks_of_text, "Own", {KEYS: GOLD[KEYS]})
    client, address = signed_in(rita), f"/review/examples/{example.pk}/notes/"
    for entry in (other.pk, own.pk, "no-id", "00000000-0000-4000-8000-000000000000"):
        assert client.post(address, {"text": "a", "entry": str(entry)}).status_code == 404
    assert not html.page(client.get(f"{PAGE}?entry={own.pk}")).select("article.opened .notes")


def test_one_note_too_many_is_not_lost(
    example: Example, rita: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, address = signed_in(rita), f"/review/examples/{example.pk}/notes/"
    client.post(address, {"text": "a"})
    monkeypatch.setattr("portal.review.notes.services.MOST_NOTES", 1)
    response = client.post(address, {"text": "long thought about"})
    assert html.form_errors(response) == {("", "too_many_notes")}
    assert html.one(response, "textarea").text.strip() == "long thought about"
