"""Who may do what: one table for every address, method and person."""

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

import pytest
from django.db import transaction
from django.test import Client
from django.test.client import ClientHandler

from portal.models import Release, User
from tests.support.addresses import (
    API,
    METHODS,
    PUBLIC,
    READ_ONLY,
    WITH_TOKEN,
    Address,
    addresses,
    admin_addresses,
    site_addresses,
)
from tests.support.clients import ACTORS, Answer, Cast, answered, asked, cast_around, in_a_word
from tests.support.factories import as_if_scored, make_submission, packed_folder
from tests.support.headers import header_problems

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("error_pages_once")]

FEWER = ("anonymous", "owner", "admin")
FORGED = ClientHandler(enforce_csrf_checks=True)  # one, since it loads the middleware

# Methods, and the response to each of ACTORS, in their order; a single word is for all of them:
# 200: a status; login: redirected to the sign-in page; /profile/: redirected to that page.
PAGE = {"GET HEAD": "200", "…": "405"}
NOTHING = {"GET HEAD": "404", "…": "405"}
MINE = {"GET HEAD": "login 200 200 200 200", "…": "login 405 405 405 405"}
THEIRS = {"GET HEAD": "login 200 404 200 200", "…": "login 405 405 405 405"}
# An action on a submission: a user who sees it is sent to its page, which shows the refusal.
ACTION = {
    "GET HEAD": "login" + 4 * " /submissions/ID/",
    "POST": "login /submissions/ID/ 404 /submissions/ID/ /submissions/ID/",
    "…": "login 405 405 405 405",
}
# Pages of allauth, whose forms accept PUT like POST, with the same CSRF protection.
FORM = {"GET HEAD OPTIONS POST PUT": "200", "…": "405"}
MY_FORM = {"GET HEAD OPTIONS POST PUT": "login 200 200 200 200", "…": "login 405 405 405 405"}
FOR_STRANGERS = {
    "GET HEAD OPTIONS POST PUT": "200 /submissions/ /submissions/ /review/ /review/",
    "…": "405 /submissions/ /submissions/ /review/ /review/",
}
MY_PAGE_OF_ALLAUTH = {"GET HEAD OPTIONS": "login 200 200 200 200", "…": "login 405 405 405 405"}
AFTER_CONFIRMING = {"…": "login" + 4 * " /accounts/reauthenticate/"}
PUBLIC_API = {"GET HEAD": "200", "OPTIONS": "204", "…": "405"}
NOTE = {"GET HEAD OPTIONS": "200", "…": "405"}

# An endpoint run that has not started: nobody but its owner sees it, not even admins.
OWN_RUN = {"GET HEAD": "login 200 404 404 404", "…": "login 405 405 405 405"}
RUN_PAGE = {  # actions that are impossible on such a run
    "GET HEAD POST": "login /runs/RUN/ 404 404 404",
    "…": "login 405 405 405 405",
}


def _own_run_action(page: str) -> dict[str, str]:
    return {
        "GET HEAD": "login" + 4 * f" /runs/RUN/{page}",
        "POST": f"login /runs/RUN/{page} 404 404 404",
        "…": "login 405 405 405 405",
    }


# For reviewers and admins; without a reason, they are shown the form again.
STAFF = {"GET HEAD": "login 403 403 200 200", "…": "login 405 405 405 405"}
DECISION = {
    "GET HEAD": "login" + 4 * " /review/ID/",
    "POST": "login 403 403 422 422",
    "…": "login 405 405 405 405",
}
# Admins may pause and stop runs that have started, but this one has not.
ADMIN_OF_RUNS = {"GET HEAD POST": "login 403 403 403 404", "…": "login 405 405 405 405"}
# The same without a reason: they are redirected to the page, which shows the refusal.
REVIEWER_ACTION = DECISION | {"POST": "login 403 403 /review/ID/ /review/ID/"}
RENAME = {  # of a request that does not exist
    "GET HEAD": "login" + 4 * " /review/",
    "POST": "login 403 403 /review/ /review/",
    "…": "login 405 405 405 405",
}

TABLE: dict[str, dict[str, str]] = {
    "home": PAGE,
    "account-export": {
        "GET HEAD": "login" + 4 * " /accounts/reauthenticate/",
        "…": "login 405 405 405 405",
    },
    "account-delete": {
        "GET HEAD POST": "login" + 4 * " /accounts/reauthenticate/",
        "…": "login 405 405 405 405",
    },
    "tokens": {
        "GET HEAD": "login 200 200 200 200",
        "POST": "login" + 4 * " /accounts/reauthenticate/",
        "…": "login 405 405 405 405",
    },
    # Of programs with a token, whoever is signed in: tests/portal/api/test_scopes.py has the table
    # of what they are answered with one.
    **{name: {"POST": "401", "…": "401"} for name in WITH_TOKEN},
    "token-revoke": {
        "GET HEAD": "login" + 4 * " /profile/tokens/",
        "POST": "login 404 404 404 404",
        "…": "login 405 405 405 405",
    },
    "submit": {
        "GET HEAD": "login 200 200 200 200",
        "POST": "login 411 411 411 411",  # as no length is given
        "…": "405",
    },
    "submit-from-hub": {
        "GET HEAD": "login 200 200 200 200",
        "POST": "login 422 422 422 422",
        "…": "login 405 405 405 405",
    },
    "submit-models": MINE,
    "submissions": MINE,
    "my-models": MINE,
    "my-model-edit": {
        "GET HEAD": "login 200 404 404 404",
        "POST": "login 422 404 404 404",
        "…": "login 405 405 405 405",
    },
    "my-model-rename": {
        "GET HEAD": "login 200 404 404 404",
        "POST": "login 422 404 404 404",
        "…": "login 405 405 405 405",
    },
    "my-model-delete": {
        "GET HEAD": "login" + 4 * " /my-models/",
        "POST": "login /my-models/ 404 404 404",
        "…": "login 405 405 405 405",
    },
    "submission": THEIRS,
    "submission-status": {"GET HEAD": "/submissions/ID/", "…": "405"},  # for htmx: see below
    "submission-fetch": {  # for a submission whose files have arrived
        "GET HEAD": "login /submissions/ID/ 404 /submissions/ID/ /submissions/ID/",
        "…": "login 405 405 405 405",
    },
    "submission-cancel-fetch": ACTION | {"POST": "login 404 404 404 404"},
    "submission-answer": ACTION,
    "submission-try-again": ACTION,
    "submission-score-again": ACTION,
    "submission-edit": {
        "GET HEAD": "login 200 404 /submissions/ID/ /submissions/ID/",
        "POST": "login 422 404 /submissions/ID/ /submissions/ID/",
        "…": "login 405 405 405 405",
    },
    "submission-delete": {
        "GET HEAD": "login 200 404 200 200",
        "POST": "login /submissions/ 404 /submissions/ID/ /submissions/ID/",
        "…": "login 405 405 405 405",
    },
    "submission-request": {
        "GET HEAD": "login 200 404 200 200",
        "POST": "login 422 404 422 422",
        "…": "login 405 405 405 405",
    },
    "submission-schedule": {
        "GET HEAD": "login 200 404 200 200",
        "POST": "login /submissions/ID/ 404 422 422",
        "…": "login 405 405 405 405",
    },
    "submission-show-account": ACTION,
    "submission-cancel-request": ACTION,
    "submission-reply": {
        "GET HEAD": "login 200 404 200 200",
        "POST": "login 422 404 422 422",
        "…": "login 405 405 405 405",
    },
    "submission-withdraw": {
        "GET HEAD": "login 200 404 200 200",
        "POST": "login /submissions/ID/ 404 422 422",
        "…": "login 405 405 405 405",
    },
    "submission-original": THEIRS,
    "endpoint_runs": MINE,
    "endpoint_run_new": {
        "GET HEAD": "login 200 200 200 200",
        "POST": "login 422 422 422 422",
        "…": "login 405 405 405 405",
    },
    "endpoint_run_upload": {  # its token is checked before anything else
        "GET HEAD": "login" + 4 * " /runs/new/",
        "POST": "login 422 422 422 422",
        "…": "405",
    },
    "endpoint_run": OWN_RUN,
    "endpoint_run_configure": {
        "GET HEAD": "login 200 404 404 404",
        "POST": "login 422 404 404 404",
        "…": "login 405 405 405 405",
    },
    "endpoint_run_settings": OWN_RUN,
    "endpoint_run_preview": OWN_RUN,
    "endpoint_run_estimate": OWN_RUN,
    "endpoint_run_estimate_again": _own_run_action("estimate/"),
    "endpoint_run_connection": OWN_RUN,
    "endpoint_run_connection_test": _own_run_action("connection/"),
    "endpoint_run_start": {  # its owner has not viewed it yet
        "GET HEAD": "login 200 404 404 404",
        "POST": "login /runs/RUN/start/ 404 404 404",
        "…": "login 405 405 405 405",
    },
    "endpoint_run_controls": _own_run_action(""),
    "endpoint_run_pause": _own_run_action(""),
    "endpoint_run_resume": RUN_PAGE,
    "endpoint_run_stop": RUN_PAGE,
    "endpoint_run_delete": {
        "GET HEAD": "login 200 404 404 404",
        "POST": "login /runs/ 404 404 404",
        "…": "login 405 405 405 405",
    },
    "submission-report": THEIRS,
    "submission-examples-csv": THEIRS,
    "submission-examples-jsonl": THEIRS,
    "review-runs": {"GET HEAD": "login 403 403 403 200", "…": "login 405 405 405 405"},
    "review-status": {"GET HEAD": "login 403 403 403 200", "…": "login 405 405 405 405"},
    "review-run-pause": ADMIN_OF_RUNS,
    "review-run-stop": ADMIN_OF_RUNS,
    "review": STAFF,
    "review-submission": STAFF,
    "review-examples": STAFF,
    "review-shared": STAFF,
    "label-reports": STAFF,
    "note-write": {
        "GET HEAD": "login 403 403 200 200",
        "POST": "login 403 403 422 422",
        "…": "login 405 405 405 405",
    },
    "note-edit": {  # for a note that does not exist
        "GET HEAD POST": "login 403 403 404 404",
        "…": "login 405 405 405 405",
    },
    "note-remove": {
        "GET HEAD": "login" + 4 * " /review/",
        "POST": "login 403 403 404 404",
        "…": "login 405 405 405 405",
    },
    "label-report": {  # the query string names no example
        "GET HEAD POST": "login 404 404 404 404",
        "…": "login 405 405 405 405",
    },
    "label-report-decide": {
        "GET HEAD": "login" + 4 * " /review/labels/",
        "POST": "login 403 403 404 404",
        "…": "login 405 405 405 405",
    },
    "rename-accept": RENAME,
    "rename-refuse": RENAME,
    "review-claim": REVIEWER_ACTION,
    "review-undo": REVIEWER_ACTION,
    "review-ask": DECISION,
    "review-publish": DECISION,
    "review-reject": DECISION,
    "entry-hide": DECISION,
    "entry-restore": DECISION,
    "formats": PAGE,
    "board": PAGE,
    "board-csv": PAGE,
    "board-json": PAGE,
    "board-latex": PAGE,
    "board-markdown": PAGE,
    "board-metrics": PAGE,
    "board-metrics-csv": PAGE,
    "board-metrics-svg": {"GET HEAD": "404", "…": "405"},  # without an entry there is no picture
    "board-metrics-json": PAGE,
    "board-feed": PAGE,
    "board-picture": {"GET HEAD": "404", "…": "405"},  # with nothing to show
    "entry": {"GET HEAD": "404", "…": "405"},  # of a private submission: its owner has another page
    "entry-predictions": {"GET HEAD": "404", "…": "405"},
    "entry-examples-csv": {"GET HEAD": "404", "…": "405"},
    "entry-examples-jsonl": {"GET HEAD": "404", "…": "405"},
    "entry-breakdowns": {"GET HEAD": "404", "…": "405"},
    "entry-metrics": {"GET HEAD": "404", "…": "405"},
    "entry-metrics-svg": {"GET HEAD": "404", "…": "405"},
    "entry-runs-csv": NOTHING,
    "entry-runs-json": NOTHING,
    "entry-costs-svg": NOTHING,
    "entry-metrics-csv": {"GET HEAD": "404", "…": "405"},
    "entry-metrics-json": {"GET HEAD": "404", "…": "405"},
    "entry-figure": {"GET HEAD": "404", "…": "405"},
    "entry-run": {"GET HEAD": "404", "…": "405"},
    "entry-report": {"GET HEAD": "404", "…": "405"},
    "entry-every-eval-ever": {"GET HEAD": "404", "…": "405"},
    "entry-eval-results": {"GET HEAD": "404", "…": "405"},
    "entry-badge": {"GET HEAD": "404", "…": "405"},
    "entry-picture": {"GET HEAD": "404", "…": "405"},
    "language-models": {"GET HEAD": "/", "…": "405"},
    "model-profile-svg": {"GET HEAD": "404", "…": "405"},
    "language-model": {"GET HEAD": "404", "…": "405"},  # with nothing public
    "tasks": PAGE,
    "task": PAGE,
    "task-svg": {"GET HEAD": "404", "…": "405"},  # without an entry there is no picture
    "releases": PAGE,
    "release": PAGE,
    "example": PAGE,
    "example-json": PAGE,
    "example-markdown": PAGE,
    "ladder": {"GET HEAD": "404", "…": "405"},  # for a release without one
    "ladder-svg": {"GET HEAD": "404", "…": "405"},
    "ladder-csv": {"GET HEAD": "404", "…": "405"},
    "ladder-json": {"GET HEAD": "404", "…": "405"},
    "release-checksums": {"GET HEAD": "404", "…": "405"},  # of labels alone there are no files
    "release-rows": {"GET HEAD": "404", "…": "405"},
    "release-facets": {"GET HEAD": "404", "…": "405"},
    "release-composition": PAGE,
    "release-composition-svg": PAGE,
    "release-coverage": PAGE,
    "release-coverage-svg": {"GET HEAD": "404", "…": "405"},  # no task given
    "release-manifest": PAGE,
    "release-eval": PAGE,
    "examples-contexts": PAGE,
    "example-context": {"GET HEAD": "404", "…": "405"},  # of labels alone there is no context
    "example-search": {"GET HEAD": "404", "…": "405"},
    "example-index": PAGE,
    "examples": PAGE,
    "examples-json": PAGE,
    "api": PAGE,
    "api-docs-index": {"GET HEAD": "/api/v1/", "…": "405"},
    "api-docs": PAGE,
    "api-schema": PUBLIC_API,
    "api-entry": PUBLIC_API | {"GET HEAD": "404"},  # like the page
    "api-models": PUBLIC_API,
    "api-model": PUBLIC_API | {"GET HEAD": "404"},
    "api-releases": PUBLIC_API,
    "api-release": PUBLIC_API,
    "api-tasks": PUBLIC_API,
    "api-task": PUBLIC_API,
    "api-task-examples": PUBLIC_API,
    "api-example": PUBLIC_API,
    "api-context": PUBLIC_API | {"GET HEAD": "404"},  # of labels alone there is no context
    "api-context-search": PUBLIC_API | {"GET HEAD": "404"},
    "api-entries": PUBLIC_API,
    "api-compare": PUBLIC_API | {"GET HEAD": "400"},  # no entries given
    "api-breakdowns": PUBLIC_API | {"GET HEAD": "404"},
    "compare": PAGE,
    "claims": {"GET HEAD": "/compare/", "…": "405"},  # likewise
    "reproduction": PAGE,
    "reproduction-csv": PAGE,
    "reproduction-json": PAGE,
    "about": PAGE,
    "generated-releases": PAGE,
    "privacy": PAGE,
    "terms": PAGE,
    "sitemap": PAGE,
    "robots": PAGE,
    "security-txt": NOTHING,  # nobody to send it to
    "profile": {
        "GET HEAD": "login 200 200 200 200",
        "POST": "login /profile/ /profile/ /profile/ /profile/",
        "…": "login 405 405 405 405",
    },
    "theme": {"GET HEAD POST": "/", "…": "405"},
    "demo-mail": {"GET HEAD": "404", "…": "405"},  # there is no such page outside the demo
    "demo-samples": {  # likewise
        "GET HEAD": "login" + 4 * " /submit/",
        "POST": "login 404 404 404 404",
        "…": "login 405 405 405 405",
    },
    "healthz": PAGE,
    "readyz": PAGE,
    "metrics": NOTHING,  # without a token of the site
    "account_login": FOR_STRANGERS,
    "account_signup": FOR_STRANGERS,
    "account_logout": {"GET HEAD": "/ 200 200 200 200", "POST": "/", "OPTIONS": "200", "…": "405"},
    "account_inactive": NOTE,
    "account_email_verification_sent": NOTE,
    "account_confirm_email": {"GET HEAD OPTIONS": "200", "POST": "404", "…": "405"},
    "account_email": {
        "GET HEAD OPTIONS": "login 200 200 200 200",
        "POST PUT": "login /accounts/email/ /accounts/email/ /accounts/email/ /accounts/email/",
        "…": "login 405 405 405 405",
    },
    "account_reauthenticate": MY_FORM,
    "account_change_password": MY_FORM,
    "account_set_password": {  # redirected to changing it
        "…": "login" + 4 * " /accounts/password/change/"
    },
    "account_reset_password": FORM,
    "account_reset_password_done": NOTE,
    "account_reset_password_from_key": {"…": "200"},  # a page that says that the link is invalid
    "account_reset_password_from_key_done": NOTE,
    "mfa_index": MY_PAGE_OF_ALLAUTH,
    "mfa_authenticate": {  # only between the password and signing in
        "…": "login /submissions/ /submissions/ /review/ /review/"
    },
    "mfa_reauthenticate": {  # who has no second factor confirms by password
        "…": "login" + 4 * " /accounts/reauthenticate/",
    },
    "mfa_reauthenticate_webauthn": {"…": "login" + 4 * " /accounts/reauthenticate/"},
    "mfa_activate_totp": AFTER_CONFIRMING,
    "mfa_deactivate_totp": {"…": "login 404 404 404 404"},
    "mfa_view_recovery_codes": {
        "GET HEAD": "login 404 404 404 404",
        "OPTIONS": "login 200 200 200 200",
        "…": "login 405 405 405 405",
    },
    "mfa_download_recovery_codes": {"…": "login 404 404 404 404"},
    "mfa_generate_recovery_codes": AFTER_CONFIRMING,
    "mfa_list_webauthn": MY_PAGE_OF_ALLAUTH,
    "mfa_add_webauthn": AFTER_CONFIRMING,
    "mfa_edit_webauthn": AFTER_CONFIRMING,
    "mfa_remove_webauthn": AFTER_CONFIRMING,
    "mfa_login_webauthn": {
        "GET HEAD POST PUT": "login /submissions/ /submissions/ /review/ /review/",
        "OPTIONS": "200 /submissions/ /submissions/ /review/ /review/",
        "…": "405 /submissions/ /submissions/ /review/ /review/",
    },
    "github_login": {"…": "404"},  # unless it is configured
    "github_callback": {"…": "404"},
    "openid_connect_login": {"…": "404"},
    "openid_connect_callback": {"…": "404"},
    "socialaccount_login_cancelled": NOTE,
    "socialaccount_login_error": {"GET HEAD": "401", "OPTIONS": "200", "…": "405"},
    "socialaccount_signup": {"…": "login"},  # only after coming from another site
    "socialaccount_connections": MY_FORM,
    "usersessions_list": {
        "GET HEAD OPTIONS": "login 200 200 200 200",
        "POST PUT": "login" + 4 * " /accounts/sessions/",
        "…": "login 405 405 405 405",
    },
    "session-end": {
        "GET HEAD": "login" + 4 * " /accounts/sessions/",
        "POST": "login 404 404 404 404",
        "…": "login 405 405 405 405",
    },
    "account_confirm_login_code": {  # no such codes exist
        "…": "login /submissions/ /submissions/ /review/ /review/"
    },
}
ADMIN_METHODS = ("GET", "POST", "DELETE", "OPTIONS")  # Django's views treat the other methods alike
# Only two addresses of the admin respond to other users; “in”: admitted.
ADMIN = {"…": "/admin/login/ /admin/login/ /admin/login/ /admin/login/ in"}
ADMIN_DOORS: dict[str, dict[str, str]] = {
    "admin:login": {"…": "login 403 403 403 /admin/"},
    "admin:logout": {
        "POST OPTIONS": "/admin/ /admin/ /admin/ /admin/ 200",
        "…": "/admin/ /admin/ /admin/ /admin/ 405",
    },
}
# Verdicts on a hidden release are for reviewers only, except for their own submissions.
HIDDEN = {
    "submission": "login 200 404 200 200",
    "submission-report": "login 200 404 200 200",
    "submission-examples-csv": "login 404 404 200 200",
    "submission-examples-jsonl": "login 404 404 200 200",
}


@pytest.fixture
def cast(alice: User, release: Release, world: Path) -> Cast:
    return cast_around(
        as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))
    )


def test_the_table_holds_every_address_and_no_other() -> None:
    assert set(TABLE) == {address.name for address in site_addresses()}


def test_each_role_gets_the_response_in_the_table_with_its_headers(cast: Cast) -> None:
    differences: dict[tuple[str, str, str], object] = {}
    for address in site_addresses():
        for (method, actor), word, response in answers(cast, address, TABLE[address.name]):
            found = in_a_word(cast, response)
            if found != word:
                differences[address.name, method, actor] = (word, found)
            elif wrong := wrong_headers(response, address, actor):
                differences[address.name, method, actor] = wrong
    assert differences == {}


def test_the_admin_is_for_admins(cast: Cast) -> None:
    differences: dict[tuple[str, str, str], object] = {}
    for address in admin_addresses():
        row = ADMIN_DOORS.get(address.name, ADMIN)
        for (method, actor), word, response in answers(cast, address, row, ADMIN_METHODS):
            found = in_a_word(cast, response)
            is_in = word == "in" and found not in ("login", "/admin/login/", "500")
            if found != word and not is_in:
                differences[address.name, method, actor] = (word, found)
            elif wrong := wrong_headers(response, address, actor):
                differences[address.name, method, actor] = wrong
    assert differences == {}


def wrong_headers(response: Answer, address: Address, actor: str) -> list[str]:
    is_anonymous = actor == "anonymous"
    wrong = header_problems(
        response,
        resource="cross-origin" if address.name in READ_ONLY else "same-origin",
        openers=("same-origin", "unsafe-none") if is_anonymous else ("same-origin",),
    )
    if not is_anonymous and address.name not in PUBLIC:
        if "no-store" not in response.headers.get("Cache-Control", ""):
            wrong.append("no-store")
        if address.name not in WITH_TOKEN and "Cookie" not in response.headers.get("Vary", ""):
            wrong.append("Vary")
    return wrong


@pytest.mark.parametrize("name", HIDDEN)
def test_of_a_hidden_release_verdicts_are_for_reviewers(
    cast: Cast, release: Release, name: str
) -> None:
    Release.objects.update(hidden=True)
    found = " ".join(answer(cast, named(name), "GET", actor) for actor in ACTORS)
    assert found == HIDDEN[name]


def test_the_progress_page_is_visible_to_owners_and_reviewers_only(cast: Cast) -> None:
    address = named("submission-status")
    answers = [asked(cast, actor, "GET", address, HX_Request="true") for actor in ACTORS]
    assert [answer.status_code for answer in answers] == [200, 200, 404, 200, 200]
    assert answers[0].headers["HX-Refresh"] == "true"
    assert answers[0].content == b""


def test_requests_without_a_csrf_token_are_refused(cast: Cast) -> None:
    """For every user: a page of another site could send a form with their cookies."""
    done = {
        (address.name, actor)
        for address in addresses()
        for actor in ("anonymous", "owner", "admin")
        if in_a_word(cast, forged(cast, actor, address)) != "403"
    }
    # who is not signed in is sent to do so: what they uploaded is not read, nor a token in it;
    # and the API knows no cookies: of programs it asks for a token
    assert done == {("submit", "anonymous"), *product(API, ("anonymous", "owner", "admin"))}


def forged(cast: Cast, actor: str, address: Address) -> Answer:
    client = Client()
    client.handler = FORGED
    client.cookies.update(cast.doors[actor].cookies)
    return client.post(cast.path(address), {"name": "value"})


def answer(cast: Cast, address: Address, method: str, actor: str) -> str:
    return in_a_word(cast, asked(cast, actor, method, address))


def answers(
    cast: Cast, address: Address, row: dict[str, str], methods: Sequence[str] = METHODS
) -> Iterator[tuple[tuple[str, str], str, Answer]]:
    """For every method and actor, the word in the table and the response.

    Of methods that the row does not name those are left out who may do neither more nor less than
    one of ``FEWER``: who has no part in anything, and a reviewer, who has no more than an admin.
    What they change is undone after each actor who sends a form, but otherwise only after each
    method: a savepoint for each of thousands of requests costs as much as a short answer.
    """
    words = cells(row)
    named_methods = " ".join(row).split()
    mark = transaction.savepoint()
    for method in methods:
        for actor in ACTORS if method in named_methods or len(row) == 1 else FEWER:
            response = answered(cast, actor, method, address)
            if method in ("POST", "PUT") or actor == ACTORS[-1]:
                transaction.savepoint_rollback(mark)
            yield (method, actor), words[method, actor], response


def named(name: str) -> Address:
    return next(address for address in site_addresses() if address.name == name)


def cells(row: dict[str, str]) -> dict[tuple[str, str], str]:
    """The response for every method and actor."""
    written = {method: answers for methods, answers in row.items() for method in methods.split()}
    found: dict[tuple[str, str], str] = {}
    for method in METHODS:
        answers = written.get(method, row.get("…", "")).split()
        answers *= len(ACTORS) // len(answers)
        found |= {(method, actor): answer for actor, answer in zip(ACTORS, answers, strict=True)}
    return found
