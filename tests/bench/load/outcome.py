"""``python -m tests.bench.load.outcome``: how the evaluations of authors have ended, as JSON."""

import json
import time

import django

django.setup()  # before any model can be imported

from django.db.models import Count  # noqa: E402

from portal.models import Evaluation  # noqa: E402
from tests.bench.load.fill import RELEASE  # noqa: E402

_PATIENCE = 600  # seconds


def main() -> None:
    found = Evaluation.objects.filter(submission__release__slug=RELEASE)
    begun = time.monotonic()
    while found.open().exists() and time.monotonic() < begun + _PATIENCE:
        time.sleep(0.5)
    print(
        json.dumps(
            {"scored": 0} | dict(found.order_by().values_list("state").annotate(Count("pk")))
        )
    )


if __name__ == "__main__":
    main()
