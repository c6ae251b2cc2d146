"""Names and words of the package: none of them is a name that Python knows."""

from scoring.generators.grammar import Grammar

PACKAGES = (
    "orchard", "lantern", "harbour", "granary", "tollgate", "quarry", "bakehouse", "signalbox",
    "millpond", "foundry", "almanac", "dovecote", "ropewalk", "boatyard", "vineyard", "apiary",
)  # fmt: skip
FOLDERS = (
    "stock", "routes", "reports", "calendar", "pricing", "parcels", "metering", "archive", "grid",
    "labels", "intake", "survey", "rosters", "tickets", "letters", "maps", "storage", "weather",
    "payroll", "scoring_rules", "readers", "writers", "checks", "planning", "repairs", "auctions",
)  # fmt: skip
VERBS = (
    "gather", "fold", "rank", "trim", "merge", "count", "spread", "group", "tally", "clip", "scale",
    "pack", "unpack", "order", "sift", "balance", "measure", "weigh", "split", "chain", "thin",
    "render", "parse", "shift", "blend", "probe", "stack", "rotate", "level", "encode", "decode",
    "compact", "expand", "pair", "select", "collect", "reduce", "score", "mark", "settle", "round",
    "align", "index", "label", "describe", "estimate", "combine", "normalize", "schedule", "assign",
)  # fmt: skip
FIRST = (
    "amber", "early", "broken", "copper", "daily", "empty", "fast", "grain", "heavy", "inner",
    "joint", "known", "late", "mixed", "narrow", "open", "plain", "quiet", "raw", "signed", "tidal",
    "urgent", "valid", "weekly", "yearly", "zonal", "local", "outer", "hidden", "loose", "border",
    "shared", "spare", "winter", "summer", "paid", "frozen", "coarse", "fine", "double", "single",
    "cheap", "rural", "urban", "remote", "nearby", "foreign", "former", "final", "initial",
    "brittle", "dual", "public", "rapid", "steep", "vacant", "annual", "northern", "spring",
    "upper",
)  # fmt: skip
SECOND = (
    "parcel", "crate", "ticket", "signal", "route", "ledger", "reading", "voucher", "bundle",
    "tile",
    "funnel", "barrel", "wagon", "lamp", "sample", "token", "margin", "column", "fare", "dock",
    "season", "quota", "pallet", "draft", "gauge", "buoy", "harvest", "beacon", "tariff", "session",
    "locker", "furrow", "sluice", "turbine", "valve", "platform", "orchid", "pigment", "spindle",
    "cabin", "ribbon", "anchor", "medal", "lantern", "stamp", "bracket", "cargo", "cradle", "fence",
    "ration", "lever", "basin", "trestle", "pulley", "carton", "invoice", "shutter", "cistern",
    "hopper",
)  # fmt: skip
THINGS = (
    "apple", "barrel", "candle", "drum", "engine", "feather", "gravel", "hammer", "iron", "jug",
    "kettle", "lemon", "marble", "needle", "onion", "pepper", "quill", "rope", "saddle", "timber",
    "umbrella", "vinegar", "wheat", "yarn", "zinc", "butter", "copper", "denim", "enamel", "flour",
    "ginger", "honey", "ink", "jasmine", "kelp", "linen", "mortar", "nickel", "oats", "plaster",
    "resin", "slate", "tallow", "velvet", "walnut", "bottle", "chisel", "dagger", "easel", "flask",
    "goose", "hinge", "ivory", "ladder", "mussel", "nutmeg", "oyster", "paddle", "raisin", "sickle",
    "thimble", "sponge", "trowel", "vellum", "wicker", "pewter", "buckle", "saffron", "garlic",
    "anvil",
)  # fmt: skip

LOCALS = {  # for the placeholders of the steps, and for values by their kind
    "numbers": ("levels", "amounts", "readings", "weights", "sizes", "counts", "marks", "widths",
                "depths", "prices", "loads", "scores", "spans", "shares", "points", "takings"),
    "number": ("result", "amount", "score", "level", "balance", "figure", "measure", "worth",
               "sum_total", "outcome", "grade", "share", "span", "load"),
    "words": ("names", "labels", "parts", "terms", "entries", "titles", "tags", "fields", "keys",
              "pieces", "tokens", "items_left", "captions", "stems"),
    "text": ("line", "phrase", "memo", "message", "caption", "record", "raw_line", "heading",
             "sentence", "body", "legend", "remark"),
    "table": ("tally", "ledger", "lookup", "stock", "index", "register", "mapping", "inventory",
              "totals_by_name", "roll", "census", "chart"),
    "item": ("value", "item", "entry", "number", "reading", "one", "each", "current"),
    "total": ("total", "running", "so_far", "subtotal", "tallied", "collected", "rounds"),
    "place": ("place", "position", "start", "offset", "at", "cursor", "spot", "slot"),
    "seen": ("seen", "known", "visited", "used", "done"),
    "run": ("streak", "run_length", "rising", "stretch"),
    "order": ("in_order", "ranked", "ascending", "arranged"),
    "low": ("low", "lower", "left", "bottom"),
    "high": ("high", "upper", "right", "top", "ceiling"),
    "middle": ("middle", "half", "center", "pivot"),
    "rest": ("rest", "remaining", "left_over", "pending", "open_part", "residue"),
    "base": ("base", "factor", "square", "growth"),
    "word": ("word", "name", "term", "part", "piece", "tag"),
    "letter": ("letter", "char", "sign", "symbol", "glyph"),
    "key": ("key", "who", "code", "group", "bucket", "family"),
}  # fmt: skip
CONSTANTS = {
    "k": ("FLOOR", "MINIMUM", "BASE", "FIRST", "THRESHOLD", "START_AT"),
    "m": ("STEP", "FACTOR", "WIDTH", "BATCH", "STRIDE", "TARGET"),
    "p": ("MODULUS", "LIMIT", "CEILING", "CAPACITY", "RANGE", "PRIME"),
    "unit": ("UNIT", "MEASURE", "DENOMINATION"),
    "sign": ("SEPARATOR", "JOINT", "DIVIDER"),
    "shelf": ("SHELF", "PREFIX", "BAY"),
}
STRINGS = {
    "unit": ("crates", "tons", "hours", "miles", "barrels", "shillings", "rows", "boxes", "acres"),
    "sign": ("-", "/", " + ", ":", "~", " | ", ">", "="),
    "shelf": ("bay ", "row ", "shelf ", "aisle ", "rack ", "box "),
}
PRIMES = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97)

PROSE = Grammar(
    {
        "module": (
            "[Topic] for [users].", "[Topic], as needed by [users].", "[Topic] [since].",
            "[Topic].\n\n[Remark].", "[Topic] for [users].\n\n[Remark].\n[Remark].",
        ),
        "topic": (
            "[adjective] [noun]s and [noun]s", "how [noun]s are turned into [noun]s",
            "working with [adjective] [noun]s", "from [noun]s to [adjective] [noun]s",
            "the [noun] side of [noun]s", "rules about [adjective] [noun]s",
            "[noun]s, [noun]s and what belongs to them",
        ),
        "users": (
            "the [noun] office", "the [adjective] [noun] report", "people who count [noun]s",
            "the yearly [noun] review", "whoever prints the [noun] list", "the [noun] desk",
        ),
        "since": (
            "since the [adjective] [noun]s were given up", "in [adjective] weeks",
            "after the [noun] reform", "without the old [noun] files", "as they come in",
        ),
        "remark": (
            "some [adjective] [noun]s count twice in the [noun] report",
            "nothing here touches the [noun] files",
            "the [noun]s come from the [adjective] [noun] list",
            "callers must not change the [noun] once it is [done]",
            "numbers are whole [noun]s unless it says otherwise",
            "see the notes on [adjective] [noun]s", "an empty list of [noun]s is allowed",
            "the order of [noun]s does not matter to the [noun] office",
            "[adjective] [noun]s are [done] before [adjective] ones",
            "every [noun] is [done] once, even the [adjective] ones",
            "the [noun] office asked for this in the [adjective] [noun] review",
        ),
        "done": ("checked in", "sealed", "printed", "weighed", "billed", "shipped", "filed"),
        "purpose": (
            "Used for [adjective] [noun]s.", "The [noun] office relies on it.",
            "Some [adjective] [noun]s count twice here.", "See the notes on [adjective] [noun]s.",
            "Replaces the [adjective] [noun] rule.", "Checked against the [noun] list.",
            "The [noun] office asked for it in the [adjective] [noun] review.",
            "Meant for [noun]s that are [done] [since].", "Part of the [adjective] [noun] report.",
        ),
        "comment": (
            "[number]) [remark]", "[letter]) [remark]", "([remark]", "[remark] :-)",
            "for [adjective] [noun]s, if there are any", "if [noun]s are [done], see [number])",
            "[remark]", "while the [noun]s are [done]", "[remark] (cf. [noun]s",
            "[number]. [remark]:",
        ),
        "aside": (
            "[adjective] [noun]s", "see [letter])", "the [noun]s (see [number]", "[noun]s first",
            "not yet [done]",
        ),
        "number": ("1", "2", "3", "4"),
        "letter": ("a", "b", "c", "d"),
        "note": (
            "- [remark]", "- [Noun]s: [remark]", "- the [adjective] [noun]s are [done] [since]",
        ),
        "noun": SECOND,
        "adjective": FIRST,
    }
)  # fmt: skip
