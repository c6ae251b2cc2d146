"""What is said of an upload that was refused before its form was looked at."""

from collections.abc import Mapping
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from portal.submissions.uploads import AT_ONCE_EACH, Refusal
from scoring.limits import LIMITS, MIB


class RefusedUpload(NamedTuple):
    status: int
    title: str | Promise
    fix: str | Promise


REFUSED_UPLOADS: Mapping[Refusal, RefusedUpload] = {
    Refusal.NO_LENGTH: RefusedUpload(
        411,
        _("The upload did not say how long it is"),
        _("Send it with a Content-Length, as every browser does."),
    ),
    Refusal.TOO_LARGE: RefusedUpload(
        413,
        _("This upload is too large"),
        format_lazy(
            _(
                "At most {most} MB are taken at once. Put the files into a .zip or .tar.gz "
                "archive: predictions shrink to a fifth or less. Leave out contexts and prompts, "
                "which are not scored."
            ),
            most=LIMITS.bytes_in // MIB,
        ),
    ),
    Refusal.TOO_MANY: RefusedUpload(
        413,
        _("These are too many files"),
        format_lazy(
            _("At most {most} are taken at once. Hand in only the prediction files of one run."),
            most=f"{LIMITS.entries:,}",
        ),
    ),
    Refusal.CUT: RefusedUpload(
        400,
        _("The upload broke off"),
        _("Perhaps the connection was lost. Try again."),
    ),
    Refusal.UNREADABLE: RefusedUpload(
        400,
        _("The upload cannot be read"),
        _("It is not what the form of this page sends. Load the page again, and try once more."),
    ),
    Refusal.NO_ROOM: RefusedUpload(
        507,
        _("There is no room for this upload now"),
        _("This is our fault. It does not count against you, and we can see it. Try again later."),
    ),
    Refusal.BUSY: RefusedUpload(
        503,
        _("Too many uploads are under way just now"),
        format_lazy(
            _(
                "At most {each} of one account are taken at the same time. If others of yours are "
                "still being sent, wait for their end; if not, try again in a moment."
            ),
            each=AT_ONCE_EACH,
        ),
    ),
}
