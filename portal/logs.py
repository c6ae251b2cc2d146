"""Logs for programs: a JSON object on each line, with the evaluation and submission it is about.

log.info("attempt %s", number, extra={"evaluation": 1, "submission": "…"})
"""

import json
import logging
from datetime import UTC, datetime

_SUBJECTS = ("evaluation", "submission")


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: str(record.__dict__[name]) for name in _SUBJECTS if name in record.__dict__}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line)
