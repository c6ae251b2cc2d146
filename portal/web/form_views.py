"""What views with forms share: reading them, showing them again, and going back where they were."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps

from django.contrib import messages
from django.core.exceptions import ObjectDoesNotExist
from django.forms import BaseForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from portal.errors import UserError

View = Callable[..., HttpResponse]


def posted_data(request: HttpRequest) -> QueryDict | None:
    """What to bind the form to: None where its page is only visited."""
    return request.POST if request.method == "POST" else None


def render_form(
    request: HttpRequest,
    template: str,
    form: BaseForm,
    context: Mapping[str, object] | None = None,
) -> HttpResponse:
    """A page with its form. A bound form is shown again only with errors, so the status is 422."""
    status = 422 if form.is_bound else 200
    return render(request, template, {**(context or {}), "form": form}, status=status)


@contextmanager
def user_errors_as_messages(request: HttpRequest) -> Iterator[None]:
    """Shows a ``UserError`` on the next page; a row that was deleted meanwhile is a 404."""
    try:
        yield
    except UserError as error:
        messages.error(request, str(error), extra_tags=error.code)
    except ObjectDoesNotExist as error:
        raise Http404 from error


def safe_next_url(data: Mapping[str, str]) -> str:
    """The page that ``next`` names; empty if that is not on this site. No host is allowed in it, so
    it cannot lead elsewhere."""
    url = data.get("next", "")
    is_here = url.startswith("/") and url_has_allowed_host_and_scheme(url, allowed_hosts=None)
    return url if is_here else ""


def post_only(page: str, *parts: str) -> Callable[[View], View]:
    """Only POST acts. A visit is redirected to the page with the button, whose address takes these
    parts of this one.

    A browser visits the address of a POST when it is sent back there: after signing in again.
    """

    def decorate(view: View) -> View:
        act = require_POST(view)

        @wraps(view)
        def wrapper(request: HttpRequest, **kwargs: object) -> HttpResponse:
            if request.method in ("GET", "HEAD"):
                found = {part: kwargs[part] for part in parts}
                return HttpResponseRedirect(reverse(page, kwargs=found))
            return act(request, **kwargs)

        return wrapper

    return decorate
