"""What a breakdown shows, as one sentence: the title of its picture."""

from collections.abc import Sequence

from portal.scores.comparison.differences import ALPHA, p_text, signed
from scoring.breakdowns.bins import Bin
from scoring.breakdowns.breakdown import Breakdown, By
from scoring.breakdowns.effective_context import EffectiveContext
from scoring.breakdowns.ladder import Curve
from scoring.breakdowns.position import PositionEffect
from scoring.stats import rounded
from scoring.text.amounts import rough_amount, short_amount

_MOST_NAMES = 3  # in one sentence


def finding_of(breakdown: Breakdown, claimed: int | None = None) -> str:
    """``claimed`` is the context window of the model in tokens."""
    bins = [one for one in breakdown.bins if one.n]
    means = {one.mean for one in bins}
    if means in ({0.0}, {100.0}):
        right = breakdown.n if means == {100.0} else 0
        return f"nothing to see: {right} of {breakdown.n} right"
    if breakdown.position:
        return _position_text(breakdown.position, breakdown.by, bins)
    if breakdown.by is By.KIND:
        return _kinds_text(bins)
    if breakdown.effective_context:
        return effective_context_text(breakdown.effective_context, claimed)
    text = "%(first)s at %(start)s, %(last)s at %(end)s"
    return text % {**_ends(bins), "start": bins[0].label, "end": bins[-1].label}


def _position_text(position: PositionEffect, by: By, bins: Sequence[Bin]) -> str:
    values = {"p": p_text(position.p), **_ends(bins)}
    if position.p >= ALPHA:
        return "position makes no difference that can be seen ({p})".format(**values)
    if by is not By.DEPTH:
        return "position matters ({p})".format(**values)
    worst = min(bins, key=_mean)
    if _mean(worst) in (_mean(bins[0]), _mean(bins[-1])):
        text = "position matters (%(p)s): %(first)s at the start, %(last)s at the end"
        return text % values
    text = (
        "position matters (%(p)s): %(first)s at the start, %(least)s at %(worst)s, %(last)s at the "
        "end"
    )
    return text % {**values, "least": _percent(worst), "worst": worst.label}


def _kinds_text(bins: Sequence[Bin]) -> str:
    worst, best = min(bins, key=_mean), max(bins, key=_mean)
    text = "best in “%(best)s” (%(most)s), worst in “%(worst)s” (%(least)s)"
    return text % {
        "best": best.label,
        "most": _percent(best),
        "worst": worst.label,
        "least": _percent(worst),
    }


def effective_context_text(found: EffectiveContext, claimed: int | None) -> str:
    """``effective context 64K (32K–128K) of 1M claimed``; also which score it is relative to,
    unless that is the one at the shortest length."""
    length, interval = effective_context_figures(found)
    values = {"length": length, "interval": interval}
    if claimed:
        text = "effective context %(length)s (%(interval)s) of %(claimed)s claimed"
        text %= {**values, "claimed": short_amount(claimed)}
    else:
        text = "effective context {length} ({interval})".format(**values)
    return f"{text}, {'of its evidence-only score'}" if found.of_evidence else text


def effective_context_figures(found: EffectiveContext) -> tuple[str, str]:
    """``64K`` or ``≥ 128K``, and its interval: ``32K–128K``, or ``32K–…`` without an upper end."""
    low = short_amount(found.low)
    high = "…" if found.high is None else short_amount(found.high)
    at_least = found.never_below
    length = f"≥ {short_amount(found.tokens)}" if at_least else rough_amount(found.tokens)
    if not found.tokens:
        length = f"< {high}"  # even there it does not keep its share of the evidence-only score
    return length, f"{low}–{high}"


def ladder_finding(curves: Sequence[tuple[str, Curve]], share: int) -> str:
    """Which of the named entries keep so many percent of their score up to the longest length."""
    known = [(name, curve.effective) for name, curve in curves if curve.effective]
    longest = short_amount(curves[0][1].steps[-1].length)
    if not known:
        losses = [(curve.steps[-1].mean - curve.steps[0].mean, name) for name, curve in curves]
        (least, best), (most, worst) = max(losses), min(losses)
        if best == worst:
            text = "%(best)s: %(least)s points from the shortest length to %(longest)s"
        else:
            text = (
                "from the shortest length to %(longest)s %(best)s changes by %(least)s points, "
                "%(worst)s by %(most)s"
            )
        points = {"least": signed(least), "most": signed(most)}
        return text % {"best": best, "worst": worst, "longest": longest, **points}
    if len(curves) == 1:
        [(name, found)] = known
        return f"{name}: {effective_context_text(found, None)}"
    names = [name for name, found in known if found.never_below]
    best, found = max(known, key=lambda one: one[1].tokens)
    up_to = f"{share} % of {{}} score up to {longest}"
    if len(names) == len(curves) or len(names) > _MOST_NAMES:
        entries = "all" if len(names) == len(curves) else f"{len(names)} of"
        return f"{entries} {len(curves)} entries keep {up_to.format('their')}"
    if len(names) == 1:
        return f"only {names[0]} keeps {up_to.format('its')}"
    if names:
        return f"only {', '.join(names)} keep {up_to.format('their')}"
    return f"none keeps {up_to.format('its')}; {best}: {effective_context_text(found, None)}"


def _ends(bins: Sequence[Bin]) -> dict[str, str]:
    return {"first": _percent(bins[0]), "last": _percent(bins[-1])}


def _mean(one: Bin) -> float:
    return one.mean or 0.0


def _percent(one: Bin) -> str:
    return f"{rounded(_mean(one), 0)} %"
