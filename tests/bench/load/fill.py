"""``python -m tests.bench.load.fill FOLDER ENTRIES``: so many entries to read, a release to
submit to, and authors with tokens, in the database of the settings.

Writes ``load.json`` into the folder, which the locustfile reads.
"""

import json
import sys
from itertools import pairwise
from pathlib import Path
from random import Random

import django

django.setup()  # before any model can be imported

from django.db import connection  # noqa: E402

from portal.accounts.tokens import create_token  # noqa: E402
from portal.models import LanguageModel, Scope, Submission, User  # noqa: E402
from portal.releases.importer import import_release  # noqa: E402
from scoring.catalog import TASKS  # noqa: E402
from scoring.generators.release import generate_release  # noqa: E402
from tests.bench.examples_fill import WITH_SCORES, fill  # noqa: E402
from tests.bench.results.word_index import INDEX  # noqa: E402

_AUTHORS = 40  # each of whom submits every 40 seconds
_READ = 400  # different addresses of each kind at most
RELEASE, TASK = "load", "passkey"


def main(folder: Path, entries: int) -> None:
    fill(entries)
    with connection.cursor() as cursor:
        cursor.execute(INDEX)
        cursor.execute("VACUUM ANALYZE")
    generate_release(
        folder / "gold", seed=5, tokens=[2_000], tasks=[TASK], examples=TASKS[TASK].examples
    )
    import_release(folder / "gold", slug=RELEASE, title="For submissions")
    authors = [_author(number) for number in range(_AUTHORS)]
    known = {
        "reads": _reads(),
        "authors": authors,
        "release": RELEASE,
        "task": TASK,
        "examples": TASKS[TASK].examples,
    }
    (folder / "load.json").write_text(json.dumps(known))


def _author(number: int) -> dict[str, str]:
    user = User.objects.create(username=f"author-{number}", email=f"author-{number}@example.org")
    model = LanguageModel.objects.create(
        slug=f"loaded-{number}", name=f"Loaded {number}", owner=user
    )
    token = create_token(user, "load", [Scope.READ, Scope.SUBMIT], 1)
    return {"token": token.text, "model": model.slug}


def _reads() -> dict[str, list[str]]:
    """By name of a kind: addresses."""
    random = Random(3)
    entries = list(Submission.objects.published().values_list("slug", "language_model__slug"))
    chosen = random.sample(entries, min(_READ, len(entries)))
    tasks = [*WITH_SCORES]
    numbers = [random.randrange(189) for _ in range(_READ)]
    examples = [f"/examples/hf/{random.choice(tasks)}/" for _ in numbers]
    pairs = pairwise(chosen)
    return {
        "board": ["/", "/board/hf/", "/board/hf/?metric_set=strict"],
        "entry": [f"/entries/{entry}/" for entry, _slug in chosen],
        "model": [f"/models/{slug}/" for _entry, slug in chosen],
        "task": [f"/tasks/{task}/" for task in TASKS],
        "list of examples": [f"/examples/hf/{task}/?is=wrong" for task in tasks],
        "examples of an entry": [
            f"/examples/hf/{random.choice(tasks)}/?entry={entry}&is=wrong"
            for entry, _slug in chosen
        ],
        "example": [
            f"{one}{one.split('/')[3]}%2F{number}/"
            for one, number in zip(examples, numbers, strict=True)
        ],
        "search": [f"/examples/hf/longbook_qa_eng/?words=seldom{number}" for number in numbers],
        "comparison": [f"/compare/?a={a[0]}&b={b[0]}" for a, b in pairs],
        "API": ["/api/v1/entries/?release=hf", "/api/v1/releases/", "/api/v1/tasks/"],
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
