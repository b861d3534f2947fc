"""Threads of a process that want to do the same: one after the other, and others beside them."""

import threading
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import Final, Generic, TypeVar
from weakref import WeakValueDictionary

_What = TypeVar("_What", bound=Hashable)


class OneByOne(Generic[_What]):
    """Lets one thread at a time do the same thing."""

    def __init__(self) -> None:
        self._locks: Final = WeakValueDictionary[_What, threading.Lock]()
        self._looking_up: Final = threading.Lock()

    @contextmanager
    def only(self, what: _What) -> Iterator[None]:
        """Be the only one who does *what*."""
        with self._looking_up:
            mine = self._locks.get(what) or self._locks.setdefault(what, threading.Lock())
        with mine:
            yield
