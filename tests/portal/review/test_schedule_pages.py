"""Requesting a day, changing it, and hiding the account, on pages and through the API."""

from datetime import UTC, timedelta

import pytest
from django.test import Client
from django.utils.timezone import now

from portal.models import Scope, Submission, User
from portal.review.services import publish_submission
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
    sent |= {"show_account": "on"}
    for day, code in (("soon", "invalid"), (minute(-WEEK), "publish_on_past")):
        refused = browser.post(f"{page}request/", sent | {"publish_on": day})
        assert (refused.status_code, form_errors(refused)) == (422, {("publish_on", code)})
        assert one(refused, "details[data-help=schedule]").has_attr("open")

    day = minute(WEEK)
    assert browser.post(f"{page}request/", sent | {"publish_on": day}).status_code == 302
    review = signed_in(rita).get(f"/review/{private.pk}/")
    assert day.replace("T", " ") in text(one(review, "[data-publish-on]"))
    publish_submission(private, by=rita, reason=WHY)

    scheduled = browser.get(page)
    assert one(scheduled, "#standing")["data-publication"] == "scheduled"
    assert day.replace("T", " ") in text(one(scheduled, "[data-publish-on]"))
    assert browser.get("/entries/canary/").status_code == 404  # for its owner as well
    assert "Canary" in signed_in(rita).get("/review/").text
    assert signed_in(adam).post(f"{page}schedule/").status_code == 422  # without a reason
    later = {"publish_on": minute(2 * WEEK)}
    assert browser.post(f"{page}schedule/", later).status_code == 302
    let_pass(2 * WEEK)
    assert text(one(browser.get("/entries/canary/"), "h1")) == "Canary"
    closed = browser.get(f"{page}schedule/")
    assert one(closed, ".notice")["data-code"] == "wrong_state"


def test_the_account_is_shown_unless_its_owner_wishes_otherwise(
    private: Submission, alice: User, rita: User
) -> None:
    browser, other = signed_in(alice), judged(alice, private.release, name="Other")
    sent = {"truncation": "unknown", "unknown_confirmed": "on", "by_maker": "False"}
    for submission, wish in ((private, {}), (other, {"show_account": "on"})):
        form = browser.get(f"/submissions/{submission.pk}/request/")
        assert one(form, "[name=show_account]").has_attr("checked")
        browser.post(f"/submissions/{submission.pk}/request/", sent | wish)
        publish_submission(submission, by=rita, reason=WHY)
    hidden, shown = (Client().get(f"/entries/{name}/") for name in ("canary", "other"))
    assert one(hidden, "[data-submitter]")["data-submitter"] == ""
    assert one(shown, "[data-submitter]")["data-submitter"] == "alice"
    assert "alice" in text(one(signed_in(rita).get(f"/review/{private.pk}/"), ".lede"))


def test_a_program_asks_and_changes_its_mind(private: Submission, alice: User, rita: User) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    day = (now() + WEEK).astimezone(UTC).isoformat(timespec="seconds")
    asked = act(
        client, private, "request/", unknown_confirmed=True, publish_on=day, show_account=False
    )
    answer = asked.json()
    assert (answer["publish_on"], answer["show_account"]) == (day.replace("+00:00", "Z"), False)
    late = (now() + 99 * WEEK).isoformat()
    refused = act(client, private, "schedule/", publish_on=late)
    code = refused.json()["errors"][0]["code"]
    assert (refused.status_code, code) == (422, "publish_on_too_late")
    publish_submission(private, by=rita, reason=WHY)
    later = act(client, private, "schedule/", publish_on=(now() + 2 * WEEK).isoformat())
    assert later.json()["state"] == "scheduled"
    opened = act(client, private, "schedule/", publish_on=None)
    assert (opened.json()["state"], opened.json()["show_account"]) == ("published", False)


def test_the_author_shows_the_account_later(private: Submission, alice: User, rita: User) -> None:
    asked = {"unknown_confirmed": True, "show_account": False}
    act(program(alice, Scope.SUBMIT), private, "request/", **asked)
    publish_submission(private, by=rita, reason=WHY)
    browser, page = signed_in(alice), f"/submissions/{private.pk}/"
    assert one(browser.get(page), "[data-show-account]")["data-show-account"] == "hidden"
    for shown, submitter in (("1", "alice"), ("0", "")):
        browser.post(f"{page}show-account/", {"shown": shown})
        entry = Client().get("/entries/canary/")
        assert one(entry, "[data-submitter]")["data-submitter"] == submitter
