"""The engine beside `naive`, a second reading of the rules, in games of random mixes of rules.

Run as a program it plays as many games as told, from a seed on, and says what occurred in
them: `python -m tests.engine.second_reading 10000 1`. A disagreement ends it with the seed.
"""

import random
import re
import sys
from collections import Counter

from engine.cards import code_of, codes_of
from engine.commands import PassCards, PlayCard
from engine.disclosure import SERVER, private_part, public_part
from engine.events import DealDealt, DealScored, TrickCompleted
from engine.evolve import fold
from engine.playing import forbidden, legal_plays
from engine.readable import rules_data
from engine.state import TurnType, situation, turn_of
from tests.engine import naive
from tests.engine.rule_mixes import any_mix
from tests.games import pairing_move, play_commands, random_move

_GAMES_PER_LINE = 1000


def compare(rules, rng, deals):
    """Play up to *deals* deals, comparing all that can be seen; return the events.

    Raises:
        AssertionError: The two disagree.
    """
    game, state, log = None, None, []
    choose = pairing_move if rules.play.cancel_pairs else random_move
    for command, events in play_commands(rules, rng, choose):
        if game is not None:
            _compare_choices(game, state)
            assert [_readable(event) for event in events] == _told(game, command, events)
        state, log = fold(state, events), log + events
        if game is None and isinstance(events[-1], DealDealt):
            game = naive.Game(rules_data(rules), version=len(log) - 1)
            assert [_readable(events[-1])] == game.deal(*_dealt(events[-1]))
        if sum(isinstance(event, DealScored) for event in log) >= deals:
            break
    return log


def compare_mix(seed, deals=3):
    """Compare one game of the mix of rules that *seed* draws; return what occurred in it."""
    rng = random.Random(seed)
    rules = any_mix(rng)
    try:
        log = compare(rules, rng, deals)
    except AssertionError as problem:
        problem.add_note(f"seed {seed}: {rules_data(rules)}")
        raise
    return _occurred(rules, log)


def _compare_choices(game, state):
    turn = turn_of(state)
    assert game.to_act() == (turn.type, list(turn.seats))
    if turn.type is not TurnType.PLAY:
        return
    (seat,) = turn.seats
    legal, refused = game.choices(seat)
    at = situation(state, seat)
    assert sorted(legal) == sorted(codes_of(legal_plays(at)))
    assert refused == {code_of(one): no.code for one, no in forbidden(at)}


def _readable(event):
    """An event as its type, public and private part, without links and hands that it opens."""
    public = public_part(event)
    shown = {name: public[name] for name in public.keys() - {"reveal", "reveals"}}
    parts = private_part(event)
    return kind_of(event), shown, {owner: parts[owner] for owner in parts.keys() - {SERVER}}


def kind_of(event):
    """Return the type of *event* in the words of the log."""
    return re.sub(r"(?<!^)([A-Z])", r".\1", type(event).__name__).lower()


def _told(game, command, events):
    """What the naive game says must happen on *command*; hands are taken from the events."""
    match command:
        case PassCards(seat=seat, cards=some):
            expected = game.pass_cards(seat, [code_of(one) for one in some])
        case PlayCard(seat=seat, card=one):
            expected = game.play(seat, code_of(one))
        case _:
            expected = game.choose(command.seat, command.choice)
    for event in events:
        if isinstance(event, DealDealt):
            expected += game.deal(*_dealt(event))
    return expected


def _dealt(event):
    """The hands and the kitty of a deal."""
    return [codes_of(hand) for hand in event.hands], codes_of(event.kitty)


def _occurred(rules, log):
    found = Counter(map(kind_of, log))
    found["trick that nobody won"] = sum(
        isinstance(event, TrickCompleted) and event.winner is None for event in log
    )
    found[f"preset {rules.preset}"] = found[f"{rules.seats} seats"] = 1
    found[f"{rules.deck.packs} packs"] = 1
    return found


if __name__ == "__main__":
    count, first = (int(word) for word in [*sys.argv[1:], "1000", "1"][:2])
    total = Counter()
    for number in range(count):
        total += compare_mix(first + number)
        if number % _GAMES_PER_LINE == _GAMES_PER_LINE - 1:
            print(f"{number + 1} games", flush=True)  # noqa: T201 - what the program is for
    for name in sorted(total):
        print(f"{total[name]:8} {name}")  # noqa: T201 - what the program is for
