"""What a person is told when a service refuses."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.http import Http404, HttpRequest

from portal.errors import UserError


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """What cannot be done any more is a message on the page; what is gone by now is not there."""
    try:
        yield
    except UserError as error:
        messages.error(request, str(error))
    except ObjectDoesNotExist as error:
        raise Http404 from error
