"""Where files are on the Hub, in the forms in which people write it."""

import re
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from portal.models import PUBLIC_HUB, HubKind, hub_site

_PART = r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}"
_KINDS = {"models": HubKind.MODEL, "datasets": HubKind.DATASET, "spaces": HubKind.SPACE}
_SHORT = re.compile(
    rf"(?:(?P<kind>models|datasets|spaces)/)?(?P<repository>{_PART}/{_PART})"
    r"(?:@(?P<revision>[^\s:]+))?(?::(?P<path>.+))?"
)
_VIEWS = ("tree", "blob", "resolve", "raw")  # of the Hub's own addresses
_REVISION = re.compile(r"[^\s\x00-\x20\x7f~^:?*\[\\]{1,200}")  # what git allows, and no longer
_LONGEST_PATH = 1_000


@dataclass(frozen=True, slots=True)
class HubSource:
    """The fields are those of ``HubFetch``."""

    kind: str
    repository: str
    revision: str = "main"
    path: str = ""


class SourceError(ValueError):
    """``field``: which part of the source is invalid."""

    def __init__(self, field: str) -> None:
        super().__init__(field)
        self.field = field


def read_source(text: str, *, kind: str = "", revision: str = "", path: str = "") -> HubSource:
    """Parse “OWNER/NAME@REVISION:PATH”, of which only the first part is required, or an address on
    the Hub. The other arguments take precedence over the text. Raises ``SourceError``."""
    found = _parse_address(text) if "://" in text else _SHORT.fullmatch(text)
    if found is None:
        raise SourceError("repository")
    parts = found if isinstance(found, dict) else found.groupdict()
    repository = str(parts["repository"])
    if ".." in repository or "--" in repository or repository.endswith((".git", ".ipynb")):
        raise SourceError("repository")
    revision = revision or parts["revision"] or "main"
    if not _REVISION.fullmatch(revision) or ".." in revision:
        raise SourceError("revision")
    path = (path or parts["path"] or "").strip("/")
    if len(path) > _LONGEST_PATH or not _is_plain(path):
        raise SourceError("path")
    named = _KINDS.get(parts["kind"] or "")
    return HubSource(str(named or kind or HubKind.MODEL), repository, revision, path)


def model_repository(link: str) -> str:
    """OWNER/NAME of the model that a link leads to; empty if it leads elsewhere."""
    try:
        source = read_source(link) if "://" in link else None
    except SourceError:
        return ""
    return source.repository if source and source.kind == HubKind.MODEL else ""


def _parse_address(text: str) -> dict[str, str | None] | None:
    """As browsers show it: https://huggingface.co/datasets/OWNER/NAME/tree/REVISION/PATH."""
    try:
        address = urlsplit(text)
    except ValueError:
        return None
    if address.netloc.lower() not in {urlsplit(PUBLIC_HUB).netloc, urlsplit(hub_site()).netloc}:
        return None
    parts = [unquote(part) for part in address.path.strip("/").split("/")]
    kind = parts.pop(0) if parts[0] in _KINDS else None
    repository, view, rest = "/".join(parts[:2]), parts[2:3], parts[3:]
    if not re.fullmatch(f"{_PART}/{_PART}", repository) or (view and view[0] not in _VIEWS):
        return None
    revision, path = (rest[0] if rest else None), "/".join(rest[1:])
    return {"kind": kind, "repository": repository, "revision": revision, "path": path}


def _is_plain(path: str) -> bool:
    parts = path.split("/") if path else []
    return path.isprintable() and "\\" not in path and not {"", ".", ".."} & set(parts)
