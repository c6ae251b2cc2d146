"""What a reviewer should look at twice: a table of rules, each of which yields sentences.

None of them forbids anything: they only point out what is unusual.
"""

from collections.abc import Callable, Iterator

from portal.models import Submission
from portal.review.facts.confusables import mixed_script_words, skeleton
from portal.review.facts.summary import ReviewSummary
from portal.scores.titles import METRIC_SET_TITLES
from scoring.catalog import TASKS, tasks_of
from scoring.sandbox.run import Level
from scoring.text.plurals import plural

_FAR = 10.0  # percentage points from other entries of the language model
_APART = 5.0  # percentage points between the metric sets
_SUSPICIOUSLY_HIGH = 99.5  # percent
_MAX_SIMILAR_NAMES = 3
_OFTEN_PERFECT = [TASKS[task].title for task in tasks_of("retrieval")]

Rule = Callable[[ReviewSummary], Iterator[str]]


def review_warnings(summary: ReviewSummary) -> list[str]:
    """The most severe first."""
    return [sentence for rule in RULES for sentence in rule(summary)]


def critical_warnings(summary: ReviewSummary) -> list[str]:
    """The warnings that have to be settled before it can be published."""
    return [sentence for rule in CRITICAL for sentence in rule(summary)]


def has_critical_flags(summary: ReviewSummary) -> bool:
    """Whether a reviewer has to say why it is published nevertheless. Before its answers are
    checked, more may be to come."""
    checked = summary.checked
    return bool(
        summary.same_predictions
        or critical_warnings(summary)
        or (checked and (checked.copies or any(flag.is_critical for flag in checked.flags)))
    )


def _if(applies: Callable[[ReviewSummary], object], sentence: str) -> Rule:
    def rule(summary: ReviewSummary) -> Iterator[str]:
        if applies(summary):
            yield str(sentence)

    return rule


def _maker(summary: ReviewSummary) -> Iterator[str]:
    """Readers take an entry with the name of a known maker for one by that maker, whoever has
    submitted it."""
    address = summary.address
    known = " and ".join(summary.known_makers)
    who = "The author has no address"
    if address.domain:
        confirmed = "confirmed" if address.is_confirmed else "not confirmed"
        who = f"The author's address is at {address.domain}, {confirmed}"
    if summary.submission.by_maker:
        maker = summary.submission.language_model.organisation or "the maker of the model"
        yield f"Claims to be by {maker}. {who}."
    elif known:
        yield f"A new model with the name of {known}, which the author does not claim to be. {who}."


def _known_model(summary: ReviewSummary) -> Iterator[str]:
    if names := summary.known_models:
        yield f"A new model with the name of a known one in its own: {', '.join(names)}."


def _similar_names(summary: ReviewSummary) -> Iterator[str]:
    for other in summary.similar_models[:_MAX_SIMILAR_NAMES]:
        name = " · ".join(text for text in (other.name, other.organisation) if text)
        is_same = other.name == summary.submission.language_model.name
        alike = "Same name as" if is_same else "The name looks like"
        yield f"{alike} “{name}”, added by {other.owner or 'the site'}."


def _mixed_scripts(summary: ReviewSummary) -> Iterator[str]:
    model = summary.submission.language_model
    if words := mixed_script_words(f"{model.name} {model.organisation}"):
        yield f"Letters from different scripts in one word: {', '.join(words)}."


def _same_organisation(summary: ReviewSummary) -> Iterator[str]:
    owner, reader = summary.submission.owner, summary.reader
    if owner is None or owner == reader or not reader.organisation:
        return
    if skeleton(owner.organisation) == skeleton(reader.organisation):
        yield f"You and the author state the same organisation: {reader.organisation}."


def _rejected_before(summary: ReviewSummary) -> Iterator[str]:
    if summary.rejections:
        yield f"Previous rejections: {summary.rejections}."


def _many_attempts(summary: ReviewSummary) -> Iterator[str]:
    if summary.attempts.same > 3:
        yield (
            f"This author has {summary.attempts.same} submissions of this language model on this "
            "release."
        )


def _long_inputs(summary: ReviewSummary) -> Iterator[str]:
    inputs = summary.long_inputs
    if inputs is None or not inputs.longer:
        return
    window = f"The context window of the model is {inputs.window:,} tokens"
    share = f"{inputs.longer:,} of {inputs.total:,}"
    if inputs.of_tasks:
        yield f"{window}; the average input is longer in {share} tasks."
    else:
        percent = 100 * inputs.longer / inputs.total
        yield f"{window}; {percent:.1f} % of the inputs are longer ({share})."


def _unstated_settings(summary: ReviewSummary) -> Iterator[str]:
    one = summary.submission
    stated = {
        "prompt strategy": one.prompt_strategy,
        "truncation": one.truncation != Submission.Truncation.UNKNOWN,
        "input limit": one.input_limit,
        "output limit": one.output_limit,
    }
    if missing := [name for name, value in stated.items() if not value]:
        yield f"Not stated: {', '.join(missing)}."


def _aligned_by_order(summary: ReviewSummary) -> Iterator[str]:
    aligned = (summary.evaluation.signature or {}).get("aligned", {}) if summary.evaluation else {}
    if tasks := [TASKS[task].title for task, method in aligned.items() if method == "order"]:
        yield f"Matched by row order, not by id: {', '.join(tasks)}."


def _unknown_rows(summary: ReviewSummary) -> Iterator[str]:
    if summary.unknown:
        rows = plural(summary.unknown, "row matches", "rows match")
        yield f"{summary.unknown} {rows} no example of the release."


def _all_or_nothing(summary: ReviewSummary) -> Iterator[str]:
    nothing, high = [], []
    for row in summary.tasks:
        if row.withheld:
            continue
        percents = [score.percent for score in row.scores if score]
        if not any(percents):
            nothing.append(row.title)
        elif max(percents) >= _SUSPICIOUSLY_HIGH and row.title not in _OFTEN_PERFECT:
            high.append(f"{row.title} {max(percents):.2f} %")
    if high:
        yield f"Nearly perfect: {', '.join(high)}."
    if nothing:
        yield f"{', '.join(nothing)}: 0 under every metric."


def _unreliable_scores(summary: ReviewSummary) -> Iterator[str]:
    for row in summary.tasks:
        if row.caveat:
            yield f"{row.title}: {row.caveat}."


def _metric_sets_apart(summary: ReviewSummary) -> Iterator[str]:
    scores = summary.table.overall if summary.table else []  # empty if tasks are missing
    overall = [score.percent for score in scores if score]
    if overall and max(overall) - min(overall) > _APART:
        text = "The metrics differ by %.1f points: the answers may be wrapped in extra words."
        yield text % (max(overall) - min(overall))


def _far_from_others(summary: ReviewSummary) -> Iterator[str]:
    for index, mine in enumerate(summary.table.overall if summary.table else []):
        others = [other.overall[index] for other in summary.others if other.overall]
        apart = [abs(mine.percent - score.percent) for score in others if score and mine]
        if apart and min(apart) > _FAR:
            text = "More than %(points)d points away from every other entry, under %(set)s."
            titles = [one.title for one in METRIC_SET_TITLES.values()]
            yield text % {"points": _FAR, "set": titles[index]}
            return


# After these the scores, or the name above them, may mean nothing.
CRITICAL: tuple[Rule, ...] = (
    _maker,
    _if(lambda one: one.evaluation is None, "No scores."),
    _if(
        lambda one: one.evaluation and one.evaluation.sandbox_level == Level.NONE,
        "Scored without a sandbox.",
    ),
    _unreliable_scores,
)
RULES: tuple[Rule, ...] = (  # the most severe first
    *CRITICAL,
    _known_model,
    _similar_names,
    _mixed_scripts,
    _same_organisation,
    _far_from_others,
    _all_or_nothing,
    _metric_sets_apart,
    _aligned_by_order,
    _if(
        lambda one: one.submission.drop_first,
        "The first number of each Math.Calc answer is dropped, as the author requested.",
    ),
    _unknown_rows,
    _if(
        lambda one: one.being_scored_again,
        "It is being re-scored: newer scores are on their way.",
    ),
    _rejected_before,
    _many_attempts,
    _if(
        lambda one: one.submission.language_model.owner_id not in (None, one.submission.owner_id),
        "Another author added this language model.",
    ),
    _long_inputs,
    _unstated_settings,
    _if(
        lambda one: one.submission.owner_id and not one.attempts.published,
        "First-time submitter.",
    ),
)
