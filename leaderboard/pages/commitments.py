"""What was approved and will be public later: the hash at once, the rest when it opens."""

from typing import Any

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_page, conditional_response
from portal.models import Commitment
from portal.scores.documents.commitments import public_commitments
from portal.web.file_responses import as_attachment
from portal.web.throttle import throttled

_PAGE_SIZE = 50
_CACHE = "private, no-cache"  # revalidated each time: the entry may be withdrawn


@require_safe
@throttled
def commitments(request: HttpRequest) -> HttpResponse:
    page = Paginator(Commitment.objects.all(), _PAGE_SIZE).get_page(request.GET.get("page"))
    of_page: Any = page.object_list  # a queryset, which the stubs do not know
    context = {"page": page, "rows": list(public_commitments(of_page))}
    return conditional_page(request, "pages/commitments.html", context)


@require_safe
@throttled
def commitment_payload(request: HttpRequest, digest: str) -> HttpResponse:
    """The exact bytes that were hashed."""
    found = next(public_commitments(Commitment.objects.filter(hash=digest)), None)
    if found is None or not found.payload:
        raise Http404
    response = HttpResponse(found.payload.encode(), content_type="application/json")
    attachment = as_attachment(response, f"commitment-{digest[:16]}.json", cache=_CACHE)
    return conditional_response(request, attachment)
