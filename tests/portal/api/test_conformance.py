"""The API responds as its description says: no failure, no other status, field or type.

Schemathesis makes the requests from the description. `make test-api` makes many more of them.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from pytest_django import Settings

from portal.accounts.tokens import LIFETIMES, create_token
from portal.api.description.schema import read_schema
from portal.models import ExampleResult, Release, Scope, Submission, SubmissionState, User
from portal.web import throttle
from scoring.metrics import METRIC_SETS
from tests.support.contexts import release_with_contexts, store_context
from tests.support.example_results import change_results
from tests.support.factories import (
    add_answers,
    make_submission,
    model,
    packed_folder,
    published,
    release_of_all_tasks,
    reported,
    with_slug,
)

pytestmark = pytest.mark.django_db

EXAMPLES = int(os.environ.get("API_EXAMPLES", "3"))  # requests to each operation
TASK, KEY = "longbook_qa_eng", "a/b?c d%20e"
_NAMES = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_schema_conformance", "response_headers_conformance",
)  # fmt: skip


@pytest.fixture(autouse=True)
def called_as_wsgi(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    settings.ALLOWED_HOSTS = ["localhost"]
    monkeypatch.setattr(throttle, "MOST_EACH_MINUTE", 10**6)
    for signal in (request_started, request_finished):  # the test's own connection stays open
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def site(alice: User, release: Release, world: Path) -> dict[str, str]:
    """A site with something of everything, and the names that lead there."""
    official = release_of_all_tasks("official")
    published(alice, official, "Known", dict.fromkeys(("passkey", "code_run"), 50.0))
    reported("Reported", {"passkey": 90.0})
    context = store_context("It was a dark night.\nThe captain spoke.\n" * 50)
    release_with_contexts("long", TASK, {KEY: context, "without": None}, tokens=500, depth=0.5)
    long = Release.objects.get(slug="long")
    entries = []
    for name, scores in (("Good", [1.0, 0.5]), ("Weak", [0.0, 0.25])):
        entry = Submission.objects.create(
            owner=alice, language_model=model(name), release=long, state=SubmissionState.PUBLISHED
        )
        with_slug(entry)
        found = add_answers(entry, {TASK: dict.fromkeys(METRIC_SETS, scores)})
        change_results(ExampleResult.objects.filter(evaluation=found), prediction="the captain")
        entries.append(entry)
    own = make_submission(alice, release, packed_folder(world / "preds"))
    return {
        "entry_id": str(entries[0].pk), "a": str(entries[0].pk), "b": str(entries[1].pk),
        "model": "good", "release": "long", "task": TASK, "key": quote(KEY, safe=""),
        "by": "length", "submission_id": str(own.pk),
        "token": create_token(alice, "all", Scope, LIFETIMES[0]).text,
    }  # fmt: skip


def test_every_answer_is_as_described(site: dict[str, str]) -> None:
    import schemathesis
    from schemathesis.checks import load_all_checks

    load_all_checks()
    schema = schemathesis.openapi.from_dict(read_schema())
    application = get_wsgi_application()
    schema.app = lambda asked, start: application({**asked, "REMOTE_ADDR": "127.0.0.1"}, start)
    found: set[int] = set()
    wrong: list[str] = []
    results: Any = schema.get_all_operations()
    for result in results:
        operation = result.ok()
        try:
            found |= statuses_of(operation, site)
        except BaseExceptionGroup as failures:  # the others are called all the same
            wrong += [f"{operation.label}: {one}" for one in failures.exceptions]
    assert not wrong, "\n\n".join(wrong)
    assert {200, 204, 400, 404, 422} <= found


def statuses_of(operation: Any, site: Mapping[str, str]) -> set[int]:
    """The statuses of a few requests. Raises whatever is wrong with the responses."""
    from schemathesis import GenerationMode
    from schemathesis.checks import CHECKS

    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)  # as described, and not
    checks = [CHECKS.get_one(name) for name in _NAMES]
    headers = {"Authorization": f"Bearer {site['token']}", "Accept-Encoding": "identity"}
    cases = [operation.as_strategy(generation_mode=mode) for mode in modes]
    found: set[int] = set()

    @effort(
        max_examples=EXAMPLES,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data(), st.sampled_from(cases), st.booleans())
    def ask(data: st.DataObject, strategy: Any, is_known: bool) -> None:
        case = data.draw(strategy)
        if is_known:  # existing names, which chance would never find
            for values in (case.path_parameters, case.query):
                known = {name: site[name] for name in values or () if name in site}
                values.update(known)
        case.headers = {**(case.headers or {}), **headers}
        response = case.call()
        case.validate_response(response, checks=checks)
        found.add(response.status_code)

    ask()
    return found
