"""Reading a game: through whose eyes, and up to which version those may see.

Every read of a game that has views goes through here, so that they agree.
"""

from typing import Final, NamedTuple

from engine.seats import MOST_SEATS
from service import parameters
from service.auth import Reader, check_reader
from service.game import Game
from service.parameters import ParametersError, Wrong
from service.requests import deps
from service.schemas.responses import EVERYTHING, PUBLIC, Viewer

OWN: Final = "own"
ALL: Final = "all"
AFTER: Final = parameters.integer(0, 999_999_999, 0)
"""Reads the version after which to go on."""

_NAMES: Final = (OWN, "public", ALL, *(f"seat:{seat}" for seat in range(MOST_SEATS)))


class Sight(NamedTuple):
    """A *game* as *viewer* sees it, who may see no version after *end*."""

    game: Game
    viewer: Viewer
    end: int

    @property
    def deals(self) -> int:
        """The number of the last deal that *viewer* may see something of."""
        game = self.game
        deals = range(game.first_deal, game.deals + 1)
        return game.first_deal - 1 + sum(game.span(deal)[0] <= self.end for deal in deals)


def view(default: str | None = OWN) -> parameters.Reader:
    """Return a reader of the parameter `as`, which names a view."""
    return parameters.word({name: name for name in _NAMES}, default=default)


def read_game(game_id: str, reader: Reader) -> Game:
    """Return the game as the log has it now.

    Raises:
        GameNotFoundError: There is none.
        TokenRevoked: The reader's token was replaced.
    """
    game = deps().games.read(game_id)
    check_reader(reader, game)
    return game


def look(name: str, reader: Reader, game: Game) -> Sight:
    """Return what *reader* sees of *game* in the view of that *name*.

    Raises:
        ParametersError: The table has no such seat.
    """
    revealed = game.table.revealed_version
    if name == OWN:
        return Sight(game, Viewer(reader.seat), game.version)
    if name == ALL:
        return Sight(game, EVERYTHING, revealed)
    if not name.startswith("seat:"):
        return Sight(game, PUBLIC, game.version)
    seat = int(name.removeprefix("seat:"))
    if seat >= len(game.table.players):
        raise ParametersError([Wrong("as", "invalid", "The table has no such seat.")])
    return Sight(game, Viewer(seat), game.version if reader.seat == seat else revealed)
