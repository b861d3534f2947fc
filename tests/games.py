"""Whole games by random legal moves, played on the engine alone."""

from collections.abc import Iterator

from engine import commands as c
from engine.cards import each
from engine.decide import decide
from engine.evolve import fold
from engine.playing import legal_plays
from engine.scoring import MoonChoice
from engine.shuffle import chain
from engine.state import Passing, Playing, Shooting, TurnType, situation, turn_of


def play_game(rules, rng):
    """Return the events of one whole game under *rules*; *rng* is a seeded `random.Random`."""
    return [event for _, events in play_commands(rules, rng) for event in events]


def play_commands(rules, rng):
    """Yield each command of one whole game with the events it caused.

    Seat 0 is a person with a client seed, the last one a person without; bots sit between.
    """
    links = [link.hex() for link in chain(rng.randbytes(32))]
    state = None
    for command in _opening_commands(rules, rng, links[0]):
        events = decide(state, command, links.__getitem__)
        state = fold(state, events)
        yield command, events
    while turn_of(state) is not None:
        command = random_move(state, rng)
        events = decide(state, command, links.__getitem__)
        state = fold(state, events)
        yield command, events


def _opening_commands(rules, rng, commitment) -> Iterator[c.Command]:
    bots = [c.BotSeat("easy", "Easy Bot")] * (rules.seats - 2)
    yield c.CreateGame(
        rules=rules,
        seats=(c.HumanSeat(), *bots, c.HumanSeat()),
        commitment=commitment,
        nonce=rng.randbytes(32).hex(),
        key_id=rng.randbytes(4).hex(),
        claim=c.ClaimSeat(0, "Ana"),
    )
    yield c.ClaimSeat(None, "Dag", elapsed=1_700)
    yield c.UpdateSeat(0, client_seed=rng.randbytes(32).hex())
    yield c.StartGame()


def random_move(state, rng) -> c.Move:
    """Return a legal move of a seat that *state* waits for."""
    turn = turn_of(state)
    seat = rng.choice(turn.seats)
    match state:
        case Passing(deal=deal, hands=hands):
            chosen = rng.sample(list(each(hands[seat])), deal.pass_count)
            return c.PassCards(seat, tuple(chosen))
        case Playing():
            plays = legal_plays(situation(state, seat))
            return c.PlayCard(seat, rng.choice(list(each(plays))))
        case Shooting():
            assert turn.type is TurnType.MOON
            return c.ChooseMoon(seat, rng.choice(list(MoonChoice)))
        case _:
            raise AssertionError(state)
