"""The page about the API: its whole description, in both languages, without a script."""

import json
from functools import cache
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.text import slugify

from portal.api.description.documentation import Type, groups_of, objects_of, type_of
from portal.api.description.schema import read_schema
from tests.support import html

pytestmark = pytest.mark.django_db
PAGE = "/api/v1/"


@cache
def groups() -> list[str]:
    return [group.id for group in groups_of(read_schema())]


def page_of(group: str = "") -> Any:
    path = reverse("api-docs", args=[group]) if group else PAGE
    return html.page(Client().get(path))


def test_the_pages_have_everything_of_the_description() -> None:
    pages = {group: page_of(group) for group in groups()}
    for path, methods in read_schema()["paths"].items():
        for one in methods.values():
            page = pages[slugify(one["tags"][0])]
            [section] = page.select(f"article[aria-labelledby={one['operationId']}]")
            said = section.get_text()
            names = [each["name"] for each in one.get("parameters", ())]
            scopes = [scope for need in one.get("security", ()) for scope in need.get("token", ())]
            codes = [
                code
                for response in one["responses"].values()
                for content in response.get("content", {}).values()
                for code in _codes(content["schema"])
            ]
            for word in (path, one["summary"], *one["responses"], *names, *scopes, *codes):
                assert word in said, (path, word)
    text = "".join(page.get_text() for page in (page_of(), *pages.values()))
    for component in read_schema()["components"]["schemas"].values():
        assert all(name in text for name in component["properties"])


def _codes(schema: Any) -> list[str]:
    about = schema.get("properties", {})
    fields = about.get("errors", {}).get("items", {}).get("properties", {})
    return [*about.get("code", {}).get("enum", ()), *fields.get("code", {}).get("examples", ())]


def test_links_lead_somewhere_and_no_page_needs_a_script() -> None:
    pages = {PAGE: page_of()} | {
        reverse("api-docs", args=[group]): page_of(group) for group in groups()
    }
    places = {path: {one["id"] for one in page.select("[id]")} for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.select("main a[href*='#']"):
            target, _, place = str(link["href"]).partition("#")
            assert place in places[target or path], (path, link["href"])
        assert page.select("script:not([src]), style, [style], [onclick]") == []


def test_the_first_page_knows_where_every_address_and_object_is() -> None:
    """Old links, from before groups had pages of their own, point to these."""
    places = {one["id"] for one in page_of().select("[id]")}
    schema = read_schema()
    operations = {one["operationId"] for path in schema["paths"].values() for one in path.values()}
    assert operations <= places
    objects = {
        f"object-{name}" for group in groups_of(schema) for name in objects_of(schema, group.name)
    }
    assert objects <= places
    assert {"object-Problem", "object-FieldError"} <= places


def test_there_is_no_page_of_another_group() -> None:
    assert Client().get("/api/v1/docs/nothing/").status_code == 404
    assert Client().get("/api/v1/docs/")["Location"] == PAGE


def test_commands_send_what_is_needed() -> None:
    commands = {one.id: one.curl for group in groups_of(read_schema()) for one in group.operations}
    assert commands["compare_entries"].endswith("/api/v1/compare/?a=A&b=B'")
    assert "Authorization" not in commands["compare_entries"]
    assert "-F predictions=@predictions.zip" in commands["submit_predictions"]
    assert "-X DELETE" in commands["delete_submission"]
    body = commands["reply_to_reviewer"].partition("--json '")[2].partition("'")[0]
    assert json.loads(body) == {"reply": "REPLY"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": ["integer", "null"], "maximum": 5}, Type("integer or null, at most 5")),
        ({"enum": ["a", None], "type": ["string", "null"]}, Type("one of: a or null")),
        ({"type": "array", "items": {"type": "string", "format": "uuid"}}, Type("list of UUID")),
        (
            {"oneOf": [{"$ref": "#/components/schemas/Score"}, {"type": "null"}]},
            Type("", "Score", " or null"),
        ),
        (
            {"type": "object", "additionalProperties": {"$ref": "#/components/schemas/Score"}},
            Type("by name: ", "Score"),
        ),
        ({"type": "object", "additionalProperties": {}}, Type("object")),
    ],
)
def test_types_are_said_in_words(schema: Any, expected: Type) -> None:
    assert type_of(schema) == expected
