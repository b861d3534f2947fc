"""The lists of the directory: a game stands in a list if, and only if, it is asked for by that."""

from itertools import product

import pytest

from service.directory import App, Line, Wanted, ends_for, ends_of, lists_for, lists_of

ANA, BOT, FREE = ("Ana", False), ("Robo", True), (None, False)

LINES = [
    Line(status, preset, seats, practice, origin, dealing, 5)
    for status, (preset, seats), practice, origin, dealing in product(
        ("lobby", "finished"),
        [("standard", [ANA, FREE, FREE]), ("spot", [ANA, BOT, BOT, FREE]), ("spot", [ANA] * 3)],
        (False, True),
        (None, ("fork", "0b5e" * 8, 43), ("import", "0b5e" * 8, None), ("later", "0b5e" * 8, None)),
        ("committed", "seeded"),
    )
]
GROUPS = [
    {"origin": origin, "practice": practice, "dealing": dealing}
    for origin, practice, dealing in product(
        (None, "fork", "import", "later"), (None, False, True), ("committed", "seeded")
    )
]
THINGS = [
    *({}, {"preset": "spot"}, {"seat_count": 3}, {"open_seats_min": 1}, {"open_seats_min": 2}),
    *({"has_bots": True}, {"has_bots": False}, {"open_seats_min": 0}),
]
STATUSES = [(), ("lobby",), ("lobby", "active"), ("finished",)]


@pytest.mark.parametrize("statuses", STATUSES)
def test_a_list_has_what_is_asked_for_and_nothing_else(statuses):
    """So a page of one thing is read from one list for each status, and is full."""
    for line in LINES:
        stands_in = lists_of(line, App(), 9)
        for group, thing in product(GROUPS, THINGS):
            wanted = Wanted(statuses=statuses, **group, **thing)
            found = [name for name in lists_for(wanted, by_last=False) if name in stands_in]

            assert len(found) == wanted.fits(line), (line, wanted)
            assert {stands_in[name] for name in found} <= {5}


def test_in_the_order_of_last_events_a_list_has_the_group_and_the_status():
    for line in LINES:
        stands_in = lists_of(line, App(), 9)
        for group, thing, statuses in product(GROUPS, THINGS, STATUSES):
            wanted = Wanted(statuses=statuses, **group)
            lists = lists_for(Wanted(statuses=statuses, **group, **thing), by_last=True)
            found = [name for name in lists if name in stands_in]

            assert len(found) == wanted.fits(line)
            assert {stands_in[name] for name in found} <= {9}


def test_games_that_began_here_and_their_like_are_listed_without_being_asked_for():
    shown = [line.kind for line in LINES if Wanted().fits(line)]

    assert set(shown) == {None, "later"}


def test_an_app_has_lists_of_its_own():
    line = Line("lobby", "standard", [ANA, FREE, FREE], metadata={"player": "u_1", "cup": "1"})
    stands_in = lists_of(line, App("shop", ["u_2", "u_2", "u_3"]), 9)

    def is_found(**wanted):
        return [
            any(one in stands_in for one in lists_for(Wanted(**wanted), by_last=by_last))
            for by_last in (False, True)
        ]

    for player in ("u_2", "u_3"):
        assert is_found(app="shop", player=player) == [True, True]
        assert is_found(app="shop", player=player, statuses=["lobby"]) == [True, True]
    for wanted in (
        {"app": "shop", "player": "u_1"},
        {"app": "other", "player": "u_2"},
        {"app": "shop", "player": "u_2", "statuses": ["active"]},
        {"app": "shop", "metadata": {"cup": "2"}},
        {"app": "other", "metadata": {"cup": "1"}},
    ):
        assert is_found(**wanted) == [False, False]
    assert is_found(app="shop", metadata={"player": "u_1"}) == [True, True]
    assert is_found(app="shop", metadata={"cup": "1"}) == [True, True]


def test_without_an_app_nothing_is_found_by_its_words():
    line = Line("lobby", "standard", [ANA, FREE, FREE], metadata={"cup": "1"})

    named = [name for name in lists_of(line, App(None, ["u_1"]), 9) if name.startswith("app")]

    assert named == []


def test_an_app_has_lists_of_its_games_that_are_over():
    over, running = Line("finished", "standard", [ANA]), Line("active", "standard", [ANA])
    stands_in = ends_of(over, App("shop", ["u_1", "u_1", "u_2"]), 9)

    assert set(stands_in.values()) == {9}
    for player in (None, "u_1", "u_2"):
        for statuses, expected in (((), 1), (["finished"], 1), (["aborted"], 0)):
            lists = ends_for("shop", player, statuses)
            assert len(stands_in.keys() & set(lists)) == expected
    for app, player in (("other", None), ("other", "u_1"), ("shop", "u_3")):
        assert not stands_in.keys() & set(ends_for(app, player, ()))
    assert ends_of(running, App("shop"), 9) == ends_of(over, App(), 9) == {}


def test_the_name_of_a_list_has_no_character_that_ends_it():
    line = Line("finished", "standard", [ANA, FREE, FREE], metadata={"cup": " \u2028!\\n|"})

    app = App("shop", ["! "])
    for name in (*lists_of(line, app, 9), *ends_of(line, app, 9)):
        assert name.isascii()
        assert min(name) >= '"'


def test_a_line_of_an_older_version_is_read():
    line = Line("lobby", "standard", [ANA, FREE])

    assert (line.dealing, line.created_at, line.metadata) == ("committed", 0, {})
