"""What a breakdown shows, in one sentence: the title of its picture."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from portal.scores.differences import ALPHA, p_text
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By
from scoring.breakdowns.effective_context import EffectiveContext
from scoring.breakdowns.position import PositionEffect
from scoring.stats import rounded
from scoring.text.amounts import rough_amount, short_amount


def finding_of(breakdown: Breakdown, claimed: int | None = None) -> str:
    """``claimed``: the context window of the model, in tokens."""
    bins = [one for one in breakdown.bins if one.n]
    means = {one.mean for one in bins}
    if means in ({0.0}, {100.0}):
        right = breakdown.n if means == {100.0} else 0
        return _("nothing to see: %(right)s of %(n)s right") % {"right": right, "n": breakdown.n}
    if breakdown.position:
        return _position_text(breakdown.position, breakdown.by, bins)
    if breakdown.by is By.KIND:
        return _kinds_text(bins)
    if breakdown.effective_context:
        return effective_context_text(breakdown.effective_context, claimed)
    text = _("%(first)s at %(start)s, %(last)s at %(end)s")
    return text % {**_ends(bins), "start": bins[0].label, "end": bins[-1].label}


def _position_text(position: PositionEffect, by: By, bins: Sequence[Bin]) -> str:
    values = {"p": p_text(position.p), **_ends(bins)}
    if position.p >= ALPHA:
        return _("position makes no difference that can be seen (%(p)s)") % values
    if by is not By.DEPTH:
        return _("position matters (%(p)s)") % values
    worst = min(bins, key=_mean)
    if _mean(worst) in (_mean(bins[0]), _mean(bins[-1])):
        text = _("position matters (%(p)s): %(first)s at the start, %(last)s at the end")
        return text % values
    text = _(
        "position matters (%(p)s): %(first)s at the start, %(least)s at %(worst)s, %(last)s at the "
        "end"
    )
    return text % {**values, "least": _percent(worst), "worst": worst.label}


def _kinds_text(bins: Sequence[Bin]) -> str:
    worst, best = min(bins, key=_mean), max(bins, key=_mean)
    text = _("best in “%(best)s” (%(most)s), worst in “%(worst)s” (%(least)s)")
    return text % {
        "best": best.label,
        "most": _percent(best),
        "worst": worst.label,
        "least": _percent(worst),
    }


def effective_context_text(found: EffectiveContext, claimed: int | None) -> str:
    """``effective context 64K (32K–128K) of 1M claimed``."""
    at_least = found.never_below
    length = short_amount(found.tokens) if at_least else rough_amount(found.tokens)
    low = short_amount(found.low)
    high = "…" if found.high is None else short_amount(found.high)
    values = {"length": f"≥ {length}" if at_least else length, "interval": f"{low}–{high}"}
    if claimed:
        text = _("effective context %(length)s (%(interval)s) of %(claimed)s claimed")
        return text % {**values, "claimed": short_amount(claimed)}
    return _("effective context %(length)s (%(interval)s)") % values


def _ends(bins: Sequence[Bin]) -> dict[str, str]:
    return {"first": _percent(bins[0]), "last": _percent(bins[-1])}


def _mean(one: Bin) -> float:
    return one.mean or 0.0


def _percent(one: Bin) -> str:
    return f"{rounded(_mean(one), 0)} %"
