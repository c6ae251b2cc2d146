"""The pull requests of an entry as its page shows them, and the file that they add."""

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

from portal.hub.failures import sentence_of
from portal.hub.fetch_page import INTERVAL, next_attempt, reasons_of_failure
from portal.models import CardRequest, HubJobState, HubKind, Submission, repository_url
from portal.scores.documents.eval_results import card_path, eval_results, evaluation_for_card


class CardLine(NamedTuple):
    """A pull request, or the attempt to open one."""

    request: CardRequest
    sentence: str  # screen readers read it out when it changes
    reasons: Sequence[str]
    repository_url: str

    @property
    def may_be_cancelled(self) -> bool:
        return self.request.state == HubJobState.WAITING


class CardPage(NamedTuple):
    submission: Submission
    path: str  # of the file, in the repository
    content: str  # empty: the entry is not for model cards
    lines: Sequence[CardLine]  # the newest, and all that were opened
    interval: int = INTERVAL

    @property
    def is_open(self) -> bool:
        """Whether there is anything to wait for."""
        return any(line.request.is_open for line in self.lines)

    @property
    def was_opened(self) -> bool:
        return any(line.request.state == HubJobState.DONE for line in self.lines)

    @property
    def etag(self) -> str:
        """Identifies all that changes."""
        shown = [(line.request.pk, line.sentence, line.reasons) for line in self.lines]
        return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]

    @property
    def reload(self) -> int:
        """Seconds between reloads of the page, where JavaScript is off."""
        return 3


def card_page(submission: Submission) -> CardPage:
    evaluation = evaluation_for_card(submission.pk)
    content = eval_results(evaluation) if evaluation else ""
    lines = []
    for number, request in enumerate(submission.card_requests.all()):
        if number == 0 or request.state == HubJobState.DONE:
            sentence, reasons = _sentence_and_reasons(request)
            url = repository_url(HubKind.MODEL, request.repository)
            lines.append(CardLine(request, sentence, tuple(reasons), url))
    return CardPage(submission, card_path(submission), content, lines)


def _sentence_and_reasons(request: CardRequest) -> tuple[str, list[str]]:
    match request.state:
        case HubJobState.DONE:
            return "The pull request was opened.", []
        case HubJobState.FAILED:
            return "No pull request was opened.", reasons_of_failure(request)
        case HubJobState.CANCELLED:
            return "Cancelled.", []
        case HubJobState.RUNNING:
            return "Opening the pull request…", []
    if not request.reason:
        return "Waiting for a worker.", []
    return "Waiting for another attempt.", [sentence_of(request.reason), next_attempt(request)]
