"""Forks: which games may be forked, and the command that makes a game of one's position."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine import commands as c
from engine.errors import GameNotFinished, GameNotStarted, NothingToPlay
from engine.resuming import position_of
from engine.seats import Seat
from service.command_request import Refused
from service.game import Game
from service.games import Games
from service.table_plan import forked_seats


class Chain(NamedTuple):
    """What the fork's own deals come from: link 0, and what derives it."""

    commitment: str
    nonce: str
    key_id: str


def check_forkable(game: Game, seat: Seat | None, *, is_ours: bool) -> None:
    """Refuse to fork *game*, unless it is over, or is *seat*'s or the host's own practice.

    Raises:
        Refused: It goes on.
    """
    if not game.is_over and not (game.table.practice and is_ours):
        raise Refused(GameNotFinished("The game is not over."), game, seat)


def moment_at(games: Games, game: Game, version: int) -> Game:
    """Return *game* at the end of the command to which event *version*, not beyond it, belongs.

    Raises:
        Refused: Nothing is dealt by then, or nothing is left to decide.
        Rewound: The log has lost what it had.
    """
    if not game.table.dealt or version < game.span(game.first_deal)[0]:
        raise Refused(GameNotStarted(f"Nothing is dealt at version {version}."), game, None)
    for _, moment in games.moments(game, version, game.version):
        if moment.turn is not None:
            return moment
    msg = f"Nobody has anything to decide after version {version}."
    raise Refused(NothingToPlay(msg), game, None)


def fork_command(moment: Game, chain: Chain, body: Mapping[str, Any]) -> c.CreateGame:
    """Return the command that goes on from *moment* as *body*, which fits its schema, asks for.

    Raises:
        RulesConflict: The seats are not those of the table, or the claim is for none of them.
    """
    rules, claim = moment.table.rules, body.get("claim")
    seats = forked_seats(body, rules.seats)
    people = sum(isinstance(plan, c.HumanSeat) for plan in seats)
    return c.CreateGame(
        rules=rules,
        seats=seats,
        commitment=chain.commitment,
        nonce=chain.nonce,
        key_id=chain.key_id,
        claim=None if claim is None else c.ClaimSeat(claim["seat"], claim["name"]),
        origin=c.Origin(c.FORK, moment.game_id, moment.version),
        position=position_of(moment.state),
        practice=people == 1,
        visibility=body.get("visibility", c.UNLISTED),
        options=c.TableOptions(hints=body.get("hints", "off") == "on"),
    )
