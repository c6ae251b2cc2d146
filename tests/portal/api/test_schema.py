"""The description of the API: valid, generated without a warning, and complete."""

import re
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import resolve, reverse

from portal.api.description import schema as schema_module
from portal.api.description.schema import make_schema, read_schema
from portal.api.submissions.sent import SentSubmissionSerializer
from portal.language_models.forms import LanguageModelForm
from portal.models import User
from portal.submissions.submit.forms import SubmissionForm
from tests.support.addresses import API, SAMPLES

pytestmark = pytest.mark.django_db
_ETAG = re.compile(r'"[0-9a-f]{32}"')


@pytest.fixture(scope="module")
def schema() -> Any:
    return read_schema()


def test_it_is_valid_and_made_without_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    from openapi_spec_validator import validate

    validate(make_schema())
    found = capsys.readouterr()
    assert (found.out, found.err) == ("", "")


def test_it_is_made_once_for_threads_that_ask_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema_module, "_kept_schema", cache(make_schema))
    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(lambda _: read_schema(), range(3))
    assert all(one is first for one in others)


def test_it_is_sent_once_to_everybody() -> None:
    first = Client().get(reverse("api-schema"))
    assert first.json()["openapi"] == "3.1.1"
    assert _ETAG.fullmatch(first.headers["ETag"])
    headers = {"If-None-Match": first.headers["ETag"]}
    assert Client().get(reverse("api-schema"), headers=headers).status_code == 304


def test_it_has_every_address_of_the_api(schema: Any) -> None:
    described = {resolve(path.format(**SAMPLES)).url_name for path in schema["paths"]}
    assert described == API


def test_everything_that_can_be_sent_or_answered_is_explained(schema: Any) -> None:
    """Each operation also has a summary, a group and a unique name."""
    operations = [one for path in schema["paths"].values() for one in path.values()]
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)
    groups = {tag["name"] for tag in schema["tags"]}
    for one in operations:
        assert one["summary"], one["operationId"]
        assert set(one["tags"]) <= groups, one["operationId"]
        assert all(parameter.get("description") for parameter in one.get("parameters", ()))
    unexplained = [
        f"{name}.{field}"
        for name, component in schema["components"]["schemas"].items()
        for field, about in component.get("properties", {}).items()
        if not about.get("description")
    ]
    assert unexplained == []


def test_what_is_sent_has_the_fields_of_the_page(alice: User) -> None:
    fields = set(SentSubmissionSerializer().fields)
    form = SubmissionForm(user=alice)
    model = LanguageModelForm(user=alice)
    expected = {*form.fields, *(model.add_prefix(name) for name in model.fields)}
    assert fields == expected - {"submission", "folder"}  # the key of the request; for browsers
