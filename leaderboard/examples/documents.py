"""One example with its answers as JSON and Markdown, for programs and language models."""

import re
from collections.abc import Mapping
from itertools import accumulate
from typing import Any

from django.http import QueryDict

from leaderboard.example_links import example_address
from leaderboard.examples.answers import FullAnswer, read_answers, read_in_full
from leaderboard.examples.choice import Choice
from leaderboard.examples.context.views import MOST_TOKENS
from leaderboard.examples.example import shown_example
from leaderboard.examples.json_answers import QueryError, whole_number
from leaderboard.examples.queries import AnsweringLookup, QuestionSet, published_answering
from portal.models import Context, Example
from portal.permissions.access import Reader
from portal.releases.context_windows import window_by_tokens
from portal.scores.questions.gold import gold_answers
from scoring.text.text_index import Window

MOST_ANSWERS = 50  # in one document
_MOST_CHARACTERS = 4_000_000  # in all answers; a single one is never left out
_FENCE = re.compile("`{3,}")


def example_document(
    reader: Reader, questions: QuestionSet, example: Example, query: QueryDict
) -> dict[str, Any]:
    """The answers of the entries in ``entry``, or those of all published entries from ``start`` on;
    with ``tokens`` also a window of the context. Raises ``QueryError``."""
    shown = shown_example(questions, example)
    answers, count, following = _answers(reader, questions, example, query)
    address = example_address(questions.release.slug, questions.task.id, example.key)
    window = _window(example.context, query)
    return {
        "key": example.key,
        "release": questions.release.slug,
        "task": questions.task.id,
        "number": shown.number,
        "question": shown.question,
        "options": [option.text for option in shown.options],
        "gold": shown.gold,
        "facets": shown.facets,
        "context": _context(example.context, f"{address}context"),
        **({"window": {"from": window.tokens[0], "to": window.tokens[1], "text": window.text}}
           if window else {}),
        "count": count,
        "next": None if following is None else f"{address[:-1]}.json?start={following}",
        "predictions": [_prediction(questions, one) for one in answers],
    }  # fmt: skip


def _answers(
    reader: Reader, questions: QuestionSet, example: Example, query: QueryDict
) -> tuple[list[FullAnswer], int, int | None]:
    """With their total number, and where the next document starts."""
    start = whole_number(query, "start", 0, 0, 10**6)
    published = published_answering(reader, questions)
    if entries := Choice.from_query(query).entries:
        lookup = AnsweringLookup(reader, questions, published)
        found = [lookup.answering_at(one) for one in entries]
        chosen = list(dict.fromkeys(filter(None, found)))
        return read_in_full(questions, example, chosen), len(chosen), None
    answers = read_answers(questions, example, published)
    lengths = accumulate(one.length or 0 for one in answers[start : start + MOST_ANSWERS])
    fitting = sum(total <= _MOST_CHARACTERS for total in lengths)
    end = start + max(1, fitting)
    in_full = read_in_full(questions, example, [one.by for one in answers[start:end]])
    return in_full, len(answers), end if end < len(answers) else None


def _context(context: Context | None, address: str) -> dict[str, Any] | None:
    if context is None:
        return None
    return {
        "tokens": context.tokens,
        "estimated": context.tokens_estimated,
        "characters": context.characters,
        "sha256": context.sha256,
        "url": address,
    }


def _window(context: Context | None, query: QueryDict) -> Window | None:
    if not query.get("tokens"):
        if query.get("from"):  # a window was meant, without ``tokens``
            raise QueryError("bad_tokens", f"tokens is needed with from: 1 to {MOST_TOKENS}.")
        return None
    if context is None:
        raise QueryError("no_context", "The context of this example is not stored.")
    count = whole_number(query, "tokens", 0, 1, MOST_TOKENS)
    start = whole_number(query, "from", 0, 0, context.tokens)
    return window_by_tokens(context, start, min(start + count, context.tokens))


def _prediction(questions: QuestionSet, answer: FullAnswer) -> dict[str, Any]:
    """Without scores if verdicts may not be shown."""
    by_set = {one.metric_set.name: one for one in answer.judgements}
    label = gold_answers(questions.task, answer.label) if answer.has_other_label else None
    return {
        "entry": answer.by.id,
        "model": answer.by.title,
        "prediction": answer.text,
        "scores": {name: one.score.percent for name, one in by_set.items()}
        or {one.metric_set.name: one.percent for one in answer.figures},
        "extracted": {name: one.extracted for name, one in by_set.items()},
        "reason": {name: one.reason for name, one in by_set.items()},
        **({"label": label} if label is not None else {}),
    }


def as_markdown(document: Mapping[str, Any], title: str) -> str:
    """Renders an ``example_document``. Texts of others are in fences that they cannot close."""
    lines = [f"# {title}", "", f"Release {document['release']}.", "", "## Question", ""]
    lines += _fenced(document["question"])
    lines += [
        f"- {chr(ord('A') + number)}. {_on_one_line(text)}"
        for number, text in enumerate(document["options"])
    ]
    if document["gold"] is not None:
        lines += ["", "## Gold answer", ""]
        for text in document["gold"]:
            lines += _fenced(text)
    if window := document.get("window"):
        lines += ["", f"## Context, tokens {window['from']} to {window['to']}", ""]
        lines += _fenced(window["text"])
    for one in document["predictions"]:
        lines += ["", f"## Answer of {_on_one_line(one['model'])}", ""]
        no_text = "(not in this copy)" if one["scores"] else "(no answer)"
        lines += [no_text] if one["prediction"] is None else _fenced(one["prediction"])
        lines += [
            f"- {name}: {one['scores'][name]:.2f} % – {_on_one_line(reason)}"
            for name, reason in one["reason"].items()
        ]
    return "\n".join(lines) + "\n"


def _fenced(text: str) -> list[str]:
    longest = max(map(len, _FENCE.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return [fence, text, fence]


def _on_one_line(text: str) -> str:
    """As plain text, whatever Markdown or HTML it contains."""
    return re.sub(r"([\\`*_\[\]<>#|&])", r"\\\1", " ".join(text.split()))
