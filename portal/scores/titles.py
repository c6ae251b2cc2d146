"""What things of the scoring core are called on pages, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from scoring.alignment import Method
from scoring.sandbox.run import Level

DOMAIN_TITLES: dict[str, str | Promise] = {
    "retrieval": _("Retrieval"),
    "code": _("Code"),
    "math": _("Math"),
    "novel": _("Novel"),
    "dialogue": _("Dialogue"),
}
METRIC_SET_TITLES: dict[str, str | Promise] = {
    "official-2024-06": _("the paper's rules"),
    "official-2024-09": _("the newest official rules"),
    "strict": _("ours: one guess each"),
}
METRIC_SET_MEANINGS: dict[str, str | Promise] = {
    "official-2024-06": _(
        "The official scoring code at revision 88b3daa: that of the paper and of its README."
    ),
    "official-2024-09": _(
        "The official scoring code at revision 51d9b37, its newest. Which of the two a paper "
        "used is rarely told."
    ),
    "strict": _(
        "One documented guess for each example, the same rule for every model: naming many "
        "candidates gains nothing, and a plainly right answer is never missed."
    ),
}
ALIGNMENT_TITLES: dict[Method, str | Promise] = {"id": _("by id"), "order": _("by order")}
SANDBOX_TITLES: dict[str, str | Promise] = {  # by level; empty: not known of what is old
    "": "·",
    Level.STRONG: _("strong"),
    Level.LOCKDOWN: _("lockdown"),
    Level.NONE: _("none"),
}
