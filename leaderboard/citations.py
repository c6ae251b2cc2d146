"""What to cite: the benchmark's paper, a leaderboard, an entry; each in BibTeX."""

from datetime import date

from django.conf import settings

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
    """Of a page of this site, as it was on a day."""
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
