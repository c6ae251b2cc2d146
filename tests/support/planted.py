"""Published entries of simulated readers, on a task with some wrong labels."""

from collections.abc import Sequence

from django.db import connection, transaction

from portal.board_version import raise_board_version
from portal.models import Example, Release, Submission, SubmissionState, TaskDataSet, User
from scoring.labels import LETTERS
from scoring.metrics import METRIC_SETS
from tests.scoring.item_analysis.readers import World, world
from tests.support.factories import add_answers, model, with_slug

SLUG, TASK = "planted", "longbook_choice_eng"
_OPTIONS = ["in the harbour", "at the mill", "on the tower", "behind the chapel"]
_FILL = """
UPDATE portal_resultblock SET
    predictions = (%(texts)s::text[])[16 * block + 1:16 * block + 16],
    strict = (%(strict)s::float[])[16 * block + 1:16 * block + 16]
WHERE evaluation_id = %(evaluation)s
"""


def plant_some() -> None:
    """For a site opened in a browser: 12 entries and 60 questions, 4 of them with a wrong label."""
    makers = list("aaabbbccddee")
    rates = [0.05, 0.1, 0.2, 0.1, 0.15, 0.3, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6]
    found = world(0, makers, rates, questions=60, wrong_labels=4)
    with transaction.atomic():
        plant(User.objects.get(username="author"), found, makers)
        raise_board_version()


def plant(owner: User, found: World, organisations: Sequence[str]) -> Release:
    """Store the entries. The letter of an option changes from question to question."""
    size = len(found.labels)
    data_set = TaskDataSet.objects.create(
        task=TASK, size=size, labels_hash=f"{SLUG}-{size}", questions_hash=""
    )
    release = Release.objects.create(slug=SLUG, title="Planted", accepts_submissions=False)
    release.data_sets.add(data_set)
    examples = []
    for index, label in enumerate(found.labels):
        options = [_OPTIONS[(place - index) % 4] for place in range(4)]
        text = _OPTIONS[label]
        examples.append(
            Example(
                data_set=data_set, index=index, key=str(index), options=options,
                label=[text, LETTERS[options.index(text)]],
                question=f"Where was the lantern of house {index} found?",
            )
        )  # fmt: skip
    Example.objects.bulk_create(examples)
    for row, organisation in enumerate(organisations):
        reader = model(f"Reader {row}")
        reader.organisation = f"Makers {organisation}"
        reader.save()
        submission = Submission.objects.create(
            owner=owner, language_model=reader, release=release, state=SubmissionState.PUBLISHED
        )
        with_slug(submission)
        scores = found.scores[row].tolist()
        evaluation = add_answers(submission, {TASK: dict.fromkeys(METRIC_SETS, scores)})
        texts = [
            LETTERS[one.options.index(_OPTIONS[answer])]
            for one, answer in zip(examples, found.answers[row], strict=True)
        ]
        values = {"texts": texts, "strict": scores, "evaluation": evaluation.pk}
        with connection.cursor() as cursor:
            cursor.execute(_FILL, values)
    return release
