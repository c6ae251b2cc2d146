"""What things of the scoring core are called on pages, in the reader's language."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

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
