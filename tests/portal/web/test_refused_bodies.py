"""The rest of a refused body is read after the response is sent, so that clients see that."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from portal.web import refused_bodies
from portal.web.refused_bodies import read_refused_bodies

ANSWER = b"too large"


def answered(status: str, body: BytesIO, method: str = "POST") -> tuple[bytes, list[int]]:
    """The response, and how much of the body was read before the application ended and in all."""
    places: list[int] = []

    class Content:
        def __iter__(self) -> Iterator[bytes]:
            return iter([ANSWER])

        def close(self) -> None:
            places.append(body.tell())

    def application(environ: dict[str, Any], start: Any) -> Any:
        start(status, [])
        return Content()

    environ = {"REQUEST_METHOD": method, "wsgi.input": body}
    content: Any = read_refused_bodies(application)(environ, lambda *_: lambda _: None)
    sent = b"".join(content)
    content.close()
    return sent, [*places, body.tell()]


def test_what_is_left_is_read_after_the_answer() -> None:
    assert answered("413 Content Too Large", BytesIO(b"x" * 200_000)) == (ANSWER, [0, 200_000])


@pytest.mark.parametrize(("status", "method"), [("200 OK", "POST"), ("404 Not Found", "GET")])
def test_nothing_is_read_where_nothing_is_refused(status: str, method: str) -> None:
    assert answered(status, BytesIO(b"x" * 10), method) == (ANSWER, [0, 0])


def test_not_more_is_read_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refused_bodies, "_MOST", 1)
    _, [_, read] = answered("413 Content Too Large", BytesIO(b"x" * 10**6))
    assert 1 <= read < 10**5


def test_a_connection_that_breaks_off_is_no_failure() -> None:
    class Broken(BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise ConnectionResetError

    assert answered("401 Unauthorized", Broken())[0] == ANSWER
