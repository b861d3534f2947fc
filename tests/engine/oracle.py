"""Our rules beside those of open_spiel, an engine by others: `make oracle`.

It plays four seats with one pack, and has a flag for each of eight options. Before every
play both must allow the same cards, and at the end count the same points. Three of its ways
are its own: without `pass_cards` it still draws a direction, so "no pass" is drawn for it;
what it returns is 26 minus the points of a seat; and where the moon is shot it leaves out
what a seat gets for taking no trick, which by our rules counts beside a moon.
"""

import random
import sys
from typing import NamedTuple

from engine import commands as c
from engine import events as e
from engine.cards import code_of, each
from engine.decide import decide
from engine.evolve import fold
from engine.playing import legal_plays
from engine.rules import Direction
from engine.shuffle import chain
from engine.state import Over, Passing, Playing, Shooting, situation, table_of, turn_of
from tests.table import rules

SEATS = 4
DEALS = 300
POINTS = 26
EVERY = 1_000
DIRECTIONS = (Direction.HOLD, Direction.LEFT, Direction.ACROSS, Direction.RIGHT)
"""In the order in which open_spiel numbers them."""

# Flag of theirs → the options of ours that say yes and no.
FLAGS = {
    "jd_bonus": ({"scoring": {"extra": {"JD": -10}}}, {}),
    "avoid_all_tricks_bonus": ({"scoring": {"no_trick": -5}}, {}),
    "must_break_hearts": ({}, {"play": {"hearts_lead": "any_time"}}),
    "qs_breaks_hearts": ({}, {"play": {"hearts_broken_by": "heart"}}),
    "no_pts_on_first_trick": ({}, {"play": {"first_trick_points": "allowed"}}),
    "can_lead_any_club": ({"play": {"opening_lead": "any_club"}}, {}),
    "can_lead_hearts_instead_of_qs": ({"play": {"hearts_and_queen": "free_choice"}}, {}),
}


class DisagreementError(AssertionError):
    """The two engines allow or count otherwise."""


class Asked(NamedTuple):
    """What is played: the *flags* that are on, and where cards are passed."""

    flags: frozenset[str]
    direction: Direction

    @property
    def rules(self):
        options = {
            "scoring": {"moon": "others_add"},
            "play": {},
            "passing": {"cycle": [self.direction.value]},
            "ending": {"target": None, "deals": 1, "tie": "share"},
        }
        for flag, (on, off) in FLAGS.items():
            for group, some in (on if flag in self.flags else off).items():
                options[group] = options[group] | some
        return rules("standard", SEATS, **options)

    @property
    def game(self):
        passes = self.direction is not Direction.HOLD
        flags = {flag: flag in self.flags for flag in FLAGS} | {"pass_cards": passes}
        return f"hearts({','.join(f'{name}={value}' for name, value in flags.items())})"


def asked_at_random(rng):
    flags = frozenset(flag for flag in FLAGS if rng.random() < 0.5)
    return Asked(flags, rng.choice(DIRECTIONS))


def compare(pyspiel, asked, rng):
    """Play one deal at random on both sides.

    Raises:
        DisagreementError: They differ.
    """
    ours, links = _dealt(asked.rules, rng)
    theirs = pyspiel.load_game(asked.game).new_initial_state()
    theirs.apply_action(DIRECTIONS.index(asked.direction))
    hands = [list(each(hand)) for hand in table_of(ours).dealt[-1]]
    for number in range(52):
        theirs.apply_action(_action(hands[number % SEATS].pop()))
    happened = []
    while not isinstance(ours, Over):
        events = decide(ours, _move(ours, theirs, asked, rng), links)
        ours, happened = fold(ours, events), happened + events
    points = [POINTS - round(value) for value in theirs.returns()]
    expected = _points(happened, asked.rules)
    if expected != points:
        raise DisagreementError(f"{asked}: {expected}, not {points}\n{theirs}")


def _points(happened, chosen):
    """Return our points as they count them."""
    (scored,) = [event for event in happened if isinstance(event, e.DealScored)]
    winners = {event.winner for event in happened if isinstance(event, e.TrickCompleted)}
    left_out = chosen.scoring.no_trick if scored.moon else 0
    return [
        points if seat in winners else points - left_out
        for seat, points in enumerate(scored.points)
    ]


def _dealt(chosen, rng):
    links = [link.hex() for link in chain(rng.randbytes(32))]
    seats = (c.BotSeat("random", "Bot"),) * SEATS
    state = None
    for command in (c.CreateGame(chosen, seats, links[0], "", ""), c.StartGame()):
        state = fold(state, decide(state, command, links.__getitem__))
    return state, links.__getitem__


def _move(ours, theirs, asked, rng):
    assert not isinstance(ours, Shooting), "nobody chooses by these rules"
    # Theirs pass in the order of seats, so ours do too.
    seat = turn_of(ours).seats[0]
    if theirs.current_player() != seat:
        raise DisagreementError(f"{asked}: seat {seat} is to act, not {theirs.current_player()}")
    if isinstance(ours, Passing):
        cards = rng.sample(list(each(ours.hands[seat])), 3)
        for card in cards:
            theirs.apply_action(_action(card))
        return c.PassCards(seat, tuple(cards))
    assert isinstance(ours, Playing)
    legal = list(each(legal_plays(situation(ours, seat))))
    if sorted(map(_action, legal)) != sorted(theirs.legal_actions()):
        names = [theirs.action_to_string(seat, one) for one in theirs.legal_actions()]
        shown = [code_of(one) for one in legal]
        raise DisagreementError(f"{asked}: {shown}, not {names}\n{theirs}")
    card = rng.choice(legal)
    theirs.apply_action(_action(card))
    return c.PlayCard(seat, card)


def _action(card):
    """Return their number of *card*: by rank, then clubs, diamonds, hearts, spades."""
    rank, suit = code_of(card)
    return "23456789TJQKA".index(rank) * SEATS + "CDHS".index(suit)


def main(deals=DEALS, seed=0):
    try:
        import pyspiel  # noqa: PLC0415 - not every machine has it
    except ImportError:
        print("skipped: there is no open_spiel for this machine")
        return
    for number in range(deals):
        if number % EVERY == EVERY - 1:
            print(f"… {number + 1:,} of {deals:,} deals", file=sys.stderr, flush=True)
        rng = random.Random(f"{seed} {number}")
        compare(pyspiel, asked_at_random(rng), rng)
    print(f"{deals} deals: the same cards were legal, and the same points counted")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
