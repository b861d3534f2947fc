"""What requests and jobs work with: one set per process, put together in `service.wiring`."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from engine.commands import SeedChain
from engine.shuffle import Links
from service.deadlines import NO_WAITS, Waits
from service.game import Game
from service.games import Games
from service.keyring import Keyring, MissingKeyError
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
    waits: Waits = NO_WAITS

    def links(self, game: Game) -> Links:
        """Return what gives the secret links of the game's deals.

        Raises, when called:
            MissingKeyError: The game's secret is not configured; that is said, too.
        """
        table = game.table
        links = self.chain_links(table.nonce, table.key_id, table.commitment, table.seed_chain)

        def link(deal: int) -> str:
            with self._telling(game):
                return links(deal)

        return link

    def chain_links(
        self, nonce: str, key_id: str, commitment: str, seed_chain: SeedChain | None
    ) -> Links:
        """Return what gives the links of the chain that deals a game, deal by deal.

        Raises, when called:
            MissingKeyError: The game's secret is not configured, or its seed not known.
        """
        if seed_chain is None:
            return self.keyring.links(nonce, key_id, commitment)
        return self.keyring.seed_links(seed_chain)

    def check_secret(self, game: Game) -> None:
        """Make sure that tokens for *game* can be signed.

        Raises:
            MissingKeyError: The game's secret is not configured; that is said, too.
        """
        with self._telling(game):
            self.keyring.check(game.table.key_id)

    @contextmanager
    def _telling(self, game: Game) -> Iterator[None]:
        try:
            yield
        except MissingKeyError as exc:
            self.games.quarantine.tell(game.game_id, "secret", str(exc))
            raise
