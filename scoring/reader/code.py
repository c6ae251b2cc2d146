"""Code.Run: follow the calls by reading; nothing of a prompt is ever executed."""

import re

from scoring.reader.cut import Page

_CALL = re.compile(r"(\w+)\((-?\d{1,18})\)")
_BODY = re.compile(r"\s*return\s+(?:(\w+)\(x\)|x)\s*(?:([+-])\s*(\d{1,18}))?")


def returned(page: Page) -> str:
    """What the call returns; of a function that is not to be seen: its argument."""
    call = _CALL.search(page.question)
    if not call:
        return "The question names no call."
    name: str | None = call[1]
    value = int(call[2])
    seen: set[str] = set()
    while name and name not in seen:
        seen.add(name)
        name, change = _step(page.text, name)
        value += change
    return str(value)


def _step(text: str, name: str) -> tuple[str | None, int]:
    """Which function this one calls, and what it adds."""
    head = f"def {name}(x):"
    place = text.find(head)
    body = _BODY.match(text, place + len(head)) if place >= 0 else None
    if not body:
        return None, 0
    return body[1], int(f"{body[2] or '+'}{body[3] or 0}")
