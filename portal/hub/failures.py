"""Why the Hub gave no usable answer, in plain sentences, and whether the job is tried again."""

from collections.abc import Mapping
from typing import NamedTuple

from scoring.limits import LIMITS, MIB


class Failure(NamedTuple):
    sentence: str
    is_retried: bool = False


# By code, in the order in which they can come up.
FAILURES: Mapping[str, Failure] = {
    "not_found": Failure(
        "The Hub has no such repository, or it is private. Check its name and its kind; for a "
        "private one give a token that can read it."
    ),
    "gated": Failure(
        "The repository is gated: it is open only to accounts that have accepted its terms. "
        "Accept them on its page on the Hub, and give a token of that account."
    ),
    "no_access": Failure(
        "The Hub refused access. Check that the token is valid and may read this repository."
    ),
    "disabled": Failure("The Hub has disabled access to this repository. Use another one."),
    "revision_unknown": Failure(
        "The repository has no such revision. Name a branch, a tag or a commit."
    ),
    "path_unknown": Failure("The repository has no such file or folder at this revision."),
    "no_predictions": Failure(
        "No file there can hold predictions. Name the folder with files like "
        "preds_longbook_qa_eng.jsonl, or an archive of them."
    ),
    "several_archives": Failure(
        "There are several archives, and only one can be submitted: name the one you mean."
    ),
    "too_many_files": Failure(
        f"There are too many files. A submission can have at most {LIMITS.entries:,} of them, and "
        "the repository must not be so large that they are hard to find: name the folder that "
        "contains them."
    ),
    "too_large": Failure(
        f"The files are too large: a submission can have at most {LIMITS.bytes_in // MIB} MB. "
        "Put them into a .zip or .tar.gz archive, without contexts and prompts."
    ),
    "rate_limited": Failure("The Hub asks for fewer requests.", is_retried=True),
    "unreachable": Failure("The Hub cannot be reached.", is_retried=True),
    "broken_off": Failure("The connection to the Hub broke off.", is_retried=True),
    "too_slow": Failure("The Hub took too long.", is_retried=True),
    "hub_failed": Failure("The Hub has failed.", is_retried=True),
    "damaged": Failure(
        "A file is not what the Hub says it is: its size or hash differs.", is_retried=True
    ),
    "unreadable": Failure(
        "The answer of the Hub cannot be read: is the repository what it should be?"
    ),
    "redirected": Failure("The Hub redirects to an address that is not allowed."),
    "cancelled": Failure("You cancelled it."),
    "refused": Failure("The Hub does not accept the request."),
    # The site's own
    "not_public": Failure(
        "The address of the Hub is not on the public internet: an admin has to look at it."
    ),
    "no_room": Failure(
        "There is no room for these files right now. This is our fault.", is_retried=True
    ),
    "token_lost": Failure("The token can no longer be read. Submit it again with the token."),
    "worker_lost": Failure("The workers stopped responding. This is our fault: submit it again."),
    "not_begun": Failure(
        "No worker picked it up within a day. This is our fault: submit it again."
    ),
    "our_failure": Failure(
        "Something went wrong on this site. This is our fault, and we can see it.",
        is_retried=True,
    ),
    "quota": Failure(
        "Your quota was used up before the files had arrived. Submit again when it opens."
    ),
    "release_closed": Failure("This release is closed for submissions."),
    "model_deleted": Failure("The language model has been deleted in the meantime."),
    "files_gone": Failure("The files of the earlier version have been deleted in the meantime."),
    "too_large_with_kept": Failure(
        f"The kept and the new files have more than {LIMITS.bytes_in // MIB} MB in total."
    ),
}


class HubError(Exception):
    """``code`` is one of ``FAILURES``. ``detail`` is our own text, never what others have sent."""

    def __init__(self, code: str, detail: str = "", retry_after: float | None = None) -> None:
        super().__init__(f"{code} {detail}".strip())
        self.code = code
        self.detail = detail
        self.retry_after = retry_after  # seconds

    @property
    def is_retried(self) -> bool:
        return FAILURES[self.code].is_retried


def sentence_of(code: str, details: str = "") -> str:
    """The sentence for people; for codes of other rooms, the details that came with them."""
    known = FAILURES.get(code)
    return str(known.sentence) if known else details
