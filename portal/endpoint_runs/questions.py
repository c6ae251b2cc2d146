"""The questions of a release in the database, and which of them a run asks, in which order."""

import secrets
from collections.abc import Collection
from functools import partial

from django.core.files.storage import default_storage
from django.db.models import QuerySet

from portal.endpoint_runs.deviations import task_deviations
from portal.errors import ReleaseError
from portal.models import EndpointRun, Example, Release, RunQuestion
from scoring.catalog import TASKS
from scoring.endpoint.order import in_order
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings, settings_of
from scoring.endpoint.subsets import subset_of
from scoring.keys import canonical_key
from scoring.labels import release_label
from scoring.releases.facets import Facets
from scoring.releases.gold import GoldExample

_SEED_BITS = 31


def settings_of_run(run: EndpointRun) -> RunSettings:
    """Raises ``SettingsError``."""
    return settings_of(run.settings)


def release_questions(release: Release, tasks: Collection[str]) -> list[ReleaseQuestion]:
    """The release's questions of these tasks, in its order. No context is read.

    Raises ``ReleaseError``.
    """
    return [release_question(example) for example in _examples(release, tasks)]


def release_question(example: Example) -> ReleaseQuestion:
    """``example`` comes with its data set and context. Raises ``ReleaseError``."""
    task, key, context = example.data_set.task, canonical_key(example.key), example.context
    if key is None:
        raise ReleaseError(f"The example {example} has no key.")
    options = tuple(example.options)
    label = release_label(TASKS[task], example.label, options)
    evidence = example.evidence and tuple((start, end) for start, end in example.evidence)
    return ReleaseQuestion(
        task,
        GoldExample(key, label, options, context.sha256 if context else "", example.answer_type),
        example.question,
        Facets(
            example.target_tokens,
            example.ladder,
            example.depth,
            example.hops,
            example.kind,
            evidence,
        ),
        context.characters if context else 0,
        None if example.tokens_estimated else example.tokens,
        partial(_stored_text, str(context.text.name) if context else ""),
    )


def questions_of(
    release: Release, settings: RunSettings, same_as: EndpointRun | None = None
) -> list[ReleaseQuestion]:
    """The questions of a run with these settings, in its order: those of ``same_as``, or those
    drawn with its seed. Raises ``ReleaseError``."""
    every = release_questions(release, settings.tasks)
    if same_as is None:
        chosen = subset_of(every, settings.subset, settings.order, task_deviations(release))
        return in_order(chosen, settings.order)[: settings.limit]
    # Drawing again with the same seed could differ: newly published entries change the sample.
    by_name = {(one.task, one.key): one for one in every}
    rows = same_as.questions.order_by("place").values_list("task", "example__key")
    names = [(task, canonical_key(key)) for task, key in rows]
    return [by_name[name] for name in names if name in by_name][: settings.limit]


def plan_run(run: EndpointRun) -> int:
    """Draw which questions the run asks, in which order, and store them; returns how many. Nobody
    chooses the seed, nor knows it before the start: its author could look for a sample that suits
    the model. The seed of an earlier run was itself drawn at its start.

    Raises ``SettingsError`` and ``ReleaseError``.
    """
    earlier = run.same_questions_as
    order = earlier.settings["order"] if earlier else secrets.randbits(_SEED_BITS)
    run.settings = {**run.settings, "order": order}
    settings = settings_of_run(run)
    run.settings["output_tokens"] = dict(settings.with_limits().output_tokens)
    examples = list(_examples(run.release, settings.tasks))
    rows = {(one.data_set.task, canonical_key(one.key)): one.pk for one in examples}
    planned = questions_of(run.release, settings, earlier)
    RunQuestion.objects.bulk_create(
        [
            RunQuestion(run=run, place=place, example_id=rows[one.task, one.key], task=one.task)
            for place, one in enumerate(planned)
        ],
        batch_size=1_000,
    )
    run.size = len(examples)
    run.save(update_fields=["settings", "size"])
    return len(planned)


def _examples(release: Release, tasks: Collection[str]) -> QuerySet[Example]:
    ids = [
        data_set.pk
        for task in TASKS
        if task in tasks
        for data_set in release.data_sets.all()
        if data_set.task == task
    ]
    found = Example.objects.filter(data_set__in=ids).select_related("data_set", "context")
    return found.order_by("data_set", "index")


def _stored_text(name: str) -> str:
    """Raises ``OSError``."""
    if not name:
        return ""
    with default_storage.open(name) as stored:
        data: bytes = stored.read()
    return data.decode()
