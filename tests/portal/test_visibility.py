"""Which submissions the public sees is decided in one place, not wherever rows are queried."""

import ast
from collections.abc import Iterator

import pytest

from portal.models import SubmissionState
from tests.support.paths import ROOT

ONE_PLACE = ROOT / "portal" / "models"
PATHS = {f"{path}state{end}" for path in ("", "submission__", "submissions__")
         for end in ("", "__in")}  # fmt: skip
STATES = frozenset(SubmissionState.values)


def names_a_state(value: ast.AST, named: frozenset[str]) -> bool:
    """Whether it is one or more states of a submission, or a name in ``named`` for such."""
    return any(
        (isinstance(one, ast.Name) and one.id in named)
        or (isinstance(one, ast.Constant) and one.value in STATES)
        for one in ast.walk(value)
    )


def selections_by_state(code: str) -> Iterator[int]:
    """The lines where a query or a part of one names the state of submissions."""
    tree = ast.parse(code)
    named = {"SubmissionState"}
    for one in tree.body:
        if isinstance(one, ast.Assign) and names_a_state(one.value, frozenset(named)):
            named |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        if getattr(call.func, "attr", "") not in {"filter", "exclude", "get", "Q"} and (
            getattr(call.func, "id", "") != "Q"
        ):
            continue
        for given in call.keywords:
            if given.arg in PATHS and names_a_state(given.value, frozenset(named)):
                yield call.lineno


def test_no_query_outside_the_models_chooses_submissions_by_their_state() -> None:
    files = [file for room in ("portal", "leaderboard") for file in (ROOT / room).rglob("*.py")]
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        if not file.is_relative_to(ONE_PLACE) and "migrations" not in file.parts
        for line in selections_by_state(file.read_text(encoding="utf-8"))
    ]
    assert found == []  # add a method to SubmissionQuerySet instead


@pytest.mark.parametrize(
    "code",
    [
        "rows.filter(state=SubmissionState.PUBLISHED)",
        "rows.exclude(submission__state='withdrawn')",
        "own = Q(submissions__state__in=[SubmissionState.HIDDEN])",
        "_GONE = (SubmissionState.HIDDEN,)\nrows.filter(owner=1, state__in=_GONE)",
    ],
)
def test_such_a_query_is_found(code: str) -> None:
    assert list(selections_by_state(code)) == [code.count("\n") + 1]


def test_states_of_other_rows_are_none_of_its_business() -> None:
    code = "runs.filter(state=RunState.ENDED)\nchange(state=SubmissionState.HIDDEN)"
    assert list(selections_by_state(code)) == []
