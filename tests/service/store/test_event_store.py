"""What every store does: the fake and the real one are held to the same sentences."""

import random
import threading

import pytest

from engine.presets import preset_rules
from service.store.archive import pack, without_names
from service.store.base import (
    NO_HEAD,
    Archived,
    Due,
    Expired,
    Marks,
    Position,
    Rewound,
    Row,
    VersionConflict,
    Word,
    head_of,
)
from tests.streams import whole_stream

GAME = "8814f3a0c2d94be1a7705d6e4f218b9c"
NEVER = Marks(None)


def game_in_shard(shard, number=0):
    return f"{shard:02x}{number:030x}"


def filled(store, *entries, game=GAME, marks=NEVER):
    store.append(game, 0, NO_HEAD, entries, marks)
    return head_of(entries[-1])


def test_what_was_appended_is_read(store):
    head = filled(store, b"one", b"two")

    store.append(GAME, 2, head, [b"three"], NEVER)

    assert store.tail(GAME, 0, NO_HEAD) == [b"one", b"two", b"three"]


def test_any_bytes_are_kept(store):
    entry = bytes(range(256)) * 40

    filled(store, entry, b"")

    assert store.tail(GAME, 0, NO_HEAD) == [entry, b""]


def test_an_unknown_game_is_empty(store):
    assert store.tail(GAME, 0, NO_HEAD) == []
    assert store.entries(GAME, 1, 10) == []
    assert store.last([GAME]) == [(0, b"")]


def test_the_tail_begins_after_the_version_that_was_seen(store):
    filled(store, b"one", b"two", b"three")

    assert store.tail(GAME, 1, head_of(b"one")) == [b"two", b"three"]
    assert store.tail(GAME, 3, head_of(b"three")) == []


@pytest.mark.parametrize(("version", "head"), [(1, b"other"), (3, b"two"), (9, b"two")])
def test_a_tail_that_does_not_fit_what_was_seen_is_a_rewind(store, version, head):
    filled(store, b"one", b"two")

    with pytest.raises(Rewound):
        store.tail(GAME, version, head_of(head))


def test_a_game_that_is_gone_is_a_rewind(store):
    with pytest.raises(Rewound):
        store.tail(GAME, 1, head_of(b"one"))


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        pytest.param(1, 3, [b"one", b"two", b"three"], id="all"),
        pytest.param(2, 2, [b"two"], id="one"),
        pytest.param(2, 99, [b"two", b"three"], id="past the end"),
        pytest.param(4, 9, [], id="behind the end"),
        pytest.param(3, 2, [], id="none"),
    ],
)
def test_entries_are_read_by_number(store, first, last, found):
    filled(store, b"one", b"two", b"three")

    assert store.entries(GAME, first, last) == found


@pytest.mark.parametrize(
    ("version", "head"),
    [
        pytest.param(0, NO_HEAD, id="as if the game were new"),
        pytest.param(1, head_of(b"one"), id="behind"),
        pytest.param(3, head_of(b"two"), id="ahead"),
        pytest.param(2, head_of(b"other"), id="another last entry"),
        pytest.param(2, NO_HEAD, id="no head"),
    ],
)
def test_an_append_on_anything_but_the_last_entry_changes_nothing(store, version, head):
    filled(store, b"one", b"two", marks=Marks(70, Row(GAME, 5, b"row")))

    with pytest.raises(VersionConflict):
        store.append(GAME, version, head, [b"x"], Marks(1, Row(GAME, 5, b"x")))

    assert store.tail(GAME, 0, NO_HEAD) == [b"one", b"two"]
    assert store.overdue(100, 9) == [Due(GAME, 70)]
    assert store.directory(None, 9, newest_first=True) == [Row(GAME, 5, b"row")]


def test_a_game_that_is_not_there_has_no_version_to_go_on_from(store):
    with pytest.raises(VersionConflict):
        store.append(GAME, 1, head_of(b"one"), [b"two"], NEVER)

    assert store.tail(GAME, 0, NO_HEAD) == []


def test_versions_are_numbers_not_texts(store):
    entries = [b"%d" % number for number in range(1, 12)]
    head = filled(store, *entries)

    store.append(GAME, 11, head, [b"12"], NEVER)

    assert store.last([GAME]) == [(12, b"12")]


def test_the_last_entries_of_several_games_are_read_at_once(store):
    here, there = game_in_shard(1), game_in_shard(2)
    filled(store, b"one", b"two", game=here)
    filled(store, b"three", game=there)

    assert store.last([there, GAME, here]) == [(1, b"three"), (0, b""), (2, b"two")]
    assert store.last([]) == []


def test_of_many_writers_at_one_version_exactly_one_wins(store):
    """Fault case 76."""
    head, rounds, writers = filled(store, b"start"), 15, 8
    for version in range(1, rounds + 1):
        won = race(store, version, head, writers)

        assert len(won) == 1
        head = head_of(won[0])

    assert store.last([GAME])[0][0] == rounds + 1


def race(store, version, head, writers):
    together, won = threading.Barrier(writers), []

    def write(number):
        entry = b"%d of writer %d" % (version, number)
        together.wait()
        try:
            store.append(GAME, version, head, [entry], NEVER)
        except VersionConflict:
            return
        won.append(entry)

    threads = [threading.Thread(target=write, args=[number]) for number in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return won


def test_a_game_is_due_from_its_time_on(store):
    filled(store, b"one", marks=Marks(1_790_000_000_000))

    assert store.overdue(1_789_999_999_999, 9) == []
    assert store.overdue(1_790_000_000_000, 9) == [Due(GAME, 1_790_000_000_000)]


def test_the_next_append_moves_or_ends_what_is_due(store):
    head = filled(store, b"one", marks=Marks(10))

    store.append(GAME, 1, head, [b"two"], Marks(20))
    moved = store.overdue(99, 9)
    store.append(GAME, 2, head_of(b"two"), [b"three"], Marks(None))

    assert moved == [Due(GAME, 20)]
    assert store.overdue(99, 9) == []


def test_marks_alone_are_written_at_the_version_that_was_seen(store):
    filled(store, b"one", marks=Marks(70))

    with pytest.raises(VersionConflict):
        store.append(GAME, 0, NO_HEAD, [], NEVER)
    assert store.overdue(100, 9) == [Due(GAME, 70)]
    store.append(GAME, 1, head_of(b"one"), [], NEVER)
    assert store.overdue(100, 9) == []
    assert store.tail(GAME, 0, NO_HEAD) == [b"one"]


def test_the_oldest_due_games_come_first_whatever_their_shards(store):
    games = [game_in_shard(shard) for shard in (200, 3, 77, 3 + 128)]
    for due_at, game in zip((30, 10, 40, 20), games, strict=True):
        filled(store, b"one", game=game, marks=Marks(due_at))

    assert [due.due_at for due in store.overdue(35, 9)] == [10, 20, 30]
    assert [due.due_at for due in store.overdue(99, 2)] == [10, 20]


def test_many_due_games_of_one_shard_are_all_found(store):
    games = [game_in_shard(5, number) for number in range(40)]
    for number, game in enumerate(games):
        filled(store, b"one", game=game, marks=Marks(number))
    filled(store, b"one", game=game_in_shard(6), marks=Marks(20))

    found = store.overdue(99, 30)

    assert [due.due_at for due in found] == sorted([*range(29), 20])


def test_games_of_the_same_due_time_come_by_id(store):
    games = [game_in_shard(9, 1), game_in_shard(2, 5), game_in_shard(9, 0)]
    for game in games:
        filled(store, b"one", game=game, marks=Marks(7))

    assert [due.game_id for due in store.overdue(7, 9)] == sorted(games)


def listed(store, count, created_at=lambda number: 1_000 + number):
    games = [game_in_shard(number * 7 % 256, number) for number in range(count)]
    rows = [Row(game, created_at(number), b"%d" % number) for number, game in enumerate(games)]
    for row in rows:
        filled(store, b"one", game=row.game_id, marks=Marks(None, row))
    return rows


def test_the_directory_is_in_the_order_of_creation(store):
    rows = listed(store, 12)

    assert store.directory(None, 20, newest_first=False) == rows
    assert store.directory(None, 20, newest_first=True) == rows[::-1]


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("limit", [1, 3, 5])
def test_pages_of_the_directory_follow_on_each_other(store, newest_first, limit):
    # Three games each share a millisecond.
    rows = listed(store, 11, created_at=lambda number: 1_000 + number // 3)

    pages, after = [], None
    while page := store.directory(after, limit, newest_first=newest_first):
        pages.extend(page)
        after = Position(page[-1].at, page[-1].game_id)

    in_order = sorted(rows, key=lambda row: (row.at, row.game_id), reverse=newest_first)
    assert pages == in_order


def test_many_games_of_one_shard_fill_a_page(store):
    rows = [Row(game_in_shard(5, number), number, b"row") for number in range(40)]
    for row in rows:
        filled(store, b"one", game=row.game_id, marks=Marks(None, row))

    assert store.directory(None, 35, newest_first=False) == rows[:35]


def test_a_place_between_two_lines_is_as_good_as_one_of_them(store):
    rows = listed(store, 4)
    between = Position(1_001, "f" * 32)

    assert store.directory(between, 9, newest_first=False) == rows[2:]
    assert store.directory(between, 9, newest_first=True) == rows[1::-1]


def test_a_line_stays_until_it_is_replaced(store):
    head = filled(store, b"one", marks=Marks(None, Row(GAME, 5, b"old")))

    store.append(GAME, 1, head, [b"two"], Marks(None))
    kept = store.directory(None, 9, newest_first=True)
    store.append(GAME, 2, head_of(b"two"), [b"three"], Marks(None, Row(GAME, 5, b"new")))

    assert kept == [Row(GAME, 5, b"old")]
    assert store.directory(None, 9, newest_first=True) == [Row(GAME, 5, b"new")]


def test_a_stale_writer_is_refused_after_the_stream_was_cut_and_grew_back(store):
    """Reliability rule D5: the same version is not the same game."""
    filled(store, b"one", b"two", b"three")
    stale = head_of(b"three")
    rewind(store, 2)
    store.append(GAME, 2, head_of(b"two"), [b"another three"], NEVER)

    with pytest.raises(VersionConflict):
        store.append(GAME, 3, stale, [b"four"], NEVER)
    with pytest.raises(Rewound):
        store.tail(GAME, 3, stale)

    assert store.tail(GAME, 0, NO_HEAD) == [b"one", b"two", b"another three"]


def test_a_stale_writer_makes_no_gap_after_a_cut(store):
    filled(store, b"one", b"two", b"three")
    rewind(store, 1)

    with pytest.raises(VersionConflict):
        store.append(GAME, 3, head_of(b"three"), [b"four"], NEVER)

    assert store.tail(GAME, 0, NO_HEAD) == [b"one"]


def rewind(store, version):
    """Take the game back to *version*, as a server does that lost its tail."""
    if hasattr(store, "cut"):
        store.cut(GAME, version)
        return
    entries = store.tail(GAME, 0, NO_HEAD)[:version]
    with store.client() as client:
        client.delete(f"hearts:{{{GAME[:2]}}}:game:{GAME}")
    filled(store, *entries)


def test_every_game_is_found_whether_it_is_listed_or_not(store):
    games = {game_in_shard(shard, number) for shard in (0, 7, 255) for number in range(40)}
    for number, game in enumerate(sorted(games)):
        row = Row(game, number, b"row") if number % 2 else None
        filled(store, b"one", game=game, marks=Marks(None, row))

    assert store.game_ids() == games


def test_a_line_stands_in_the_lists_that_were_named_last(store):
    row = Row(GAME, 5, b"row")
    head = filled(store, b"one", marks=Marks(None, row, {"a": 5, "b": 7, "c": 6}))
    assert store.directory(None, 9, newest_first=True, lists=["b"]) == [Row(GAME, 7, b"row")]

    store.append(GAME, 1, head, [b"two"], Marks(None, row, {"a": 5, "b": 9, "d": 6}))

    found = {
        name: [one.at for one in store.directory(None, 9, newest_first=True, lists=[name])]
        for name in ("a", "b", "c", "d", "aa", "")
    }
    assert found == {"a": [5], "b": [9], "c": [], "d": [6], "aa": [], "": []}


def test_a_line_without_bytes_is_taken_out_of_all_lists(store):
    head = filled(store, b"one", marks=Marks(None, Row(GAME, 5, b"row"), {"a": 5, "b": 7}))

    store.append(GAME, 1, head, [b"two"], Marks(None, Row(GAME, 5, b"")))

    assert store.directory(None, 9, newest_first=True, lists=["a", "b"]) == []
    store.append(GAME, 2, head_of(b"two"), [b"three"], Marks(None, Row(GAME, 5, b"again")))
    assert store.directory(None, 9, newest_first=False) == [Row(GAME, 5, b"again")]


@pytest.mark.parametrize("newest_first", [True, False])
def test_several_lists_are_read_as_one_between_two_places(store, newest_first):
    for number in range(12):
        row = Row(game_in_shard(number * 7 % 256, number), number, b"%d" % number)
        marks = Marks(None, row, {"abc"[number % 3]: number})
        filled(store, b"one", game=row.game_id, marks=marks)
    low, high = Position(2, "g"), Position(9, "")
    after, until = (high, low) if newest_first else (low, high)

    found = store.directory(after, 9, newest_first=newest_first, lists=["a", "c"], until=until)

    assert [one.at for one in found] == sorted([3, 5, 6, 8], reverse=newest_first)


# The archive


@pytest.fixture(scope="module")
def game():
    """The entries of a whole game."""
    return whole_stream(preset_rules("plain", 4), random.Random(1))


def archived(store, game):
    head = filled(store, *game, marks=Marks(5))
    store.archive(GAME, len(game), head, pack(game), 7)


def test_an_archived_game_is_read_as_before_but_for_names(store, game):
    archived(store, game)

    assert store.tail(GAME, 0, NO_HEAD) == without_names(game)
    assert store.entries(GAME, 3, 9) == without_names(game)[2:9]
    assert store.entries(GAME, len(game) + 1, len(game) + 9) == []
    assert store.last([GAME, "0" * 32]) == [(len(game), game[-1]), (0, b"")]
    assert store.game_ids() == {GAME}
    assert store.overdue(10, 10) == []


def test_who_has_seen_the_end_of_a_game_sees_nothing_new_in_the_archive(store, game):
    archived(store, game)

    assert store.tail(GAME, len(game), head_of(game[-1])) == []
    with pytest.raises(Archived):
        store.tail(GAME, 3, head_of(game[2]))


@pytest.mark.parametrize("version", [0, 1])
def test_who_has_seen_another_end_is_told(store, game, version):
    archived(store, game)

    with pytest.raises(Rewound) as raised:
        store.tail(GAME, len(game) + version, head_of(b"another"))
    assert not isinstance(raised.value, Archived)


def test_nothing_is_appended_to_an_archived_game(store, game):
    archived(store, game)

    with pytest.raises(VersionConflict):
        store.append(GAME, len(game), head_of(game[-1]), [b"more"], NEVER)
    assert store.last([GAME])[0] == (len(game), game[-1])


def test_only_the_game_that_was_read_is_archived(store, game):
    head = filled(store, *game)

    for version, wrong in ((len(game), head_of(b"another")), (len(game) - 1, head), (0, NO_HEAD)):
        with pytest.raises(VersionConflict):
            store.archive(GAME, version, wrong, pack(game), 7)
    with pytest.raises(VersionConflict):
        store.archive("0" * 32, 0, NO_HEAD, pack(game), 7)
    assert store.tail(GAME, 0, NO_HEAD) == game


def test_of_two_who_archive_a_game_one_does(store, game):
    archived(store, game)

    with pytest.raises(VersionConflict):
        store.archive(GAME, len(game), head_of(game[-1]), pack(game), 7)
    assert store.tail(GAME, 0, NO_HEAD) == without_names(game)


WORD = Word(at=99, is_private=True, kept_ms=1_000_000)


def test_archived_games_are_found_by_their_ends(store, game):
    games = [game_in_shard(shard) for shard in range(12)]
    for at, one in enumerate(games):
        store.archive(one, len(game), filled(store, *game, game=one), pack(game), at)

    assert store.ended_before(0, 9) == []
    assert store.ended_before(3, 9) == games[:3]
    assert store.ended_before(99, 9) == games[:9]


def test_of_a_game_that_expires_nothing_is_left_but_a_word(store, game):
    head = filled(store, *game, marks=Marks(5, Row(GAME, 5, b"row"), {"a": 5, "b": 6}))
    store.archive(GAME, len(game), head, pack(game), 7)

    store.expire(GAME, len(game), head, WORD)

    for read in (
        lambda: store.tail(GAME, 0, NO_HEAD),
        lambda: store.tail(GAME, len(game), head),
        lambda: store.entries(GAME, 1, 3),
    ):
        with pytest.raises(Expired) as raised:
            read()
        assert (raised.value.at, raised.value.is_private) == (99, True)
    assert store.last([GAME]) == [(0, b"")]
    assert store.game_ids() == set()
    assert store.ended_before(99, 9) == []
    assert store.directory(None, 9, newest_first=True, lists=["a"]) == []


def test_only_the_game_that_was_read_expires(store, game):
    head = filled(store, *game)
    with pytest.raises(VersionConflict):
        store.expire(GAME, len(game), head, WORD)
    store.archive(GAME, len(game), head, pack(game), 7)

    for version, wrong in ((len(game), head_of(b"another")), (len(game) - 1, head)):
        with pytest.raises(VersionConflict):
            store.expire(GAME, version, wrong, WORD)
    with pytest.raises(VersionConflict):
        store.expire("0" * 32, 1, head, WORD)
    assert store.tail(GAME, 0, NO_HEAD) == without_names(game)


def test_of_two_who_take_a_game_away_one_does(store, game):
    archived(store, game)
    store.expire(GAME, len(game), head_of(game[-1]), WORD)

    with pytest.raises(VersionConflict):
        store.expire(GAME, len(game), head_of(game[-1]), WORD)


def test_games_that_are_not_archived_are_told_page_by_page(store, game):
    archived(store, game)
    games = {game_in_shard(shard) for shard in range(40)}
    for one in games:
        filled(store, b"one", game=one)

    cursor, found = store.streams_from(0)
    while cursor:
        cursor, more = store.streams_from(cursor)
        found += more

    assert set(found) == games


def test_a_game_waits_for_webhooks_until_an_append_says_otherwise(store):
    head = filled(store, b"one", marks=Marks(None, hooks_at=500))
    other = game_in_shard(7)
    filled(store, b"one", game=other, marks=Marks(None, hooks_at=300))

    assert store.hooks_due(499, 10) == [Due(other, 300)]
    assert store.hooks_due(500, 10) == [Due(other, 300), Due(GAME, 500)]
    assert store.hooks_due(500, 1) == [Due(other, 300)]
    store.append(GAME, 1, head, [b"two"], NEVER)
    assert Due(GAME, 500) in store.hooks_due(500, 10)
    store.append(GAME, 2, head_of(b"two"), [], Marks(None, hooks_at=0))
    assert store.hooks_due(500, 10) == [Due(other, 300)]
    store.forget_hooks(other)
    store.forget_hooks(other)
    assert store.hooks_due(500, 10) == []


def test_a_mark_that_came_too_late_is_refused(store):
    head = filled(store, b"one", marks=Marks(None, hooks_at=500))
    store.append(GAME, 1, head, [b"two"], Marks(None, hooks_at=600))

    with pytest.raises(VersionConflict):
        store.append(GAME, 1, head, [], Marks(None, hooks_at=0))

    assert store.hooks_due(600, 10) == [Due(GAME, 600)]
