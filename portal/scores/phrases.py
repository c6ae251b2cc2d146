"""The scorer's own words inside its sentences, in the reader's language.

A finding is stored with its parameters: names and texts of files, which stay as they are, and a few
phrases of the scorer. Those are listed here, so that nothing that a person wrote is taken for one.
"""

from collections.abc import Mapping

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from scoring.problems import Parameter

_SPOKEN = ("found", "why", "method", "other")  # parameters that hold phrases
PHRASES = frozenset({
    # ways to match rows
    _("id"),
    _("order"),
    # values of JSON
    _("null"),
    _("true or false"),
    _("another text"),
    _("a number"),
    _("a list"),
    _("an object"),
    # why a file cannot be opened
    _("it is a link, or no regular file"),
    _("the path is not usable"),
    # what is wrong with an archive
    _("it is cut"),
    _("it has no end, or more than one"),
    _("it is one of several parts"),
    _("its directory holds more than it says"),
    _("its directory is cut"),
    _("its directory is not where it says"),
    _("its directory names a place that is not there"),
    _("its directory and its members do not say the same"),
    _("its end records do not fit together"),
    _("there is something behind its end"),
    _("a header in it is damaged"),
    _("a member that is no file has content"),
    _("a record in it is damaged"),
    _("a record in it is too long"),
    # what Python's reader of JSON says
    _("Expecting value"),
    _("Expecting property name enclosed in double quotes"),
    _("Expecting ':' delimiter"),
    _("Expecting ',' delimiter"),
    _("Extra data"),
    _("Invalid control character at"),
    _("Invalid \\escape"),
    _("Invalid \\uXXXX escape"),
    _("Unterminated string starting at"),
})  # fmt: skip


def spoken(params: Mapping[str, Parameter]) -> dict[str, Parameter]:
    """The parameters of a finding, with the scorer's phrases in the reader's language."""
    return {
        name: gettext(str(value)) if name in _SPOKEN and value in PHRASES else value
        for name, value in params.items()
    }
