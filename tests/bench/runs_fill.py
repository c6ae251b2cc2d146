"""Runs on the site, in the database of the settings, for ``tests.bench.runs``.

``python -m tests.bench.runs_fill start`` prints how long a run of 3,946 questions takes to start;
``… ask RELEASE URL MODEL CONCURRENCY`` starts a run and waits for its end.
"""

import sys
import time
from pathlib import Path

import django

django.setup()  # before any model can be imported

from portal.endpoint_runs.services import start_run, stop_run  # noqa: E402
from portal.models import EndpointRun, RunState, User  # noqa: E402
from portal.releases.importer import import_release  # noqa: E402
from tests.support.asked_runs import drafted  # noqa: E402
from tests.support.contexts import release_with_contexts, store_context  # noqa: E402

_OFFICIAL = 3_946  # questions


def seconds_to_start() -> float:
    context = store_context("The pass key is 12345. " * 1_000)
    contexts = {str(key): context for key in range(_OFFICIAL)}
    release = release_with_contexts("official", "passkey", contexts, tokens=5_000)  # type: ignore[arg-type]  # dicts are invariant
    owner = User.objects.create(username="alice")
    draft = drafted(owner, release, "http://127.0.0.1:9/v1", "model")
    begun = time.perf_counter()
    run = start_run(draft, owner)
    seconds = time.perf_counter() - begun
    stop_run(run, owner)
    return seconds


def ask(folder: str, url: str, model: str, concurrency: str) -> None:
    owner, _ = User.objects.get_or_create(username="bob")
    release = import_release(Path(folder), slug=Path(folder).name, title="Bench")
    draft = drafted(owner, release, url, model, concurrency=int(concurrency))
    draft.settings |= {"window": 160_000}
    draft.save()
    run = start_run(draft, owner)
    while EndpointRun.objects.get(pk=run.pk).state != RunState.ENDED:
        time.sleep(0.2)


if __name__ == "__main__":
    what, *arguments = sys.argv[1:]
    if what == "start":
        print(seconds_to_start())
    else:
        ask(*arguments)
