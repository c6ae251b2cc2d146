"""My models: the language models that a user has described."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from portal.errors import StateError
from portal.language_models.forms import LanguageModelForm, RenameForm
from portal.language_models.renaming import request_rename
from portal.language_models.services import (
    delete_language_model,
    edit_language_model,
    is_identity_locked,
)
from portal.models import LanguageModel, RenameRequest, User
from portal.permissions.access import user_of
from portal.web.form_views import (
    post_only,
    posted_data,
    render_form,
    safe_next_url,
    user_errors_as_messages,
)


@login_required
@require_safe
def my_models(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
    models = LanguageModel.objects.owned_by(user).with_uses()
    return render(request, "models/list.html", {"models": models})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_model_edit(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    # The form changes one of the two; the page shows the name of the other, as it is stored.
    stored, edited = _own_model(user, slug), _own_model(user, slug)
    locked = is_identity_locked(stored)
    form = LanguageModelForm(posted_data(request), user=user, known=edited, identity_locked=locked)
    back = safe_next_url(request.GET) or reverse("my-models")
    if form.is_valid():
        try:
            edit_language_model(form.instance, by=user)
            messages.success(request, "Saved.")
            return redirect(back)
        except LanguageModel.DoesNotExist as error:  # deleted in another tab
            raise Http404 from error
        except StateError as error:
            form.add_error(None, ValidationError(str(error), error.code))
    context = {"model": stored, "identity_locked": locked, "back": back}
    return render_form(request, "models/edit.html", form, context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_model_rename(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask for another name of a model that others know."""
    user = user_of(request)
    model = _own_model(user, slug)
    form = RenameForm(posted_data(request), user=user, model=model)
    if form.is_valid():
        with user_errors_as_messages(request):
            request_rename(model, by=user, **form.cleaned_data)
            messages.success(request, "Sent for review. We will email you the decision.")
        return redirect("my-models")
    context = {
        "model": model,
        "identity_locked": is_identity_locked(model),
        "request_open": RenameRequest.objects.filter(language_model=model).first(),
    }
    return render_form(request, "models/rename.html", form, context)


@login_required
@post_only("my-models")
def my_model_delete(request: HttpRequest, slug: str) -> HttpResponse:
    user = user_of(request)
    model = _own_model(user, slug)
    with user_errors_as_messages(request):
        delete_language_model(model, by=user)
        messages.success(request, "Language model deleted.")
    return redirect("my-models")


def _own_model(user: User, slug: str) -> LanguageModel:
    return get_object_or_404(LanguageModel.objects.owned_by(user), slug=slug)
