"""Log lines: one event each, as `key=value` pairs, with no secret in them.

A line starts with time, level and logger; what was put into the context
(request id, game, version) follows, and the message stands last. Tokens carry
a prefix of their own so that they can be found wherever they turn up, also
inside an exception's text: the finished line is searched, not the arguments.
"""

import json
import logging
import re
import traceback
from contextvars import ContextVar, Token
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, TextIO

_TOKENS: Final = re.compile(r"(hst_|hht_|hak_|hsk_|ticket=|ticket%3D)[^\s\"'&,;<>\\)\]}]+")
_FRAMES: Final = 4
FIELDS: Final = "fields"
"""Where a line has fields of its own, beside those of the context: ``extra={FIELDS: …}``."""

_PLAIN: Final = re.compile(r"[\w.:/@+-]+", re.ASCII)
_context: ContextVar[dict[str, object]] = ContextVar("log_context", default={})  # noqa: B039  # replaced as a whole, never changed


class log_context:  # noqa: N801 - reads as a verb, and every request enters it
    """Add *fields* to every line logged inside, in this thread alone.

    Game, version and request id belong here; cards, tokens and names do not.
    """

    def __init__(self, **fields: object) -> None:
        self._fields = fields

    def __enter__(self) -> None:
        """Begin to add them."""
        self._token: Token[dict[str, object]] = _context.set(_context.get() | self._fields)

    def __exit__(self, *exc: object) -> None:
        """Leave them out again."""
        _context.reset(self._token)


def without_secrets(text: str) -> str:
    """Return *text* with every token and stream ticket cut down to its prefix."""
    return _TOKENS.sub(r"\1[hidden]", text)


class LineFormatter(logging.Formatter):
    """Writes a record as one line: `2026-11-29T18:00:00.900Z info name game=… "message"`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, its exception's traceback folded into `exception`."""
        fields = _context.get() | getattr(record, FIELDS, {})
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        pairs = [f"{key}={_quoted(value)}" for key, value in fields.items()]
        head = [_time(record), record.levelname.lower(), record.name]
        message = json.dumps(record.getMessage())
        return without_secrets(" ".join([*head, *pairs, message]))


def configure(level: str, stream: TextIO | None = None) -> None:
    """Send this process' log lines of *level* and above to *stream*, or to standard error."""
    # What no line says is not worth finding out for each of them.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter())
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    logging.captureWarnings(capture=True)


def where(exc: BaseException) -> str:
    """Return what *exc* is and where it was raised; not its text, which may name hidden cards."""
    frames = traceback.extract_tb(exc.__traceback__)[-_FRAMES:]
    places = [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(frames)]
    return " < ".join([type(exc).__name__, *places])


def _time(record: logging.LogRecord) -> str:
    return f"{_second(int(record.created))}.{int(record.msecs):03}Z"


@lru_cache(maxsize=1)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _quoted(value: object) -> str:
    text = str(value)
    return text if _PLAIN.fullmatch(text) else json.dumps(text)
