"""The fake store does what the real one does, in any order of commands."""

from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from service.store.base import (
    NO_HEAD,
    Marks,
    Position,
    Rewound,
    Row,
    VersionConflict,
    head_of,
)
from tests.fakes import MemoryStore

pytestmark = pytest.mark.store

# Few games, few shards and few times, so that ties and refetches are common.
GAMES = tuple(f"{shard}{number:030x}" for shard in ("07", "a1") for number in range(4))
CREATED_AT = {game: 1_000 + number // 2 for number, game in enumerate(GAMES)}


class Call(NamedTuple):
    method: str
    arguments: tuple
    keywords: dict


games = st.sampled_from(GAMES)
times = st.none() | st.integers(0, 5)
batches = st.lists(st.binary(max_size=6), min_size=1, max_size=3)
off_by = st.sampled_from([0, 0, 0, 0, 0, -1, 1])
is_right = st.sampled_from([True, True, True, True, False])
places = st.none() | st.builds(Position, st.integers(999, 1_005), games)


@st.composite
def steps(draw):
    """A call, but for the version and head that the stream gives it."""
    kind = draw(st.sampled_from(["append", "append", "append", "tail", "read"]))
    if kind == "append":
        row = draw(st.none() | st.binary(max_size=4))
        marks = (draw(times), row)
        return kind, draw(games), draw(off_by), draw(is_right), draw(batches), marks
    if kind == "tail":
        return kind, draw(games), draw(st.integers(0, 6)), draw(is_right)
    return kind, draw(reads())


@st.composite
def reads(draw):
    match draw(st.sampled_from(["entries", "last", "overdue", "directory"])):
        case "entries":
            span = draw(st.integers(1, 5)), draw(st.integers(1, 8))
            return Call("entries", (draw(games), *span), {})
        case "last":
            return Call("last", (draw(st.lists(games, max_size=4)),), {})
        case "overdue":
            return Call("overdue", (draw(st.integers(-1, 6)), draw(st.integers(1, 9))), {})
        case _:
            arguments = draw(places), draw(st.integers(1, 9))
            return Call("directory", arguments, {"newest_first": draw(st.booleans())})


def call_of(step, fake):
    """The call that *step* means, with versions and heads as *fake* has them now."""
    match step:
        case "append", game, off, right, batch, (due_at, summary):
            version, last = fake.last([game])[0]
            head = head_of(last) if version else NO_HEAD
            row = None if summary is None else Row(game, CREATED_AT[game], summary)
            head = head if right else head_of(b"another entry")
            return Call("append", (game, version + off, head, batch, Marks(due_at, row)), {})
        case "tail", game, version, right:
            seen = fake.entries(game, version, version) if version else []
            head = head_of(seen[0]) if seen and right else NO_HEAD
            return Call("tail", (game, version, head), {})
        case _, call:
            return call


def outcome(store, call):
    try:
        return getattr(store, call.method)(*call.arguments, **call.keywords)
    except (VersionConflict, Rewound) as exc:
        return type(exc)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.lists(steps(), min_size=5, max_size=40))
def test_the_fake_store_does_what_the_real_one_does(redis_store, plan):
    fake = MemoryStore()
    with redis_store.client() as client:
        client.flushall()

    for step in plan:
        call = call_of(step, fake)
        assert (call, outcome(redis_store, call)) == (call, outcome(fake, call))
