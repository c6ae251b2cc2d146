"""Open a pull request with the scores of an entry in the repository of its model, once.

The worker, or the answer of the Hub, can be lost after the Hub has opened it and before we have
stored that. So each attempt first looks for a pull request with the same title. The title has a
mark that nobody else can predict, so that no stranger can open one with that title first.
"""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from django.utils.crypto import salted_hmac

from portal.hub import jobs
from portal.hub.client import HubClient
from portal.hub.failures import HubError
from portal.models import CardRequest, HubJobState, Submission
from portal.queue import enqueue_pull_request
from portal.scores.documents.eval_results import (
    card_path,
    entry_address,
    eval_results,
    evaluation_for_card,
)

_SALT = "portal.hub.pull_requests"


def open_pull_request(request_id: UUID, is_stopping: Callable[[], bool] = lambda: False) -> None:
    """Safe to call any number of times: only one worker has the job, and opens one pull request.

    Raises ``DatabaseError`` if the database is lost: then another worker takes over.
    """
    if jobs.claim(CardRequest, request_id) is None:
        return
    request = CardRequest.objects.select_related("owner", "submission").get(pk=request_id)
    with jobs.failures_recorded(request):
        evaluation = evaluation_for_card(request.submission_id)
        if evaluation is None:
            raise HubError("not_published")
        entry = evaluation.submission
        title, repository = _title(entry), request.repository
        description = (
            f"Scores of [{entry.language_model.name}]({entry_address(entry)}) on the ∞Bench "
            "leaderboard, asked for by the authors of that entry."
        )
        renew_lease = partial(jobs.update, request)
        token = jobs.token_of(request)
        with HubClient(token, seconds=jobs.SECONDS, heartbeat=renew_lease) as client:
            url = client.find_pull_request(repository, title)
            if url is None and is_stopping():
                jobs.give_back(request, enqueue_pull_request)
                return
            url = url or client.open_pull_request(
                repository, title, description, card_path(entry), eval_results(evaluation)
            )
        jobs.end(request, HubJobState.DONE, url=url)


def _title(entry: Submission) -> str:
    """The same for all attempts, of this and of other requests for the entry."""
    mark = salted_hmac(_SALT, str(entry.pk), algorithm="sha256").hexdigest()[:10]
    return f"Add ∞Bench results on {entry.release.slug} [{mark}]"
