"""Why an evaluation failed: one table, code → sentence, what to do, whether to try again.

The sandbox's own failures are in ``scoring.sandbox.exit_codes``; the site adds more.
"""

from collections.abc import Mapping

from scoring.sandbox.exit_codes import ENDINGS, Ending

_SITE_FAULT = (
    "Nothing to do: this is our fault, does not use your quota, and we have been notified."
)

FAILURES: Mapping[str, Ending] = {
    **{code: ending for code, ending in ENDINGS.items() if code != "done"},
    "nothing_to_score": Ending(
        "Nothing in these files could be scored.", "See the list of problems.", again=False
    ),
    "worker_lost": Ending(
        "The scorer never finished with these files, despite several attempts.",
        _SITE_FAULT,
        again=True,
    ),
    "upload_lost": Ending("The uploaded file cannot be read.", _SITE_FAULT, again=True),
    "internal_error": Ending("The scorer had an internal error.", _SITE_FAULT, again=True),
}
