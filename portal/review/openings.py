"""Scheduled entries become public by themselves on their day.

What is public is decided by the state in the database alone. That state changes on time without any
job: the first request after the moment makes the change before it is answered, so that every page,
feed, file and cache shows it. The sweeper does the same if there are no requests. Slower work, such
as mail and ranges of ranks, follows as after any publication.

“Now” is the database's clock, which all processes share.
"""

import logging
from collections.abc import Callable

from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, HttpResponse

from portal.board_version import board_version, known_version
from portal.errors import StateError
from portal.evaluations.ladder import disclose_own_scores
from portal.mail.outbox import notify_author
from portal.models import Action, Submission
from portal.states import change_submission, lock_for

# The longest wait of a reader for a lock; after that, the entry opens with a later request.
_PATIENCE = "2s"
_WITHOUT_DATABASE = frozenset({"/healthz", "/readyz", "/metrics"})
_VERSION_AND_DUE = """
SELECT coalesce((SELECT number FROM portal_boardversion WHERE id = 1), 0), EXISTS (
    SELECT FROM portal_submission
    WHERE state = 'scheduled' AND publish_on <= statement_timestamp()
)
"""

log = logging.getLogger(__name__)


def open_on_time(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Open what is due before the request is answered. The same query also reads the version of the
    boards, which most pages need."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.path_info in _WITHOUT_DATABASE:
            return get_response(request)
        try:
            version, is_due = _version_and_due()
            if is_due:
                open_due()
                version = board_version()
        except DatabaseError:  # a page that needs the database will say so itself
            log.warning("what is due was not looked for", exc_info=True)
            return get_response(request)
        if request.method not in ("GET", "HEAD"):  # the request may change the version
            return get_response(request)
        with known_version(version):
            return get_response(request)

    return middleware


def _version_and_due() -> tuple[int, bool]:
    with connection.cursor() as cursor:
        cursor.execute(_VERSION_AND_DUE)
        [version, is_due] = cursor.fetchone()
    return version, is_due


def open_due() -> int:
    """Returns how many were opened. Several processes may do this at once: each waits until the
    others are done, so that all of them see the result."""
    due = Submission.objects.due_to_open().order_by("publish_on", "pk")
    opened = 0
    for pk in list(due.values_list("pk", flat=True)):
        try:
            with transaction.atomic():
                with connection.cursor() as cursor:
                    cursor.execute("SELECT set_config('lock_timeout', %s, true)", [_PATIENCE])
                open_entry(Submission.objects.get(pk=pk))
            opened += 1
        except StateError:
            log.info("was faster elsewhere", extra={"submission": str(pk)})
        except Exception:  # one broken entry must not break every page of the site
            log.exception("could not be opened yet", extra={"submission": str(pk)})
    return opened


def open_entry(submission: Submission) -> None:
    """Publish a scheduled entry. Raises ``StateError`` if it is not scheduled."""
    with transaction.atomic():
        lock_for(Action.OPEN, submission, by=None)
        disclose_own_scores(submission)
        notify_author(change_submission(submission, Action.OPEN, by=None))
