"""Requesting a day and anonymity, and changing both, on pages and through the API."""

import json
from datetime import UTC, timedelta
from hashlib import sha256

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.models import Scope, Submission, User
from portal.models import SubmissionState as S
from portal.review.services import publish_submission
from portal.scores.documents.commitments import hash_of_model
from tests.support.clients import signed_in
from tests.support.factories import judged, whole_release
from tests.support.html import form_errors, one, text
from tests.support.openings import WEEK, let_pass
from tests.support.programs import act, program

pytestmark = pytest.mark.django_db

WHY = "Complete, and the settings are clear."


@pytest.fixture
def private(alice: User) -> Submission:
    return judged(alice, whole_release(), name="Canary")


def minute(time: timedelta) -> str:
    """The minute in the form in which a browser sends it."""
    return f"{now() + time:%Y-%m-%dT%H:%M}"


def test_an_author_asks_on_the_page_and_follows_what_becomes_of_it(
    private: Submission, alice: User, rita: User, adam: User
) -> None:
    browser, page = signed_in(alice), f"/submissions/{private.pk}/"
    sent = {"truncation": "unknown", "unknown_confirmed": "on", "by_maker": "False"}
    wrong = {"publish_on": minute(-WEEK), "anonymous_until": "soon"}
    refused = browser.post(f"{page}request/", sent | wrong)
    assert refused.status_code == 422
    assert form_errors(refused) == {("anonymous_until", "invalid")}
    assert one(refused, "details[data-help=schedule]").has_attr("open")
    refused = browser.post(f"{page}request/", sent | {"publish_on": minute(-WEEK)})
    assert form_errors(refused) == {("publish_on", "publish_on_past")}

    dates = {"publish_on": minute(WEEK), "anonymous_until": minute(2 * WEEK)}
    assert browser.post(f"{page}request/", sent | dates).status_code == 302
    review = signed_in(rita).get(f"/review/{private.pk}/")
    told = text(one(review, "[data-anonymous-until]"))
    assert dates["anonymous_until"].replace("T", " ") in told
    assert one(review, "[data-code='check anonymity']")
    publish_submission(private, by=rita, reason=WHY)

    public_hash = private.commitments.get().hash
    [listed] = Client().get("/api/v1/commitments/").json()["commitments"]
    assert (listed["hash"], listed["state"]) == (public_hash, "sealed")
    assert {listed[name] for name in ("entry", "payload", "model", "nonce")} == {None}
    assert Client().get(f"/commitments/{public_hash}.json").status_code == 404

    sealed = browser.get(page)
    assert one(sealed, "#standing")["data-publication"] == "sealed"
    assert dates["publish_on"].replace("T", " ") in text(one(sealed, "[data-publish-on]"))
    assert browser.get(f"/entries/{private.pk}/").status_code == 404  # for its owner as well
    assert "Canary" in signed_in(rita).get("/review/").text
    let_pass(WEEK)
    public = browser.get(page)
    assert text(one(public, "h1")) == "Canary"
    assert text(one(public, "[data-anonymous-until] a")).startswith("Anonymous ")
    assert one(browser.get(f"/entries/{private.pk}/"), "[data-anonymous]")
    assert "anonymous until" in browser.get("/board/whole/").text

    [listed] = Client().get("/api/v1/commitments/").json()["commitments"]
    assert (listed["entry"], listed["model"]) == (str(private.pk), None)
    file = Client().get(listed["payload"]).content
    assert sha256(file).hexdigest() == public_hash
    assert text(one(Client().get("/commitments/"), "[data-commitment=opened] a[href^='/entries/']"))

    by_admin = signed_in(adam)
    assert by_admin.post(f"{page}schedule/").status_code == 422  # without a reason
    assert browser.post(f"{page}schedule/", {"anonymous_until": ""}).status_code == 302
    assert text(one(browser.get(f"/entries/{private.pk}/"), "h1")) == "Canary"
    [listed] = Client().get("/api/v1/commitments/").json()["commitments"]
    assert hash_of_model(listed["model"], listed["nonce"]) == json.loads(file)["model"]
    closed = browser.get(f"{page}schedule/")
    assert one(closed, ".notice")["data-code"] == "already_public"


def test_only_the_day_of_sealing_is_public(private: Submission, alice: User, rita: User) -> None:
    asked = {"unknown_confirmed": True, "anonymous_until": (now() + WEEK).isoformat()}
    assert act(program(alice, Scope.SUBMIT), private, "request/", **asked).status_code == 200
    publish_submission(private, by=rita, reason=WHY)
    [listed] = Client().get("/api/v1/commitments/").json()["commitments"]
    day = f"{private.commitments.get().sealed:%Y-%m-%d}"
    assert (listed["sealed"], Client().get(listed["payload"]).json()["sealed"]) == (day, day)
    for address, place in (
        ("/commitments/", "tbody th time"),
        (f"/entries/{private.pk}/", "[data-commitment] time"),
    ):
        shown = one(Client().get(address), place)
        assert (shown["datetime"], text(shown)) == (day, day)


def test_a_program_asks_and_changes_its_mind(private: Submission, alice: User, rita: User) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    day = (now() + WEEK).astimezone(UTC).isoformat(timespec="seconds")
    asked = act(client, private, "request/", unknown_confirmed=True, publish_on=day)
    assert asked.json()["publish_on"] == day.replace("+00:00", "Z")
    late = (now() + 99 * WEEK).isoformat()
    refused = act(client, private, "schedule/", publish_on=late)
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (
        422,
        "publish_on_too_late",
    )
    publish_submission(private, by=rita, reason=WHY)
    later = act(client, private, "schedule/", anonymous_until=(now() + 2 * WEEK).isoformat())
    assert (later.json()["state"], later.json()["publish_on"]) == (
        "sealed",
        asked.json()["publish_on"],
    )
    opened = act(client, private, "schedule/", publish_on=None)
    assert (opened.json()["state"], opened.json()["language_model"]) == (
        "published",
        "canary-of-alice",
    )
    assert Submission.objects.get().anonymous
    named = act(client, private, "schedule/", anonymous_until=None)
    assert named.json()["state"] == S.PUBLISHED
    assert not Submission.objects.get().anonymous
