"""Whether a submission is by the maker of its language model: its author says so, a reviewer
confirms it. Who made the model is another fact (``LanguageModel.organisation``)."""

from enum import StrEnum


class MakerClaim(StrEnum):
    CLAIMED = "claimed"
    CONFIRMED = "confirmed"


def maker_claim(*, by_maker: bool | None, confirmed: bool) -> MakerClaim | None:
    """None: the author does not say that the submission is by the maker."""
    if not by_maker:
        return None
    return MakerClaim.CONFIRMED if confirmed else MakerClaim.CLAIMED


def maker_note(claim: MakerClaim | None, organisation: str) -> str:
    """The same on pages and in exports; empty without a claim."""
    if claim is MakerClaim.CLAIMED:
        return f"claims to be by {organisation or 'its maker'}, not confirmed"
    return "submitted by its maker" if claim else ""
