"""The views behind the forms of notes on the page of an example, to which they lead back."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from portal.errors import UserError
from portal.models import Example, Note, Release, Submission
from portal.permissions.access import reviewer_of
from portal.review.notes.forms import NoteForm
from portal.review.notes.queries import answering_submission, find_note
from portal.review.notes.services import edit_note, remove_note, write_note
from portal.web.form_views import (
    post_only,
    posted_data,
    render_form,
    safe_next_url,
    user_errors_as_messages,
)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def note_write(request: HttpRequest, example_id: int) -> HttpResponse:
    """A note on the question, or on the prediction of the submission that ``entry`` names."""
    user = reviewer_of(request)
    if not Release.objects.public().filter(data_sets__examples=example_id).exists():
        raise Http404  # the example has no page
    example = get_object_or_404(Example.objects.select_related("data_set"), pk=example_id)
    entry = (request.POST or request.GET).get("entry", "")
    submission = answering_submission(user, example, entry) if entry else None
    back = _way_back(request, example, submission)
    form = NoteForm(posted_data(request))
    if form.is_valid():
        with _errors_on(form):
            write_note(example, form.cleaned_data["text"], by=user, submission=submission)
            messages.success(request, "The note is saved.")
            return HttpResponseRedirect(back)
    context = {"example": example, "submission": submission, "back": back}
    return render_form(request, "review/notes/form.html", form, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def note_edit(request: HttpRequest, note_id: int) -> HttpResponse:
    user = reviewer_of(request)
    note = find_note(user, note_id)
    if note.author_id != user.pk:
        raise Http404
    back = _way_back(request, note.example, note.submission)
    form = NoteForm(posted_data(request), initial={"text": note.text})
    if form.is_valid():
        with _errors_on(form):
            edit_note(note, form.cleaned_data["text"], by=user)
            messages.success(request, "The note is saved.")
            return HttpResponseRedirect(back)
    context = {"example": note.example, "submission": note.submission, "note": note, "back": back}
    return render_form(request, "review/notes/form.html", form, context)


@login_required
@post_only("review")
def note_remove(request: HttpRequest, note_id: int) -> HttpResponse:
    user = reviewer_of(request)
    note = find_note(user, note_id)
    with user_errors_as_messages(request):
        remove_note(note, by=user)
        messages.success(request, "The note is removed. The audit log keeps its text.")
    return HttpResponseRedirect(_way_back(request, note.example, note.submission))


@contextmanager
def _errors_on(form: NoteForm) -> Iterator[None]:
    """Show an error on the form, which keeps the input."""
    try:
        yield
    except UserError as error:
        form.add_error(None, ValidationError(str(error), error.code))
    except Note.DoesNotExist as error:
        raise Http404 from error


def _way_back(request: HttpRequest, example: Example, submission: Submission | None) -> str:
    """The notes on the page that the form was on, or on a page of the example."""
    anchor = f"notes-{submission.pk}" if submission else "notes"
    if url := safe_next_url(request.POST or request.GET):
        return f"{url.partition('#')[0]}#{anchor}"
    releases = Release.objects.public().filter(data_sets=example.data_set_id)
    slug = releases.order_by("-part_of", "slug").values_list("slug", flat=True)[0]
    address = reverse("examples", args=[slug, example.data_set.task])
    query = f"?entry={submission.pk}" if submission else ""
    return f"{address}{quote(example.key, safe='')}/{query}#{anchor}"
