"""Who may do what with which token: one table for every address, method, role and scope."""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.urls import resolve

from portal.accounts.tokens import LIFETIMES, create_token
from portal.models import ApiToken, Example, Release, Scope, User
from tests.support.addresses import API, METHODS, WITH_TOKEN, site_addresses
from tests.support.clients import Cast
from tests.support.factories import as_if_scored, endpoint_run, make_submission, packed_folder

pytestmark = pytest.mark.django_db

# The owner of the submission and of the run; another author; a reviewer; an admin.
ROLES = ("owner", "other", "reviewer", "admin")

# Methods, the scope that they need, and the status that each of ROLES gets with it; a single one
# is for all of them. Another scope: 403. Another method: 405.
_OWN = "submit {} 404 404 404"  # also to a reviewer: only the owner acts on it
_RUN = "run {} 404 404 404"
_ON_REVIEW = "review 403 403 {} {}"
_THEIRS = {"GET HEAD": "read 200 404 403 403"}  # what reviewers see of others needs ``review`` too
TABLE: Mapping[str, Mapping[str, str]] = {
    "api-submissions": {"GET HEAD": "read 200", "POST": "submit 411"},  # as no length is given
    "api-from-hub": {"GET HEAD": "read 200", "POST": "submit 422"},
    "api-submission": _THEIRS | {"DELETE": _OWN.format(204)},
    "api-report": _THEIRS,
    "api-receipt": _THEIRS,
    "api-predictions": _THEIRS,
    "api-examples": _THEIRS,
    "api-model-card": {
        "GET HEAD": "read 409 404 404 404",
        "POST DELETE": "submit 409 404 404 404",
    },
    "api-answer": {"POST": _OWN.format(422)},
    "api-try-again": {"POST": _OWN.format(409)},
    "api-score-again": {"POST": _OWN.format(200)},
    "api-request": {"POST": _OWN.format(422)},
    "api-schedule": {"POST": _OWN.format(409)},
    "api-cancel": {"POST": _OWN.format(409)},
    "api-reply": {"POST": _OWN.format(422)},
    "api-withdraw": {"POST": _OWN.format(200)},
    "api-edit": {"POST": _OWN.format(200)},
    "api-spot-checks": _THEIRS | {"POST": "run 422 404 403 403"},
    "api-runs": {"GET HEAD": "read 200", "POST": "run 422"},
    "api-run": {"GET HEAD": "read 200 404 404 404", "DELETE": _RUN.format(204)},
    "api-run-configure": {"POST": _RUN.format(422)},
    "api-run-preview": {"GET HEAD": "read 200 404 404 404"},
    "api-run-test": {"POST": _RUN.format(200)},
    "api-run-estimate": {"POST": _RUN.format(200)},
    "api-run-start": {"POST": _RUN.format(200)},
    "api-run-controls": {"POST": _RUN.format(409)},
    "api-run-pause": {"POST": _RUN.format(409)},
    "api-run-resume": {"POST": _RUN.format(409)},
    "api-run-stop": {"POST": _RUN.format(409)},
    "api-reviews": {"GET HEAD": _ON_REVIEW.format(200, 200)},
    "api-review": {"GET HEAD": _ON_REVIEW.format(200, 200)},
    "api-review-claim": {"POST": _ON_REVIEW.format(409, 409)},
    "api-review-ask": {"POST": _ON_REVIEW.format(422, 422)},
    "api-review-publish": {"POST": _ON_REVIEW.format(422, 422)},
    "api-review-reject": {"POST": _ON_REVIEW.format(422, 422)},
    "api-review-undo": {"POST": _ON_REVIEW.format(409, 409)},
    "api-review-hide": {"POST": _ON_REVIEW.format(422, 422)},
    "api-review-restore": {"POST": _ON_REVIEW.format(422, 422)},
    "api-review-withdraw": {"POST": _ON_REVIEW.format(422, 422)},
    "api-runs-of-all": {"GET HEAD": _ON_REVIEW.format(403, 200)},
    "api-runs-of-all-pause": {"POST": _ON_REVIEW.format(403, 404)},  # a draft
    "api-runs-of-all-stop": {"POST": _ON_REVIEW.format(403, 404)},
    "api-my-models": {"GET HEAD": "read 200"},
    "api-my-model": {"POST DELETE": "submit 404"},
    "api-review-examples": {"GET HEAD": _ON_REVIEW.format(400, 400)},  # none is named
    "api-suspects": {"GET HEAD": _ON_REVIEW.format(400, 400)},
    "api-notes": {"GET HEAD": _ON_REVIEW.format(200, 200), "POST": _ON_REVIEW.format(404, 404)},
    "api-note": {"POST DELETE": _ON_REVIEW.format(404, 404)},
    "api-disputes": {"GET HEAD": "read 200", "POST": "submit 404"},
    "api-dispute": {"GET HEAD": "read 404"},
    "api-dispute-decide": {"POST": _ON_REVIEW.format(404, 404)},
}

Tokens = dict[tuple[str, Scope | None], str]  # headers by role and scope, None: all scopes


@pytest.fixture
def cast(alice: User, release: Release, world: Path) -> Cast:
    """The cast, without browsers."""
    submission = as_if_scored(make_submission(alice, release, packed_folder(world / "preds")))
    run = endpoint_run(alice, release)
    run.questions.all().delete()  # questions are planned when the run starts
    return Cast({}, submission, run, Example.objects.filter(data_set__releases=release)[0].pk)


@pytest.fixture
def people(alice: User, bob: User, rita: User, adam: User) -> dict[str, User]:
    return dict(zip(ROLES, (alice, bob, rita, adam), strict=True))


def token_of(user: User, *scopes: Scope) -> str:
    """The header with a token. Authors may have the review scope too, like former reviewers."""
    new = create_token(user, " ".join(scopes), [Scope.READ], LIFETIMES[0])
    ApiToken.objects.filter(pk=new.token.pk).update(scopes=scopes)
    return f"Bearer {new.text}"


def test_the_table_holds_every_address_that_takes_a_token() -> None:
    assert set(TABLE) == WITH_TOKEN


def test_each_role_gets_with_each_scope_the_response_in_the_table(
    cast: Cast, people: dict[str, User]
) -> None:
    """Methods that do not exist are tried with a token of every scope."""
    headers: Tokens = {
        (role, one): token_of(people[role], one) for role, one in product(ROLES, Scope)
    }
    of_all: Tokens = {(role, None): token_of(people[role], *Scope) for role in ROLES}
    wrong = {}
    for address in site_addresses():
        if address.name not in TABLE:
            continue
        path = cast.path(address)
        expected = cells(TABLE[address.name])
        mark = transaction.savepoint()
        for method in METHODS:
            is_there = (method, ROLES[0], Scope.READ) in expected
            for who, header in (headers if is_there else of_all).items():
                found = answered(path, method, header)
                if found < 300 and method not in ("GET", "HEAD"):
                    transaction.savepoint_rollback(mark)
                if found != expected.get((method, *who), 405):
                    wrong[address.name, method, *who] = found
        transaction.savepoint_rollback(mark)
    assert wrong == {}


SEEN_BY_REVIEWERS = {
    name for name, row in TABLE.items() if row.get("GET HEAD") == _THEIRS["GET HEAD"]
}


def test_reviewers_see_what_is_of_others_with_both_scopes_alone(
    cast: Cast, people: dict[str, User]
) -> None:
    addresses = [one for one in site_addresses() if one.name in SEEN_BY_REVIEWERS]
    assert len(addresses) == 6
    headers = {
        (role, len(scopes)): token_of(people[role], *scopes)
        for role in ROLES
        for scopes in ((Scope.READ,), (Scope.READ, Scope.REVIEW))
    }
    found = {
        (address.name, *who): answered(cast.path(address), "GET", header)
        for address in addresses
        for who, header in headers.items()
    }
    of_role = {
        "owner": (200, 200),
        "other": (404, 404),
        "reviewer": (403, 200),
        "admin": (403, 200),
    }
    assert found == {
        (address.name, role, number): codes[number - 1]
        for address in addresses
        for role, codes in of_role.items()
        for number in (1, 2)
    }


def answered(path: str, method: str, header: str) -> int:
    """The response of the view alone: thousands of requests through all middleware take minutes.
    The permission matrix checks that nothing works without a token."""
    request = RequestFactory().generic(method, path, headers={"Authorization": header})
    view = resolve(path)
    status: int = view.func(request, *view.args, **view.kwargs).status_code
    return status


def cells(row: Mapping[str, str]) -> dict[tuple[str, str, Scope | None], int]:
    """The responses to the methods that it names, for every role and scope."""
    found: dict[tuple[str, str, Scope | None], int] = {}
    for methods, words in row.items():
        needed, *answers = words.split()
        answers *= len(ROLES) // len(answers)
        for method, role in product(methods.split(), ROLES):
            found |= {(method, role, scope): 403 for scope in Scope}
            found[method, role, Scope(needed)] = int(answers[ROLES.index(role)])
    return found


# Fields with which the actions would succeed.
_SENT = json.dumps(
    {"reason": "Long enough to be one.", "reply": "A reply.", "unknown_confirmed": True}
)


def test_a_stolen_token_that_reads_can_change_nothing(cast: Cast, people: dict[str, User]) -> None:
    """Neither through the API nor on any page."""
    owners, admins = (
        Client(headers={"Authorization": token_of(people[role], Scope.READ)})
        for role in ("owner", "admin")
    )
    before = content_of_tables()
    assert before["portal_submission"] != before["portal_endpointrun"]
    for address in site_addresses():
        is_api = address.name in API
        for client, method in product(
            (owners, admins) if is_api else (admins,), METHODS if is_api else ("POST",)
        ):
            client.generic(method, cast.path(address), _SENT, "application/json")
    after = content_of_tables()
    assert {table for table in before if before[table] != after[table]} == set()


def content_of_tables() -> dict[str, str]:
    """A hash of each table except the cache, ignoring when a token was last used."""
    tables = {*connection.introspection.table_names()} - {"portal_cache"}
    found = {}
    with connection.cursor() as cursor:
        for table in tables:
            rows = f"SELECT (to_jsonb(rows) - 'used')::text AS text FROM {table} AS rows"
            cursor.execute(f"SELECT md5(string_agg(text, '/' ORDER BY text)) FROM ({rows}) AS all_")
            found[table] = str(cursor.fetchone()[0])
    return found


def test_the_challenge_says_what_is_wrong_with_a_token(alice: User) -> None:
    """RFC 6750: it says nothing if there was no token."""
    paths = {
        "Bearer unknown": 'Bearer realm="api", error="invalid_token"',
        "": 'Bearer realm="api"',
        "Basic YTpi": 'Bearer realm="api"',
        token_of(
            alice, Scope.SUBMIT
        ): 'Bearer realm="api", error="insufficient_scope", scope="read"',
    }
    for header, challenge in paths.items():
        answer = Client().get("/api/v1/submissions/", headers={"Authorization": header})
        assert answer.headers["WWW-Authenticate"] == challenge
        assert answer.status_code == (403 if "scope" in challenge else 401)
