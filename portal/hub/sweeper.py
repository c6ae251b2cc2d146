"""Recovers jobs that use the Hub and have lost their worker or their message."""

from portal.hub import jobs
from portal.models import CardRequest, HubFetch
from portal.queue import enqueue_fetch, enqueue_pull_request


def sweep_hub_jobs() -> int:
    """Any number of sweepers may run at once."""
    fetches = jobs.sweep(HubFetch, enqueue_fetch)
    return fetches + jobs.sweep(CardRequest, enqueue_pull_request)
