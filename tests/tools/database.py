"""``make test-db``: a PostgreSQL for the tests that stays until Ctrl-C.

While it runs, ``pytest --reuse-db`` keeps its migrated database: one file takes a few seconds.
"""

import signal

from portal.demo.postgres import running
from tests.support.databases import STAYING


def main() -> None:
    STAYING.mkdir(parents=True, exist_ok=True)
    with running(STAYING, durable=False):
        print("ready: .venv/bin/python -m pytest --reuse-db tests/…  (Ctrl-C ends it)", flush=True)
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            signal.pause()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
