"""What is wrong with settings, in the reader's language.

``scoring.endpoint.settings`` writes its sentences in English. The tables here map a pattern of each
to its translatable form; a sentence without a pattern stays English.
"""

import re
from collections.abc import Mapping

from scoring.endpoint.settings import SettingsError
from scoring.endpoint.transport.failures import Kind

_N = r"([\d,.e+]+)"
_SENTENCES: tuple[tuple[str, str], ...] = (
    (rf"must be a whole number from {_N} to {_N}", "Must be a whole number from {0} to {1}."),
    (rf"must be a number from {_N} to {_N}", "Must be a number from {0} to {1}."),
    (r"must be a number", "Must be a number."),
    (
        rf"must be a line of text with at most {_N} characters",
        "Must be a line of text with at most {0} characters.",
    ),
    (r"must not be empty", "Must not be empty."),
    (
        r"must be an address such as (\S+)",
        "Must be an address such as {0}.",
    ),
    (
        r"must not have a user name or a password in it",
        "Must not have a user name or a password in it.",
    ),
    (
        r"must be “all”, “smoke” or a number of questions",
        "Must be “all”, “smoke” or a number of questions.",
    ),
    (r"must be one of (.+)", "Must be one of {0}."),
    (r"must be true or false", "Must be true or false."),
    (r"must be a list of tasks", "Choose at least one task that the release has."),
    (r"names (.+), which is no task", "Names {0}, which is no task."),
    (r"must have texts with at most 20,000 characters", "Must have at most 20,000 characters."),
    (r"must have a value for each task that it names", "Must have a value for each task."),
    (r"must have values for some of (.+)", "Must have values for some of {0}."),
    (r"has no part called (.+)", "Has no part called {0}."),
)
_WHOLE: tuple[tuple[str, str], ...] = (
    (
        r"“(\w+)” does not belong here: the key is never in the settings\.",
        "“{0}” does not belong here: the key is never in the settings.",
    ),
    (
        r"“(\w+)” is no setting: it stands beside the settings\.",
        "“{0}” is no setting: it stands beside the settings.",
    ),
    (r"There is no setting called “(.+)”\.", "There is no setting called “{0}”."),
    (r"“(\w+)” is missing\.", "“{0}” is missing."),
    (
        r"The settings must be a list of names, each with a value\.",
        "The settings must be a list of names, each with a value.",
    ),
    (
        r"The cap on money needs prices: without them nothing costs anything\.",
        "The cap on money needs prices: without them nothing costs anything.",
    ),
    (
        rf"The window of {_N} tokens has no room for a prompt of (\S+) besides .* up to {_N}: .*",
        (
            "The window of {0} tokens has no room for a prompt of {1} besides an answer of up to "
            "{2}: lower its output limit, or leave the task out."
        ),
    ),
    (
        r"(\S+): there is no \{(.*)\}; a template may have (.*)\.",
        "{0}: there is no {{{1}}}; a template may have {2}.",
    ),
    (
        r"(\S+): this template must have exactly one (\S+)\.",
        "{0}: this template must have exactly one {1}.",
    ),
    (
        r"(\S+): this template must not have (\S+)\.",
        "{0}: this template must not have {1}.",
    ),
    (
        r"(\S+): a brace is opened and not closed; a brace itself is written twice\.",
        "{0}: a brace is opened and not closed; a brace itself is written twice.",
    ),
    (
        r"(\S+): a brace is closed and not opened; a brace itself is written twice\.",
        "{0}: a brace is closed and not opened; a brace itself is written twice.",
    ),
    (r"(\S+): write (\S+) without “!” and “:”\.", "{0}: write {1} without “!” and “:”."),
    (
        r"This is not YAML as it is used here(.*?): a value is not of its type\.",
        "This is not YAML as it is used here{0}: a value is not of its type.",
    ),
    (
        r"This is not YAML as it is used here(.*?): a text has half of a character\.",
        "This is not YAML as it is used here{0}: a text has half of a character.",
    ),
    (
        r"This is not YAML as it is used here(.*?): (.*)\.",
        "This is not YAML as it is used here{0}: {1}.",
    ),
)
# For an address that is refused before anything is sent.
ADDRESS_SENTENCES: Mapping[Kind, str] = {
    Kind.SCHEME: "Must begin with https://: the key would be readable on its way.",
    Kind.PORT: "This port is not allowed for endpoints.",
    Kind.PRIVATE: "This address is not on the public internet, so this site cannot reach it.",
    Kind.ADDRESS: "Must be a plain address, with a host name and without a user name.",
}
_TASK = re.compile(r"^\S+[:：]\s*")
_NAMED = re.compile(r"“(\w+)” (.*)\.", re.DOTALL)


def in_words(error: SettingsError) -> str:
    """A complete sentence that names the setting."""
    text = str(error)
    if found := _first(_WHOLE, text):
        return found
    if (named := _NAMED.fullmatch(text)) and (found := _first(_SENTENCES, named[2])):
        return f"“{named[1]}”: {found}"
    return text


def field_sentence(error: SettingsError, tried: Mapping[str, object]) -> str:
    """The sentence for the field of the setting that was tried alone; empty if the error is about
    another setting."""
    text = str(error)
    named = _NAMED.fullmatch(text)
    if named and named[1] in tried:
        return _first(_SENTENCES, named[2]) or text
    if "templates" not in tried or text.startswith("The window"):
        return ""
    sentence = _TASK.sub("", in_words(error))  # the field names the task
    return sentence[:1].upper() + sentence[1:]


def _first(table: tuple[tuple[str, str], ...], text: str) -> str:
    for pattern, sentence in table:
        if found := re.fullmatch(pattern, text, re.DOTALL):
            return str(sentence).format(*found.groups())
    return ""
