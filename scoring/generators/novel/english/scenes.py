"""How the English narrator builds a scene out of sentences, for each kind of scene.

Paragraphs are separated by ``/``. A sentence marked ``?`` is left out half of the time. ``when`` is
the time of day.
"""

Shape = tuple[tuple[str, ...], ...]  # the symbols of each paragraph


def _figure(text: str) -> Shape:
    return tuple(tuple(paragraph.split()) for paragraph in text.split("/"))


FIGURES = {kind: _figure(text) for kind, text in {
    "weather": "when season weather? / weather crowd_s weather? / act_s think_s end_s?",
    "walk": "when place_s weather? / act_s think_s memory_s? / line_s / line_s together_s / end_s",
    "talk": "when act_s place_s? / line_s / line_s / line_s think_s? / line_s / quarrel_s? end_s",
    "letter": "when act_s / letter_lead letter_body / think_s memory_s? end_s",
    "meal": "when place_s meal_s / meal_s line_s / line_s meal_s? / together_s think_s",
    "journey": "when weather set_out_s / road_s road_s together_s? / line_s / line_s / road_s think_s",
    "work": "when act_s work_s / work_s work_s crowd_s? / line_s think_s / work_s end_s?",
    "memory": "when act_s / memory_s memory_s think_s / memory_s look_s? / line_s end_s",
    "dream": "when night_s / dreamed_s dream_s dream_s / dream_s woke_s / act_s season",
    "room": "when place_s place_s / place_s act_s crowd_s / look_s think_s / line_s",
    "quarrel": "when together_s quarrel_s / line_s / line_s / quarrel_s line_s / quarrel_s? end_s",
    "portrait": "when act_s look_s / look_s memory_s think_s / line_s / look_s work_s?",
    "crowd": "when place_s crowd_s / crowd_s crowd_s crowd_s? / act_s line_s / crowd_s weather?",
    "night": "when night_s weather / night_s think_s night_s? / memory_s / night_s end_s",
    "errand": "when road_s? act_s / crowd_s line_s / act_s think_s / work_s? end_s",
    "music": "when place_s music_s / music_s crowd_s / line_s memory_s? / music_s end_s",
}.items()}  # fmt: skip

# The same in a few sentences.
BRIEF = {kind: _figure(text) for kind, text in {
    "weather": "season weather crowd_s?", "walk": "act_s think_s", "talk": "line_s act_s",
    "letter": "letter_lead letter_body", "meal": "together_s meal_s", "journey": "set_out_s road_s?",
    "work": "act_s work_s", "memory": "act_s memory_s", "dream": "dreamed_s dream_s",
    "room": "place_s act_s", "quarrel": "together_s quarrel_s", "portrait": "act_s look_s",
    "crowd": "crowd_s crowd_s", "night": "night_s think_s", "errand": "act_s crowd_s?",
    "music": "music_s end_s",
}.items()}  # fmt: skip

# Before and after a fact. Only the fact itself says where it happened, and only its first person is
# mentioned around it, since a question may be about who else was there.
BEFORE = tuple(map(_figure, (
    "when act_s / crowd_s", "when season? crowd_s / act_s think_s", "when weather / look_s act_s",
    "when crowd_s weather? / memory_s? act_s", "when act_s work_s?", "when season / said_s think_s?",
)))  # fmt: skip
AFTER = tuple(map(_figure, (
    "think_s / close_s", "crowd_s / said_s think_s", "weather", "act_s memory_s?",
    "crowd_s think_s? / act_s weather?", "think_s memory_s / season", "said_s / think_s close_s",
)))  # fmt: skip

# Around events without a particular person, or with one who does not appear again; a step of the
# main plot states its own day.
BEFORE_ALL = tuple(
    map(_figure, ("when crowd_s /", "when season crowd_s /", "when / crowd_s weather /"))
)
BEFORE_BEAT = tuple(
    map(_figure, ("crowd_s /", "season crowd_s /", "weather /", "crowd_s weather /"))
)
AFTER_ALL = tuple(
    map(_figure, ("crowd_s", "weather crowd_s?", "/ season crowd_s", "/ crowd_s crowd_s"))
)

TITLES = {
    "title": """
        The [title_noun] of [town]
        [title_noun] and [title_noun]
        The [title_noun] [title_where]
        The [worker] and the [title_noun]
        """,
    "title_noun": """
        Inheritance|Causeway|Promise|Tide|Lamplight|Obstinacy|Bargain|Weathercock|Harvest|Silence
        Threshold|Confession|Embankment|Chronicle|Reckoning|Masquerade|Homecoming|Fortune|Watershed
        """,
    "title_where": "by the Estuary|of the Provinces|under the Hill|in the Low Country|between Two Rivers",
    "chapter": """
        in which [abstract] {is|proves} {cheaper|heavier|rarer} than [abstract]
        a [adj] [thing], and what {came of it|the [worker] made of it}
        {concerning|on|of} [abstract] and [abstract]
        the [worker], the [animal] and the [adj] [thing]
        [virtue] {before|against|without} [virtue]
        {some|a little|too much} [feeling], and a [adj] [thing]
        what the [worker] {saw|kept|forgot} [far]
        [dish], with [feeling]
        """,
}
