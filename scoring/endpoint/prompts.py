"""What is sent for a question, and which part of its context is left out."""

from dataclasses import dataclass
from enum import StrEnum

from scoring.endpoint.questions import ReleaseQuestion
from scoring.endpoint.settings import RunSettings
from scoring.endpoint.templates import Strategy, question_of, template_of
from scoring.releases.evidence import Asked, find_evidence
from scoring.releases.facets import Span, evidence_text
from scoring.text.prompts import CutPrompt, cut_prompt
from scoring.text.tokens import ENCODING, TokenCount, count_tokens


class Sight(StrEnum):
    """The part of a context that a model sees."""

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
    whole = Sight.KEPT if only_evidence else Sight.WHOLE
    whole = whole if template.has_context else Sight.NOTHING
    count = listed_count(question, settings)
    if count is not None:
        return SentPrompt(question, prompt.text, count, whole, None)
    limit = settings.prompt_limit(question.task)
    cut = cut_prompt(prompt, limit, settings.tokenizer)
    if cut.lost is None:
        return SentPrompt(question, cut.text, cut.count, whole, None)
    if settings.truncation == "skip":
        raise SkippedError(f"Its prompt has more than {limit:,} tokens.")
    sight, lost = (Sight.CUT, None) if only_evidence else (_sight(question, context, cut), cut.lost)
    return SentPrompt(question, cut.text, cut.count, sight, lost)


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
    """Whether prompts have the tokens that a release lists: in its encoding, with whole
    contexts."""
    return settings.tokenizer == ENCODING and settings.strategy.sends_contexts


def evidence_of(question: ReleaseQuestion, context: str) -> tuple[Span, ...]:
    """The parts of the context that the answer needs; none where they are not known."""
    if question.facets.evidence is not None:
        return question.facets.evidence
    label = question.example.label
    return find_evidence(question.task, Asked(context, question.question, label)).evidence


def _evidence_text(question: ReleaseQuestion, context: str) -> str:
    spans = evidence_of(question, context)
    if not spans:
        raise SkippedError("It is not known which part of its text decides.")
    return evidence_text(context, spans)


def _sight(question: ReleaseQuestion, context: str, cut: CutPrompt) -> Sight:
    spans = evidence_of(question, context)
    if cut.lost is None or not spans:
        return Sight.UNKNOWN
    lost_start, lost_end = cut.lost
    is_cut = any(start < lost_end and lost_start < end for start, end in spans)
    return Sight.CUT if is_cut else Sight.KEPT
