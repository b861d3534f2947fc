"""Whole games by random legal moves, played on the engine alone.

Some are restless: people come and go, before the start and in the middle of a deal.
"""

from collections.abc import Iterator
from dataclasses import replace

from engine import commands as c
from engine import events as e
from engine import reasons
from engine.cards import each, lowest, twins, union
from engine.decide import decide
from engine.errors import RuleViolation
from engine.evolve import fold
from engine.playing import legal_plays
from engine.rules import Reveal
from engine.scoring import MoonChoice
from engine.shuffle import chain
from engine.state import Passing, Playing, Shooting, TurnType, situation, table_of, turn_of


def play_game(rules, rng):
    """Return the events of one whole game under *rules*; *rng* is a seeded `random.Random`."""
    return [event for _, events in play_commands(rules, rng) for event in events]


def play_commands(rules, rng, choose=None):
    """Yield each command of one whole game with the events it caused.

    Seat 0 is a person with a client seed, the last one a person without; bots sit between.
    Moves are random, unless *choose* makes them of a state and *rng*.
    """
    links = [link.hex() for link in chain(rng.randbytes(32))]
    state = None
    for command in _opening_commands(rules, rng, links[0]):
        events = decide(state, command, links.__getitem__)
        state = fold(state, events)
        yield command, events
    while turn_of(state) is not None:
        command = (choose or random_move)(state, rng)
        events = decide(state, command, links.__getitem__)
        state = fold(state, events)
        yield command, events


def voiding(chance, *causes, skips=(0,)):
    """Return a chooser of moves for `play_commands` that now and then voids the running deal.

    *chance* from 0 to 1 is how often, with one of *causes* and of *skips*.
    """

    def choose(state, rng):
        if rng.random() < chance:
            return c.VoidDeal(rng.choice(causes or reasons.VOID_REASONS), rng.choice(skips))
        return random_move(state, rng)

    return choose


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


BOT = c.BotSeat("easy", "Easy Bot")


def restless_commands(rules, rng, changes=0.15):
    """Yield each command of one restless game with the events it caused.

    *changes* is how often a seat changes hands between two moves; who has left is stood in for.
    """
    links = [link.hex() for link in chain(rng.randbytes(32))]
    state = None
    for choose in _restless_choices(rules, rng, links[0], changes):
        command = choose(state)
        try:
            events = decide(state, command, links.__getitem__)
        except RuleViolation:
            continue  # nobody sits there, or somebody does already
        if not events:
            continue
        state = fold(state, events)
        yield command, events
        if isinstance(events[-1], e.GameFinished):
            return


def _restless_choices(rules, rng, commitment, changes):
    """Yield functions from the state, None before the first, to the next command."""
    yield lambda _: c.CreateGame(
        rules=rules,
        seats=tuple(rng.choice([c.HumanSeat(), c.HumanSeat(), BOT]) for _ in range(rules.seats)),
        commitment=commitment,
        nonce=rng.randbytes(32).hex(),
        key_id=rng.randbytes(4).hex(),
        lobby=c.LobbyOptions(is_open=rng.random() < 0.8, fill_with_bots=True),
    )
    for _ in range(rng.randrange(30)):
        yield lambda state: _lobby_command(rules, state, rng)
    yield lambda _: c.ChangeOptions(rules=rules, is_open=True)
    yield lambda _: c.OpenSeat(0, elapsed=150_000)
    for seat in range(rules.seats):
        if seat == 0 or rng.random() < 0.7:
            yield lambda _, seat=seat: c.ClaimSeat(seat, "Dag", elapsed=200_000 + seat)
    yield lambda _: c.StartGame(filler=BOT)
    while True:
        if rng.random() < changes:
            yield lambda state: _seat_command(state, rng)
        else:
            yield lambda state: _signed(random_move(state, rng), state)


def _lobby_command(rules, state, rng):
    seat, elapsed = rng.randrange(rules.seats), rng.randrange(100_000)
    later = replace(rules, reveal=rng.choice(list(Reveal)))
    bot = c.BotSeat(rng.choice(["easy", "random"]), rng.choice(["Robo", "Botto"]))
    choices = [
        c.ClaimSeat(rng.choice([seat, None]), "Ana", rng.choice([None, "ab" * 32]), elapsed),
        c.ClaimSeat(seat, "Bea", elapsed=elapsed),
        c.ChangeOptions(rules=later, is_open=rng.choice([None, True, False])),
        c.ChangeOptions(is_open=True),
        c.AssignBot(seat, bot, elapsed),
        c.OpenSeat(seat, elapsed),
    ]
    if table_of(state).players[seat].claimed:
        choices += [
            c.UpdateSeat(seat, rng.choice([None, "Eva"]), rng.choice([None, "cd" * 32])),
            c.UpdateSeat(seat, ready=rng.choice([True, False])),
        ]
    return rng.choice([*choices, _seat_command(state, rng)])


def _seat_command(state, rng):
    players, elapsed = table_of(state).players, rng.randrange(10_000_000)
    seat = rng.randrange(len(players))
    if rng.random() < 0.1:
        return c.RotateHostToken(elapsed)
    if not players[seat].claimed:
        return c.ReissueSeatToken(seat, elapsed)
    kinds = [c.ReissueSeatToken, c.RotateSeatToken]
    kind = rng.choice([c.ReleaseSeat, c.KickSeat, *kinds])
    return kind(seat, elapsed=elapsed) if kind in kinds else kind(seat, "easy", elapsed)


def _signed(move, state):
    """Return *move*, marked if a bot makes it for somebody who has left."""
    stand_in = table_of(state).players[move.seat].stand_in
    return replace(move, auto="takeover") if stand_in else move


def pairing_move(state, rng):
    """Return a legal move for a seat that is to act, mostly the twin of a card on the table."""
    move = random_move(state, rng)
    if not isinstance(move, c.PlayCard) or rng.random() < 0.1:
        return move
    legal = legal_plays(situation(state, move.seat))
    twin = legal & twins(union(state.trick))
    return replace(move, card=lowest(twin)) if twin else move


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
