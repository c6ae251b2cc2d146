"""En.Dia: who is the speaker that is masked in one scene?

After ∞Bench (Zhang et al., ACL 2024, section 3.2): there a name is replaced all over a film script,
and other scripts fill up the length. Here the play is made, too, so that the answer is computed:
facts said in its other scenes lead from what the masked speaker says to one name.
"""

from collections.abc import Iterator
from random import Random

from scoring.generators import lengths
from scoring.generators.dialogue.play import MASK, Line, Play, Scene, make_play, scenes_of
from scoring.generators.draws import between, pick
from scoring.generators.example import Example, ExampleSpec, even_position, permuted_index
from scoring.releases.facets import Span, depth_of
from scoring.text.tokens import estimate_tokens

_TASK = "longdialogue_qa_eng"
HOPS = (2, 3)  # facts to combine with what the masked speaker says
_PEOPLE = 9  # at most a third of them are on the stage with the masked one
_TOKENS = 1.099  # for each that is estimated: measured on a million
_SCENES = {2: 3, 3: 4}  # in which the facts are said

_QUESTION = (
    "In one scene of the play “{title}”, wherever the name of one character would stand, it is "
    f"replaced by {MASK}. Who is {MASK}? Answer with the name only."
)


def dialogue(spec: ExampleSpec) -> Example:
    """The scenes of one play in their order, scattered among scenes of other plays.

    The evidence is what the masked speaker says, then one line for each fact; the depth is that of
    the scene with the mask.
    """
    rng = spec.draws(_TASK, spec.index)
    hops = HOPS[permuted_index(spec, _TASK) % len(HOPS)]
    play = make_play(rng, hops=hops, people=_PEOPLE)
    masked = between(rng, 0, _PEOPLE - 1)
    showing = even_position(spec, _TASK, _SCENES[hops])
    asked = list(scenes_of(rng, play, masked=masked, scenes=_SCENES[hops], showing=showing))
    question = _QUESTION.format(title=play.title)
    padding = spec.draws(_TASK, spec.index, "padding")
    room = lengths.rest(spec.tokens, question) - sum(_tokens(_text(scene)) for scene in asked)
    others = [*_others(padding, play, room)]
    place = even_position(spec, _TASK, len(others))
    places = _scattered(spec.draws(_TASK, spec.index, "places"), showing, place, asked, others)
    numbered = [*zip(places, asked, strict=True), *enumerate(others, 1)]
    pieces: list[str] = []
    found: dict[int, Span] = {}
    start = 0
    for _, scene in sorted(numbered, key=lambda one: one[0]):
        if scene in asked:
            found |= _spans(scene, masked, start)
        pieces.append(_text(scene))
        start += len(pieces[-1])
    return Example(
        context=pieces,
        question=question,
        answer=[play.cast[masked]],
        evidence=tuple(found[step] for step in sorted(found)),
        depth=depth_of(place, len(others)),
        hops=hops,
    )


def _scattered(
    rng: Random, showing: int, place: int, asked: list[Scene], others: list[Scene]
) -> list[float]:
    """After how many of the other scenes each of the asked play stands, whose order stays: those
    before and after the one with the mask are spread over all the text there is on their side."""
    after = len(asked) - showing - 1
    before = [(number + rng.random()) / showing * place for number in range(showing)]
    rest = len(others) - place
    behind = [place + (number + rng.random()) / after * rest for number in range(after)]
    return [*before, place + 0.5, *(max(one, place + 0.5) for one in behind)]


def _text(scene: Scene) -> str:
    return "\n".join(line.text for line in scene) + "\n\n"


def _tokens(text: str) -> float:
    return estimate_tokens(text) * _TOKENS


def _others(rng: Random, asked: Play, room: float) -> Iterator[Scene]:
    """Scenes of other plays, until the room is taken; the last one ends where it is."""
    while True:
        people, hops = between(rng, 7, 10), pick(rng, HOPS)
        play = make_play(rng, hops=hops, people=people, besides=asked)
        for scene in scenes_of(rng, play, masked=None, scenes=between(rng, 3, 6)):
            room -= (taken := _tokens(_text(scene)))
            if room <= 0:
                yield from _beginning(scene, room + taken)
                return
            yield scene


def _beginning(scene: Scene, room: float) -> Iterator[Scene]:
    """As many of its lines as fit, if more than the heading does."""
    kept: list[Line] = []
    for line in scene:
        taken = _tokens(f"{line.text}\n")
        if taken / 2 > room:
            break
        kept.append(line)
        room -= taken
    if len(kept) > 1:
        yield kept


def _spans(scene: Scene, masked: int, start: int) -> dict[int, Span]:
    """The spans of the lines about the masked speaker, by their place in the chain."""
    found: dict[int, Span] = {}
    for line in scene:
        if line.person == masked:
            found[line.step] = (start, start + len(line.text))
        start += len(line.text) + 1
    return found
