"""What requests and jobs work with: one set per process, put together in `service.wiring`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engine.shuffle import Links
from service.game import Game
from service.games import Games
from service.keyring import Keyring
from service.store.base import EventStore

Clock: TypeAlias = Callable[[], int]
"""Gives the time in milliseconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Deps:
    """The parts that every command needs; *notify* is told of each commit."""

    store: EventStore
    games: Games
    keyring: Keyring
    notify: Callable[[Game], None]
    clock: Clock

    def links(self, game: Game) -> Links:
        """Return what gives the secret links of the game's deals."""
        table = game.table
        return self.keyring.links(table.nonce, table.key_id, table.commitment)
