"""Query parameters: none is silently ignored."""

import pytest
from django.test import Client

from portal.api.description.schema import read_schema
from portal.models import Scope, User
from tests.support.addresses import SAMPLES
from tests.support.programs import problem_of, program

pytestmark = pytest.mark.django_db


def test_every_address_refuses_a_parameter_that_it_does_not_have(adam: User) -> None:
    client = program(adam, *Scope)
    found = {
        (path, method): problem_of(
            client.generic(method.upper(), f"{path.format(**SAMPLES)}?nothing=1")
        )
        for path, methods in read_schema()["paths"].items()
        for method in methods
    }
    assert {one: answer for one, answer in found.items() if answer[1] != "unknown_parameter"} == {}


def test_it_says_which_parameters_there_are() -> None:
    detail = Client().get("/api/v1/entries/?relase=x").json()["detail"]
    for name in ("relase", "Do you mean release?", "metric_set", "cursor", "trust"):
        assert name in detail


def test_parameters_count_for_their_method_alone(alice: User) -> None:
    client = program(alice, Scope.READ, Scope.SUBMIT)
    assert problem_of(client.get("/api/v1/submissions/?cursor=x")) == (400, "bad_cursor")
    assert problem_of(client.post("/api/v1/submissions/?cursor=x")) == (400, "unknown_parameter")
    assert client.head("/api/v1/submissions/?page=2").status_code == 400


def test_without_a_token_nothing_is_said_of_them() -> None:
    assert problem_of(Client().get("/api/v1/submissions/?page=2")) == (401, "not_authenticated")
