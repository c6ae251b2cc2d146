"""Receipts of entries and the keys to verify them, also where labels are hidden."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from leaderboard.cache import conditional_response
from leaderboard.pages.entries.entry import entry_details
from portal.scores.documents.receipts import has_receipts, receipt_keys, receipt_of
from portal.web.file_responses import as_attachment
from portal.web.throttle import throttled
from scoring.receipts import FORM

_CACHE = "private, no-cache"  # revalidated each time: the entry may be withdrawn


@require_safe
@throttled
def entry_receipt(request: HttpRequest, entry_id: str) -> HttpResponse:
    details = entry_details(entry_id) if has_receipts() else None
    if details is None or details.submission is None or details.evaluation is None:
        raise Http404
    receipt, entry = receipt_of(details.evaluation), details.submission
    response = JsonResponse(receipt, json_dumps_params={"ensure_ascii": False})
    name = f"{entry.language_model.slug}-{entry.pk.hex[:8]}-receipt.json"
    return conditional_response(request, as_attachment(response, name, cache=_CACHE))


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """The public keys of this site, newest first."""
    response = JsonResponse({"form": FORM, "keys": receipt_keys()})
    response["Cache-Control"] = "public, max-age=300"
    return conditional_response(request, response)
