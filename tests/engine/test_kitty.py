"""The kitty: who takes it, what it counts, and who sees it."""

from dataclasses import replace

import pytest

from engine.bots import fallback_move
from engine.cards import NO_CARDS, cards, codes_of, union
from engine.commands import ChooseMoon
from engine.dealing import next_deal
from engine.disclosure import hidden_seats, own_part, private_part, public_part
from engine.errors import CorruptLogError
from engine.events import (
    CardPlayed,
    DealDealt,
    DealScored,
    KittyTaken,
    MoonShot,
    PassCompleted,
    TrickCompleted,
)
from engine.evolve import evolve, fold
from engine.scoring import MoonChoice
from engine.state import Playing, turn_of
from engine.view import kitty_of, taken_in_the_end, view_for
from tests.games import play_game
from tests.table import (
    a_deal,
    a_lobby,
    a_new_deal,
    accepted,
    after,
    link,
    names,
    of_type,
    pass_cards,
    play,
    refusal,
    rules,
    step,
    to_act,
)

KITTY = rules("kitty", 5)
CLEAN = {"seat0": "4C 2D", "seat1": "5C 3D", "seat2": "AC 4S", "seat3": "6C 5D", "seat4": "7C 6D"}
LAST = {"seat0": "4C", "seat1": "5C", "seat2": "AC", "seat3": "6C", "seat4": "7C"}
ROUND = (play(0, "4C"), play(1, "5C"), play(2, "AC"), play(3, "6C"))


def before_the_last_play(rules=KITTY, kitty="QS 4D", seats=CLEAN, **more):
    """A first trick, unless told otherwise, to which seat 4 has yet to play; seat 2 wins it."""
    game = a_deal(rules=rules, kitty=kitty, **{"first_trick": True, **more}, **seats)
    return after(replace(game, deal=replace(game.deal, opening_card=None)), *ROUND)


def to(trick, **more):
    return rules("kitty", 5, deck={"kitty_to": trick}, **more)


# Who takes it


def test_the_winner_of_a_clean_first_trick_takes_the_points_of_the_kitty():
    """T8."""
    events, game = step(before_the_last_play(), play(4, "7C"))

    taken = of_type(TrickCompleted, events)
    assert (taken.winner, taken.points, taken.takes_kitty) == (2, 0, True)
    assert of_type(KittyTaken, events) == KittyTaken(1, 2, cards("QS 4D"))
    while isinstance(game, Playing):
        events, game = step(game, play(to_act(game), codes_of(game.hands[to_act(game)])[0]))
        if game.table.scored:
            break
    assert of_type(DealScored, events).taken == (0, 0, 13, 0, 0)


@pytest.mark.parametrize(
    ("trick", "seats", "takes"),
    [
        ("first_trick", CLEAN, True),
        ("first_penalty_trick", CLEAN, False),
        ("first_penalty_trick", CLEAN | {"seat4": "QS 6D"}, True),
        ("first_penalty_trick", LAST, True),
        ("last_trick", CLEAN, False),
        ("last_trick", CLEAN | {"seat4": "QS 6D"}, False),
        ("last_trick", LAST, True),
    ],
)
def test_the_kitty_goes_with_the_trick_that_the_rules_name(trick, seats, takes):
    game = before_the_last_play(to(trick), kitty="2C 4D", seats=seats, first_trick=False)

    events, _ = step(game, play(4, seats["seat4"].split()[0]))

    assert of_type(TrickCompleted, events).takes_kitty == takes
    assert [event.seat for event in events if isinstance(event, KittyTaken)] == [2] * takes


def test_a_kitty_is_taken_once():
    game = after(before_the_last_play(), play(4, "7C"))

    events, _ = step(
        after(game, play(2, "4S"), play(3, "5D"), play(4, "6D"), play(0, "2D")), play(1, "3D")
    )

    assert not of_type(TrickCompleted, events).takes_kitty


def test_a_bonus_card_is_no_penalty_card():
    table = to("first_penalty_trick", scoring={"extra": {"7C": -5}})

    events, _ = step(before_the_last_play(table), play(4, "7C"))

    assert not of_type(TrickCompleted, events).takes_kitty


@pytest.mark.parametrize("trick", ["first_trick", "first_penalty_trick", "last_trick"])
@pytest.mark.parametrize("seats", [3, 5, 6, 7])
def test_every_kitty_is_taken_before_its_deal_is_scored(rng, trick, seats):
    table = rules(
        "kitty",
        seats,
        deck={"kitty_to": trick},
        ending={"target": None, "deals": 4, "tie": "share"},
    )

    events = play_game(table, rng)

    taken = [event.deal for event in events if isinstance(event, KittyTaken)]
    assert taken == [event.deal for event in events if isinstance(event, DealScored)]


# What it counts


def test_the_kitty_counts_for_a_moon():
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
    game = before_the_last_play(
        to("last_trick"), seats=LAST, first_trick=False, taken=["", "", hearts, "", ""]
    )

    events, _ = step(game, play(4, "7C"))

    assert (of_type(MoonShot, events).seat, of_type(MoonShot, events).points) == (2, 26)


def test_a_heart_in_the_kitty_of_another_seat_spoils_a_moon():
    game = before_the_last_play(
        to("last_trick"),
        kitty="2H 4D",
        seats=LAST,
        first_trick=False,
        taken=["3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS", "", "", "", ""],
    )

    events, _ = step(game, play(4, "7C"))

    assert of_type(DealScored, events).points == (25, 0, 1, 0, 0)


def test_whoever_settles_a_moon_counts_the_kitty_that_another_seat_took():
    """The bonus card in it decides, and who sees all tricks knows where it is."""
    table = to("first_trick", scoring={"extra": {"4D": -20}}, ending={"target": 100})
    hearts = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH QS"
    game = after(before_the_last_play(table, kitty="4D 9S"), play(4, "7C"))
    rest = union(table.points) | table.cards
    missing = rest & ~(union(game.hands) | union(game.taken) | cards(f"4D 9S {hearts}"))
    shooter = cards(hearts) | missing
    game = replace(
        game,
        taken=(game.taken[0] | shooter, *game.taken[1:]),
        table=replace(game.table, totals=(60, 70, 90, 10, 10)),
    )

    game = after(game, play(2, "4S"), play(3, "5D"), play(4, "6D"), play(0, "2D"), play(1, "3D"))

    view = view_for(0, game)
    assert view.seats[2].taken & cards("4D") == NO_CARDS
    assert union(taken_in_the_end(view)) == table.cards
    assert taken_in_the_end(view)[2] & cards("4D 9S") == cards("4D 9S")
    # 90 + 26 - 20 is below the target.
    assert fallback_move(view) == ChooseMoon(0, MoonChoice.OTHERS_ADD, "fallback")


# Who opens


def test_the_lowest_club_that_a_seat_holds_opens():
    game = a_new_deal(
        rules=rules("kitty", 5, passing={"count": 0}),
        kitty="2C 3C",
        seat0="9C",
        seat1="5C 4D",
        seat2="4C 5D",
        seat3="6C",
        seat4="7C",
    )

    assert to_act(game) == 2
    assert accepted(game) == {"4C"}
    assert refusal(game, play(2, "5D")) == "must_lead_lowest_club"


def test_the_pass_decides_who_opens():
    game = a_new_deal(
        rules=rules("kitty", 5, passing={"count": 1}),
        kitty="2C 3C",
        seat0="9C 8C",
        seat1="5C 4D",
        seat2="4C 5D",
        seat3="6C 6D",
        seat4="7C 7D",
    )
    passes = [pass_cards(seat, code) for seat, code in enumerate(("8C", "4D", "4C", "6D"))]

    events, _ = step(after(game, *passes), pass_cards(4, "7D"))

    completed = of_type(PassCompleted, events)
    assert (completed.leader, codes_of(completed.opening_card)) == (3, ["4C"])


# Dealing


def test_the_kitty_is_what_no_seat_was_dealt():
    table = after_start(rules("kitty", 7))

    dealt = next_deal(table, link)

    assert dealt.kitty == KITTY.cards & ~union(dealt.hands)
    assert dealt.kitty.bit_count() == 3


def after_start(rules):
    return replace(a_lobby(*["bot"] * rules.seats, rules=rules).table, client_seeds=("-",) * 7)


# Who sees it


DEALT = DealDealt(1, 4, None, 0, 0, None, tuple(map(cards, CLEAN.values())), cards("QS 4D"))


def test_a_kitty_that_lies_there_is_nobody_s():
    """Fault cases 45 and 48."""
    parts = private_part(DEALT)

    assert parts["table"] == {"kitty": ["4D", "QS"]}
    assert all("table" not in own_part(parts, reader) for reader in (None, 0, 4))
    assert own_part(parts, None, everything=True) == parts
    assert hidden_seats(parts, {}) == [0, 1, 2, 3, 4]
    assert public_part(DEALT)["kitty_size"] == 2
    assert "table" not in private_part(replace(DEALT, kitty=NO_CARDS))


def test_who_took_the_kitty_alone_reads_it():
    taken = KittyTaken(1, 2, cards("QS 4D"))

    assert public_part(taken) == {"deal": 1, "seat": 2, "count": 2}
    assert private_part(taken) == {"2": {"cards": ["4D", "QS"]}}


def test_the_taker_alone_sees_the_kitty_until_the_deal_is_scored():
    lying = before_the_last_play()
    game = after(lying, play(4, "7C"))

    assert [view_for(seat, lying).you.kitty for seat in range(5)] == [NO_CARDS] * 5
    assert [names(view_for(seat, game).you.kitty) for seat in range(5)] == [
        set(),
        set(),
        {"QS", "4D"},
        set(),
        set(),
    ]
    for reader in (None, *range(5)):
        view = view_for(reader, game)
        assert (view.deal.kitty_size, view.deal.kitty_taker) == (2, 2)
        assert [seat.deal_points for seat in view.seats] == [0] * 5
        assert union(seat.taken for seat in view.seats) & cards("QS 4D") == NO_CARDS
    assert kitty_of(lying) == kitty_of(game) == cards("QS 4D")


def test_a_view_does_not_change_when_the_kitty_changes():
    """Fault cases 45 and 48."""
    lying = before_the_last_play(kitty="QS 4D")
    other = before_the_last_play(kitty="9S 2H")

    for reader in (None, *range(5)):
        assert view_for(reader, lying) == view_for(reader, other)
    for reader in (None, 0, 1, 3, 4):
        taken, changed = (after(game, play(4, "7C")) for game in (lying, other))
        assert view_for(reader, taken) == view_for(reader, changed)


def test_once_the_deal_is_scored_the_kitty_counts_before_all_eyes():
    game = before_the_last_play(to("last_trick"), seats=LAST, first_trick=False)
    events, _ = step(game, play(4, "7C"))
    scored = events.index(of_type(DealScored, events)) + 1

    view = view_for(None, fold(game, events[:scored]))

    assert [seat.deal_points for seat in view.seats] == [0, 0, 13, 0, 0]
    assert of_type(DealScored, events).opened.kitty == cards("QS 4D")
    assert public_part(of_type(DealScored, events))["reveal"]["kitty"] == ["4D", "QS"]


# Log and fold


def test_nobody_is_to_act_until_the_kitty_is_taken():
    game = before_the_last_play()
    events, rest = step(game, play(4, "7C"))

    assert [type(event) for event in events] == [CardPlayed, TrickCompleted, KittyTaken]
    for number in (1, 2):
        assert turn_of(fold(game, events[:number])) is None
    assert (turn_of(rest).seats, turn_of(rest).id) == ((2,), rest.version)


def test_a_kitty_that_is_due_comes_next():
    game = before_the_last_play()
    events, _ = step(game, play(4, "7C"))
    due = fold(game, events[:2])

    for wrong in (
        CardPlayed(1, 2, 2, cards("4S"), due.version, False, None),
        KittyTaken(1, 1, cards("QS 4D")),
        KittyTaken(1, 2, cards("QS 5D")),
    ):
        with pytest.raises(CorruptLogError):
            evolve(due, wrong)


def test_a_kitty_that_is_not_due_is_not_taken():
    with pytest.raises(CorruptLogError):
        evolve(before_the_last_play(), KittyTaken(1, 2, cards("QS 4D")))


def test_no_deal_is_scored_while_its_kitty_is_due():
    game = before_the_last_play(to("last_trick"), seats=LAST, first_trick=False)
    events, _ = step(game, play(4, "7C"))

    with pytest.raises(CorruptLogError):
        evolve(fold(game, events[:2]), of_type(DealScored, events))
