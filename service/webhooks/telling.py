"""From the log of a game to deliveries for the endpoints of its application.

The log is the truth, and this may be done at any time, by anybody, any number of times. How
far a game was told of is written down in the same step as what there was to tell; only then
is the game taken off the set that says that there is more, and only if there is not.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from service.deps import Deps
from service.game import Game
from service.marks import marks_for
from service.store.base import NO_HEAD, AnswerLost, VersionConflict, head_of
from service.webhooks.deliveries import Deliveries, Delivery, Seen
from service.webhooks.endpoints import Endpoint, Endpoints
from service.webhooks.messages import Message, messages_of, next_reminder, reminders_of

_TRIES: Final = 3
_GAMES_KEPT: Final = 256
_AT_ONCE: Final = 1_000
_NOTHING: Final = Seen(0, NO_HEAD)


@dataclass(frozen=True, slots=True)
class Teller:
    """Writes down what there is to tell."""

    deps: Deps
    endpoints: Endpoints
    deliveries: Deliveries
    _moments: OrderedDict[str, Game] = field(default_factory=OrderedDict, init=False)

    def tell(self, game_id: str) -> None:
        """Write down all that there is to tell of the game.

        Raises:
            GameNotFoundError: There is no such game.
            QuarantinedError: Its log makes no sense.
            StoreUnavailableError: A server does not answer; the same call again goes on.
        """
        for _ in range(_TRIES):
            game, now = self.deps.games.read(game_id), self.deps.clock()
            app = game.table.options.application
            endpoints = [] if app is None else self.endpoints.of(app)
            if endpoints:
                self._write_down(game, endpoints, now)
            if self._look_again(game, next_reminder(game, now) if endpoints else None, now):
                return

    def _write_down(self, game: Game, endpoints: Sequence[Endpoint], now: int) -> None:
        seen = self._seen(game)
        # A long game is told of bit by bit: whoever is broken off has not worked in vain.
        while seen.version < game.version:
            seen = self._write_some(game, seen, endpoints, now)
        if reminders := reminders_of(game, now):
            self._record(game, reminders, seen, endpoints, now)

    def _write_some(self, game: Game, seen: Seen, endpoints: Sequence[Endpoint], now: int) -> Seen:
        before = self._moments.get(game.game_id)
        if before is not None and (before.version, before.head) != seen:
            before = None
        last = min(seen.version + _AT_ONCE, game.version)
        messages: list[Message] = []
        moment = game
        for stored, moment in self.deps.games.moments(game, seen.version + 1, last, before=before):
            messages += messages_of(stored, moment)
        seen = Seen(moment.version, moment.head)
        self._record(game, messages, seen, endpoints, now)
        self._keep(moment)
        return seen

    def _record(
        self,
        game: Game,
        messages: Sequence[Message],
        seen: Seen,
        endpoints: Sequence[Endpoint],
        now: int,
    ) -> None:
        new = {
            one.id: [_delivery(message, now) for message in messages if one.wants(message)]
            for one in endpoints
        }
        new = {endpoint_id: some for endpoint_id, some in new.items() if some}
        self.deliveries.record(new, (game.game_id, seen))

    def _seen(self, game: Game) -> Seen:
        """Return how far *game* was told of; not at all if the log has changed since."""
        seen = self.deliveries.seen(game.game_id)
        if seen is None or seen.version > game.version:
            return _NOTHING
        entries = self.deps.store.entries(game.game_id, seen.version, seen.version)
        return seen if entries and head_of(entries[0]) == seen.head else _NOTHING

    def _keep(self, game: Game) -> None:
        self._moments[game.game_id] = game
        self._moments.move_to_end(game.game_id)
        if len(self._moments) > _GAMES_KEPT:
            self._moments.popitem(last=False)

    def _look_again(self, game: Game, at: int | None, now: int) -> bool:
        """Say that *game* was told of until *at*; return whether that is so."""
        if game.is_over:
            # Nothing can come any more, and the stream may be archived.
            self.deps.store.forget_hooks(game.game_id)
            return True
        marks = marks_for(game, (), now, self.deps.waits)._replace(hooks_at=at or 0)
        try:
            self.deps.store.append(game.game_id, game.version, game.head, (), marks)
        except VersionConflict:
            return False
        except AnswerLost:
            return True  # the sweeper sees whether it was done
        return True


def _delivery(message: Message, now: int) -> Delivery:
    return Delivery(
        id=message.id,
        type=message.type,
        body=message.body,
        created_at=now,
        game_id=message.game_id,
        turn_id=message.turn_id,
        seat=message.seat,
        next_at=now,
    )
