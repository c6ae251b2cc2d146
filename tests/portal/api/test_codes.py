"""The API's description is right about errors: each code that it lists is one that the code raises,
with that status."""

import ast
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from re import escape, fullmatch
from typing import Any

from portal.api.description.schema import read_schema
from portal.permissions.actions import ACTIONS
from portal.submissions.submit.views import REFUSED_UPLOADS

_ROOT = Path(__file__).parents[3]
_STATUSES = {  # of errors that have their own codes, as ``answer_error`` reports them
    "StateError": 409,
    "NotAllowedError": 403, "EndpointKeyError": 409,
    "ParseError": 400, "QueryError": 400,
    "NotFound": 404, "NoBreakdownError": 404,
    "PermissionDenied": 403, "Forbidden": 403, "AuthenticationFailed": 401,
    "QuotaError": 429,
    "FieldError": 422, "ValidationError": 422, "InvalidFields": 422,
}  # fmt: skip
_OF_THE_FRAMEWORK = {
    (400, "parse_error"), (401, "not_authenticated"), (404, "not_found"), (406, "not_acceptable"),
    (415, "unsupported_media_type"), (429, "throttled"),
}  # fmt: skip
_BY_THE_MIDDLEWARE = {(413, "too_long")}


def test_every_code_that_is_described_is_raised_with_its_status() -> None:
    raised = {*_raised(), *_OF_THE_FRAMEWORK, *_BY_THE_MIDDLEWARE}
    # Services raise these too; the API reports them at the field that they are about.
    of_fields = {"settings_missing", "publish_on_past", "publish_on_too_late"}
    raised |= {
        (422, code)
        for status, code in raised
        if status == 409 and (code in of_fields or code.startswith("[a-z_]+_"))
    }
    described = {
        (int(status), code)
        for methods in read_schema()["paths"].values()
        for one in methods.values()
        for status, response in one["responses"].items()
        for content in response.get("content", {}).values()
        for code in _codes(content["schema"])
    }
    assert len(described) > 70
    assert {
        (status, code)
        for status, code in described
        if not any(status == known and fullmatch(pattern, code) for known, pattern in raised)
    } == set()


def _codes(schema: Any) -> list[str]:
    """The codes of the problem and of its fields."""
    about = schema.get("properties", {})
    fields = about.get("errors", {}).get("items", {}).get("properties", {})
    return [*about.get("code", {}).get("enum", ()), *fields.get("code", {}).get("examples", ())]


def _raised() -> Iterator[tuple[int, str]]:
    yield from ((409, condition.code) for rule in ACTIONS.values() for condition in rule.conditions)
    yield from (
        (answer.status, reason.value.replace(" ", "_"))
        for reason, answer in REFUSED_UPLOADS.items()
    )
    for folder in ("portal", "leaderboard"):
        for file in (_ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call):
                    yield from _of_call(node)
                elif isinstance(node, ast.ClassDef):
                    yield from _of_class(node)


def _of_call(call: ast.Call) -> Iterator[tuple[int, str]]:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    given = [*call.args, *(each.value for each in call.keywords if each.arg == "code")]
    texts = list(filter(None, map(_pattern, given)))
    if name == "Refused" and isinstance(call.args[0], ast.Attribute):
        yield from ((HTTPStatus[call.args[0].attr].value, text) for text in texts)
    elif name in _STATUSES:
        yield from ((_STATUSES[name], text) for text in texts)


def _pattern(node: ast.expr) -> str:
    """A pattern for a text or an f-string like ``f"bad_{name}"``; empty if it is neither."""
    if isinstance(node, ast.Constant):
        return escape(str(node.value))
    if isinstance(node, ast.JoinedStr):
        parts = (
            escape(str(one.value)) if isinstance(one, ast.Constant) else "[a-z_]+"
            for one in node.values
        )
        return "".join(parts)
    return ""


def _of_class(node: ast.ClassDef) -> Iterator[tuple[int, str]]:
    """The status and the code of an error class that has its own."""
    about = {
        target.id: each.value
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    code = about.get("default_code", about.get("code"))
    status = about.get("status_code")
    if isinstance(code, ast.Constant):
        names = [node.name, *(base.id for base in node.bases if isinstance(base, ast.Name))]
        known = next((_STATUSES[name] for name in names if name in _STATUSES), 0)
        yield (
            HTTPStatus[status.attr].value if isinstance(status, ast.Attribute) else known,
            escape(str(code.value)),
        )
