"""∞Bench as one release: its official data with all their label versions.

Submissions name the benchmark, and which label version fits is found for each task. Each official
question has one number across versions and their ids, so that entries scored with different
versions can be compared.
"""

from django.db.models import F

from portal.errors import ReleaseError
from portal.models import Example, Release, Submission, TaskDataSet
from scoring.catalog import TASKS

SLUG = "infinitebench"
_TEXTS = {
    "title": "InfiniteBench",
    "description": "The original ∞Bench data. Which version of the labels your files were made "
    "for is found task by task.",
}


def join_benchmark(release: Release) -> bool:
    """Make an official release a label version of the benchmark, which is created with its first.

    Returns whether anything is changed. Raises ``ReleaseError`` for a release with its name.
    """
    if release.slug == SLUG:
        raise ReleaseError(
            f"“{SLUG}” is the benchmark with all its label versions: choose another --slug for "
            "this one."
        )
    if release.part_of_id is not None:
        return False
    facts = {"official": True, "accepts_submissions": release.accepts_submissions}
    benchmark, _ = Release.objects.get_or_create(slug=SLUG, defaults={**_TEXTS, **facts})
    release.part_of = benchmark
    release.save(update_fields=["part_of"])
    # Submissions from before it was a label version.
    release.submissions.filter(origin=Submission.Origin.UPLOADED).update(release=benchmark)
    newest = benchmark.label_versions.latest("created", "pk")
    benchmark.data_sets.set(newest.data_sets.all())
    return True


def number_questions(data_set: TaskDataSet) -> None:
    """Give the examples of official data the numbers of their questions.

    A whole set is numbered in its own order, which is the same in all versions. A part of it, as in
    released files, has the ids of the version with which it has most labels in common.
    """
    examples = data_set.examples.filter(question_number=None)
    if data_set.size == TASKS[data_set.task].examples:
        examples.update(question_number=F("index"))
        return
    rows = list(examples.only("key", "label"))
    whole = TaskDataSet.objects.filter(
        task=data_set.task, size=TASKS[data_set.task].examples, releases__official=True
    ).distinct()
    best: dict[str, int | None] = {}
    most = -1
    for other in whole.order_by("-created", "-pk"):
        known = {
            key: (number, label)
            for key, number, label in other.examples.values_list("key", "question_number", "label")
        }
        if any(row.key not in known for row in rows):
            continue
        equal = sum(known[row.key][1] == row.label for row in rows)
        if equal > most:
            most, best = equal, {key: number for key, (number, _) in known.items()}
    for row in rows:
        row.question_number = best.get(row.key)
    Example.objects.bulk_update(rows, ["question_number"])
