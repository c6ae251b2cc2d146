"""What a reviewer should look at twice: a table of rules, each of which may say a sentence or more.

None of them forbids anything. They say where the facts are not as they mostly are.
"""

from collections.abc import Callable, Iterator

from django.template.defaultfilters import floatformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from portal.models import LanguageModel, Submission
from portal.review.confusables import folded, of_several_scripts
from portal.review.facts import Facts
from scoring.catalog import TASKS, tasks_of
from scoring.metrics import METRIC_SETS
from scoring.sandbox.run import Level

_FAR = 10.0  # percentage points from other entries of the language model
_APART = 5.0  # percentage points between the metric sets
_UNBELIEVABLE = 99.5  # percent
_ALIKE = 3  # of the names that look like this one, so many are said
_OFTEN_PERFECT = [TASKS[task].title for task in tasks_of("retrieval")]

Rule = Callable[[Facts], Iterator[str]]


def unusual(facts: Facts) -> list[str]:
    """The gravest first."""
    return [sentence for rule in RULES for sentence in rule(facts)]


def grave(facts: Facts) -> list[str]:
    """Of these the ones after which the scores themselves may mean nothing."""
    return [sentence for rule in GRAVE for sentence in rule(facts)]


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


def _model_of_the_site(facts: Facts) -> Iterator[str]:
    """Whoever hands in for it stands under a name that readers take for its makers'."""
    model, owner = facts.submission.language_model, facts.submission.owner
    if owner is None or model.owner_id is not None:
        return
    if not model.organisation:
        yield _("The site itself has entered this language model.")
    elif folded(owner.organisation) == folded(model.organisation):
        text = _("The site itself has entered this language model. That the author belongs to "
                 "%s is their own word.")  # fmt: skip
        yield text % model.organisation
    else:
        text = _("The site itself has entered this language model. Nothing says that the author "
                 "belongs to %s.")  # fmt: skip
        yield text % model.organisation


def _looks_like(facts: Facts) -> Iterator[str]:
    for other in facts.alike[:_ALIKE]:
        names = {"name": _with_organisation(other), "who": other.owner or _("the site")}
        if other.name == facts.submission.language_model.name:
            yield _("The name is that of %(name)s, entered by %(who)s.") % names
        else:
            yield _("The name looks like that of %(name)s, entered by %(who)s.") % names


def _with_organisation(model: LanguageModel) -> str:
    told = (text for text in (model.name, model.organisation) if text)
    return f"“{' · '.join(told)}”"


def _several_scripts(facts: Facts) -> Iterator[str]:
    model = facts.submission.language_model
    if words := of_several_scripts(f"{model.name} {model.organisation}"):
        yield _("Letters of several scripts in one word: %s.") % _(", ").join(words)


def _same_organisation(facts: Facts) -> Iterator[str]:
    owner, mine = facts.submission.owner, facts.reader.organisation
    if owner and owner != facts.reader and mine and folded(owner.organisation) == folded(mine):
        yield _("You and the author both name the organisation %s.") % mine


def _small_window(facts: Facts) -> Iterator[str]:
    window = facts.window
    if window is None or not window.longer:
        return
    if window.of_tasks:
        text = _("The language model takes %(tokens)s tokens; the average input is longer in "
                 "%(longer)s of %(all)s tasks.")  # fmt: skip
    else:
        text = _("The language model takes %(tokens)s tokens; %(percent)s %% of the inputs are "
                 "longer (%(longer)s of %(all)s).")  # fmt: skip
    yield text % {
        "tokens": floatformat(window.tokens, "0g"),
        "percent": floatformat(100 * window.longer / window.of, 1),
        "longer": floatformat(window.longer, "0g"),
        "all": floatformat(window.of, "0g"),
    }


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


# Those that say that the scores themselves may mean nothing.
GRAVE: tuple[Rule, ...] = (
    _no_scores,
    _no_sandbox,
    _doubtful,
)
RULES: tuple[Rule, ...] = (  # the gravest first
    *GRAVE,
    _looks_like,
    _several_scripts,
    _same_organisation,
    _far_from_others,
    _all_or_nothing,
    _sets_apart,
    _by_order,
    _first_operand,
    _unknown_rows,
    _scored_again,
    _rejected,
    _many_attempts,
    _foreign_model,
    _model_of_the_site,
    _small_window,
    _unstated,
    _first,
)
