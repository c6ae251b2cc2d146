"""Read pages through a parser: elements, their texts, and the codes of errors."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from bs4 import BeautifulSoup
from bs4.element import Tag

from portal.errors import UserError


def page(response: Any) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def text(node: Tag) -> str:
    """The text of an element, with single spaces."""
    return re.sub(r"\s+", " ", node.get_text(" ")).strip()


def text_of(response: Any) -> str:
    """The whole page without its tags."""
    return text(page(response))


def one(response: Any, selector: str) -> Tag:
    """The only element that a CSS selector finds."""
    [found] = page(response).select(selector)
    return found


def all_of(response: Any, selector: str) -> list[Tag]:
    """Every element that a CSS selector finds."""
    return list(page(response).select(selector))


def notices(response: Any) -> list[str]:
    """The codes of the messages above the content of a page; for a success, its level."""
    return [str(notice.extra_tags or notice.level_tag) for notice in response.context["messages"]]


def form_errors(response: Any, form: str = "form") -> set[tuple[str, str]]:
    """Field and code of each error in a form; errors of the form as a whole have no field."""
    found = response.context[form].errors.as_data()
    return {
        (field.replace("__all__", ""), str(error.code or ""))
        for field, errors in found.items()
        for error in errors
    }


def actions(response: Any) -> set[str]:
    """The addresses to which the forms of a page post."""
    return {str(form["action"]) for form in page(response).select("form[action]")}


@contextmanager
def refused(code: str) -> Iterator[None]:
    """An error meant for the user, of this case."""
    with pytest.raises(UserError) as caught:
        yield
    assert caught.value.code == code


def templates_of(response: Any) -> set[str]:
    """The names of the templates that a page was rendered with."""
    return {str(template.name) for template in response.templates}
