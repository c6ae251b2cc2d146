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
        try:
            is_faulty = self._read_rows(chunks)
        except LimitError:
            self._report_file()
            raise
        if not self.rows and not is_faulty:
            self._report("file_empty")
        self._report_file()

    def _read_rows(self, chunks: Iterable[bytes]) -> bool:
        """Returns whether there is a fault of the file as a whole."""
        is_faulty = False
        broken: tuple[JsonError, int | None] | None = None  # if it is the last, the file is cut
        for record in records(chunks, self._budget):
            if broken:
                self._report_error(*broken)
                broken = None
            try:
                row = self._row(record)
            except JsonError as error:
                if _stops_in_the_middle(record.raw, error):
                    broken = error, record.number
                else:
                    self._report_error(error, record.number)
                row = None
                if record.number is None:
                    is_faulty = True
                else:  # an unusable row still holds its place in the order
                    row = Row(None, None, ABSENT, self.file, record.number)
            if row:
                self.rows.append(row)
        if broken:
            self._report("file_cut", broken[1])
        return is_faulty

    def _row(self, record: Record) -> Row | None:
        """The row of a record; None where it repeats an example under another filter."""
        number = record.number or 0
        if record.fault:
            raise record.fault
        values = self._decoded(number, record)
        dialect = self.dialect = self.dialect or record.dialect or recognise(values)
        if record.is_long and not dialect.long_rows:
            raise self._too_long()
        if dialect.variant:
            value = values.get(dialect.variant)
            variant = value if isinstance(value, str) else ""
            if not self.rows:
                self._variant = variant
            if variant != self._variant:  # the same answer through another filter of its program
                self._other_variants += 1
                return None
        if not values.keys() <= self._keys and len(self._keys) < _MAX_KEYS:
            new = (key for key in values if key not in self._keys)  # in the order of the row
            self._keys.update(key[:_MAX_KEY] for key in islice(new, _MAX_KEYS))
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
            raise JsonError("row_not_object", found=_json_type(value))
        if rest:
            self._report_rest(number, rest)
        return value

    def _too_long(self) -> JsonError:
        return JsonError("line_too_long", limit=self._budget.limits.line // MIB)

    def _key(self, number: int, row: Mapping[str, object], dialect: Dialect) -> Key | None:
        if dialect.id_key not in row:
            self._without_id.append(number)
            return None
        value = row[dialect.id_key]
        key = canonical_key(value)
        usable = not isinstance(key, str) or (len(key) <= _MAX_KEY and key.isprintable())
        if key is None or not usable:
            self._report("id_unusable", number, key=dialect.id_key, found=_json_type(value))
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
            self._report("prediction_unusable", number, found=_json_type(value))
        elif text == LEFT_OUT:
            self._report("prediction_too_long", number, limit=self._budget.limits.string // MIB)
        else:
            try:
                check_text(text)
            except JsonError as error:
                self._report_error(error, number)
                return None
            cap = self.task.prediction_cap
            if len(text) > cap:
                self._report("prediction_cut", number, length=len(text), limit=cap)
            return text[:cap]
        return None

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
        """Report what concerns the file as a whole: missing ids, other keys, repeated examples."""
        dialect = self.dialect or OFFICIAL
        has_id = any(row.key is not None for row in self.rows)
        if self._without_id and not has_id and dialect.has_ids:
            self._report("ids_absent")
        elif has_id:
            for number in self._without_id:
                self._report("id_missing", number, key=dialect.id_key)
        others = self._keys - {dialect.id_key, *dialect.predictions}
        known = others & (dialect.ignored | set(dialect.labels))
        for code, keys in (("keys_known", known), ("keys_unknown", others - known)):
            if keys:
                shown = ", ".join(visible(key, 30) for key in sorted(keys)[:10])
                self._report(code, keys=shown + (" …" if len(keys) > 10 else ""))
        if self._other_variants:
            count, variant = self._other_variants, visible(self._variant)
            self._report("variants_ignored", count=count, variant=variant)


def _stops_in_the_middle(raw: bytes, error: JsonError) -> bool:
    line = raw.strip()
    broken = error.code in ("json_broken", "line_not_utf8")
    return broken and line.startswith(b"{") and not line.endswith(b"}")


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


_TYPES = {
    type(None): "null",
    bool: "true or false",
    str: "another text",
    list: "a list",
    dict: "an object",
}


def _json_type(value: object) -> str:
    """The type of a JSON value, in words."""
    return _TYPES.get(type(value), "a number")
