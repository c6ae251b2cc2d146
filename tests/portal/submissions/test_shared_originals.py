"""An original exists as long as a version refers to it, and is deleted right after."""

import os
import shutil
from pathlib import Path
from uuid import UUID

import pytest
from django.core.files.base import ContentFile
from hypothesis import HealthCheck, Phase
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from portal.errors import StateError
from portal.models import CountedUpload, Original, Release, Role, Submission, User
from portal.operations.orphans import delete_orphaned_files
from portal.submissions.files.held_tasks import held_tasks, kept_files
from portal.submissions.files.originals import Upload
from portal.submissions.services import SubmissionSettings, delete_submission, submit_predictions
from tests.support.factories import model_of

TASKS = ("passkey", "code_run", "math_find")
MANY = 6  # submissions in one run, at most


class Versions(RuleBasedStateMachine):
    versions = Bundle("versions")
    owner: User
    release: Release
    storage: Path

    def __init__(self) -> None:
        super().__init__()
        Submission.objects.all().delete()
        Original.objects.all().delete()
        CountedUpload.objects.all().delete()
        shutil.rmtree(self.storage, ignore_errors=True)
        self.bytes: dict[UUID, set[bytes]] = {}  # that each version needs
        self.sent = 0

    def submit(self, upload: bytes | None, previous: Submission | None, keep: set[str]) -> UUID:
        kept = kept_files(held_tasks(previous), keep) if previous else []
        submission = submit_predictions(
            owner=self.owner,
            language_model=model_of(self.owner),
            release=self.release,
            settings=SubmissionSettings(),
            upload=Upload(ContentFile(upload), "x.zip") if upload else None,
            kept=kept,
            previous=previous,
        )
        needed = {self.content(one.original) for one in kept}
        self.bytes[submission.pk] = needed | ({upload} if upload else set())
        return submission.pk

    def content(self, original: Original) -> bytes:
        return (self.storage / str(original.file.name)).read_bytes()

    def new_bytes(self) -> bytes:
        self.sent += 1
        return f"upload {self.sent}".encode()

    @rule(target=versions)
    def first(self) -> object:
        return self.submit(self.new_bytes(), None, set()) if len(self.bytes) < MANY else multiple()

    @rule(target=versions, of=versions, keep=st.sets(st.sampled_from(TASKS)), new=st.booleans())
    def version(self, of: UUID, keep: set[str], new: bool) -> object:
        previous = Submission.objects.get(pk=of)
        wanted = {one.value for one in held_tasks(previous) if one.task in {"", *keep}}
        if len(self.bytes) >= MANY or not (new or wanted):
            return multiple()
        return self.submit(self.new_bytes() if new else None, previous, wanted)

    @rule(of=versions, had=st.sets(st.sampled_from(TASKS)))
    def read(self, of: UUID, had: set[str]) -> None:
        """A worker reports what is in the files: these tasks in new ones, others in kept ones."""
        submission = Submission.objects.get(pk=of)
        new = [file.is_new for file in submission.files.all()]
        kept = [set(file.kept_tasks or ()) - had for file in submission.files.all()]
        contents = [sorted(had if is_new else own) for is_new, own in zip(new, kept, strict=True)]
        submission.evaluations.update(contents=contents)

    @rule(of=consumes(versions))
    def delete(self, of: UUID) -> None:
        delete_submission(Submission.objects.get(pk=of), by=self.owner)
        del self.bytes[of]

    @rule(of=versions)
    def keep_nothing_that_is_gone(self, of: UUID) -> None:
        """Try to keep originals that are gone: the refused upload leaves nothing behind."""
        submission = Submission.objects.get(pk=of)
        held = held_tasks(submission)
        kept = kept_files(held, [one.value for one in held])
        for one in kept:
            one.original.pk = 0
        if kept:
            with pytest.raises(StateError):
                submit_predictions(
                    owner=self.owner,
                    language_model=model_of(self.owner),
                    release=self.release,
                    settings=SubmissionSettings(),
                    upload=Upload(ContentFile(b"refused"), "x.zip"),
                    kept=kept,
                )

    @rule()
    def sweep(self) -> None:
        for file in self.storage.glob("uploads/*"):
            os.utime(file, (0, 0))
        assert delete_orphaned_files() == 0

    @invariant()
    def what_is_referred_to_is_there_and_nothing_else(self) -> None:
        for submission in Submission.objects.all():
            files = submission.files.select_related("original")
            assert {self.content(one.original) for one in files} == self.bytes[submission.pk]
        needed = set[bytes]().union(*self.bytes.values())
        assert {file.read_bytes() for file in self.storage.glob("uploads/*")} == needed
        assert Original.objects.count() == len(needed)

    @invariant()
    def bytes_are_counted_once(self) -> None:
        counted = sum(CountedUpload.objects.values_list("size", flat=True))
        assert counted == sum(len(f"upload {n + 1}") for n in range(self.sent))


@pytest.mark.django_db(transaction=True)
def test_bytes_live_as_long_as_a_version_refers_to_them(release: Release, storage: Path) -> None:
    class World(Versions):
        pass

    World.owner = User.objects.create_user("adam", role=Role.ADMIN)  # without a quota
    World.release, World.storage = release, storage
    enough = hypothesis_settings(
        max_examples=10,
        stateful_step_count=25,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
    )
    run_state_machine_as_test(World, settings=enough)
