"""A release that asks the same questions at several lengths, and entries whose window is known."""

from collections.abc import Collection

from portal.models import Example, Release, Submission, SubmissionState, TaskDataSet, User
from scoring.metrics import METRIC_SETS
from tests.support.factories import add_answers, model, with_slug

LENGTHS = (4_000, 16_000, 64_000)
QUESTIONS = 60
TASKS = ("passkey", "kv_retrieval")


def ladder_release(
    slug: str = "steps", tasks: Collection[str] = TASKS, **columns: object
) -> Release:
    """``QUESTIONS`` of each task at each of ``LENGTHS``, and one more at a single length."""
    release = Release.objects.create(slug=slug, title=slug.title(), **columns)
    for task in tasks:
        size = len(LENGTHS) * QUESTIONS + 1
        data_set = TaskDataSet.objects.create(
            task=task, size=size, labels_hash=f"{slug}-{task}", questions_hash=""
        )
        release.data_sets.add(data_set)
        on_ladder = [
            Example(
                data_set=data_set,
                index=place * QUESTIONS + number,
                key=str(place * QUESTIONS + number),
                label=["x"],
                target_tokens=length,
                ladder=number,
                depth=number / (QUESTIONS - 1),
            )
            for place, length in enumerate(LENGTHS)
            for number in range(QUESTIONS)
        ]
        rest = Example(data_set=data_set, index=size - 1, key="rest", label=["x"])
        Example.objects.bulk_create([*on_ladder, rest])
    return release


def reader(
    owner: User,
    release: Release,
    name: str,
    window: int,
    tasks: Collection[str] = TASKS,
    **columns: object,
) -> Submission:
    """A reader that is right up to its window, and in a tenth of the questions beyond it."""
    columns = {"state": SubmissionState.PUBLISHED, **columns}
    submission = Submission.objects.create(
        owner=owner, language_model=model(name), release=release, **columns
    )
    with_slug(submission)
    scores = [
        float(length <= window or number % 10 == 0)
        for length in LENGTHS
        for number in range(QUESTIONS)
    ]
    columns_of = {name: [*scores, 0.0] for name in METRIC_SETS}
    add_answers(submission, dict.fromkeys(tasks, columns_of))
    return submission
