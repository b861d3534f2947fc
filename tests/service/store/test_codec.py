"""Whatever was encoded is decoded, and whatever the bytes, nothing but a corrupt log escapes."""

import json
import random
from dataclasses import replace

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine import events as e
from engine.cards import card
from engine.disclosure import private_part, public_part
from engine.errors import CorruptLogError
from engine.presets import PRESETS, preset_rules
from service.store.codec import checked, decode, decode_all, encode
from service.store.envelope import Actor, Cause, Stored
from service.store.upcasts import UPCASTS
from tests.service.store.test_recorded import RECORDED, recorded_entries
from tests.streams import CREATED_AT, entries_of, restless_game, stored_game

TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]
CAUSE = Cause(b"command.", b"fingerpr")
PLAYED = Stored(
    9,
    CREATED_AT + 41_250,
    Actor("seat", 2),
    CAUSE,
    e.CardPlayed(1, 7, 2, card("KS"), 43, False, None),
)


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_whole_game_is_read_as_it_was_written(preset, seats):
    stored = stored_game(preset_rules(preset, seats), random.Random(f"{preset} {seats}"))

    assert decode_all(entries_of(stored), 1, None) == stored


@pytest.mark.parametrize("seats", range(3, 8))
def test_a_game_in_which_people_come_and_go_is_read_as_it_was_written(seats):
    stored = restless_game(preset_rules("standard", seats), random.Random(seats))

    assert decode_all(entries_of(stored), 1, None) == stored


def test_entries_are_read_one_by_one_as_all_together():
    stored = stored_game(preset_rules("standard", 3), random.Random(5))
    entries = entries_of(stored)

    one_by_one = [decode(entry, seq, CREATED_AT) for seq, entry in enumerate(entries, 1)]

    assert one_by_one == decode_all(entries, 1, None) == stored
    assert decode_all(entries[10:20], 11, CREATED_AT) == stored[10:20]
    assert decode_all([], 5, None) == []


def test_a_move_is_stored_as_documented():
    """The example of docs/stored-form.md."""
    assert encode(PLAYED, CREATED_AT).hex(" ") == (
        "9c 08 01 cd a1 22 02 c4 10 63 6f 6d 6d 61 6e 64 2e 66 69 6e 67 65 72 70 72"
        " 01 07 02 25 2b c2 c0 8e 66 0c c0"
    )


def test_cards_of_a_second_pack_are_stored_too():
    event = replace(PLAYED.event, card=1 << 103)
    hands = (1 << 103 | 1, 0, (1 << 104) - 1)
    dealt = e.DealDealt(1, 0, None, 0, 1, 1 << 52, hands)

    for one in (PLAYED._replace(event=event), PLAYED._replace(event=dealt)):
        assert decode(encode(one, CREATED_AT), 9, CREATED_AT) == one


@pytest.mark.parametrize(
    "actor", [Actor("host"), Actor("seat", 10), Actor("bot", 0, "random", 12)], ids=str
)
@pytest.mark.parametrize("cause", [CAUSE, None], ids=["first of a command", "same command"])
def test_actor_and_cause_are_kept(actor, cause):
    stored = PLAYED._replace(actor=actor, cause=cause)

    assert decode(encode(stored, CREATED_AT), 9, CREATED_AT) == stored


OUT_OF_BOUNDS = {
    "a seat": PLAYED._replace(event=replace(PLAYED.event, seat=11)),
    "a card": PLAYED._replace(event=replace(PLAYED.event, card=1 << 104)),
    "a time before the creation": PLAYED._replace(time=CREATED_AT - 1),
    "a cause of another length": PLAYED._replace(cause=Cause(b"short", b"")),
    "an unknown word": PLAYED._replace(event=replace(PLAYED.event, auto="whim")),
    "a seed that is no hex": PLAYED._replace(event=e.SeatClaimed(0, "Ana", 1, "no hex")),
    "a seed in capitals": PLAYED._replace(event=e.SeatClaimed(0, "Ana", 1, "AB" * 32)),
    "a huge grant": PLAYED._replace(event=e.SeatKicked(0, 2**48)),
    "a grant below zero": PLAYED._replace(event=e.HostTokenRotated(-1)),
    "a short seed": PLAYED._replace(event=e.SeatClaimed(0, "Ana", 1, "ab" * 31)),
}


@pytest.mark.parametrize("stored", OUT_OF_BOUNDS.values(), ids=OUT_OF_BOUNDS)
def test_what_could_not_be_read_again_is_not_written(stored):
    with pytest.raises(ValueError, match=r".+"):
        encode(stored, CREATED_AT)


def array_of(stored):
    return encode(stored, CREATED_AT)[:-4]


def read(array, seq=9):
    """What *array* says as an undamaged entry."""
    return decode(checked(array, seq), seq, CREATED_AT)


def places(stored=PLAYED):
    return msgspec.msgpack.decode(array_of(stored))


def with_place(place, value, stored=PLAYED):
    changed = places(stored)
    changed[place] = value
    return msgspec.msgpack.encode(changed)


CORRUPT = {
    "nothing": b"",
    "no array": b"\x01",
    "an empty array": b"\x90",
    "bytes that are no MessagePack": b"\xc1",
    "a length without an end": b"\xdd\xff\xff\xff\xff",
    "nested too deeply": b"\x91" * 100_000,
    "more bytes behind it": array_of(PLAYED) + b"\x00",
    "a byte less": array_of(PLAYED)[:-1],
    "a megabyte": b"\xc6\x00\x10\x00\x00" + bytes(1 << 20),
    "a value too many": msgspec.msgpack.encode([*places(), None]),
    "a value too few": msgspec.msgpack.encode(places()[:-1]),
    "an unknown type": with_place(0, 99),
    "a type as text": with_place(0, "8"),
    "a newer version": with_place(1, 2),
    "version zero": with_place(1, 0),
    "a time before the creation": with_place(2, -1),
    "a time in the far future": with_place(2, 2**63),
    "an actor that is no seat": with_place(3, 11),
    "an unknown actor": with_place(3, "ghost"),
    "a bot without a version": with_place(3, [1, "easy"]),
    "a bot with more": with_place(3, [1, "easy", 1, 1]),
    "a short cause": with_place(4, b"x" * 15),
    "a cause as text": with_place(4, "x" * 16),
    "deal minus one": with_place(5, -1),
    "a huge deal": with_place(5, 2**64 - 1),
    "a deal as text": with_place(5, "1"),
    "a fraction": with_place(5, 1.5),
    "a whole fraction": with_place(5, 1.0),
    "true for one": with_place(5, True),
    "nil for a trick": with_place(6, None),
    "seat 11": with_place(7, 11),
    "seat minus one": with_place(7, -1),
    "card 104": with_place(8, 104),
    "one for true": with_place(10, 1),
    "an unknown word": with_place(11, "whim"),
}


@pytest.mark.parametrize("array", CORRUPT.values(), ids=CORRUPT)
def test_what_is_no_known_event_is_refused(array):
    with pytest.raises(CorruptLogError):
        read(array)


@pytest.mark.parametrize("entry", [b"", b"\x00", bytes(4), array_of(PLAYED)])
def test_an_entry_without_its_check_is_refused(entry):
    with pytest.raises(CorruptLogError):
        decode(entry, 9, CREATED_AT)


def test_an_entry_in_another_place_is_refused():
    with pytest.raises(CorruptLogError):
        decode(encode(PLAYED, CREATED_AT), PLAYED.seq + 1, CREATED_AT)


def test_the_refusal_names_the_event():
    entries = entries_of(stored_game(preset_rules("standard", 3), random.Random(5)))
    entries[16] = b"\x00"

    with pytest.raises(CorruptLogError, match="event 17 "):
        decode_all(entries, 1, None)


def test_only_the_first_event_creates_the_game():
    created = RECORDED["game.created", 1]

    with pytest.raises(CorruptLogError, match="GameCreated"):
        read(array_of(created), 2)
    with pytest.raises(CorruptLogError, match="CardPlayed"):
        read(array_of(PLAYED), 1)


@pytest.mark.parametrize("seats", [2, 12])
def test_rules_for_a_table_that_does_not_exist_are_refused(seats):
    created = RECORDED["game.created", 1]
    rules = places(created)[5]
    rules[2] = seats

    with pytest.raises(CorruptLogError):
        read(with_place(5, rules, created), 1)


@pytest.fixture
def _older_versions(monkeypatch):
    """Version 0 of a played card named no turn, version -1 no trick either."""
    monkeypatch.setitem(UPCASTS, (8, -1), lambda values: [values[0], 1, *values[1:]])
    monkeypatch.setitem(UPCASTS, (8, 0), lambda values: [*values[:4], 43, *values[4:]])


def older(v, values):
    envelope = places()[2:5]
    return msgspec.msgpack.encode([8, v, *envelope, *values])


@pytest.mark.usefixtures("_older_versions")
def test_an_old_version_is_brought_up_to_date_step_by_step():
    without_turn = older(0, [1, 7, 2, 37, False, None])
    without_trick = older(-1, [1, 2, 37, False, None])

    assert read(without_turn) == PLAYED
    in_first_trick = replace(PLAYED.event, trick=1)
    assert read(without_trick) == PLAYED._replace(event=in_first_trick)


@pytest.mark.usefixtures("_older_versions")
def test_old_and_new_versions_stand_side_by_side():
    entries = [
        encode(PLAYED, CREATED_AT),
        checked(older(0, [1, 7, 2, 37, False, None]), 10),
    ]

    assert decode_all(entries, 9, CREATED_AT) == [PLAYED, PLAYED._replace(seq=10)]


@pytest.mark.usefixtures("_older_versions")
@pytest.mark.parametrize(
    "values", [[], [1], [1, 7, 99, 37, False, None], [1, 7, 2, 37, False, None, 5], [{(): 1}] * 6]
)
def test_an_old_version_that_makes_no_sense_is_refused(values):
    with pytest.raises(CorruptLogError):
        read(older(0, values))


@pytest.mark.usefixtures("_older_versions")
def test_an_old_version_cannot_exhaust_the_stack():
    array = older(0, [])[:-1] + b"\x91" * 100_000

    with pytest.raises(CorruptLogError):
        read(array)


GENUINE = [(RECORDED[key].seq, entry[:-4]) for key, entry in recorded_entries().items()]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.integers(-2, 12)
    | st.floats()
    | st.text(max_size=5)
    | st.binary(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=8,
)


def read_or_refused(array, seq):
    """Read *array*, its check being right; what comes out can be shown and written again."""
    try:
        stored = read(array, seq)
    except CorruptLogError:
        return
    json.dumps([public_part(stored.event), private_part(stored.event)])
    assert decode(encode(stored, CREATED_AT), seq, CREATED_AT) == stored


@given(st.binary(max_size=80), st.sampled_from([1, 2]))
def test_random_bytes_are_refused(entry, seq):
    with pytest.raises(CorruptLogError):
        decode(entry, seq, CREATED_AT)


@given(st.sampled_from(GENUINE), st.data())
def test_an_entry_with_a_flipped_byte_is_refused(genuine, data):
    seq, array = genuine
    changed = bytearray(checked(array, seq))
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))

    with pytest.raises(CorruptLogError):
        decode(bytes(changed), seq, CREATED_AT)


@given(st.binary(max_size=80), st.sampled_from([1, 2]))
@example(b"\x91" * 5_000, 2)
def test_an_array_of_random_bytes_is_read_or_refused(array, seq):
    read_or_refused(array, seq)


@settings(max_examples=300)
@given(st.sampled_from(GENUINE), st.data())
def test_an_array_with_a_flipped_byte_is_read_or_refused(genuine, data):
    seq, array = genuine
    changed = bytearray(array)
    changed[data.draw(st.integers(0, len(array) - 1))] ^= data.draw(st.integers(1, 255))

    read_or_refused(bytes(changed), seq)


@given(st.sampled_from(GENUINE), st.data())
def test_a_cut_array_is_refused(genuine, data):
    seq, array = genuine

    with pytest.raises(CorruptLogError):
        read(array[: data.draw(st.integers(0, len(array) - 1))], seq)


@settings(max_examples=300)
@given(st.sampled_from(GENUINE), st.data(), VALUES)
def test_another_value_in_any_place_is_read_or_refused(genuine, data, value):
    seq, array = genuine
    changed = msgspec.msgpack.decode(array)
    inside = changed
    while True:
        place = data.draw(st.integers(0, len(inside) - 1))
        if not isinstance(inside[place], list) or not inside[place] or data.draw(st.booleans()):
            break
        inside = inside[place]
    inside[place] = value

    read_or_refused(msgspec.msgpack.encode(changed), seq)


@given(st.sampled_from(GENUINE), st.data())
def test_values_added_or_left_out_are_read_or_refused(genuine, data):
    seq, array = genuine
    changed = msgspec.msgpack.decode(array)
    place = data.draw(st.integers(0, len(changed)))
    changed[place:place] = [0] if data.draw(st.booleans()) else []
    del changed[data.draw(st.integers(0, len(changed) - 1))]

    read_or_refused(msgspec.msgpack.encode(changed), seq)
