"""Addresses that pages and files of entries had before."""

from collections.abc import Callable
from functools import wraps

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from portal.permissions.access import current_ids

View = Callable[[HttpRequest, str], HttpResponseBase]


def at_current_address(view: View) -> View:
    """Redirects from former slugs of the entry and from the primary key of its submission. They are
    looked up only where the view has found nothing."""

    @wraps(view)
    def wrapped(request: HttpRequest, entry_id: str) -> HttpResponseBase:
        try:
            return view(request, entry_id)
        except Http404:
            current = current_ids([entry_id]).get(entry_id, entry_id)
            if current == entry_id or request.resolver_match is None:
                raise
        address = reverse(request.resolver_match.view_name, args=[current])
        query = request.GET.urlencode()
        return redirect(f"{address}?{query}" if query else address, permanent=True)

    return wrapped
