"""Patterns of the texts that a template with [slots] makes."""

import re

SLOT = re.compile(r"\[(\w+)\]")


def pattern_of(template: str) -> str:
    """A group for each slot, where it comes first; “a” may be “an” before what it stands for."""
    source, *parts = SLOT.split(template)
    pattern = re.escape(source)
    for slot, text in zip(parts[::2], parts[1::2], strict=True):
        group = f"(?P<{slot}>.{{1,90}}?)"
        pattern += (".{1,90}?" if group in pattern else group) + re.escape(text)
    return re.sub(r"\\ a\\ (?=\(|\.)", r"\\ an?\\ ", pattern)
