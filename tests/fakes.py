"""A store in memory, held to the Redis one by the same tests, and a store that fails to order."""

import threading
from enum import Enum

from engine.errors import CorruptLogError
from service.store.archive import last_of, unpack
from service.store.base import (
    EVERY,
    AnswerLost,
    Archived,
    Due,
    Expired,
    Position,
    Rewound,
    StoreUnavailableError,
    VersionConflict,
    head_of,
)


class MemoryStore:
    """An `EventStore` that forgets everything with its process.

    *streams* has the entries of each game, *due* when it is due, *hooks* when webhooks wait for
    it, *rows* its line of the directory, *lists* in which lists that is, and where; tests may
    look and meddle: a None among the entries is a gap. *rung* is what the bell said.
    """

    def __init__(self):
        self.streams = {}
        self.due = {}
        self.hooks = {}
        self.rows = {}
        self.lists = {}
        self.archived = {}
        self.ends = {}
        self.words = {}
        self.rung = []
        self._lock = threading.RLock()

    def tail(self, game_id, version, head):
        self._check_word(game_id)
        if game_id not in self.streams and game_id in self.archived:
            return self._archived_tail(game_id, version, head)
        entries = self.entries(game_id, max(version, 1), len(self.streams.get(game_id, ())))
        if not version:
            return entries
        if not entries or head_of(entries[0]) != head:
            raise Rewound(game_id)
        return entries[1:]

    def _check_word(self, game_id):
        if game_id in self.words:
            word = self.words[game_id]
            raise Expired(game_id, word.at, is_private=word.is_private)

    def entries(self, game_id, first, last):
        self._check_word(game_id)
        with self._lock:
            found = self._entries(game_id)[first - 1 : last]
        if None in found:
            raise CorruptLogError(game_id)
        return found

    def _entries(self, game_id):
        if game_id in self.streams or game_id not in self.archived:
            return self.streams.get(game_id, [])
        return unpack(self.archived[game_id])

    def _archived_tail(self, game_id, version, head):
        last, entry = last_of(self.archived[game_id])
        if not version:
            return unpack(self.archived[game_id])
        if version < last:
            raise Archived(game_id)
        if version > last or head_of(entry) != head:
            raise Rewound(game_id)
        return []

    def archive(self, game_id, version, head, record, ended_at):
        with self._lock:
            stream = self.streams.get(game_id)
            if not stream or (len(stream), head_of(stream[-1])) != (version, head):
                raise VersionConflict(game_id)
            self.archived[game_id] = record
            self.ends[game_id] = ended_at
            self.due.pop(game_id, None)
            del self.streams[game_id]

    def ended_before(self, before, limit):
        with self._lock:
            found = sorted((at, game_id) for game_id, at in self.ends.items() if at < before)
        return [game_id for _, game_id in found][:limit]

    def expire(self, game_id, version, head, word):
        with self._lock:
            last, entry = last_of(self.archived[game_id]) if game_id in self.archived else (0, b"")
            if (last, head_of(entry)) != (version, head) or game_id in self.streams:
                raise VersionConflict(game_id)
            self.words[game_id] = word
            for one in (self.archived, self.ends, self.due, self.hooks, self.rows, self.lists):
                one.pop(game_id, None)

    def streams_from(self, cursor):
        assert cursor == 0
        with self._lock:
            return 0, sorted(self.streams)

    def append(self, game_id, version, head, entries, marks):
        with self._lock:
            stream = self.streams.get(game_id)
            if (len(stream or ()), head_of(stream[-1]) if stream else b"") != (version, head):
                raise VersionConflict(game_id)
            self._mark(game_id, marks)
            self.streams.setdefault(game_id, []).extend(entries)
            self.rung.append(f"{game_id} {version + len(entries)}")

    def _mark(self, game_id, marks):
        if marks.due_at is None:
            self.due.pop(game_id, None)
        else:
            self.due[game_id] = marks.due_at
        if marks.hooks_at == 0:
            self.hooks.pop(game_id, None)
        elif marks.hooks_at is not None:
            self.hooks[game_id] = marks.hooks_at
        if marks.row is not None and marks.row.summary:
            self.rows[game_id] = marks.row
            lists = marks.lists
            self.lists[game_id] = {EVERY: marks.row.at} if lists is None else dict(lists)
        elif marks.row is not None:
            self.rows.pop(game_id, None)
            self.lists.pop(game_id, None)

    def last(self, game_ids):
        with self._lock:
            return [self._last(game_id) for game_id in game_ids]

    def _last(self, game_id):
        if stream := self.streams.get(game_id):
            return len(stream), stream[-1]
        return last_of(self.archived[game_id]) if game_id in self.archived else (0, b"")

    def game_ids(self):
        with self._lock:
            return {*self.streams, *self.archived}

    def overdue(self, now, limit):
        return self._due(self.due, now, limit)

    def hooks_due(self, now, limit):
        return self._due(self.hooks, now, limit)

    def forget_hooks(self, game_id):
        with self._lock:
            self.hooks.pop(game_id, None)

    def _due(self, moments, now, limit):
        with self._lock:
            found = sorted((due_at, game_id) for game_id, due_at in moments.items())
        return [Due(game_id, due_at) for due_at, game_id in found if due_at <= now][:limit]

    def counts(self, lists):
        with self._lock:
            return [sum(name in found for found in self.lists.values()) for name in lists]

    def archived_count(self):
        with self._lock:
            return len(self.archived)

    def directory(self, after, limit, *, newest_first, lists=(EVERY,), until=None):
        low, high = (until, after) if newest_first else (after, until)
        with self._lock:
            rows = [
                self.rows[game_id]._replace(at=places[name])
                for game_id, places in self.lists.items()
                for name in lists
                if name in places
            ]
        rows = [row for row in rows if low is None or _place(row) > low]
        rows = [row for row in rows if high is None or _place(row) < high]
        return sorted(rows, key=_place, reverse=newest_first)[:limit]

    def cut(self, game_id, version):
        """Lose what came after *version*, as a server does that lost its tail."""
        with self._lock:
            del self.streams[game_id][version:]


def _place(row):
    return Position(row.at, row.game_id)


class Died(BaseException):
    """The process ended in the middle of a call, as far as the caller is concerned."""


class Fault(Enum):
    """What becomes of a call; reads know only *UNAVAILABLE* and the two deaths."""

    CONFLICT = "not done: somebody else was faster"
    UNAVAILABLE = "not done, and said so"
    LOST_BEFORE = "not done, and nobody knows"
    LOST_AFTER = "done, and nobody knows"
    LATE = "nobody knows; done before the next call"
    DIES_BEFORE = "the process ends before it is done"
    DIES_AFTER = "the process ends when it is done"


_RAISED = {
    Fault.CONFLICT: VersionConflict,
    Fault.UNAVAILABLE: StoreUnavailableError,
    Fault.LOST_BEFORE: AnswerLost,
    Fault.LOST_AFTER: AnswerLost,
    Fault.LATE: AnswerLost,
    Fault.DIES_BEFORE: Died,
    Fault.DIES_AFTER: Died,
}
_DONE = {Fault.LOST_AFTER, Fault.DIES_AFTER}


class FaultyStore:
    """Another store whose calls go wrong as planned.

    *plan* has a `Fault` or None for each call in order, those of *methods* only; after
    its end nothing goes wrong. *calls* has the names of all calls so far.
    """

    def __init__(self, inner, plan=(), methods=("append",)):
        self.inner = inner
        self.calls = []
        self._plan = iter(plan)
        self._methods = methods
        self._late = []

    def __getattr__(self, name):
        method = getattr(self.inner, name)
        return lambda *args, **kwargs: self._call(name, lambda: method(*args, **kwargs))

    def _call(self, name, call):
        self._catch_up()
        self.calls.append(name)
        fault = next(self._plan, None) if name in self._methods else None
        if fault is None:
            return call()
        if fault in _DONE:
            call()
        elif fault is Fault.LATE:
            self._late.append(call)
        raise _RAISED[fault](fault.value)

    def _catch_up(self):
        late, self._late = self._late, []
        for call in late:
            try:
                call()
            except VersionConflict:
                continue  # what came meanwhile made it harmless
