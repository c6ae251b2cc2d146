"""En.Dia from plays and scripts: one character is masked throughout a scene.

After ∞Bench (Zhang et al., ACL 2024, section 3.2), where one occurrence of a name is masked and
scripts are padded with others. There, who spoke two turns away or else the nearest frequent speaker
is right in 61 %; here scenes are chosen in which such rules are right as rarely as a guess.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, pairwise, takewhile
from random import Random

from scoring.generators import lengths
from scoring.generators.draws import shuffled
from scoring.generators.example import Example, ExampleSpec, even_position
from scoring.generators.haystack.prose import passages
from scoring.generators.haystack.texts import HaystackError, Text, no_more, read_texts
from scoring.releases.facets import depth_of
from scoring.text.rules_of_thumb import MASK, TURN_RULES
from scoring.text.tokens import estimate_tokens

SHORTEST = 8_000  # tokens
_TASK = "longdialogue_qa_eng"
_LARGEST = 2_500  # tokens of a scene that is asked about
_TURNS = 3  # that the masked one has in the scene, at least
_OTHERS = 2  # who speak in it
_NAMES = 2  # of a scene are masked, each in a question of its own
_ELSEWHERE = 3  # turns in other scenes, at least: a name that is read nowhere cannot be known
_CHANCE = 0.2  # of the scenes in which a rule of thumb is right are kept
_NEAR = 3  # scenes on each side in which the rules look

_HEADING = re.compile(r"^[ \t]*(?:ACT|SCENE|Act|Scene|INT\.|EXT\.|INT/EXT)\b.*$", re.MULTILINE)
# “HAMLET. To be”, “HAMLET: To be”, “HAMLET (aside): To be”, and “HAMLET” on a line of its own.
_LABEL = re.compile(
    r"^[ \t]*(?P<name>[A-Z][A-Z'’-]+(?: [A-Z][A-Z'’-]*){0,3})"
    r"(?:[ \t]*[(\[][^)\]\n]*[)\]])?[ \t]*(?:[.:](?=\s)|$)",
    re.MULTILINE,
)
_PART = re.compile(r"[^\n](?:[^\n]|\n(?!\n))*")
_NO_NAMES = re.compile(
    r"^(?:ACT|SCENE|INT|EXT|THE END|FADE|CUT|DISSOLVE|CONTINUED|ALL|BOTH|EXEUNT|EXIT|ENTER|PROLOGUE"
    r"|EPILOGUE|FINIS|CURTAIN|NOTE|PREFACE|CONTENTS)\b"
)


@dataclass(frozen=True, slots=True)
class Scene:
    text: str
    turns: tuple[str, ...]  # who speaks, in order


@dataclass(frozen=True, slots=True)
class Play:
    name: str
    scenes: tuple[Scene, ...]


@dataclass(frozen=True, slots=True)
class Masked:
    """A scene that can be asked about."""

    play: Play
    place: int  # of the scene
    name: str
    text: str  # of the scene, with the mask


def dialogue_from(
    paths: tuple[str, ...], spec: ExampleSpec, *, distractors: tuple[str, ...] = ()
) -> Example:
    """A scene with a mask, at the stated depth, in the order of its play as far as there is room;
    other plays around it. Raises ``HaystackError`` where there is not enough."""
    plays, asked = _plays(paths)
    rng = spec.draws(_TASK, spec.index)
    chosen = asked[int(rng.random() * len(asked))]
    stem = chosen.play.name.rpartition("/")[2].removesuffix(".txt")
    question = (
        f"In one scene of “{re.sub(r'[_-]+', ' ', stem).strip()}”, wherever the name of one "
        f"character would stand, it is replaced by {MASK}. Who is {MASK}? Answer with the name "
        "only."
    )
    room = lengths.rest(spec.tokens, question) - estimate_tokens(chosen.text)
    share = even_position(spec, _TASK, 1_000) / 1_000
    own = chosen.play.scenes
    before = [one.text for one in own[: chosen.place]][::-1]  # the nearest first, as after it
    after = [one.text for one in own[chosen.place + 1 :]]
    # At the ends of the text there is no room on one side: then the scenes stand on the other one,
    # for without them nobody can know the name.
    first, last = _fitting(before, share * room), _fitting(after, (1 - share) * room)
    padding = spec.draws(_TASK, spec.index, "padding")
    other_plays = shuffled(padding, [play for play in plays if play is not chosen.play])
    scenes = (scene.text for play in other_plays for scene in play.scenes)
    speakers = {name for scene in own for name in scene.turns}
    prose = (text for _, text in passages(padding, distractors, speakers))
    others = chain(scenes, prose, no_more())
    moved = after[last : last + 1] if not last else []
    head = [*lengths.filled(chain(before[:first], moved, others), share * room)][::-1]
    moved = before[first : first + 1] if not first else []
    room -= sum(map(estimate_tokens, head))
    tail = [*lengths.filled(chain(moved, after[:last], others), room)]
    start = sum(map(len, head))
    return Example(
        context=[*head, chosen.text, *tail],
        question=question,
        answer=[chosen.name],
        evidence=tuple(
            (start + part.start(), start + part.end())
            for part in _PART.finditer(chosen.text)
            if MASK in part[0]
        ),
        depth=depth_of(len(head), len(head) + len(tail)),
    )


@lru_cache(maxsize=2)
def _plays(paths: tuple[str, ...]) -> tuple[list[Play], list[Masked]]:
    plays = [play for text in read_texts(paths, ".txt") if (play := play_of(text))]
    rng = Random(0)
    asked = [one for play in plays for one in _maskable(rng, play)]
    if not asked:
        raise HaystackError(
            "No scene of the plays can be asked about: it needs headings such as “SCENE II”, and "
            "speakers in capital letters, as “HAMLET.” or “HAMLET:”."
        )
    return plays, asked


def play_of(text: Text) -> Play | None:
    """Its scenes, from one heading to the next; None of a text without speakers."""
    counts = Counter(match["name"] for match in _LABEL.finditer(text.text))
    names = {name for name, count in counts.items() if count > 1 and not _NO_NAMES.match(name)}
    cuts = [0, *(match.start() for match in _HEADING.finditer(text.text)), len(text.text)]
    scenes = []
    for start, end in pairwise(cuts):
        part = text.text[start:end].strip("\n")
        turns = [one["name"] for one in _LABEL.finditer(part) if one["name"] in names]
        if turns:
            scenes.append(Scene(f"{part}\n\n", tuple(turns)))
    return Play(text.name, tuple(scenes)) if len(scenes) > 1 else None


def _maskable(rng: Random, play: Play) -> Iterator[Masked]:
    everywhere = Counter(name for scene in play.scenes for name in scene.turns)
    whole = "".join(scene.text for scene in play.scenes)
    common = set(re.findall(r"(?<!\w)[a-z]{3,}(?!\w)", whole))
    for place, scene in enumerate(play.scenes):
        counts = Counter(scene.turns)
        if len(counts) <= _OTHERS or estimate_tokens(scene.text) > _LARGEST:
            continue
        nearby = (*play.scenes[max(0, place - 1) : place], *play.scenes[place + 1 : place + 2])
        shown = [near for near in nearby if estimate_tokens(near.text) <= _LARGEST]
        beside = {name for near in shown for name in near.turns}
        fitting = [
            name
            for name, count in counts.items()
            if count >= _TURNS
            and everywhere[name] - count >= _ELSEWHERE
            and name in beside
            # “King” is a word of the play, and “Dromio of Ephesus” has a brother: the mask would
            # hide others too.
            and name.isalpha()
            and name.lower() not in common
            and len(name) > 2
        ]
        for name in shuffled(rng, fitting)[:_NAMES]:
            masked = Masked(play, place, name, mask(scene.text, name))
            if not _is_guessed(masked) or rng.random() < _CHANCE:
                yield masked


def mask(text: str, name: str) -> str:
    """With the name replaced wherever it stands as a word, in whatever case."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", MASK, text, flags=re.IGNORECASE)


def _is_guessed(masked: Masked) -> bool:
    scenes = masked.play.scenes[max(0, masked.place - _NEAR) : masked.place + _NEAR + 1]
    own = masked.play.scenes[masked.place]
    nearby = "".join(masked.text if one is own else one.text for one in scenes)
    return any(rule(nearby, "", ()).upper() == masked.name for rule in TURN_RULES.values())


def _fitting(texts: Sequence[str], room: float) -> int:
    """How many of the first ones have room."""
    sizes = accumulate(map(estimate_tokens, texts))
    return sum(1 for _ in takewhile(lambda size: size <= room, sizes))
