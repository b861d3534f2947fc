"""Keys: one slot for all that an append touches, and members that sort as places do."""

import random

from hypothesis import given
from hypothesis import strategies as st
from redis.crc import key_slot

from service.store.base import Position
from service.store.keys import KEYS, SHARDS, member_of, place_of, shard_of, stream_key

IDS = st.integers(0, 2**128 - 1).map(lambda number: f"{number:032x}")
PLACES = st.builds(Position, st.integers(0, 2**43), IDS)


@given(IDS)
def test_all_keys_of_an_append_lie_in_one_slot(game_id):
    """Fault case 103."""
    keys = [stream_key(game_id), *KEYS[shard_of(game_id)]]

    assert len({key_slot(key.encode()) for key in keys}) == 1


def test_games_lie_on_many_slots():
    """Fault case 103."""
    rng = random.Random(1)
    slots = {key_slot(stream_key(rng.randbytes(16).hex()).encode()) for _ in range(200)}

    assert len(SHARDS) == 256
    assert len(slots) > 100


def test_the_tag_is_the_first_two_digits_of_the_id():
    assert stream_key("8814f3a0") == "hearts:{88}:game:8814f3a0"
    assert KEYS["88"] == (
        *("hearts:{88}:due", "hearts:{88}:games", "hearts:{88}:rows"),
        "hearts:{88}:hooks",
    )


@given(PLACES)
def test_a_member_stands_for_its_place(place):
    assert place_of(member_of(place)) == place


@given(PLACES, PLACES)
def test_members_sort_as_their_places(one, other):
    assert (member_of(one) < member_of(other)) == (one < other)
