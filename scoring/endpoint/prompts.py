"""What is sent for a question, and what the endpoint does not get to see of its context."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy, question_of, template_of
from scoring.releases.evidence import Asked, find_evidence
from scoring.releases.facets import Span
from scoring.text.prompts import CutPrompt, cut_prompt
from scoring.text.tokens import ENCODING, NO_TOKENS, TokenCount, count_tokens, pieces


class Sight(StrEnum):
    """What a model sees of a context."""

    WHOLE = "whole"
    KEPT = "evidence kept"  # cut, but all of the evidence is there
    CUT = "evidence cut"
    UNKNOWN = "cut"  # the evidence is not known
    NOTHING = "no context"  # closed book


class SkippedError(Exception):
    """The question is not asked under these settings; the message says why."""


@dataclass(frozen=True, slots=True)
class SentPrompt:
    question: ReleaseQuestion
    text: str
    count: TokenCount
    sight: Sight
    lost: Span | None  # characters of the context that are not sent


def prompt_for(question: ReleaseQuestion, settings: RunSettings) -> SentPrompt:
    """The prompt, with its middle cut out where it does not fit. Reads the context.

    Raises ``SkippedError`` where the settings leave the question out.
    """
    context = question.read_context()
    only_evidence = settings.strategy is Strategy.EVIDENCE_ONLY
    template = template_of(settings.strategy, question.task, settings.templates)
    asked = question_of(question.task, question.question)
    given = _evidence_text(question, context) if only_evidence else context
    prompt = template.fill(given, asked, question.example.options)
    limit = settings.prompt_limit(question.task)
    cut = None
    if _is_listed_as_too_long(question, settings):
        cut = cut_prompt(prompt, limit, settings.tokenizer)
    count = listed_count(question, settings)
    if count is None and (cut is None or cut.lost is None):
        count = _count(prompt.text, limit, settings.tokenizer)
    if count is not None:
        sight = Sight.KEPT if only_evidence else Sight.WHOLE
        sight = sight if template.has_context else Sight.NOTHING
        return SentPrompt(question, prompt.text, count, sight, None)
    if settings.truncation == "skip":
        raise SkippedError(f"Its prompt has more than {limit:,} tokens.")
    cut = cut or cut_prompt(prompt, limit, settings.tokenizer)
    sight, lost = (Sight.CUT, None) if only_evidence else (_sight(question, context, cut), cut.lost)
    estimated = count_tokens("", settings.tokenizer).estimated
    return SentPrompt(question, cut.text, TokenCount(limit, estimated), sight, lost)


def listed_count(question: ReleaseQuestion, settings: RunSettings) -> TokenCount | None:
    """The tokens of a prompt that surely fits in, from those that the release lists of its context
    and question; None where they must be counted. Nothing is read."""
    if question.tokens is None or not _is_listed(settings):
        return None
    template = template_of(settings.strategy, question.task, settings.templates)
    asked = "" if question.question.strip() else question_of(question.task, "")
    around = template.fill("", asked, question.example.options).text
    count = TokenCount(question.tokens, estimated=False) + count_tokens(around)
    return count if count.value <= settings.prompt_limit(question.task) else None


def _is_listed(settings: RunSettings) -> bool:
    """Whether prompts have the tokens that a release lists: in its encoding, with all contexts."""
    without = (Strategy.CLOSED_BOOK, Strategy.EVIDENCE_ONLY)
    return settings.tokenizer == ENCODING and settings.strategy not in without


def _is_listed_as_too_long(question: ReleaseQuestion, settings: RunSettings) -> bool:
    """Then it is cut at once: to count it first would take as long again."""
    if question.tokens is None or settings.truncation == "skip" or not _is_listed(settings):
        return False
    return question.tokens > settings.prompt_limit(question.task)


def evidence_of(question: ReleaseQuestion, context: str) -> tuple[Span, ...]:
    """The parts of the context that the answer needs; none where they are not known."""
    if question.facets.evidence is not None:
        return question.facets.evidence
    label = question.example.label
    return find_evidence(question.task, Asked(context, question.question, label)).evidence


def _evidence_text(question: ReleaseQuestion, context: str) -> str:
    spans = sorted(evidence_of(question, context))
    if not spans:
        raise SkippedError("It is not known which part of its text decides.")
    return "\n…\n".join(context[start:end] for start, end in spans)


def _sight(question: ReleaseQuestion, context: str, cut: CutPrompt) -> Sight:
    spans = evidence_of(question, context)
    if cut.lost is None or not spans:
        return Sight.UNKNOWN
    lost_start, lost_end = cut.lost
    is_cut = any(start < lost_end and lost_start < end for start, end in spans)
    return Sight.CUT if is_cut else Sight.KEPT


def _count(text: str, limit: int, tokenizer: str) -> TokenCount | None:
    """The tokens of a text; None as soon as they are more than so many."""
    total = NO_TOKENS
    for piece in pieces(text):
        total += count_tokens(piece, tokenizer)
        if total.value > limit:
            return None
    return total
