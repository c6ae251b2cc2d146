"""Opens a pull request with the scores of an entry in the repository of its model, once.

A worker can be lost after the Hub has opened it and before that is stored, and so can the answer.
So each attempt first looks for a pull request with the same title. The title has a mark that
nobody else can know before: no stranger can take its place.
"""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.utils.crypto import salted_hmac

from portal.hub import jobs
from portal.hub.client import HubClient
from portal.hub.failures import HubError
from portal.models import CardRequest, HubJobState, Submission
from portal.permissions.access import acts_for
from portal.queue import enqueue_pull_request
from portal.scores.documents.eval_results import (
    card_path,
    entry_address,
    eval_results,
    evaluation_for_card,
)

_SALT = "portal.hub.pull_requests"


def open_pull_request(request_id: UUID, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Any number of times: only one worker has it, and a pull request is opened once.

    Raises ``DatabaseError`` where the database is lost: then another worker goes on.
    """
    if jobs.claim(CardRequest, request_id) is None:
        return
    request = CardRequest.objects.select_related("owner", "submission__team").get(pk=request_id)
    with jobs.failures_recorded(request):
        evaluation = evaluation_for_card(request.submission_id)
        if evaluation is None:
            raise HubError("not_published")
        if not acts_for(request.owner, request.submission):
            raise HubError("left_team")
        entry = evaluation.submission
        title, repository = _title(entry), request.repository
        renew = partial(jobs.update, request)  # the lease, between two steps
        with HubClient(jobs.token_of(request), seconds=jobs.SECONDS, heartbeat=renew) as client:
            url = client.find_pull_request(repository, title)
            if url is None and is_stopping():
                jobs.give_back(request, enqueue_pull_request)
                return
            url = url or client.open_pull_request(
                repository, title, _description(entry), card_path(entry), eval_results(evaluation)
            )
        jobs.end(request, HubJobState.DONE, url=url)


def _title(entry: Submission) -> str:
    """The same for all attempts, also of another request."""
    mark = salted_hmac(_SALT, str(entry.pk), algorithm="sha256").hexdigest()[:10]
    return f"Add ∞Bench results on {entry.release.slug} [{mark}]"


def _description(entry: Submission) -> str:
    return (
        f"Scores of [{entry.language_model.name}]({entry_address(entry)}) on the ∞Bench "
        "leaderboard, asked for by the authors of that entry."
    )
