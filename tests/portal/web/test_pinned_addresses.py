"""An address means the same whoever requests it."""

from collections.abc import Callable
from wsgiref.util import setup_testing_defaults

import pytest

from portal.wsgi import application

pytestmark = pytest.mark.django_db


def status(**environ: str) -> int:
    """Of a page, from a server that passes on whatever it gets."""
    statuses: list[str] = []

    def start_response(status: str, *_: object) -> Callable[[bytes], object]:
        statuses.append(status)
        return bytes

    request = {"HTTP_HOST": "testserver", "PATH_INFO": "/tasks/", "QUERY_STRING": "a=b", **environ}
    setup_testing_defaults(request)
    request["SCRIPT_NAME"] = environ.get("SCRIPT_NAME", "")
    b"".join(application(request, start_response))
    return int(statuses[0].split()[0])


@pytest.mark.parametrize("name", ["SCRIPT_NAME", "SCRIPT_URL", "REDIRECT_URL"])
def test_a_prefix_is_refused(name: str) -> None:
    assert status(**{name: "/evil/tasks/"}) == 400


OTHERS = (
    "charset=cp037", "charset=hex", "CharSet = utf-16", 'charset="utf-7"', "charset*=us-ascii''hex",
    "charset*=none-such''utf-8",
)  # fmt: skip


@pytest.mark.parametrize("charset", OTHERS)
@pytest.mark.parametrize("content_type", ["text/html", "multipart/form-data; boundary=x"])
def test_another_charset_than_utf_8_is_refused(content_type: str, charset: str) -> None:
    assert status(CONTENT_TYPE=f"{content_type}; {charset}") == 400


@pytest.mark.parametrize("parameter", ["charset=UTF-8", 'charset="utf8"', "charset=none-such", "x"])
def test_other_parameters_are_not(parameter: str) -> None:
    assert status(CONTENT_TYPE=f"text/html; {parameter}") == 200
