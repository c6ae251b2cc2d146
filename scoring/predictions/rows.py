"""The rows of one prediction file: recognise its dialect, take key, prediction and label.

A bad row becomes a problem and a row without a prediction that still holds its place in the
order; it never stops the others.
"""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import NamedTuple

from scoring.catalog import Task
from scoring.keys import Key, canonical_key
from scoring.limits import MIB, Budget, LimitError
from scoring.predictions.dialects import ABSENT, LM_EVAL, OFFICIAL, Dialect, recognise
from scoring.predictions.json_rows import JsonError, JsonNumber, check_text, check_value, decode
from scoring.predictions.json_stream import LEFT_OUT
from scoring.predictions.records import Record, records
from scoring.problems import Parameter, Problem, ProblemLog, visible

_MAX_KEY = 200  # characters
_MAX_KEYS = 100  # remembered for the note about them


class Row(NamedTuple):
    key: Key | None  # None: the row has no id, the order of rows counts; or it is unusable
    prediction: str | None  # None: unusable, and a problem says why
    label: object  # as the file carries it, or ABSENT
    file: str  # as shown to people
    line: int  # from 1; the row's number where the file is one JSON document


class RowReader:
    """Reads the rows of one file. Afterwards ``rows`` and ``dialect`` say what was found."""

    def __init__(self, file: str, task: Task, budget: Budget, log: ProblemLog) -> None:
        self.file = visible(file, 200)
        self.task = task
        self.rows: list[Row] = []
        self.dialect: Dialect | None = None
        self._budget = budget
        self._log = log
        self._without_id: list[int] = []
        self._keys: set[str] = set()
        self._variant = ""
        self._other_variants = 0

    def read(self, chunks: Iterable[bytes]) -> None:
        """Read all rows. Raises ``LimitError`` where the limits of the whole input are reached."""
        faults = 0  # of the file as a whole
        try:
            for record in records(chunks, self._budget):
                faults += record.number is None
                self._read_record(record)
        except LimitError:
            self._report_file()
            raise
        if not self.rows and not faults:
            self._report("file_empty")
        self._report_file()

    def _read_record(self, record: Record) -> None:
        try:
            row = self._row(record)
        except JsonError as error:
            self._report_error(error, record.number)
            row = None if record.number is None else self._placeholder(record.number)
        if row:
            self.rows.append(row)

    def _placeholder(self, number: int) -> Row:
        return Row(None, None, ABSENT, self.file, number)

    def _row(self, record: Record) -> Row | None:
        """The row of a record; None where it only says again what another row says."""
        number = record.number or 0
        if record.fault:
            raise record.fault
        values = self._decoded(number, record)
        dialect = self.dialect = self.dialect or record.dialect or recognise(values)
        if record.is_long and not dialect.long_rows:
            raise self._too_long()
        if dialect.variant and self._is_other_variant(values.get(dialect.variant)):
            return None
        self._remember_keys(values)
        raw = record.raw
        key = self._key(number, values, dialect) if record.id is None else record.id
        prediction = self._prediction(number, values, raw, dialect)
        label = self._label(number, values, raw, dialect)
        self._budget.take_text(prediction)
        self._budget.take_label(label, raw)
        return Row(key, prediction, label, self.file, number)

    def _decoded(self, number: int, record: Record) -> dict[str, object]:
        self._budget.take_items(record.raw)
        try:
            value, rest = decode(record.raw)
        except JsonError as error:
            if record.is_long:
                raise self._too_long() from error
            raise
        if not isinstance(value, dict):
            raise JsonError("row_not_object", found=_named(value))
        if rest:
            self._report_rest(number, rest)
        return value

    def _too_long(self) -> JsonError:
        return JsonError("line_too_long", limit=self._budget.limits.line // MIB)

    def _is_other_variant(self, variant: object) -> bool:
        """Whether the row answers an example again, through another filter of its program."""
        variant = variant if isinstance(variant, str) else ""
        if not self.rows:
            self._variant = variant
        is_other = variant != self._variant
        self._other_variants += is_other
        return is_other

    def _key(self, number: int, row: Mapping[str, object], dialect: Dialect) -> Key | None:
        if dialect.id_key not in row:
            self._without_id.append(number)
            return None
        value = row[dialect.id_key]
        key = canonical_key(value)
        if key is None or (isinstance(key, str) and not _is_short_text(key)):
            self._report("id_unusable", number, key=dialect.id_key, found=_named(value))
            return None
        return key

    def _prediction(
        self, number: int, row: Mapping[str, object], raw: bytes, dialect: Dialect
    ) -> str | None:
        name = next((name for name in dialect.predictions if name in row), None)
        if name is None:
            keys = ", ".join(visible(key, 30) for key in list(row)[:5]) or "none"
            self._report("prediction_missing", number, keys=keys)
            return None
        value = _first_text(row[name]) if dialect is LM_EVAL else row[name]
        text = value if isinstance(value, str) else _as_written(value, name, raw)
        if text is None:
            self._report("prediction_unusable", number, found=_named(value))
        elif text == LEFT_OUT:
            self._report("prediction_too_long", number, limit=self._budget.limits.string // MIB)
        else:
            return self._checked(number, text)
        return None

    def _checked(self, number: int, text: str) -> str | None:
        try:
            check_text(text)
        except JsonError as error:
            self._report_error(error, number)
            return None
        return text if len(text) <= self.task.prediction_cap else self._cut(number, text)

    def _cut(self, number: int, text: str) -> str:
        cap = self.task.prediction_cap
        self._report("prediction_cut", number, length=len(text), limit=cap)
        return text[:cap]

    def _label(
        self, number: int, row: Mapping[str, object], raw: bytes, dialect: Dialect
    ) -> object:
        label = dialect.label(row)
        try:
            check_value(label, raw)
        except JsonError as error:
            self._report_error(error, number)
            return ABSENT
        return label

    def _remember_keys(self, row: Mapping[str, object]) -> None:
        if row.keys() <= self._keys or len(self._keys) >= _MAX_KEYS:
            return
        new = (key for key in row if key not in self._keys)  # in the order of the row
        self._keys.update(key[:_MAX_KEY] for key in islice(new, _MAX_KEYS))

    def _report(self, code: str, line: int | None = None, **params: Parameter) -> None:
        self._log.add(code, file=self.file, line=line, task=self.task.id, **params)

    def _report_error(self, error: JsonError, line: int | None) -> None:
        self._log.keep(Problem(error.code, self.file, line, self.task.id, error.params))

    def _report_rest(self, number: int, rest: str) -> None:
        try:
            second, _ = decode(rest.encode())
        except JsonError:
            second = None
        if isinstance(second, dict):
            self._report("two_objects", number)
        else:
            self._report("text_after_object", number, text=visible(rest))

    def _report_file(self) -> None:
        self._report_ids(self.dialect or OFFICIAL)
        self._report_keys(self.dialect or OFFICIAL)
        if self._other_variants:
            self._report(
                "variants_ignored",
                count=self._other_variants,
                variant=visible(self._variant),
            )

    def _report_ids(self, dialect: Dialect) -> None:
        has_id = any(row.key is not None for row in self.rows)
        if self._without_id and not has_id and dialect.has_ids:
            self._report("ids_absent")
        elif has_id:
            for number in self._without_id:
                self._report("id_missing", number, key=dialect.id_key)

    def _report_keys(self, dialect: Dialect) -> None:
        others = self._keys - {dialect.id_key, *dialect.predictions}
        known = others & (dialect.ignored | set(dialect.labels))
        for code, keys in (("keys_known", known), ("keys_unknown", others - known)):
            if keys:
                self._report(code, keys=_listed(keys))


def _listed(keys: set[str]) -> str:
    some = [visible(key, 30) for key in sorted(keys)[:10]]
    return ", ".join(some) + (" …" if len(keys) > len(some) else "")


def _is_short_text(key: str) -> bool:
    return len(key) <= _MAX_KEY and key.isprintable()


def _as_written(value: object, name: str, raw: bytes) -> str | None:
    """A number as the text it is in the row; None for anything else."""
    if isinstance(value, float) or (value == 0 and b"-0" in raw):
        again, _ = decode(raw, as_written=True)
        value = again[name] if isinstance(again, dict) else value
    if isinstance(value, JsonNumber):
        return value.text
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def _first_text(value: object) -> object:
    """The first response out of nested lists: [["text"]] and ["text"]; else the value as it is."""
    first = value
    while isinstance(first, list) and first:
        first = first[0]
    return first if isinstance(first, str) else value


_NAMES = {
    type(None): "null",
    bool: "true or false",
    str: "another text",
    list: "a list",
    dict: "an object",
}


def _named(value: object) -> str:
    """What a JSON value is, in words."""
    return _NAMES.get(type(value), "a number")
