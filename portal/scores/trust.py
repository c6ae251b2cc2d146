"""How far the site can vouch for an entry, from a reported number to its own run."""

from enum import StrEnum
from typing import NamedTuple


class Trust(StrEnum):
    """From the least to the most. Pages, the API and exports say the same words."""

    REPORTED = "reported"
    RESCORED = "re-scored"
    SCORED = "scored"
    RUN = "run"


class TrustTitle(NamedTuple):
    title: str
    meaning: str


TRUST: dict[Trust, TrustTitle] = {
    Trust.REPORTED: TrustTitle(
        "Reported", "Copied from a paper or model card; nothing was scored here."
    ),
    Trust.RESCORED: TrustTitle(
        "Re-scored", "Released files, scored here with the answers included in them."
    ),
    Trust.SCORED: TrustTitle(
        "Scored", "Files made elsewhere, scored here against the labels of this release."
    ),
    Trust.RUN: TrustTitle(
        "Run", "This site asked the author's endpoint the questions itself and scored the answers."
    ),
}
