"""The sentences of which the Chinese narrator composes a scene: paragraphs of symbols.

A symbol that ends with ? is left out half of the time. “open” is when it happens, and the weather.
"""

Shape = tuple[tuple[str, ...], ...]

# Around a fact: with its people, without its place.
BEFORE: tuple[Shape, ...] = (
    (("open", "act"),),
    (("open", "look", "act?"),),
    (("open", "crowd"),),
    (("open", "think"),),
    (("open", "season?", "street"), ("act",)),
    (("open", "memory"), ("act", "season?")),
)
AFTER: tuple[Shape, ...] = (
    (("think",), ("chat_alone",)),
    (("season", "act?"), ("street", "think?")),
    (("memory", "think?"),),
    (("street",), ("memory?", "end_alone")),
    (("chat_alone",), ("act", "end_alone")),
    (("look?", "crowd"), ("think", "end_alone?")),
)
# Around what happens to the whole town.
CALAMITY: tuple[Shape, Shape] = (
    (("open", "crowd"),),
    (("crowd", "season?"), ("season", "crowd")),
)

FULL: dict[str, Shape] = {
    "weather": (
        ("open", "season", "season"),
        ("act", "think?", "season?"),
        ("street", "end_alone?"),
    ),
    "walk": (("open", "walk", "road?"), ("chat",), ("walk", "end")),
    "talk": (("open", "act"), ("chat",), ("look", "think?"), ("chat",), ("end",)),
    "letter": (("open", "act"), ("letter", "letter", "letter?"), ("think", "end_alone?")),
    "meal": (("open", "meal"), ("chat",), ("meal", "meal?", "end")),
    "journey": (("open", "road"), ("road", "crowd?"), ("chat",), ("road", "end?")),
    "work": (("open", "work", "act?"), ("work", "look?"), ("street", "work?")),
    "memory": (("open", "act"), ("memory", "memory", "think?"), ("think", "end_alone?")),
    "dream": (("open", "night"), ("dream", "dream", "dream?"), ("night", "think?")),
    "room": (("open", "place", "place?"), ("act", "crowd?"), ("street", "season?")),
    "quarrel": (("open", "act?"), ("quarrel", "quarrel"), ("chat",), ("think?", "end")),
    "portrait": (("open", "look", "look?"), ("memory", "think"), ("street",)),
    "crowd": (("open", "place?", "crowd", "crowd"), ("street", "crowd?"), ("act", "end_alone?")),
    "night": (("open", "night", "night?"), ("think", "memory?"), ("night", "season?")),
    "errand": (("open", "errand"), ("street", "errand?"), ("road?", "errand", "end_alone?")),
    "music": (("open", "place?", "music"), ("music", "think?"), ("line", "music?", "end?")),
}

# In a sentence: what is left over of a length is filled up with these.
BRIEF: dict[str, Shape] = {
    "weather": (("season",),),
    "walk": (("walk",),),
    "talk": (("line",),),
    "letter": (("letter",),),
    "meal": (("meal",),),
    "journey": (("road",),),
    "work": (("work",),),
    "memory": (("memory",),),
    "dream": (("dream",),),
    "room": (("place",),),
    "quarrel": (("quarrel",),),
    "portrait": (("look",),),
    "crowd": (("crowd",),),
    "night": (("night",),),
    "errand": (("errand",),),
    "music": (("music",),),
}
