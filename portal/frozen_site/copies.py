"""What all processes that write a copy know of it."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from portal.frozen_site.addresses import Page
from scoring.ledger import Head

ABOUT = Page("/frozen/")  # the page about the copy


class Copy(NamedTuple):
    """Addresses have no slash at the end."""

    folder: Path
    site: str
    base: str  # where the copy will be; empty: unknown
    at: datetime
    version: int
    head: Head  # of the ledger
    samples: int  # of the examples of each task
    with_answers: bool
    snapshot: str  # its name in PostgreSQL; empty: everything happens in one transaction
