"""Text that cannot be stored is refused before anybody looks at it: 400, whatever the page.

PostgreSQL takes no NUL, and bytes that are no UTF-8 have been replaced by U+FFFD when we see them;
in a path by %-signs, so that it leads nowhere.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError

Answer = Callable[[HttpRequest], HttpResponse]
_BROKEN = re.compile("[\0\ufffd\ud800-\udfff]")


class RefuseBrokenText:
    """Stands before the session, whose cookie is looked up in the database."""

    def __init__(self, get_response: Answer) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        _refuse("the address", [request.path_info, *_parts(request.GET)])
        _refuse("a cookie", chain.from_iterable(request.COOKIES.items()))
        return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponse],
        _args: Any,  # noqa: ANN401 - as in Django
        _kwargs: Any,  # noqa: ANN401
    ) -> None:
        """Read the form, as Django's check against forged ones does next.

        A view without that check reads its form by itself, and in its own way.
        """
        if not getattr(view, "csrf_exempt", False):
            try:
                _refuse("the form", _parts(request.POST))
            except UnreadablePostError as error:
                raise BadRequest("The form broke off") from error


def _parts(form: QueryDict) -> Iterator[str]:
    for name, values in form.lists():
        yield name
        yield from (value for value in values if isinstance(value, str))


def _refuse(where: str, texts: Iterable[str]) -> None:
    if any(_BROKEN.search(text) for text in texts):
        raise BadRequest(f"Broken text in {where}")
