"""The progress of a fetch as its page shows it until there is a submission."""

import hashlib
from typing import NamedTuple

from django.db.models.functions import Now
from django.template.defaultfilters import filesizeformat

from portal.hub.failures import FAILURES, sentence_of
from portal.hub.jobs import ATTEMPTS
from portal.models import HubFetch, HubJobState

INTERVAL = 1_500  # milliseconds between polls


class FetchPage(NamedTuple):
    fetch: HubFetch
    sentence: str  # screen readers read it out when it changes
    reasons: tuple[str, ...]
    interval: int = INTERVAL

    @property
    def etag(self) -> str:
        """Identifies all that changes."""
        shown = (self.fetch.state, self.sentence, self.reasons, self.fetch.percent)
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]

    @property
    def reload(self) -> int:
        """Seconds between reloads of the page, where JavaScript is off."""
        return 3


def fetch_page(fetch: HubFetch) -> FetchPage:
    sentence, reasons = _sentence_and_reasons(fetch)
    return FetchPage(fetch, sentence, tuple(reasons))


def _sentence_and_reasons(fetch: HubFetch) -> tuple[str, list[str]]:
    match fetch.state:
        case HubJobState.FAILED:
            return "Nothing could be fetched from the Hub.", _reasons_of_failure(fetch)
        case HubJobState.CANCELLED:
            return "Cancelled. Nothing was submitted.", []
        case HubJobState.RUNNING:
            return _running(fetch)
    if not fetch.reason:
        return "Waiting to be fetched from the Hub.", []
    why = sentence_of(fetch.reason, fetch.reason_details)
    return "Waiting for another attempt.", [why, _next_attempt(fetch)]


def _reasons_of_failure(fetch: HubFetch) -> list[str]:
    known = FAILURES.get(fetch.reason)
    again = ["Try again later."] if known and known.is_retried else []
    return [sentence_of(fetch.reason, fetch.reason_details), *again]


def _next_attempt(fetch: HubFetch) -> str:
    return "Attempt {number} of {all} follows at {when} UTC.".format(
        number=fetch.attempts + 1,
        all=ATTEMPTS,
        when=f"{fetch.due:%H:%M:%S}",
    )


def _running(fetch: HubFetch) -> tuple[str, list[str]]:
    if HubFetch.objects.filter(pk=fetch.pk, lease_until__lt=Now()).exists():
        lost = "The worker stopped responding. Another one will take over shortly."
        return "Waiting for another attempt.", [lost]
    if fetch.size is None:
        return "Asking the Hub…", []
    received, size = filesizeformat(fetch.received), filesizeformat(fetch.size)
    return "Fetching from the Hub…", [f"{received} of {size} received, files: {fetch.files}."]
