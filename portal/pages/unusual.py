"""What a reviewer should look at twice: a table of rules, each of which may say a sentence or more.

None of them forbids anything. They say where the facts are not as they mostly are.
"""

from collections.abc import Callable, Iterator

from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.models import Submission
from portal.pages.review_facts import Facts
from scoring.catalog import TASKS, tasks_of
from scoring.metrics import METRIC_SETS
from scoring.sandbox import Level

_SMALL_WINDOW = 100_000  # tokens; the inputs of nearly all tasks are longer
_FAR = 10.0  # percentage points from other entries of the language model
_APART = 5.0  # percentage points between the metric sets
_UNBELIEVABLE = 99.5  # percent
_OFTEN_PERFECT = [TASKS[task].title for task in tasks_of("retrieval")]

Rule = Callable[[Facts], Iterator[str]]


def unusual(facts: Facts) -> list[str]:
    return [sentence for rule in RULES for sentence in rule(facts)]


def _no_scores(facts: Facts) -> Iterator[str]:
    if facts.evaluation is None:
        yield _("There are no scores.")


def _no_sandbox(facts: Facts) -> Iterator[str]:
    if facts.evaluation and facts.evaluation.sandbox_level == Level.NONE:
        yield _("It was scored without a sandbox.")


def _scored_again(facts: Facts) -> Iterator[str]:
    if facts.scored_again:
        yield _("It is being scored again: newer scores are on their way.")


def _rejected(facts: Facts) -> Iterator[str]:
    if facts.rejections:
        yield _("Times that it was rejected before: %d.") % facts.rejections


def _first(facts: Facts) -> Iterator[str]:
    if facts.submission.owner_id and not facts.attempts.published:
        yield _("Nothing of this author is published yet.")


def _many_attempts(facts: Facts) -> Iterator[str]:
    if facts.attempts.same > 3:
        text = _("%d submissions of this author are of this language model on this release.")
        yield text % facts.attempts.same


def _foreign_model(facts: Facts) -> Iterator[str]:
    model, owner = facts.submission.language_model, facts.submission.owner_id
    if model.owner_id not in (None, owner):
        yield _("Another author has entered this language model.")


def _small_window(facts: Facts) -> Iterator[str]:
    window = facts.submission.language_model.context_window
    if window and window < _SMALL_WINDOW:
        shown = floatformat(window, "0g")
        yield _("The language model takes %s tokens, fewer than most inputs have.") % shown


def _unstated(facts: Facts) -> Iterator[str]:
    one = facts.submission
    stated = {
        _("prompt strategy"): one.prompt_strategy,
        _("truncation"): one.truncation != Submission.Truncation.UNKNOWN,
        _("output limit"): one.output_limit,
    }
    if left_out := [name for name, value in stated.items() if not value]:
        yield _("Not stated: %s.") % _(", ").join(left_out)


def _by_order(facts: Facts) -> Iterator[str]:
    aligned = (facts.evaluation.signature or {}).get("aligned", {}) if facts.evaluation else {}
    if tasks := [TASKS[task].title for task, method in aligned.items() if method == "order"]:
        yield _("Matched by the order of rows, not by ids: %s.") % _(", ").join(tasks)


def _first_operand(facts: Facts) -> Iterator[str]:
    if facts.submission.drop_first:
        yield _("The first number of each Math.Calc answer is left out, as the author asked.")


def _unknown_rows(facts: Facts) -> Iterator[str]:
    if facts.unknown:
        text = ngettext(
            "%d row belongs to no example of the release.",
            "%d rows belong to no example of the release.",
            facts.unknown,
        )
        yield text % facts.unknown


def _all_or_nothing(facts: Facts) -> Iterator[str]:
    for row in facts.tasks:
        if row.kept_back:
            continue
        percents = [score.percent for score in row.scores if score]
        if not any(percents):
            yield _("%s: 0 under every metric set.") % row.title
        elif max(percents) >= _UNBELIEVABLE and row.title not in _OFTEN_PERFECT:
            yield _("%(task)s: %(percent).2f %%.") % {"task": row.title, "percent": max(percents)}


def _doubtful(facts: Facts) -> Iterator[str]:
    for row in facts.tasks:
        if row.doubt:
            yield _("%(task)s: %(doubt)s.") % {"task": row.title, "doubt": row.doubt}


def _sets_apart(facts: Facts) -> Iterator[str]:
    overall = _percents(facts)
    if overall and max(overall) - min(overall) > _APART:
        text = _("The metric sets are %.1f points apart: the answers may be wrapped in words.")
        yield text % (max(overall) - min(overall))


def _far_from_others(facts: Facts) -> Iterator[str]:
    for place, mine in enumerate(_percents(facts)):
        theirs = [other.overall[place] for other in facts.others if other.overall]
        apart = [abs(mine - score.percent) for score in theirs if score]
        if apart and min(apart) > _FAR:
            text = _("More than %(points)d points from every other entry, under %(set)s.")
            yield text % {"points": _FAR, "set": list(METRIC_SETS)[place]}
            return


def _percents(facts: Facts) -> list[float]:
    """The overall scores, in the order of METRIC_SETS; none where tasks are missing."""
    overall = facts.table.overall if facts.table else []
    return [score.percent for score in overall if score]


RULES: tuple[Rule, ...] = (
    _no_scores,
    _no_sandbox,
    _scored_again,
    _rejected,
    _first,
    _many_attempts,
    _foreign_model,
    _small_window,
    _unstated,
    _by_order,
    _first_operand,
    _unknown_rows,
    _all_or_nothing,
    _doubtful,
    _sets_apart,
    _far_from_others,
)
