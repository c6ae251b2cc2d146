"""The exact prompt of one example: both ends of its context, what is cut out, and the evidence."""

from collections.abc import Iterator
from dataclasses import dataclass

from portal.endpoint_runs.questions import release_question
from portal.errors import ReleaseError
from portal.models import EndpointRun, Example, Release, User
from portal.web.concurrency import ConcurrencyLimit
from scoring.catalog import BOARD_ORDER, TASKS, Task
from scoring.endpoint.prompts import Sight, SkippedError, evidence_of, prompt_for
from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy, question_of, template_of
from scoring.releases.facets import Span
from scoring.text.tokens import TokenCount, count_tokens

_END = 700  # characters of a long text that are shown at each of its ends
_AROUND = 160  # … and around evidence
_MOST_EVIDENCE = 4  # spans

RETRY_AFTER = 5  # seconds
_limit = ConcurrencyLimit(2, 1)  # a preview reads and counts long texts


class BusyError(Exception):
    """This person's preview is still being made, or two of other people."""


class UnreadableError(Exception):
    """The text of the context cannot be read."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the prompt: text, a fold of text that is sent but not shown, or a cut."""

    kind: str  # text, evidence, fold or cut
    text: str = ""
    tokens: TokenCount | None = None  # of a fold or a cut
    has_evidence: bool = False  # of a cut: some of it is lost


@dataclass(frozen=True, slots=True)
class Preview:
    question: ReleaseQuestion
    parts: tuple[Part, ...]
    count: TokenCount | None  # None: it is not asked
    limit: int  # tokens that a prompt may have
    output: int  # tokens that an answer may have
    sight: str
    skipped: bool

    @property
    def has_marks(self) -> bool:
        return any(part.kind == "evidence" for part in self.parts)


def tasks_to_preview(run: EndpointRun, settings: RunSettings) -> list[Task]:
    """The tasks of the release that the run asks, in the order of boards."""
    known = set(run.release.data_sets.values_list("task", flat=True))
    return [TASKS[task] for task in BOARD_ORDER if task in known and task in settings.tasks]


def example_to_preview(release: Release, task: str, key: str) -> Example | None:
    """The example with this key; without a key the first of the task."""
    found = Example.objects.filter(data_set__releases=release, data_set__task=task)
    found = found.select_related("data_set", "context").order_by("index")
    return (found.filter(key=key) if key else found).first()


def neighbours(example: Example) -> tuple[str, str]:
    """The keys of the examples before and after it; empty where there is none."""
    before, after = example.index - 1, example.index + 1
    rows = Example.objects.filter(data_set=example.data_set_id, index__in=(before, after))
    keys = dict(rows.values_list("index", "key"))
    return keys.get(before, ""), keys.get(after, "")


def make_preview(release: Release, example: Example, settings: RunSettings, *, by: User) -> Preview:
    """Raises ``BusyError`` and ``UnreadableError``."""
    if not _limit.acquire(by.pk):
        raise BusyError
    try:
        return _preview(release, example, settings)
    except (OSError, ReleaseError, ValueError) as error:
        raise UnreadableError from error
    finally:
        _limit.release(by.pk)


def _preview(release: Release, example: Example, settings: RunSettings) -> Preview:
    question = release_question(example)
    task = question.task
    limit, output = settings.prompt_limit(task), settings.output_limit(task)
    context = question.read_context()
    # Where the evidence is gives the answer away: with hidden labels it stays secret.
    spans = () if release.hidden else evidence_of(question, context)
    try:
        sent = prompt_for(question, settings)
    except SkippedError:
        return Preview(question, (), None, limit, output, "skipped", True)
    template = template_of(settings.strategy, task, settings.templates)
    around = template.fill("", question_of(task, question.question), question.example.options)
    if settings.strategy is Strategy.EVIDENCE_ONLY or not template.has_context:
        parts = tuple(_shown(sent.text, [], settings.tokenizer))
        return Preview(
            question, parts, sent.count, limit, output, _evidence_note(sent.sight, release), False
        )
    shift = len(around.before)
    shifted = [(start + shift, end + shift) for start, end in spans]
    whole = around.before + context + around.after
    lost = (sent.lost[0] + shift, sent.lost[1] + shift) if sent.lost else None
    parts = tuple(_parts(whole, shifted, lost, settings.tokenizer))
    return Preview(
        question, parts, sent.count, limit, output, _evidence_note(sent.sight, release), False
    )


def _evidence_note(sight: Sight, release: Release) -> str:
    """What the preview says about the evidence: nothing if the labels are hidden."""
    if release.hidden and sight in (Sight.KEPT, Sight.CUT, Sight.UNKNOWN):
        return "hidden"
    return sight.name.lower()


def _parts(text: str, evidence: list[Span], lost: Span | None, tokenizer: str) -> Iterator[Part]:
    if lost is None:
        yield from _shown(text, evidence, tokenizer)
        return
    start, end = lost
    yield from _shown(text[:start], evidence, tokenizer)
    is_hit = any(first < end and start < last for first, last in evidence)
    yield Part("cut", tokens=count_tokens(text[start:end], tokenizer), has_evidence=is_hit)
    yield from _shown(text[end:], [(one - end, two - end) for one, two in evidence], tokenizer)


def _shown(text: str, evidence: list[Span], tokenizer: str) -> Iterator[Part]:
    """The text that is sent, with long stretches folded except at its ends and around evidence."""
    length = len(text)
    marked = sorted(
        (max(0, start), min(length, end)) for start, end in evidence if start < length and end > 0
    )[:_MOST_EVIDENCE]
    windows = [(0, _END), (max(0, length - _END), length)]
    for start, end in marked:
        if end - start > 2 * _AROUND:  # only the two ends of a long one
            windows += [(start - _AROUND, start + _AROUND), (end - _AROUND, end + _AROUND)]
        else:
            windows.append((start - _AROUND, end + _AROUND))
    position = 0
    for first, last in _merged(windows, length):
        if first > position:
            yield Part("fold", tokens=count_tokens(text[position:first], tokenizer))
        yield from _pieces(text, first, last, marked)
        position = last


def _merged(windows: list[Span], length: int) -> list[Span]:
    """Sorted and clipped to the text; windows with a gap of a few lines become one."""
    found: list[Span] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in windows):
        if found and start <= found[-1][1] + _AROUND:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif start < end:
            found.append((start, end))
    return found


def _pieces(text: str, start: int, end: int, marked: list[Span]) -> Iterator[Part]:
    """The window with the evidence in it marked."""
    position = start
    for first, last in marked:
        if last <= position or first >= end:
            continue
        if first > position:
            yield Part("text", text[position:first])
        begin = max(first, position)
        yield Part("evidence", text[begin : min(last, end)])
        position = min(last, end)
    if position < end:
        yield Part("text", text[position:end])
