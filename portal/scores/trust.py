"""How far the site can vouch for an entry: four levels, from a reported number to its own run."""

from enum import StrEnum
from typing import NamedTuple


class Trust(StrEnum):
    """From the least to the most."""

    REPORTED = "reported"
    FILES = "files"
    SPOT_CHECKED = "spot-checked"
    RUN = "run"


class TrustTitle(NamedTuple):
    title: str
    meaning: str


TRUST: dict[Trust, TrustTitle] = {
    Trust.REPORTED: TrustTitle(
        "Reported", "Numbers copied from a publication. Nothing was scored here."
    ),
    Trust.FILES: TrustTitle(
        "Files scored here",
        "Predictions that were made elsewhere, scored here.",
    ),
    Trust.SPOT_CHECKED: TrustTitle(
        "Spot-checked",
        "Submitted as files. Answers to random questions agree with the author's endpoint.",
    ),
    Trust.RUN: TrustTitle(
        "Run by us",
        "This site asked the author's endpoint the questions itself and scored the answers.",
    ),
}


def trust_of(*, is_reported: bool, is_run_by_us: bool, is_spot_checked: bool) -> Trust:
    if is_reported:
        return Trust.REPORTED
    if is_run_by_us:
        return Trust.RUN
    return Trust.SPOT_CHECKED if is_spot_checked else Trust.FILES
