"""The store that fails to order does so, and only so."""

import pytest

from service.store.base import (
    NO_HEAD,
    AnswerLost,
    Marks,
    StoreUnavailableError,
    VersionConflict,
    head_of,
)
from tests.fakes import Died, Fault, FaultyStore, MemoryStore

GAME = "8814f3a0c2d94be1a7705d6e4f218b9c"


def append(store, entry=b"one", version=0, head=NO_HEAD):
    store.append(GAME, version, head, [entry], Marks(None))


@pytest.mark.parametrize(
    ("fault", "raised", "is_done"),
    [
        (Fault.CONFLICT, VersionConflict, False),
        (Fault.UNAVAILABLE, StoreUnavailableError, False),
        (Fault.LOST_BEFORE, AnswerLost, False),
        (Fault.LOST_AFTER, AnswerLost, True),
        (Fault.DIES_BEFORE, Died, False),
        (Fault.DIES_AFTER, Died, True),
    ],
)
def test_a_fault_raises_and_does_what_it_says(fault, raised, is_done):
    store = FaultyStore(MemoryStore(), [fault])

    with pytest.raises(raised):
        append(store)

    assert bool(store.tail(GAME, 0, NO_HEAD)) is is_done


def test_a_late_append_is_done_before_the_next_call():
    store = FaultyStore(MemoryStore(), [Fault.LATE])

    with pytest.raises(AnswerLost):
        append(store)

    assert not store.inner.streams
    assert store.tail(GAME, 0, NO_HEAD) == [b"one"]


def test_a_late_append_is_refused_when_another_was_faster():
    store = FaultyStore(MemoryStore(), [Fault.LATE])
    with pytest.raises(AnswerLost):
        append(store)

    append(store.inner, b"another one")

    assert store.tail(GAME, 0, NO_HEAD) == [b"another one"]


def test_after_the_plan_nothing_goes_wrong():
    store = FaultyStore(MemoryStore(), [None, Fault.CONFLICT])

    append(store)
    with pytest.raises(VersionConflict):
        append(store, b"two", 1, head_of(b"one"))
    append(store, b"two", 1, head_of(b"one"))

    assert store.tail(GAME, 0, NO_HEAD) == [b"one", b"two"]
    assert store.calls == ["append", "append", "append", "tail"]


def test_a_plan_may_be_for_reads():
    store = FaultyStore(MemoryStore(), [Fault.UNAVAILABLE], methods=("tail",))
    append(store)

    with pytest.raises(StoreUnavailableError):
        store.tail(GAME, 0, NO_HEAD)
