"""A release of payloads, and entries that answer with payloads, for a site opened in a browser."""

import json
from pathlib import Path

from django.db import transaction

from portal.board_version import raise_board_version
from portal.models import (
    Example,
    ExampleResult,
    LanguageModel,
    Note,
    Release,
    Role,
    Submission,
    SubmissionState,
    User,
)
from portal.scores.estimates import BySet
from scoring.metrics import METRIC_SETS
from tests.support.example_results import change_results
from tests.support.factories import add_answers, with_slug
from tests.support.payloads import PAYLOADS, pieces
from tests.support.worlds import write_rows

SLUG, TASK = "hostile", "longbook_qa_eng"
ALL = "\n".join(PAYLOADS)
SHARED = (1, 2)  # questions that all entries answer with the same wrong answer


def write_release(folder: Path) -> Path:
    """Write each payload into a key, a kind and a question, and all of them into each answer and
    the context."""
    keys = ["".join(filter(str.isprintable, key)) for key in pieces(120)]
    kinds = list(pieces(60))
    rows, facets = [], []
    for number, key in enumerate(keys):
        context = "\n".join([ALL] * 8)
        question = f"{key} {ALL}"
        rows.append({"id": key, "context": context, "input": question, "answer": [key, ALL]})
        about = {"id": key, "target_tokens": 1, "evidence": [[3, 90], [len(ALL), len(ALL) + 40]]}
        facets.append(about | {"kind": " / ".join(kinds[number :: len(keys)])[:60]})
    write_rows(folder / f"{TASK}.jsonl", rows)
    (folder / "facets").mkdir()
    lines = "".join(f"{json.dumps(one)}\n" for one in facets)
    (folder / "facets" / f"{TASK}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def store_answers() -> None:
    """Store answers of published entries whose names and methods contain every payload."""
    release = Release.objects.get(slug=SLUG)
    size = release.data_sets.get().size
    owner = User.objects.earliest("pk")
    methods = list(pieces(80))
    with transaction.atomic():
        for number, name in enumerate(pieces(120)):
            model = LanguageModel.objects.create(
                slug=f"{SLUG}-{number}", name=name, organisation=name
            )
            submission = Submission.objects.create(
                language_model=model, release=release, state=SubmissionState.PUBLISHED,
                method=methods[number], owner=owner,
            )  # fmt: skip
            with_slug(submission)
            scores: BySet = {one: [0.1 * (number % 11)] * size for one in METRIC_SETS}
            evaluation = add_answers(submission, {TASK: scores})
            results = ExampleResult.objects.filter(evaluation=evaluation)
            change_results(results, prediction=f"{name} {ALL}")
            change_results(
                results.filter(index__in=SHARED), prediction=" ".join(PAYLOADS[:9]), strict=0
            )
        raise_board_version()


def store_notes() -> None:
    """Store a reviewer's notes on the first question and on a prediction: each payload, alone and
    among other text."""
    author = User.objects.filter(role=Role.REVIEWER).earliest("pk")
    example = Example.objects.filter(data_set__releases__slug=SLUG).earliest("index")
    entry = Submission.objects.filter(release__slug=SLUG).earliest("created", "pk")
    ways = ("{0}", "- {0}\n\n> {0}", "[{0}]({0}) <{0}> **{0}**", "```{0}\n{0}\n```\n\n![{0}]({0})")
    Note.objects.bulk_create(
        Note(example=example, submission=submission, author=author, text=way.format(payload))
        for submission, ways_here in ((None, ways[:2]), (entry, ways[2:]))
        for payload in PAYLOADS
        for way in ways_here
    )
