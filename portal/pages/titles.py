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
