"""Request bodies that no browser would send, and a client that shows how much was read."""

import io
from collections.abc import Iterable
from typing import Any

from django.test import Client

BOUNDARY = "b0undary"
TYPE = f"multipart/form-data; boundary={BOUNDARY}"


def part(head: str | bytes, content: bytes = b"") -> bytes:
    raw = head if isinstance(head, bytes) else head.encode()
    return b"--" + BOUNDARY.encode() + b"\r\n" + raw + b"\r\n\r\n" + content + b"\r\n"


def a_field(name: str, value: object) -> bytes:
    return part(f'Content-Disposition: form-data; name="{name}"', str(value).encode())


def a_file(name: str | bytes, content: bytes = b"x") -> bytes:
    raw = name if isinstance(name, bytes) else name.encode()
    return part(b'Content-Disposition: form-data; name="predictions"; filename="%s"' % raw, content)


def form(*parts: bytes) -> bytes:
    return b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()


def form_of(fields: dict[str, Any], files: Iterable[tuple[str, bytes]]) -> bytes:
    named = [a_field(name, value) for name, value in fields.items()]
    return form(*named, *(a_file(name, content) for name, content in files))


class Body(io.BytesIO):
    """The body sent by a client; counts how many bytes of it were read."""

    taken = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.taken += len(data)
        return data


def post_raw(
    client: Client, body: bytes, content_type: str = TYPE, *, length: int | None = None
) -> Any:
    """Post a body that announces this length, by default its own. The response's ``taken`` is the
    number of bytes that were read."""
    stream = Body(body)
    environ = {
        "wsgi.input": stream,
        "CONTENT_TYPE": content_type,
        "CONTENT_LENGTH": str(len(body) if length is None else length),
    }
    answer = client.generic("POST", "/submit/", **environ)  # type: ignore[arg-type]
    answer.taken = stream.taken  # type: ignore[attr-defined]
    return answer
