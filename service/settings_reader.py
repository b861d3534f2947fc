"""How settings are read from the environment: word by word, and with all that is wrong told."""

import os
import re
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Final, TypeAlias, TypeVar, get_args
from urllib.parse import urlsplit

from redis.connection import parse_url

KEY_BYTES: Final = 32
_ALIKE: Final = 0.8  # of 1; below, a guess would be a riddle

# Of clients, of deploy/compose.yaml, of tests: a shell may have them beside ours.
_NOT_OURS: Final = re.compile("(?!HEARTS_)|HEARTS_(URL|IMAGE|PUBLIC_PORT|TEST_.*)$")

_T = TypeVar("_T")
_Read: TypeAlias = Callable[[str], _T]  # raises ValueError for a value that is not allowed
_SOME_KEYS = f"one or more keys of at least {KEY_BYTES} bytes, separated by commas"


class SettingsError(Exception):
    """Settings that cannot be used; *problems* has a sentence for each of them."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = tuple(problems)


class Reader:
    """Reads values and gathers what is wrong with them; *names* are all there are."""

    def __init__(self, environ: Mapping[str, str], names: Collection[str]) -> None:
        self.environ = environ
        self.names = names
        self.problems: list[str] = []

    def refuse_unknown(self) -> None:
        """Note every name that begins like a setting and is none."""
        for name, value in self.environ.items():
            if value.strip() and name not in self.names and not _NOT_OURS.match(name):
                near = get_close_matches(name, sorted(self.names), 1, _ALIKE)
                hint = f"; did you mean {near[0]}?" if near else "."
                self.problems.append(f"{name} is no setting{hint}")

    def text(self, name: str) -> str:
        """Return the value of *name* without spaces around it, empty if not given."""
        return self.environ.get(name, "").strip()

    def value(self, name: str, default: str, read: _Read[_T], allowed: str) -> _T:
        """Return what *read* makes of *name*, or of *default*; *allowed* says what it may be."""
        given = self.text(name)
        try:
            return read(given or default)
        except ValueError:
            self.problems.append(f"{name} is {given!r}, but must be {allowed}.")
            return read(default)

    def has_secret(self, name: str) -> bool:
        """Return whether *name* is given, or a file for it."""
        return bool(self.text(name) or self.text(f"{name}_FILE"))

    def require(self, names: Sequence[str]) -> None:
        """Note each of *names* that is not given."""
        self.problems += [
            f"{name} or {name}_FILE must be given: this process shares it with others."
            for name in names
            if not self.has_secret(name)
        ]

    def secret(self, name: str, default: str, read: _Read[_T], allowed: str) -> _T:
        """Return what *read* makes of the secret *name*, whose value is never told."""
        try:
            return read(self._secret_text(name) or default)
        except ValueError:
            self.problems.append(f"{name} must be {allowed}; its value is not shown here.")
            return read(default)

    def _secret_text(self, name: str) -> str:
        file = self.text(f"{name}_FILE")
        if not file:
            return self.text(name)
        if self.text(name):
            self.problems.append(f"{name} and {name}_FILE are both given; one is enough.")
        try:
            text = Path(file).read_text("utf-8").strip()
        except (OSError, ValueError) as exc:
            why = exc.strerror if isinstance(exc, OSError) else "it is no text"
            self.problems.append(f"{name}_FILE: {file}: {why}.")
            return ""
        if not text:
            self.problems.append(f"{name}_FILE: {file}: it is empty.")
        return text

    def number(self, name: str, default: int, least: int, most: int) -> int:
        """Return the whole number *name*, from *least* to *most*."""

        def read(text: str) -> int:
            return number_within(text, least, most)

        return self.value(name, str(default), read, f"a whole number from {least} to {most}")

    def word(self, name: str, default: str, words: object) -> str:
        """Return *name* as one of the *words* of a Literal type, in their spelling."""
        allowed: tuple[str, ...] = get_args(words)

        def read(text: str) -> str:
            return allowed[allowed.index(text.lower())]

        return self.value(name, default, read, f"one of {', '.join(allowed)}")

    def keys(self, name: str, file: Path, *, makes: bool) -> tuple[bytes, ...]:
        """Return the secrets *name*, else those in *file*; *makes* it if it is not there."""
        if self.has_secret(name):
            return self.secret(name, "-" * KEY_BYTES, keys_of, _SOME_KEYS)

        if self.problems:  # nothing is made for settings that are refused
            return ()
        try:
            return keys_of(_read_or_make_secret(file) if makes else file.read_text("utf-8"))
        except OSError as exc:
            self.problems.append(f"HEARTS_DATA_DIR: {exc.filename}: {exc.strerror}.")
        except ValueError:
            self.problems.append(f"{name}: the file {file} must hold {_SOME_KEYS}.")
        return ()

    def refuse(self) -> None:
        """Go on only if nothing is wrong.

        Raises:
            SettingsError: Something is.
        """
        if self.problems:
            raise SettingsError(self.problems)


def number_within(text: str, least: int, most: int) -> int:
    """Return the whole number that *text* is.

    Raises:
        ValueError: It is none, or not from *least* to *most*.
    """
    if not re.fullmatch("[0-9]{1,9}", text, re.ASCII) or not least <= int(text) <= most:
        raise ValueError(text)
    return int(text)


def header(text: str) -> str:
    """Return the name of a header, empty for none.

    Raises:
        ValueError: It is no such name.
    """
    if not re.fullmatch(r"[0-9A-Za-z-]{0,64}", text, re.ASCII):
        raise ValueError(text)
    return text


def host(text: str) -> str:
    """Return an address or a host's name.

    Raises:
        ValueError: It is neither.
    """
    if not re.fullmatch(r"[0-9A-Za-z._:%-]{1,253}", text, re.ASCII):
        raise ValueError(text)
    return text


def folder(text: str) -> Path:
    """Return the absolute path of a folder, which need not be there.

    Raises:
        ValueError: It is something else than a folder.
    """
    folder = Path(text).expanduser().absolute()
    if folder.exists() and not folder.is_dir():
        raise ValueError(text)
    return folder


def store_url(text: str) -> str:
    """Return the address of a store.

    Raises:
        ValueError: It is none that the store's client understands.
    """
    url = urlsplit(text)
    if not (url.path if url.scheme == "unix" else url.hostname):
        raise ValueError("no place in the address")
    # It knows the schemes, and the options that may follow.
    parse_url(text)  # type: ignore[no-untyped-call]  # redis leaves it unannotated
    return text


def keys_of(text: str) -> tuple[bytes, ...]:
    """Return the secrets that *text* has, separated by commas.

    Raises:
        ValueError: One is too short.
    """
    keys = tuple(key.strip().encode() for key in text.split(","))
    if any(len(key) < KEY_BYTES for key in keys):
        raise ValueError("a key is too short")
    return keys


def _read_or_make_secret(file: Path) -> str:
    with suppress(FileNotFoundError):
        return file.read_text()

    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as out:
        out.write(secrets.token_hex(KEY_BYTES) + "\n")
        out.flush()
        os.fsync(out.fileno())
    # Linking fails where a process that started at the same time was faster.
    with suppress(FileExistsError):
        file.hardlink_to(draft)
    draft.unlink()
    return file.read_text()
