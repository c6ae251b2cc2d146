"""Text to copy: BibTeX citations of the benchmark's paper, of a leaderboard and of an entry, and an
entry's badge for a README."""

import re
from datetime import date
from typing import NamedTuple

from django.conf import settings
from django.urls import reverse
from django.utils.html import escape

PAPER = r"""@inproceedings{zhang-etal-2024-bench,
  title = {$\infty${B}ench: Extending Long Context Evaluation Beyond 100{K} Tokens},
  author = {Zhang, Xinrong and Chen, Yingfa and Hu, Shengding and Xu, Zihang and Chen, Junhao
    and Hao, Moo and Han, Xu and Thai, Zhen and Wang, Shuo and Liu, Zhiyuan and Sun, Maosong},
  booktitle = {Proceedings of the 62nd Annual Meeting of the Association for Computational
    Linguistics (Volume 1: Long Papers)},
  year = {2024},
  pages = {15262--15277},
  url = {https://aclanthology.org/2024.acl-long.814}
}"""
_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "∞": r"$\infty$",
    "–": "--",
}


def page_citation(key: str, title: str, note: str, path: str, day: date | None) -> str:
    """A citation of a page of this site as it was on a given day."""
    fields = {
        "title": f"{{{_escaped(title)}}}",
        "url": settings.SITE_URL + path,
        "note": _escaped(note),
    }
    if day:
        fields |= {"year": str(day.year), "date": day.isoformat()}
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items()]
    return "\n".join([f"@misc{{infinitebench-{key},", ",\n".join(lines), "}"])


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(character, character) for character in text)


class Snippets(NamedTuple):
    image: str  # the path of the badge
    markdown: str
    html: str


_MARKDOWN = re.compile(r"([\\`*_\[\]<>])")


def badge_snippets(title: str, entry_id: str) -> Snippets:
    """Each is a picture that links to the entry. The alternative text names no score, since that
    may change."""
    path, image = (reverse(name, args=[entry_id]) for name in ("entry", "entry-badge"))
    text = f"∞Bench: {' '.join(title.split())}"
    page, picture = f"{settings.SITE_URL}{path}", f"{settings.SITE_URL}{image}"
    name = _MARKDOWN.sub(r"\\\1", text)
    return Snippets(
        image,
        f"[![{name}]({picture})]({page})",
        f'<a href="{escape(page)}"><img src="{escape(picture)}" alt="{escape(text)}"></a>',
    )
