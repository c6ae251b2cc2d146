"""Croissant 1.0: what a release is, which files it has, and their columns.

The format was taken from mlcroissant 1.1.1 in November 2026. A licence is stated if the operator
has named one for the texts.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from leaderboard.citations import PAPER
from leaderboard.releases.queries import ReleaseTask
from portal.models import Release, ReleaseFile
from portal.releases.titles import task_title
from scoring.releases.facets import FACETS

_VERSION = "http://mlcommons.org/croissant/1.0"
_LINES = "application/jsonlines"
# For each field of a row: whether it is repeated, and its type. Ids may be numbers or texts.
_COLUMNS: Mapping[str, tuple[bool, str]] = {
    "id": (False, "The id of the example, which predictions are matched by."),
    "context": (False, "The long text."),
    "input": (False, "The question about it."),
    "answer": (True, "The right answers; none where they are hidden."),
    "options": (True, "What can be chosen from; empty for most tasks."),
}
# Verbatim from the specification; readers warn about any other.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
Json = dict[str, Any]


def croissant_document(release: Release, tasks: Iterable[ReleaseTask], address: str) -> Json:
    """``address`` is the release's, which its files are below. Only public files are listed: for a
    release with hidden labels, the questions."""
    found = [one for one in tasks if one.files.rows]
    files = [
        _file(name, file, address)
        for one in found
        for name, file in (
            (f"{one.task.id}.jsonl", one.files.rows),
            (f"{FACETS}/{one.task.id}.jsonl", one.files.facets),
        )
        if file
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": _VERSION,
        "name": release.slug,
        "alternateName": release.title,
        "description": release.description or release.title,
        "url": address,
        "datePublished": f"{release.created:%Y-%m-%d}",
        "version": "1.0.0",  # a release never changes: other data are another release
        "citeAs": PAPER,
        **({"license": release.text_licence} if release.text_licence else {}),
        "distribution": files,
        "recordSet": [_record_set(one, release) for one in found],
    }


def _file(name: str, file: ReleaseFile, address: str) -> Json:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": f"{address}{name}",
        "contentSize": f"{file.size} B",
        "encodingFormat": _LINES,
        "sha256": file.sha256,
    }


def _record_set(one: ReleaseTask, release: Release) -> Json:
    name = one.task.id
    title = task_title(name, release)
    fields = []
    for column, (is_repeated, description) in _COLUMNS.items():
        field: Json = {
            "@type": "cr:Field",
            "@id": f"{name}/{column}",
            "name": column,
            "description": description,
            "dataType": "sc:Text",
            "source": {
                "fileObject": {"@id": f"{name}.jsonl"},
                "extract": {"column": column},
            },
        }
        fields.append(field | ({"repeated": True} if is_repeated else {}))
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{title}: {one.data_set.size} examples.",
        "key": {"@id": f"{name}/id"},
        "field": fields,
    }
