"""Forms on pages: what was sent with them, and the page that shows them."""

from collections.abc import Mapping

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render


def sent(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to; None where its page is only looked at."""
    return request.POST if request.method == "POST" else None


def form_page(
    request: HttpRequest,
    template: str,
    form: BaseForm,
    also: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The page with its form. One that was sent comes back only because something is wrong: 422."""
    status = 422 if form.is_bound else 200
    return render(request, template, {**(also or {}), "form": form}, status=status)
