"""The scripts that the server runs, each by its hash."""

import hashlib
from importlib import resources
from typing import NamedTuple

from service.store.wire import Command


class Script(NamedTuple):
    """A script by its *name*, and how the server learns it."""

    name: str
    load: Command


def script(file: str) -> Script:
    """Return the script in *file* beside this module."""
    text = resources.files("service.store").joinpath(file).read_bytes()
    return Script(sha1(text), ("SCRIPT", "LOAD", text))


def sha1(raw: bytes) -> str:
    """Return the hash of *raw* as a script of the server computes it, in hex."""
    return hashlib.sha1(raw, usedforsecurity=False).hexdigest()
