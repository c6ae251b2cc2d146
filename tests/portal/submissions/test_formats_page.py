"""The page about accepted files says what the code does."""

import json
import re

import pytest
from django.test import Client

from portal.submissions.pages.formats import PROGRAMS, formats
from portal.submissions.submit.page import FILE_NAMES
from scoring.predictions.dialects import NAMES, ROW_DIALECTS, named
from tests.support.clients import html_of


def test_every_form_of_rows_is_on_the_page() -> None:
    assert {one.dialect for one in formats()} == set(ROW_DIALECTS)


@pytest.mark.parametrize("file", [file for one in PROGRAMS.values() for file in one.files])
def test_the_names_on_the_page_are_those_that_are_read(file: str) -> None:
    found = named(file)
    assert found
    assert found.task in ("passkey", "longbook_qa_eng")


def test_patterns_for_the_script_use_no_python_only_syntax() -> None:
    patterns = json.loads(FILE_NAMES)["patterns"]
    assert len(patterns) == len(NAMES)
    only_python = re.compile(r"\(\?[P#(aiLmsux-]|\(\?>|[*+?}]\+|\\[AZ]")
    assert not any(only_python.search(pattern) for pattern in patterns)


@pytest.mark.django_db
def test_everybody_can_read_the_page(client: Client) -> None:
    html = html_of(client.get("/formats/"))
    for name in ("preds_math_calc.jsonl", "question_id", "filtered_resps", "100 MB"):
        assert name in html
