"""``infinitebench estimate``: what an endpoint run would cost, and what it could reach."""

from argparse import ArgumentParser, Namespace

from scoring.catalog import TASKS
from scoring.cli.local.endpoint_options import add_settings_arguments, questions_from, settings_from
from scoring.cli.terminal import Progress, write_json
from scoring.cli.unusable import UnusableError
from scoring.endpoint.budget import NOTHING_SPENT
from scoring.endpoint.estimate import CapShare, TaskEstimate, cap_shares, estimate_task
from scoring.endpoint.settings import OUTPUT_TOKENS, RunSettings, SettingsError
from scoring.metrics import METRIC_SETS
from scoring.report import aligned
from scoring.stats import macro_mean
from scoring.text.tokens import NO_TOKENS

_DESCRIPTION = """\
Estimate an endpoint run without asking anything: requests, tokens by task, and the ceiling, which a
perfect reader reaches with these settings. Texts that may be too long are read and counted.
"""

_EPILOG = """\
example:
  infinitebench estimate --gold release/ --endpoint http://localhost:8000/v1 \\
    --model my-model --window 32K

“≤” marks an upper bound: what decides is not known for every text that is cut.
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.epilog = _EPILOG
    add_settings_arguments(parser)
    parser.add_argument("--json", metavar="OUT", help="write the estimate here (- for stdout)")


def run(arguments: Namespace) -> int:
    try:
        settings = settings_from(arguments)
    except SettingsError as error:
        raise UnusableError(str(error)) from error
    _, questions = questions_from(arguments, settings)
    estimates = []
    with Progress() as progress:
        for task in TASKS:
            if of_task := [question for question in questions if question.task == task]:
                title = f"reading {TASKS[task].title}, %d of {len(of_task)}"
                estimates.append(
                    estimate_task(task, of_task, settings, lambda done: progress(title % done))  # noqa: B023 - called at once
                )
    if arguments.json:
        write_json(arguments.json, _document(estimates, settings))
    if arguments.json != "-":
        print(_table(estimates, settings))
    return 0


def _table(estimates: list[TaskEstimate], settings: RunSettings) -> str:
    rows = [["", "requests", "skipped", "input", "output ≤", "cut", *METRIC_SETS]]
    for one in estimates:
        bound = "" if one.is_exact else "≤ "
        ceilings = [
            f"{bound}{one.ceilings[name]:.2f}" if one.ceilings else "" for name in METRIC_SETS
        ]
        counts = [str(one.requests), str(one.skipped), str(one.input)]
        rows.append([TASKS[one.task].title, *counts, f"{one.output:,}", str(one.cut), *ceilings])
    total = sum((one.spent for one in estimates), NOTHING_SPENT)
    tokens = sum((one.input for one in estimates), NO_TOKENS)
    skipped, cut = (sum(getattr(one, name) for one in estimates) for name in ("skipped", "cut"))
    means = [_mean(estimates, name) for name in METRIC_SETS]
    ceilings = ["" if mean is None else f"{mean:.2f}" for mean in means]
    sums = [str(total.requests), str(skipped), str(tokens), f"{total.output:,}", str(cut)]
    rows.append(["all", *sums, *ceilings])
    lines = [aligned(rows), "The last columns are the ceiling, in percent."]
    lines.extend(_about_limit(one.task, settings) for one in estimates if one.cut)
    lines = [line for line in lines if line]
    if cost := total.cost(settings.prices):
        lines.append(f"At most {cost:,.2f} at these prices, without retries.")
    lines.extend(_about_cap(one, total.requests) for one in cap_shares(total, settings))
    return "\n".join(lines)


def _about_cap(cap: CapShare, requests: int) -> str:
    amount = f"{cap.cap:,.2f}" if cap.name == "money" else f"{cap.cap:,.0f} {cap.name}"
    if cap.is_enough:
        return f"The cap of {amount} is enough for all {requests:,} questions."
    return (
        f"The cap of {amount} pays for about {cap.questions(requests):,} of {requests:,} questions "
        f"({cap.percent} %), if all answers are as long as they may be."
    )


def _about_limit(task: str, settings: RunSettings) -> str:
    """Empty: it takes little of the window."""
    title, limit = TASKS[task].title, settings.output_limit(task)
    if settings.is_crowded(task):
        return (
            f"The answer limit of {limit:,} tokens leaves only {settings.prompt_limit(task):,} of "
            f"the window for the prompt. Lower the limit for {title} (--output-tokens {task}=N), "
            "or leave the task out."
        )
    is_lowered = task not in settings.output_tokens and limit < OUTPUT_TOKENS[task]
    return f"{title}: an answer may have {limit:,} tokens, half of the window." * is_lowered


def _mean(estimates: list[TaskEstimate], metric_set: str) -> float | None:
    """Of all tasks that are asked."""
    return macro_mean([one.ceilings.get(metric_set) for one in estimates])


def _document(estimates: list[TaskEstimate], settings: RunSettings) -> dict[str, object]:
    total = sum((one.spent for one in estimates), NOTHING_SPENT)
    return {
        "tasks": {
            one.task: {
                "requests": one.requests,
                "skipped": one.skipped,
                "input_tokens": one.input.value,
                "estimated": one.input.estimated,
                "output_tokens": one.output,
                "output_limit": settings.output_limit(one.task),
                "cut": one.cut,
                "ceiling": one.ceilings,
                "exact": one.is_exact,
            }
            for one in estimates
        },
        "ceiling": {name: _mean(estimates, name) for name in METRIC_SETS},
        "cost": total.cost(settings.prices),
        "caps": [
            {
                "name": one.name,
                "cap": one.cap,
                "needed": one.needed,
                "percent": one.share,
                "questions": one.questions(total.requests),
            }
            for one in cap_shares(total, settings)
        ],
    }
