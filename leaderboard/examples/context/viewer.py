"""The viewer of a long context: a window of its text, and a picture of all of it.

How a page shows it:

    viewer = viewer_of(questions, example, request.GET, choice.pairs(),
                       words=telling_words(prediction, 12),  # where a reader asks for them
                       cuts=[Cut(title, *span)])             # of ``SettingsLine.cut_of``
    …
    {% if page.viewer %}{% include "examples/_context.html" with viewer=page.viewer %}{% endif %}

with ``css/context.css`` and ``js/context.js`` in the head of the page. None: the context is not
stored. The query string has, besides what ``choice.pairs()`` keeps, ``at`` (a token) and ``find``
(what is searched for): ``viewer.pairs`` are these two, for links of the page that keep the place.
``go`` and ``unit`` come from the form that goes to a place, and become ``at``.

Only a window travels. A search reads all of the text (20 to 80 ms for two million tokens), and
so does each of the words, once: the page without them costs the same for every length.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from leaderboard.example_links import example_address
from leaderboard.examples.context.minimap import BINS, LINKS, Minimap, minimap_of
from leaderboard.examples.context.places import UNITS, Asked, Links, Spot, pairs_of
from leaderboard.examples.context.text import Mark, html_of
from leaderboard.examples.queries import QuestionSet
from portal.models import Context, Example
from portal.releases.context_search import (
    Hit,
    Hits,
    count_in_parts,
    hits_in,
    line_of_token,
    lines_in,
    search_context,
)
from portal.releases.context_windows import begins_line, opened, window_by_tokens
from scoring.catalog import tasks_of
from scoring.text.amounts import rough_amount
from scoring.text.text_index import Span, Window, WindowError

log = logging.getLogger(__name__)

WINDOW = 2_000  # tokens on the page
STEP = 1_500  # tokens that a script fetches at once
LEAD = 150  # tokens before the requested place
_MOST_LISTED = 20  # occurrences, and pieces of evidence
_MOST_PLACES = 300  # occurrences of a word; a more frequent word tells nothing
_TICKS = 4
_LANGUAGES = {
    **dict.fromkeys(tasks_of("novel"), "en"),
    "longbook_qa_chn": "zh-Hans",
    "longdialogue_qa_eng": "en",
}


class Cut(NamedTuple):
    """The tokens that a run left out, roughly: its model tokenizes differently, and the prompt
    around the context counts as well."""

    title: str  # of the run
    start: int
    end: int


class Word(NamedTuple):
    text: str
    total: int
    bins: Sequence[int]
    address: str  # that searches for it


class Found(NamedTuple):
    """The result of a search."""

    total: int
    listed: Sequence[tuple[Hit, Spot]]  # the current one, and those after it
    previous: Spot | None
    following: Spot | None
    bins: Sequence[int]


@dataclass(frozen=True, slots=True)
class ContextViewer:
    context: Context
    asked: Asked
    at: int  # the token that links lead to
    window: Window
    html: SafeString  # the text of the window
    line: int | None  # the number of the window's first line, if lines are numbered
    lines: int | None
    evidence: Sequence[Spot]
    evidence_spans: Sequence[Span]  # in characters; empty if answers may not be shown
    found: Found | None
    words: Sequence[Word]
    cuts: Sequence[Cut]
    minimap: Minimap
    links: Sequence[Spot]  # one for each part of the minimap, from top to bottom
    ticks: Sequence[tuple[str, Spot]]
    previous: Spot | None  # the windows before and after this one
    following: Spot | None
    language: str  # of the text; empty: unknown
    state: Sequence[tuple[str, str]]  # of the page around the viewer
    address: str  # the parent of the addresses of windows and searches
    everywhere: str  # the same search in all contexts of the task
    step: int = STEP
    lead: int = LEAD
    units: Sequence[str] = UNITS

    @property
    def here(self) -> Spot:
        return Links(self.context.tokens, self.state, self.asked.find).spot(self.at)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """The part of the query string that keeps the place."""
        return pairs_of(self.at, self.asked.find)


def viewer_of(
    questions: QuestionSet,
    example: Example,
    query: Mapping[str, str],
    state: Sequence[tuple[str, str]] = (),
    *,
    words: Sequence[str] = (),
    cuts: Sequence[Cut] = (),
) -> ContextViewer | None:
    """At the place that the query string asks for; otherwise at the first occurrence of the
    searched string, at the evidence if the reader may see it, or at the start.

    ``state`` has names and values of the query string that every link keeps; ``words`` are searched
    for in the whole context. None: the context is not stored, or cannot be read.
    """
    if example.context is None:
        return None
    try:
        return _viewer_of(
            questions, example, example.context, query=query, state=state, words=words, cuts=cuts
        )
    except (OSError, WindowError):
        log.exception("context %s cannot be read", example.context)
        return None


def _viewer_of(
    questions: QuestionSet,
    example: Example,
    context: Context,
    *,
    query: Mapping[str, str],
    state: Sequence[tuple[str, str]],
    words: Sequence[str],
    cuts: Sequence[Cut],
) -> ContextViewer:
    spans = [(start, end) for start, end in example.evidence or ()]
    evidence = spans if questions.shows_answers else []
    names = (questions.release.slug, questions.task.id)
    asked = Asked.from_query(query, context)
    links = Links(context.tokens, state, asked.find)
    hits = _search(context, asked)
    pieces = _in_tokens(context, evidence)
    at = _place(asked, hits, pieces)
    start = max(0, at - LEAD)
    end = min(start + WINDOW, context.tokens)
    window = window_by_tokens(context, start, end)
    line = line_of_token(context, start) if questions.task.domain == "code" else None
    found = _found(hits, links) if hits else None
    counted = _count_words(context, words, links)
    return ContextViewer(
        context=context,
        asked=asked,
        at=at,
        window=window,
        html=html_of(
            window,
            _marks(context, window, evidence, asked.find, found),
            window_by_tokens(context, at, at).characters[0],
            line,
            begins_line=begins_line(context, window),
        ),
        line=line,
        lines=None if line is None else lines_in(context),
        evidence=[links.spot(piece[0]) for piece in pieces[:_MOST_LISTED]],
        evidence_spans=evidence,
        found=found,
        words=counted,
        cuts=cuts,
        minimap=minimap_of(
            context.tokens,
            (start, end),
            evidence=pieces,
            words=[sum(parts) for parts in zip(*(word.bins for word in counted), strict=True)],
            hits=found.bins if found else (),
            cuts=[(cut.start, cut.end) for cut in cuts],
        ),
        links=[links.spot(context.tokens * part // LINKS) for part in range(LINKS)],
        ticks=_ticks(context, links),
        previous=links.spot(max(0, at - WINDOW)) if start else None,
        following=links.spot(min(end + LEAD, context.tokens)) if end < context.tokens else None,
        language=_LANGUAGES.get(questions.task.id, ""),
        state=state,
        address=example_address(*names, example.key),
        everywhere=f"{reverse('examples-contexts', args=names)}?{urlencode({'q': asked.find})}",
    )


def _place(asked: Asked, hits: Hits | None, pieces: Sequence[Span]) -> int:
    """The token that the reader asked for, otherwise the first hit, otherwise the first
    evidence."""
    if asked.at is not None:
        return asked.at
    starts = [hit.token for hit in hits.after] if hits else [piece[0] for piece in pieces]
    return starts[0] if starts else 0


def _ticks(context: Context, links: Links) -> list[tuple[str, Spot]]:
    """Below the minimap: a number of tokens, and the link that leads there."""
    tokens = [context.tokens * part // _TICKS for part in range(_TICKS + 1)]
    return [(rough_amount(token), links.spot(token)) for token in tokens]


def _search(context: Context, asked: Asked) -> Hits | None:
    if not asked.find:
        return None
    return search_context(context, asked.find, asked.at or 0, most=_MOST_LISTED, bins=BINS)


def _found(hits: Hits, links: Links) -> Found:
    before, after = ([links.spot(hit.token) for hit in some] for some in (hits.before, hits.after))
    return Found(
        hits.total,
        list(zip(hits.after, after, strict=True)),
        before[-1] if before else None,
        after[1] if len(after) > 1 else None,
        hits.bins,
    )


def _in_tokens(context: Context, spans: Sequence[Span]) -> list[Span]:
    """The tokens that contain these characters; only the ends are read."""
    with opened(context) as text:
        return [
            (
                text.by_characters(start, min(start + 1, end)).tokens[0],
                text.by_characters(max(start, end - 1), end).tokens[1],
            )
            for start, end in spans
        ]


def _count_words(context: Context, words: Sequence[str], links: Links) -> list[Word]:
    """The words that occur, and not all over the text."""
    found = [(word, count_in_parts(context, word, BINS, _MOST_PLACES)) for word in words]
    return [
        Word(word, sum(bins), bins, links.search(word))
        for word, bins in found
        if bins and any(bins)
    ]


def _marks(
    context: Context,
    window: Window,
    evidence: Sequence[Span],
    find: str,
    found: Found | None,
) -> list[Mark]:
    marks = [Mark(span, "evidence") for span in evidence]
    if found and found.listed:
        marks.append(Mark(found.listed[0][0].characters, "current"))
    if find:
        marks += [Mark(span, "hit") for span in hits_in(context, window, find)]
    return marks
