"""What was asked to be analysed, how far that is, and what came of it.

All keys lie in one slot, and all of them go by themselves some days after they were written:
whoever asks again gets the same again, for it follows from the game.
"""

import hashlib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias, assert_never

import msgspec
from redis import Redis
from redis.exceptions import RedisError

from engine.analysis.decisions import ANALYSIS
from engine.analysis.review import DealReview, Verdict
from service.notify import ANALYSIS_SECONDS
from service.store.base import StoreUnavailableError

Client: TypeAlias = Any
"""A client or a pipeline of redis-py, which cannot say that answers are bytes and no texts."""

QUEUED: Final = "queued"
RUNNING: Final = "running"
DONE: Final = "done"
FAILED: Final = "failed"
STATUSES: Final = (QUEUED, RUNNING, DONE, FAILED)

KEPT_MS: Final = 7 * 86_400_000
"""How long an analysis is kept after it was last worked at."""

LEASE_MS: Final = 1_000 * ANALYSIS_SECONDS + 2_000
"""How long whoever works at an analysis keeps the others from it, if it dies."""

HINTED_MS: Final = 10_000
HINTED_PER_JOB_MS: Final = 1_000
"""How long a hint may wait in the queue, and how much longer for each job before it.

A slice takes 50 ms, and of a busy worker's time analyses have a twentieth.
"""

_PREFIX: Final = "hearts-side:{analyses}:"
_WAITING: Final = f"{_PREFIX}waiting"
_ID_LENGTH: Final = 32


class Plan(msgspec.Struct, frozen=True):
    """What is to be analysed: the *decisions*, so many, of some *deals* of a game."""

    game_id: str
    level: str
    deals: tuple[int, ...]
    decisions: int
    method: str = ANALYSIS

    @property
    def id(self) -> str:
        """What names it: the same for the same deals of the same game, judged the same way."""
        words = [self.method, self.game_id, self.level, *map(str, self.deals)]
        return hashlib.sha256("|".join(words).encode("ascii")).hexdigest()[:_ID_LENGTH]


class Record(NamedTuple):
    """An analysis as it stands: *done* decisions, and its *result* as JSON, None until then."""

    plan: Plan
    status: str
    done: int
    result: bytes | None

    @property
    def is_settled(self) -> bool:
        """Whether nobody is to work at it any more."""
        return self.status in {DONE, FAILED}


class Judged(NamedTuple):
    """What was judged so far: verdicts by the numbers of their events, and deals by theirs."""

    verdicts: dict[int, Verdict]
    deals: dict[int, DealReview]


class Records:
    """The analyses of all games, on the server of *client*.

    Every method may raise `StoreUnavailableError`.
    """

    def __init__(self, client: Redis) -> None:
        self._client: Final[Client] = client

    def find(self, analysis_id: str) -> Record | None:
        """Return the analysis of that id, None if it is not known."""
        with _told(), self._client.pipeline() as pipe:
            pipe.mget(_keys(analysis_id, "plan", "result", "failed"))
            pipe.hlen(_key("verdicts", analysis_id))
            (plan, result, failed), done = pipe.execute()
        if plan is None:
            return None
        found = msgspec.json.decode(plan, type=Plan)
        if result is not None:
            return Record(found, DONE, found.decisions, zlib.decompress(result))
        if failed is not None:
            return Record(found, FAILED, done, None)
        return Record(found, RUNNING if done else QUEUED, done, None)

    def open(self, plan: Plan) -> bool:
        """Write *plan* down, to be worked at, and return whether that was to be done.

        Of several at once one does it. What has failed may be tried again.
        """
        written, failed = _keys(plan.id, "plan", "failed")

        def write(pipe: Client) -> bool:
            if pipe.exists(written) and not pipe.exists(failed):
                return False
            pipe.multi()
            _open(pipe, plan)
            return True

        with _told():
            opened: bool = self._client.transaction(
                write, written, failed, value_from_callable=True
            )
        return opened

    def idle(self, most: int) -> list[str]:
        """Return what nobody is at work at, nor is hinted at, of *most* that are unsettled."""
        with _told():
            ids = [one.decode() for one in self._client.srandmember(_WAITING, most)]
            with self._client.pipeline() as pipe:
                for one in ids:
                    pipe.exists(_key("plan", one))
                    pipe.exists(*_keys(one, "lease", "hinted"))
                found = pipe.execute()
            known = dict(zip(ids, found[::2], strict=True))
            if gone := [one for one in ids if not known[one]]:
                self._client.srem(_WAITING, *gone)
        busy = dict(zip(ids, found[1::2], strict=True))
        return [one for one in ids if known[one] and not busy[one]]

    def wants_hint(self, analysis_id: str, waiting: int = 0) -> bool:
        """Return whether a hint should be sent: nobody is at work, and none waits for that.

        From then on, one does, behind so many that are *waiting*.
        """
        hinted_ms = HINTED_MS + HINTED_PER_JOB_MS * waiting
        with _told():
            # Whoever is at work sends a hint in the end, and must find nothing in its way.
            if self._client.exists(_key("lease", analysis_id)):
                return False
            return bool(self._client.set(_key("hinted", analysis_id), 1, nx=True, px=hinted_ms))

    @contextmanager
    def lease(self, analysis_id: str) -> Iterator[int]:
        """Be the only one who works at it, and yield how often that was tried in vain before.

        Yields -1 if somebody else is at it. Whoever dies inside has tried in vain.
        """
        lease = _key("lease", analysis_id)
        with _told():
            is_mine = self._client.set(lease, 1, nx=True, px=LEASE_MS)
            if not is_mine:
                # The hint that led here waits no longer: whoever is at work may send one.
                self._client.delete(_key("hinted", analysis_id))
        if not is_mine:
            yield -1
            return
        try:
            yield self._try(analysis_id)
        finally:
            with _told():
                self._client.delete(lease)

    def _try(self, analysis_id: str) -> int:
        with _told(), self._client.pipeline() as pipe:
            pipe.delete(_key("hinted", analysis_id))
            pipe.incrby(_key("tries", analysis_id), 1)
            pipe.pexpire(_key("tries", analysis_id), KEPT_MS)
            tries: int = pipe.execute()[1]
        return tries - 1

    def excuse(self, analysis_id: str) -> None:
        """Take this try back: nothing was judged, but it was not in vain."""
        # But not those before it: somebody may die of the same again and again.
        with _told(), self._client.pipeline() as pipe:
            pipe.decrby(_key("tries", analysis_id), 1)
            pipe.pexpire(_key("tries", analysis_id), KEPT_MS)
            pipe.execute()

    def judged(self, analysis_id: str) -> Judged:
        """Return what was judged so far."""
        with _told(), self._client.pipeline() as pipe:
            pipe.hgetall(_key("verdicts", analysis_id))
            pipe.hgetall(_key("deals", analysis_id))
            verdicts, deals = pipe.execute()
        return Judged(_read(verdicts, Verdict), _read(deals, DealReview))

    def keep(self, analysis_id: str, found: Verdict | DealReview) -> None:
        """Write down what was *found*; the same twice is the same."""
        match found:
            case Verdict(seq=number):
                key = _key("verdicts", analysis_id)
            case DealReview(number=number):
                key = _key("deals", analysis_id)
            case other:
                assert_never(other)
        with _told(), self._client.pipeline() as pipe:
            pipe.hset(key, str(number), msgspec.json.encode(found))
            pipe.pexpire(key, KEPT_MS)
            pipe.delete(_key("tries", analysis_id))
            pipe.execute()

    def finish(self, analysis_id: str, result: Mapping[str, Any]) -> None:
        """Write down the *result*, and no longer what it was made of."""
        packed = zlib.compress(msgspec.json.encode(result))
        with _told(), self._client.pipeline() as pipe:
            pipe.set(_key("result", analysis_id), packed, px=KEPT_MS)
            pipe.pexpire(_key("plan", analysis_id), KEPT_MS)
            pipe.delete(*_keys(analysis_id, "verdicts", "deals", "failed", "tries"))
            pipe.srem(_WAITING, analysis_id)
            pipe.execute()

    def fail(self, analysis_id: str) -> None:
        """Write down that nothing will come of it, unless somebody asks again."""
        with _told(), self._client.pipeline() as pipe:
            pipe.set(_key("failed", analysis_id), 1, px=KEPT_MS)
            pipe.srem(_WAITING, analysis_id)
            pipe.execute()

    def forget(self, game_id: str) -> None:
        """Take away all that is known of the game."""
        with _told():
            ids = [one.decode() for one in self._client.smembers(_key("of", game_id))]
            kinds = ("plan", "result", "failed", "verdicts", "deals", "tries", "hinted")
            keys: Sequence[str] = [key for one in ids for key in _keys(one, *kinds)]
            self._client.delete(*keys, _key("of", game_id))
            if ids:
                self._client.srem(_WAITING, *ids)


def _open(pipe: Client, plan: Plan) -> None:
    analysis_id = plan.id
    pipe.set(_key("plan", analysis_id), msgspec.json.encode(plan), px=KEPT_MS)
    pipe.delete(*_keys(analysis_id, "failed", "tries", "hinted"))
    pipe.sadd(_key("of", plan.game_id), analysis_id)
    pipe.pexpire(_key("of", plan.game_id), KEPT_MS)
    pipe.sadd(_WAITING, analysis_id)
    pipe.pexpire(_WAITING, KEPT_MS)


def _read(entries: Mapping[bytes, bytes], kind: Any) -> Any:  # noqa: ANN401 - one of two kinds
    return {int(name): msgspec.json.decode(value, type=kind) for name, value in entries.items()}


def _key(kind: str, name: str) -> str:
    return f"{_PREFIX}{kind}:{name}"


def _keys(analysis_id: str, *kinds: str) -> list[str]:
    return [_key(kind, analysis_id) for kind in kinds]


@contextmanager
def _told() -> Iterator[None]:
    """Say of a server that does not answer what is said of the store of games."""
    try:
        yield
    except RedisError as exc:
        raise StoreUnavailableError(str(exc)) from exc
