"""Who is behind an entry: submitter, review, links, source."""

import pytest
from django.test import Client

from portal.models import (
    Action,
    LanguageModel,
    Release,
    ReportedEntry,
    Submission,
    SubmissionState,
    User,
)
from portal.states import change_submission
from tests.support import html
from tests.support.factories import ALL, published, reported

NOTE = "Complete, and <b>clear</b>."


@pytest.fixture
def entry(alice: User, rita: User, official: Release) -> Submission:
    found = published(alice, official, "Model A", ALL, state=SubmissionState.IN_REVIEW)
    LanguageModel.objects.update(organisation="01.AI")
    return change_submission(found, Action.PUBLISH, by=rita, reason=NOTE)


def test_an_entry_shows_its_submitter_and_the_reviewer_s_note(
    client: Client, entry: Submission, alice: User
) -> None:
    alice.organisation, alice.link = "A group", "https://group.example/"
    alice.save()
    response = client.get(f"/entries/{entry.entry_id}/")
    submitter = html.one(response, "[data-submitter]")
    assert submitter["data-submitter"] == "alice"
    assert "A group" in submitter.text
    assert html.one(response, "[data-submitter] a")["rel"] == ["nofollow", "ugc", "noopener"]
    assert html.one(response, "[data-review-note]").text == NOTE
    assert "rita" not in html.text_of(response)


def test_texts_of_users_are_shown_as_text(
    client: Client, entry: Submission, alice: User, adam: User
) -> None:
    bad = '"><script>alert(1)</script>'
    User.objects.filter(pk=alice.pk).update(organisation=bad, first_name=bad)
    LanguageModel.objects.update(name=bad, organisation=bad, released=bad[:10], licence=bad)
    Submission.objects.update(method=bad, note=bad)
    shown = client.get(f"/entries/{entry.entry_id}/").content.decode()
    change_submission(entry, Action.HIDE, by=adam, reason=bad)
    gone = client.get(f"/entries/{entry.entry_id}/")
    assert gone.status_code == 410
    for page in (shown, gone.content.decode()):
        assert "<script>alert" not in page
        assert "&lt;script&gt;alert" in page


def test_a_reported_entry_links_to_its_source(client: Client, official: Release) -> None:
    found = reported("Model B", {"passkey": 99.0}, source="Table 3 (arXiv:2402.13718)")
    ReportedEntry.objects.update(link="https://arxiv.org/abs/2402.13718", method="InfLLM")
    response = client.get(f"/entries/{found.entry_id}/")
    link = html.one(response, "[data-source] a")
    assert link["href"] == "https://arxiv.org/abs/2402.13718"
    assert link["rel"] == ["nofollow", "ugc", "noopener"]
    assert html.one(response, "h1").text == "Model B + InfLLM"
    assert not html.page(response).select("[data-files], [data-origin]")
