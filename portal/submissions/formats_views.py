"""Which files can be handed in."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from portal.submissions.formats_page import formats, room, tasks


@require_safe
def prediction_formats(request: HttpRequest) -> HttpResponse:
    found = {"formats": formats(), "tasks": tasks(), "room": room()}
    return render(request, "submit/formats.html", found)
