"""Whatever people do on pages after signing in, programs can do through the API."""

from django.urls import get_resolver

from tests.portal.test_permission_matrix import TABLE
from tests.support.addresses import WITH_TOKEN

# By the name of the page: an address of the API, or the reason why there is none.
ADDRESSES = {
    "submit": "api-submissions",
    "submit-from-hub": "api-from-hub",
    "submit-models": "api-models",
    "submissions": "api-submissions",
    "my-models": "api-my-models",
    "my-model-edit": "api-my-model",
    "my-model-delete": "api-my-model",
    "submission": "api-submission",
    "submission-fetch": "api-submission",
    "submission-cancel-fetch": "api-submission",
    "submission-answer": "api-answer",
    "submission-try-again": "api-try-again",
    "submission-score-again": "api-score-again",
    "submission-edit": "api-edit",
    "submission-delete": "api-submission",
    "submission-request": "api-request",
    "submission-schedule": "api-schedule",
    "submission-cancel-request": "api-cancel",
    "submission-reply": "api-reply",
    "submission-withdraw": "api-withdraw",
    "submission-model-card": "api-model-card",
    "submission-cancel-model-card": "api-model-card",
    "submission-spot-check": "api-spot-checks",
    "submission-original": "api-predictions",
    "submission-report": "api-report",
    "submission-receipt": "api-receipt",
    "submission-examples-csv": "api-examples",
    "submission-examples-jsonl": "api-examples",
    "endpoint_runs": "api-runs",
    "endpoint_run_new": "api-runs",
    "endpoint_run_upload": "api-runs",
    "endpoint_run": "api-run",
    "endpoint_run_configure": "api-run-configure",
    "endpoint_run_settings": "api-run",
    "endpoint_run_preview": "api-run-preview",
    "endpoint_run_estimate": "api-run",
    "endpoint_run_estimate_again": "api-run-estimate",
    "endpoint_run_connection": "api-run",
    "endpoint_run_connection_test": "api-run-test",
    "endpoint_run_start": "api-run-start",
    "endpoint_run_controls": "api-run-controls",
    "endpoint_run_pause": "api-run-pause",
    "endpoint_run_resume": "api-run-resume",
    "endpoint_run_stop": "api-run-stop",
    "endpoint_run_delete": "api-run",
    "review": "api-reviews",
    "review-submission": "api-review",
    "review-examples": "api-review-examples",
    "review-suspects": "api-suspects",
    "review-claim": "api-review-claim",
    "review-undo": "api-review-undo",
    "review-ask": "api-review-ask",
    "review-publish": "api-review-publish",
    "review-reject": "api-review-reject",
    "review-runs": "api-runs-of-all",
    "review-run-pause": "api-runs-of-all-pause",
    "review-run-stop": "api-runs-of-all-stop",
    "entry-hide": "api-review-hide",
    "entry-restore": "api-review-restore",
    "note-write": "api-notes",
    "note-edit": "api-note",
    "note-remove": "api-note",
    "dispute-new": "api-disputes",
    "dispute-decide": "api-dispute-decide",
    # Two answers side by side: programs can get both, with their scores.
    "review-shared": "api-task-examples",
}
OF_PEOPLE = {  # the account itself, tokens, and what links in mail confirm
    "review-status",  # for programs there is /metrics, with a token of its own
    "account_change_password", "account_email", "account_reauthenticate", "profile",
    "token-revoke", "tokens",
}  # fmt: skip
# Second factors, sessions, other sites to sign in with, export and deletion of the account.
OF_ACCOUNTS = ("mfa_", "usersessions_", "session-", "socialaccount_", "account-")


def test_every_page_for_which_people_sign_in_has_an_address_of_the_api() -> None:
    pages = {
        name
        for name, row in TABLE.items()
        if any(word.startswith("login") for methods, word in row.items() if methods != "…")
        and not name.startswith(OF_ACCOUNTS)
    }
    assert pages == ADDRESSES.keys() | OF_PEOPLE


def test_every_address_that_takes_a_token_stands_for_a_page() -> None:
    known = set(get_resolver().reverse_dict) & set(map(str, ADDRESSES.values()))
    assert known == set(ADDRESSES.values())
    # Parts of other pages: one dispute, what an admin does for an author, invitations.
    parts = {"api-dispute", "api-review-withdraw", "api-invitations"}
    assert set(ADDRESSES.values()) >= WITH_TOKEN - parts
