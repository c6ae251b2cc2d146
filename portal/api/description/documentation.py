"""The pages about the API, made from its description: one to start with, and one for each group."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import slugify
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from portal.api.description.schema import Document, read_schema
from portal.models import Scope
from portal.web.throttle import MOST_EACH_MINUTE

_COMPONENTS = "#/components/schemas/"
_REFERENCE = re.compile(rf'"{_COMPONENTS}(\w+)"')
_ERRORS = ("Problem", "InvalidFields", "FieldError")
_FORMATS = {
    "date-time": "time", "date": "date", "uuid": "UUID", "uri": "address", "binary": "file",
    "double": "", "int64": "",
}  # fmt: skip
_BOUNDS = {
    "minimum": "at least {}", "maximum": "at most {}", "maxLength": "at most {} characters",
    "minLength": "at least {} characters", "maxItems": "at most {}",
}  # fmt: skip
_MULTIPART = "multipart/form-data"


class Type(NamedTuple):
    """The type of a value, in words, around the name of a component if there is one."""

    before: str
    component: str = ""
    after: str = ""


class Field(NamedTuple):
    """A field of an object, or a parameter."""

    name: str
    place: str  # of a parameter: path, query or header; else empty
    type: Type
    is_required: bool
    meaning: SafeString


class Answer(NamedTuple):
    status: str
    description: SafeString
    type: Type | None  # None: no body
    headers: Sequence[str]


class Problems(NamedTuple):
    status: str
    title: str
    codes: Sequence[str]  # empty: any
    of_fields: Sequence[str]  # its own codes of single fields


class Operation(NamedTuple):
    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    scope: str  # that the token needs; empty: no token is needed
    parameters: Sequence[Field]
    sent: str  # the media type of the body; empty: no body
    body: Sequence[Field]
    answers: Sequence[Answer]
    problems: Sequence[Problems]
    curl: str


class Group(NamedTuple):
    id: str
    name: str
    description: str
    operations: Sequence[Operation]


class Component(NamedTuple):
    name: str
    fields: Sequence[Field]


@require_safe
@gzip_page
def documentation(request: HttpRequest) -> HttpResponse:
    """First steps, rules, and the groups; the addresses are on the pages of their groups."""
    return render(request, "api/documentation.html", {"content": _index()})


@require_safe
def docs_index(_request: HttpRequest) -> HttpResponse:
    """The address of a group without its last part."""
    return redirect("api")


@require_safe
@gzip_page
def group_page(request: HttpRequest, group: str) -> HttpResponse:
    found = _groups().get(group)
    if found is None:
        raise Http404
    return render(
        request,
        "api/group.html",
        {"group": found, "content": _group_content(group)},
    )


# This part of a page depends only on the code, so it is rendered once.
@cache
def _index() -> SafeString:
    schema = read_schema()
    places = {  # by the name of an object: the first group whose page has it
        name: group.id
        for group in reversed(list(_groups().values()))
        for name in objects_of(schema, group.name)
    }
    return render_to_string(
        "api/_index.html",
        {
            "groups": _groups().values(),
            "places": sorted(places.items()),
            "errors": [_component(schema, name) for name in _ERRORS],
            "scopes": [(scope.value, scope.label) for scope in Scope],
            "site": settings.SITE_URL,
            "most": MOST_EACH_MINUTE,
        },
    )


@cache
def _group_content(group: str) -> SafeString:
    schema, found = read_schema(), _groups()[group]
    objects = [_component(schema, name) for name in sorted(objects_of(schema, found.name))]
    return render_to_string(
        "api/_group.html",
        {"groups": _groups().values(), "group": found, "objects": objects},
    )


@cache
def _groups() -> Mapping[str, Group]:
    return {group.id: group for group in groups_of(read_schema())}


def groups_of(schema: Document) -> Iterator[Group]:
    """The groups with their addresses, in the order of the description."""
    operations = [
        (one["tags"][0], operation_of(schema, path, method.upper(), one))
        for path, methods in schema["paths"].items()
        for method, one in methods.items()
    ]
    for tag in schema["tags"]:
        found = [operation for name, operation in operations if name == tag["name"]]
        if found:
            yield Group(slugify(tag["name"]), tag["name"], tag["description"], found)


def operation_of(schema: Document, path: str, method: str, one: Document) -> Operation:
    [requirement] = one.get("security") or [{}]
    content = one.get("requestBody", {}).get("content", {})
    sent = next(iter(content), "")
    body = content[sent]["schema"] if sent else {}
    parameters = [_field(each["name"], each["schema"], each) for each in one.get("parameters", ())]
    responses = sorted(one["responses"].items())
    fields = list(_fields(_resolved(schema, body)))
    samples = _samples(fields)
    scope = next(iter(requirement.get("token", ())), "")
    return Operation(
        one["operationId"],
        method,
        path,
        one["summary"],
        _html(one.get("description", "")),
        scope,
        parameters,
        sent,
        fields,
        [_answer(status, each) for status, each in responses if status < "400"],
        [_problems(status, each) for status, each in responses if status >= "400"],
        _curl(method, path, parameters, sent, samples, has_token=bool(requirement)),
    )


def _answer(status: str, response: Document) -> Answer:
    content = next(iter(response.get("content", {}).values()), None)
    return Answer(
        status,
        _html(response.get("description", "")),
        type_of(content["schema"]) if content else None,
        list(response.get("headers", ())),
    )


def _problems(status: str, response: Document) -> Problems:
    [content] = response["content"].values()
    about = content["schema"].get("properties", {})
    fields = about.get("errors", {}).get("items", {}).get("properties", {})
    return Problems(
        status,
        response["description"],
        about.get("code", {}).get("enum", ()),
        fields.get("code", {}).get("examples", ()),
    )


def objects_of(schema: Document, tag: str) -> set[str]:
    """The names of the components in the responses and request bodies of a group, and of the
    components nested in these."""
    components = schema["components"]["schemas"]
    found: set[str] = set()
    waiting = [
        name
        for methods in schema["paths"].values()
        for one in methods.values()
        if tag in one["tags"]
        for name in _objects_at(schema, one)
    ]
    while waiting:
        if (name := waiting.pop()) not in found:
            found.add(name)
            waiting += _references(components[name])
    return found


def _objects_at(schema: Document, operation: Document) -> set[str]:
    """Without the body itself, which is described with the address, and without errors, which are
    on the first page."""
    answers = [one for status, one in operation["responses"].items() if status < "400"]
    bodies = [
        _resolved(schema, one["schema"])
        for one in operation.get("requestBody", {}).get("content", {}).values()
    ]
    return _references([answers, bodies])


def _references(schema: object) -> set[str]:
    return set(_REFERENCE.findall(json.dumps(schema)))


def _component(schema: Document, name: str) -> Component:
    return Component(name, list(_fields(schema["components"]["schemas"][name])))


def _fields(schema: Document) -> Iterator[Field]:
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        about = {"required": name in required, "description": one.get("description", "")}
        yield _field(name, one, about)


def _field(name: str, schema: Document, about: Document) -> Field:
    meaning = _html(about.get("description", ""))
    if (default := schema.get("default")) is not None:
        meaning = format_html("{} Default: <code>{}</code>.", meaning, default)
    return Field(name, about.get("in", ""), type_of(schema), bool(about.get("required")), meaning)


def _resolved(schema: Document, one: Document) -> Document:
    name = one.get("$ref", "").removeprefix(_COMPONENTS)
    found: Document = schema["components"]["schemas"][name] if name else one
    return found


def type_of(schema: Mapping[str, Any]) -> Type:
    """In words: “list of Score”, “integer or null, at most 100”."""
    if ref := schema.get("$ref"):
        return Type("", ref.removeprefix(_COMPONENTS))
    choices = schema.get("allOf") or schema.get("oneOf")
    if choices:
        inner = type_of(choices[0])
        has_null = {"type": "null"} in choices
        return inner._replace(after=f"{inner.after} or null" if has_null else inner.after)
    allowed = schema.get("type", "any")
    kinds = [allowed] if isinstance(allowed, str) else list(allowed)
    null = " or null" if "null" in kinds else ""
    [kind, *_] = [one for one in kinds if one != "null"] or ["null"]
    if "enum" in schema:
        values = ", ".join(str(one) for one in schema["enum"] if one is not None)
        return Type(f"one of: {values}{null}")
    bounds = "".join(
        f", {text.format(schema[name])}" for name, text in _BOUNDS.items() if name in schema
    )
    if kind == "array":
        inner = type_of(schema["items"])
        return Type(f"list of {inner.before}", inner.component, f"{inner.after}{null}{bounds}")
    inside = schema.get("additionalProperties")
    if kind == "object" and inside:
        inner = type_of(inside)
        names = f"by name: {inner.before}".replace(": by name", " and name")
        return Type(names, inner.component, f"{inner.after}{null}")
    return Type(f"{_FORMATS.get(schema.get('format', '')) or kind}{null}{bounds}")


def _html(text: str) -> SafeString:
    """Text between backticks becomes code."""
    parts = enumerate(text.split("`"))
    return format_html_join(
        "",
        "{}",
        ((format_html("<code>{}</code>", part) if at % 2 else part,) for at, part in parts),
    )


def _curl(
    method: str,
    path: str,
    parameters: Sequence[Field],
    sent: str,
    body: Mapping[str, object],
    *,
    has_token: bool,
) -> str:
    """A command that sends the request; words in capitals are for the reader to replace."""
    address = f"{settings.SITE_URL}{path}"
    query = []
    for one in parameters:
        if one.place == "path":
            address = address.replace(f"{{{one.name}}}", one.name.upper())
        elif one.place == "query" and one.is_required:
            query.append(f"{one.name}={_sample(one)}")
    address += f"?{'&'.join(query)}" if query else ""
    words = ["curl"]
    if has_token:
        words.append('-H "Authorization: Bearer $TOKEN"')
    if any(one.name == "Idempotency-Key" for one in parameters):
        words.append('-H "Idempotency-Key: $(uuidgen)"')
    if sent == _MULTIPART:
        words += [f"-F {name}={value}" for name, value in body.items()]
    elif sent:
        words.append(f"--json '{json.dumps(body, ensure_ascii=False)}'")
    elif method != "GET":
        words.append(f"-X {method}")
    words.append(f"'{address}'")
    return (" \\\n  " if len(words) > 3 else " ").join(words)


def _samples(fields: Sequence[Field]) -> dict[str, str]:
    """Values for the required fields; for the first field if none is required."""
    needed = [field for field in fields if field.is_required] or fields[:1]
    return {field.name: _sample(field) for field in needed}


def _sample(field: Field) -> str:
    """A possible value of the field."""
    if "file" in field.type.before:
        return "@predictions.zip"
    first, _, values = field.type.before.partition("one of: ")
    return values.split(", ")[0] if values and not first else field.name.upper()
