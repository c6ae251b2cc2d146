"""En.Dia: who is the speaker that is masked in one scene?

After ∞Bench (Zhang et al., ACL 2024, section 3.2): there a name is replaced all over a film script,
and other scripts fill up the length. Here the play is made, too, so that the answer is computed:
facts said in its other scenes lead from what the masked speaker says to one name.
"""

from collections.abc import Iterator
from random import Random

from scoring.generators import lengths
from scoring.generators.dialogue.play import MASK, Play, Scene, make_play, scenes_of
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
    room = lengths.rest(spec.tokens, question) / _TOKENS
    room -= sum(estimate_tokens(_text(scene)) for scene in asked)
    others = [*lengths.filled(_others(padding, play), room)]
    place = even_position(spec, _TASK, len(others))
    places = _scattered(
        spec.draws(_TASK, spec.index, "places"), showing, place, len(asked), len(others)
    )
    pieces: list[str] = []
    found: dict[int, Span] = {}
    start = 0
    shown = [(place, _text(scene), scene) for place, scene in zip(places, asked, strict=True)]
    shown += [(place, text, []) for place, text in enumerate(others, 1)]
    for _, text, scene in sorted(shown, key=lambda one: one[0]):
        found |= _spans(scene, masked, start)
        pieces.append(text)
        start += len(text)
    return Example(
        context=pieces,
        question=question,
        answer=[play.cast[masked]],
        evidence=tuple(found[step] for step in sorted(found)),
        depth=depth_of(place, len(others)),
        hops=hops,
    )


def _scattered(rng: Random, showing: int, place: int, asked: int, others: int) -> list[float]:
    """After how many of the other scenes each of the asked play stands, whose order stays: those
    before and after the one with the mask are spread over all the text there is on their side."""
    after = asked - showing - 1
    before = [(number + rng.random()) / showing * place for number in range(showing)]
    rest = others - place
    behind = [place + (number + rng.random()) / after * rest for number in range(after)]
    return [*before, place + 0.5, *(max(one, place + 0.5) for one in behind)]


def _text(scene: Scene) -> str:
    return "\n".join(line.text for line in scene) + "\n\n"


def _others(rng: Random, asked: Play) -> Iterator[str]:
    """Scenes of other plays without end."""
    while True:
        people, hops = between(rng, 7, 10), pick(rng, HOPS)
        play = make_play(rng, hops=hops, people=people, besides=asked)
        yield from map(_text, scenes_of(rng, play, masked=None, scenes=between(rng, 3, 6)))


def _spans(scene: Scene, masked: int, start: int) -> dict[int, Span]:
    """The spans of the lines about the masked speaker, by their place in the chain."""
    found: dict[int, Span] = {}
    for line in scene:
        if line.person == masked:
            found[line.step] = (start, start + len(line.text))
        start += len(line.text) + 1
    return found
