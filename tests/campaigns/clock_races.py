"""Time-outs and late moves at the same instant, thousands of them: `make clock-races`.

Each turn of each game is a race over a real store: whoever is late moves at the moment at
which workers find that the time is up. Every process has a cache of its own. Exactly one of
them has made the move, everybody is told who, and no deadline has moved to an earlier time.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier

from engine import events as e
from engine.clocks import Clock, OnTimeout
from service.command_request import Refused, StaleTurn, TurnAlreadyPlayed
from service.deadlines import deadline_of
from service.embedded import private_server
from service.jobs import play_due
from service.store.redis_store import RedisStore
from tests.house import House, legal_moves
from tests.table import rules

WORKERS = 2
A_LINE = 500
SPREAD = 0.002
"""Within so many seconds all begin, or it would always be the same who is first."""
CLOCK = Clock(60, 60, 60, "random", OnTimeout.BOT_MOVE)
RULES = rules(ending={"deals": 1, "tie": "share"})
PEOPLE = (None,) * 4
MOVES = e.CardPlayed | e.CardsPassed | e.MoonChosen


class Races:
    """Races one after the other, in games that follow each other; *won* counts who was first."""

    def __init__(self, store_url, seed):
        self.won = Counter()
        self._rng = random.Random(seed)
        stores = [RedisStore(store_url) for _ in range(WORKERS + 1)]
        self._players, *self._workers = (House(store) for store in stores)
        self._pool = ThreadPoolExecutor(WORKERS + len(PEOPLE))
        self._game_id = None

    def close(self):
        self._pool.shutdown()
        for house in (self._players, *self._workers):
            house.deps.store.close()

    def race(self):
        """Let the time of the open turn be up, and all who may end it try to."""
        game = self._open_game()
        deadline = deadline_of(game)
        for house in (self._players, *self._workers):
            house.now = deadline
        moves = [self._rng.choice(legal_moves(game, seat)) for seat in game.turn.seats]
        guard = self._players.guard(game.turn.id)
        calls = [
            *(
                lambda move=move: self._players.ask(game.game_id, move, guard=guard)
                for move in moves
            ),
            *(lambda house=house: play_due(house.hands(), game.game_id) for house in self._workers),
        ]
        answers = self._at_once(calls)[: len(moves)]
        for move, answer in zip(moves, answers, strict=True):
            self._judge(game, move, answer)
        after = deadline_of(self._players.read(game.game_id))
        assert after is None or after >= deadline, "a deadline has moved to an earlier time"

    def _open_game(self):
        """Return a game that waits for somebody."""
        if self._game_id is not None:
            game = self._players.read(self._game_id)
            if game.turn is not None:
                return game
        self._game_id = self._players.started(*PEOPLE, rules=RULES, clock=CLOCK)
        return self._players.read(self._game_id)

    def _at_once(self, calls):
        barrier = Barrier(len(calls))
        waits = [self._rng.uniform(0, SPREAD) for _ in calls]

        def run(call, wait):
            barrier.wait(60)
            until = time.perf_counter() + wait
            while time.perf_counter() < until:
                pass
            try:
                return call()
            except Refused as refused:
                return refused

        return list(self._pool.map(run, calls, waits))

    def _judge(self, game, move, answer):
        """Hold *answer* to *move* against the log."""
        found = [
            one
            for one in self._players.log(game.game_id)[game.version :]
            if isinstance(one.event, MOVES)
            and (one.event.seat, one.event.turn_id) == (move.seat, game.turn.id)
        ]
        assert len(found) == 1, f"{len(found)} moves of one seat in one turn"
        (one,) = found
        if one.actor.kind == "timer":
            assert isinstance(answer, Refused), "a move that was not made was accepted"
            assert isinstance(answer.reason, TurnAlreadyPlayed | StaleTurn), answer.reason
        else:
            assert not isinstance(answer, Refused), "a move that was made was refused"
            assert one in answer.events
        self.won[one.actor.kind] += 1


@contextmanager
def races(store_url, seed=0):
    found = Races(store_url, seed)
    try:
        yield found
    finally:
        found.close()


def main():
    parser = argparse.ArgumentParser(prog="make clock-races")
    parser.add_argument("--races", type=int, default=10_000)
    parser.add_argument("--minutes", type=float, default=60, help="stop after so long")
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        private_server(Path(folder)) as url,
        races(url, asked.seed) as running,
    ):
        for number in range(1, asked.races + 1):
            running.race()
            seconds = time.monotonic() - began
            is_last = number == asked.races or seconds > 60 * asked.minutes
            if number % A_LINE == 0 or is_last:
                _say(number, asked.races, running.won, seconds)
            if is_last:
                break


def _say(number, count, won, seconds):
    print(
        f"{number} of {count} races in {seconds:.0f} s: {won['seat']} moves by late players, "
        f"{won['timer']} by the clock, each once",
        flush=True,
    )


if __name__ == "__main__":
    main()
