"""Versions of a submission: their numbers and their links."""

import pytest
from django.test import Client
from django.urls import reverse

from portal.models import Release, Submission, SubmissionState, User
from portal.permissions.access import submissions_seen_by
from portal.submissions.services import delete_submission
from portal.submissions.versions import versions_of
from tests.portal.submissions.test_list_page import listed
from tests.support.clients import signed_in, submission_html
from tests.support.factories import make_submission

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(alice: User, release: Release) -> list[Submission]:
    """Three versions; the second and the third are both made from the first."""
    first, second, third = (make_submission(alice, release, b"{}") for _ in range(3))
    Submission.objects.filter(pk__in=[second.pk, third.pk]).update(previous=first)
    return [first, second, third]


def numbers(submissions: list[Submission]) -> list[tuple[int, int]]:
    found = versions_of(submissions)
    return [(found[one.pk].number, found[one.pk].total) for one in submissions]


def test_versions_are_numbered_as_they_came(
    alice: User, release: Release, three: list[Submission]
) -> None:
    alone = make_submission(alice, release, b"{}")
    assert numbers([*three, alone]) == [(1, 3), (2, 3), (3, 3), (1, 1)]


def test_the_page_leads_from_version_to_version(
    client: Client, alice: User, three: list[Submission]
) -> None:
    first, second, third = three
    html = submission_html(client, alice, second)
    assert "Version 2 of 3" in html
    assert f'rel="prev" href="/submissions/{first.pk}/"' in html
    assert f'rel="next" href="/submissions/{third.pk}/"' in html
    assert 'rel="prev"' not in submission_html(client, alice, first)


def test_the_list_distinguishes_versions(
    client: Client, alice: User, three: list[Submission]
) -> None:
    Submission.objects.filter(pk=three[1].pk).update(note="with <b>longer</b> texts")
    html = listed(client, alice)
    assert "version 2 of 3" in html
    assert "with &lt;b&gt;longer&lt;/b&gt; texts" in html


def test_when_one_is_deleted_the_others_stay_together(
    alice: User, release: Release, three: list[Submission]
) -> None:
    delete_submission(three[0], by=alice)
    assert Submission.objects.exclude(previous=None).count() == 0
    first, second, third = (make_submission(alice, release, b"{}") for _ in range(3))
    Submission.objects.filter(pk=second.pk).update(previous=first)
    Submission.objects.filter(pk=third.pk).update(previous=second)
    delete_submission(second, by=alice)
    assert numbers([first, third]) == [(1, 2), (2, 2)]


def test_the_note_is_shown_on_the_page(client: Client, alice: User, release: Release) -> None:
    submission = make_submission(alice, release, b"{}")
    Submission.objects.update(note="greedy, seed 3")
    assert "greedy, seed 3" in submission_html(client, alice, submission)


def test_a_new_version_begins_without_the_note(alice: User, release: Release) -> None:
    submission = make_submission(alice, release, b"{}")
    Submission.objects.update(note="greedy, seed 3")
    form = signed_in(alice).get(reverse("submit"), {"from": str(submission.pk)}).content.decode()
    assert "greedy, seed 3" not in form


def test_a_reviewer_reads_the_note(
    client: Client, alice: User, rita: User, release: Release
) -> None:
    make_submission(alice, release, b"{}")
    Submission.objects.update(note="greedy, seed 3", state=SubmissionState.IN_REVIEW)
    client.force_login(rita)
    assert "greedy, seed 3" in client.get(reverse("review")).content.decode()
    one = Submission.objects.get()
    assert (
        "greedy, seed 3" in client.get(reverse("review-submission", args=[one.pk])).content.decode()
    )


def test_versions_that_a_user_may_not_see_are_not_linked(
    client: Client, rita: User, three: list[Submission]
) -> None:
    first, second, third = three
    Submission.objects.filter(pk=second.pk).update(state=SubmissionState.PUBLISHED)
    seen = set(submissions_seen_by(rita).values_list("pk", flat=True))
    html = submission_html(client, rita, second)
    assert "Version 2 of 3" in html
    for other in (first, third):
        assert (f'href="/submissions/{other.pk}/"' in html) is (other.pk in seen)
