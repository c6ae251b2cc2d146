"""What clients send of a submission, converted for the forms of the page."""

from collections.abc import Set as AbstractSet

from django.http import QueryDict
from rest_framework.request import Request

from portal.api.bodies import Fields, check_names, fields_of
from portal.api.errors import FieldError, InvalidFields
from portal.api.submissions.sent import SentSubmissionSerializer
from portal.models import LanguageModel, Release, Submission, User
from portal.submissions.submit.forms import FILE_TASK, SubmitForms
from portal.submissions.submit.model_choice import NEW


def check_form_names(sent: QueryDict, files: AbstractSet[str]) -> None:
    """``files``: the names of the fields with files. Names that only the page uses are unknown
    here. Raises ``InvalidFields``."""
    of_page = {"submission", *(name for name in sent if name.startswith(FILE_TASK))}
    check_names({*sent, *files} - of_page, SentSubmissionSerializer)


def form_of_body(request: Request, sends: Fields) -> QueryDict:
    """The fields of a JSON object as a form would send them. Raises what ``fields_of`` raises."""
    fields = fields_of(request, sends)
    if isinstance(request.data, QueryDict):
        return request.data
    sent = QueryDict(mutable=True)
    for name, value in fields.items():
        sent.setlist(
            name, [_as_text(one) for one in (value if isinstance(value, list) else [value])]
        )
    return sent


def _as_text(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "on" if value else ""
    return str(value)


def check_forms(forms: SubmitForms, sent: QueryDict) -> None:
    """Raises ``InvalidFields``, also if the previous submission is unknown, or lacks tasks to keep:
    a page, which has just listed these, silently leaves out what is gone since."""
    if not forms.is_valid():
        raise InvalidFields(form for form in (forms.form, forms.model_form) if form.is_bound)
    if sent.get("previous") and forms.previous is None:
        detail = "You have no such submission of this language model."
        raise InvalidFields(errors=[FieldError("previous", "unknown_submission", detail)])
    held = [one.value for one, _ in forms.form.keepable]
    unknown = sorted(set(sent.getlist("keep")) - set(held))
    if unknown:
        has = f"It has: {', '.join(held)}." if held else "Name it as `previous`."
        detail = f"The previous submission has no {', '.join(unknown)}. {has}"
        raise InvalidFields(errors=[FieldError("keep", "not_held", detail)])


def as_page_form(owner: User, sent: QueryDict) -> QueryDict:
    """Convert to the page's form, which names releases and language models by their primary keys; a
    client names them by their slugs."""
    form = sent.copy()
    form.pop("submission", None)  # Idempotency-Key takes its place
    offered = Release.objects.open_for_submissions()
    numbers = dict(offered.order_by().values_list("slug", "pk"))
    if slug := sent.get("release"):
        form["release"] = str(numbers.get(slug, slug if slug.isdecimal() else 0))
    elif len(numbers) == 1:
        [form["release"]] = map(str, numbers.values())
    model = sent.get("language_model", "")
    if model and model != NEW:
        known = LanguageModel.objects.offered_to(owner).filter(slug=model)
        form["language_model"] = str(known.values_list("pk", flat=True).first() or 0)
    form.setdefault("truncation", Submission.Truncation.UNKNOWN)
    return form
