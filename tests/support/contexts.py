"""Contexts as an import stores them, but without counting their tokens."""

from hashlib import sha256

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from portal.models import Context, Example, Release, TaskDataSet
from portal.releases.context_store import CONTEXTS
from scoring.text.text_index import build_index

BYTES_OF_A_TOKEN = 4  # of every token but the last


def store_context(text: str, *, estimated: bool = False) -> Context:
    """Store it with tokens of four bytes each, even where they end within a character."""
    data = text.encode()
    full, rest = divmod(len(data), BYTES_OF_A_TOKEN)
    lengths = bytes([BYTES_OF_A_TOKEN] * full + [rest] * bool(rest))
    index = build_index(text, len(lengths), None if estimated else lengths)
    digest = sha256(data).hexdigest()
    return Context.objects.create(
        sha256=digest,
        characters=len(text),
        size=len(data),
        tokens=len(lengths),
        tokens_estimated=estimated,
        text=default_storage.save(f"{CONTEXTS}/{digest}.txt", ContentFile(data)),
        index=default_storage.save(f"{CONTEXTS}/{digest}.index", ContentFile(index)),
    )


def release_with_contexts(
    slug: str, task: str, contexts: dict[str, Context | None], **columns: object
) -> Release:
    """A release of one task, with a question about each context by its key; ``columns`` belong to
    the examples."""
    release = Release.objects.create(slug=slug, title=slug.title())
    data_set = TaskDataSet.objects.create(
        task=task, size=len(contexts), labels_hash=slug, questions_hash=slug
    )
    release.data_sets.add(data_set)
    Example.objects.bulk_create(
        Example(
            data_set=data_set,
            index=index,
            key=key,
            label=["x"],
            question="Where?",
            context=context,
            **columns,
        )
        for index, (key, context) in enumerate(contexts.items())
    )
    return release
