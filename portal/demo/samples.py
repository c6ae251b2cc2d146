"""Sample predictions for the demo's small release: to upload, or submitted with one press."""

import json
from pathlib import Path
from random import Random

import orjson
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect

from portal.demo.small_release import SEED, SLUG
from portal.demo.state_folder import samples_folder
from portal.errors import QuotaError, StateError
from portal.models import LanguageModel, Release
from portal.permissions.access import user_of
from portal.releases.downloads import temporary_import_file
from portal.submissions.files.originals import Upload
from portal.submissions.services import SubmissionSettings, submit_predictions
from portal.web.form_views import post_only
from portal.web.zip_writer import pack
from scoring.atomic_folder import atomic_directory
from scoring.catalog import TASKS, Kind, Task
from scoring.labels import LETTERS

_MODEL = "Sample model"
_RIGHT = 0.75  # share of the sample predictions
_FEW, _KEPT = 5, 0.85  # words of a text, and the share of them that a right answer repeats
_ENOUGH = 10  # examples: one missing answer in so many is a tenth, the most that a release allows


def write_samples(release: Path, samples: Path) -> None:
    """Sample predictions for the release in a folder; nothing if they exist."""
    if samples.exists():
        return
    with atomic_directory(samples, ".samples-") as draft:
        for file in sorted(release.glob("*.jsonl")):
            rows = sample_predictions(file.stem, file.read_bytes())
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (draft / f"preds_{file.name}").write_text(lines, encoding="utf-8")


@login_required
@post_only("submit")
def submit_samples(request: HttpRequest) -> HttpResponse:
    """Submit the folder as it is now: its owner may have changed the files."""
    files = sorted(samples_folder(settings.STATE_DIR).glob("*.jsonl")) if settings.DEMO else []
    if not files:
        raise Http404
    user, release = user_of(request), get_object_or_404(Release, slug=SLUG)
    own = LanguageModel.objects.owned_by(user).filter(name=_MODEL).first()
    model = own or LanguageModel(name=_MODEL, weights=LanguageModel.Weights.OPEN)
    with temporary_import_file() as archive:
        pack(((file.name, [file.read_bytes()]) for file in files), archive)
        archive.seek(0)
        try:
            submission = submit_predictions(
                owner=user,
                language_model=model,
                release=release,
                settings=SubmissionSettings(),
                upload=Upload(archive, "demo-samples.zip"),
            )
        except (QuotaError, StateError) as error:
            messages.error(request, str(error))
            return redirect("submit")
    return redirect("submission", submission.pk)


def sample_predictions(task: str, release: bytes) -> list[dict[str, object]]:
    """Such as an honest model might give, made from the answers of a release: about three in four
    are right, long texts in most of their words, and the others wrong; one is missing where enough
    are left for publication."""
    random = Random(f"{SEED} {task}")  # noqa: S311 - seeded, so that every demo has the same
    rows = [orjson.loads(line) for line in release.splitlines()]
    answers = [row["answer"] for row in rows]
    missing = random.choice(rows)["id"] if len(rows) >= _ENOUGH else None
    found = []
    for row in rows:
        is_right = random.random() < _RIGHT
        answer = row["answer"] if is_right else random.choice(answers)
        if row["id"] != missing:
            prediction = _phrase(TASKS[task], answer, row["options"], random, is_right=is_right)
            found.append({"id": row["id"], "prediction": prediction})
    return found


def _phrase(
    task: Task, answer: object, options: list[str], random: Random, *, is_right: bool
) -> str:
    """An answer as a model would write it: the first of several texts; all of a list of numbers; an
    option with its letter.

    Never a long text word for word, nor the gold answer of another question again and again: both
    raise warnings for reviewers.
    """
    if task.kind is Kind.INTEGERS:
        return json.dumps(answer)
    text = str(answer[0] if isinstance(answer, list) else answer)
    if task.kind is Kind.CHOICE:
        letter = LETTERS[options.index(text)] if text in options else "A"
        return f"{letter}. {text}"
    if task.kind is Kind.TEXTS:
        return _drop_words(text, random) if is_right else "I cannot find the answer."
    wrong = text[::-1] if task.kind is Kind.TEXT else text
    return f"The answer is {text if is_right else wrong}."


def _drop_words(text: str, random: Random) -> str:
    """Leave out some words, or Chinese characters, of a text with more than a few."""
    space = " " if " " in text else ""
    words = text.split() if space else list(text)
    if len(words) < _FEW or (not space and text.isascii()):
        return text
    kept = [word for word in words if random.random() < _KEPT]
    return space.join(kept if len(kept) < len(words) else words[1:])
