"""The proposed data set of a task: a release's file with the accepted corrections, for download.

Imported as a release of its own, it is scored like any other, and the old scores stay too.
"""

import codecs
from collections.abc import Iterator, Mapping

from portal.models import Context, TaskDataSet
from portal.review.disputes.corrections import Correction
from scoring.keys import canonical_key
from scoring.releases.lines import example_pieces

_CHUNK = 1 << 18  # bytes


def proposed_lines(data_set: TaskDataSet, corrections: Mapping[int, Correction]) -> Iterator[bytes]:
    """The file in the official format, piece by piece; without contexts that are not stored.

    Raises ``OSError`` if a stored file cannot be read.
    """
    examples = data_set.examples.select_related("context").order_by("index")
    for example in examples.iterator(chunk_size=100):
        label = example.label
        if correction := corrections.get(example.index):
            if correction.label is None:
                continue
            label = correction.label
        key = canonical_key(example.key)
        if key is not None:
            answer = label if isinstance(label, list) else [label]
            text = _pieces(example.context) if example.context else iter(())
            yield from example_pieces(
                key,
                text,
                example.question,
                answer,
                example.options,
                answer_type=example.answer_type,
            )


def _pieces(context: Context) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with context.text.open("rb") as text:
        for chunk in text.chunks(_CHUNK):
            yield decoder.decode(chunk)
