"""Why an evaluation failed: one table, code → sentence, what to do, whether to try again.

Those of the sandbox are in ``scoring.sandbox.exit_codes``; the site adds its own.
"""

from collections.abc import Mapping

from scoring.sandbox.exit_codes import ENDINGS, Ending

_SITE_FAULT = "Nothing: this is our fault, and does not count against you. We have been told."

FAILURES: Mapping[str, Ending] = {
    **{code: ending for code, ending in ENDINGS.items() if code != "done"},
    "nothing_to_score": Ending(
        "Nothing in these files could be scored.", "See the list of problems.", again=False
    ),
    "worker_lost": Ending(
        "The scorer did not come back from these files, however often it was tried.",
        _SITE_FAULT,
        again=True,
    ),
    "upload_lost": Ending("The uploaded file cannot be read.", _SITE_FAULT, again=True),
    "internal_error": Ending("The scorer met an error of its own.", _SITE_FAULT, again=True),
}
