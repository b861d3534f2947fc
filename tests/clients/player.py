"""A whole game with the generated Python client, over a connection that is cut again and again.

`python player.py ADDRESS` plays seat 0 against three bots, follows the game on its stream,
and prints the result. What it has heard must be what the log says.
"""

import json
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from hearts_client import AuthenticatedClient, Client
from hearts_client.api.history import list_events
from hearts_client.api.lobby import create_game, start_game, update_seat
from hearts_client.api.play import get_game, make_move
from hearts_client.models import (
    CreatedGame,
    CreateGameRequest,
    EventPage,
    FirstClaim,
    GameFields,
    MoonRequest,
    MoveOutcome,
    OwnSeatRequest,
    PassRequest,
    PlayRequest,
    RulesRequest,
    Status,
)

FRAMES_UNTIL_CUT = 3
REQUESTS: dict[str, Callable[[Mapping[str, Any]], PassRequest | PlayRequest | MoonRequest]] = {
    "pass": PassRequest.from_dict,
    "play": PlayRequest.from_dict,
    "moon": MoonRequest.from_dict,
}
ONE_DEAL = {"ending": {"target": None, "deals": 1, "tie": "share"}}


def main(address: str) -> None:
    """Play one deal to its end, and compare what was heard with the log."""
    # Where a token may be left out, the generator asks for one all the same.
    anybody = cast("AuthenticatedClient", Client(base_url=address))
    made = create(anybody)
    assert made.seat_token is not None
    me = AuthenticatedClient(base_url=address, token=made.seat_token)
    host = AuthenticatedClient(base_url=address, token=made.host_token)
    update_seat.sync(made.id, 0, client=me, body=OwnSeatRequest(client_seed=secrets.token_hex(32)))
    assert isinstance(start_game.sync(made.id, client=host), GameFields)
    heard = list(range(1, made.version + 1))
    while True:
        game = look(me, made.id)
        if game.status is Status.FINISHED:
            break
        assert game.you is not None
        assert game.turn is not None
        if game.you.to_act:
            play(me, made.id, game)
        heard += follow(me, made.id, heard[-1])
    while more := follow(me, made.id, heard[-1]):
        heard += more
    check(me, made.id, heard)
    assert game.result is not None
    print(json.dumps(game.result.to_dict()))  # noqa: T201 - a program of its own


def create(anybody: AuthenticatedClient) -> CreatedGame:
    """Set up a table, with a seat of our own."""
    body = CreateGameRequest(
        rules=RulesRequest.from_dict(ONE_DEAL), claim=FirstClaim(seat=0, name="Ana")
    )
    made = create_game.sync(client=anybody, body=body, idempotency_key=secrets.token_urlsafe(24))
    assert isinstance(made, CreatedGame), made
    return made


def look(me: AuthenticatedClient, game_id: str) -> GameFields:
    """Read the state."""
    game = get_game.sync(game_id, client=me)
    assert isinstance(game, GameFields), game
    return game


def play(me: AuthenticatedClient, game_id: str, game: GameFields) -> None:
    """Make the first legal move."""
    assert game.you is not None
    assert game.turn is not None
    move = {**game.you.legal_moves[0].to_dict(), "turn_id": game.turn.id}
    done = make_move.sync(game_id, client=me, body=REQUESTS[move["type"]](move))
    assert isinstance(done, MoveOutcome), done


def follow(me: AuthenticatedClient, game_id: str, after: int) -> list[int]:
    """Return the numbers of some events after *after*, and cut the connection."""
    heard: list[int] = []
    path, headers = f"/v1/games/{game_id}/stream", {"Last-Event-ID": str(after)}
    with me.get_httpx_client().stream("GET", path, headers=headers) as answer:
        for frame in frames(answer.iter_lines()):
            if "id" not in frame:
                return heard  # a heartbeat, or the end
            heard.append(int(frame["id"]))
            if len(heard) == FRAMES_UNTIL_CUT:
                return heard
    return heard


def frames(lines: Iterator[str]) -> Iterator[dict[str, str]]:
    """Yield the frames of a stream of events, by field."""
    frame: dict[str, str] = {}
    for line in lines:
        if line:
            name, _, text = line.partition(": ")
            frame[name] = text
        elif "data" in frame:
            yield frame
            frame = {}


def check(me: AuthenticatedClient, game_id: str, heard: list[int]) -> None:
    """Hold what was *heard* against the log."""
    page = list_events.sync(game_id, client=me, limit=500)
    assert isinstance(page, EventPage), page
    assert page.complete
    assert heard == [event.seq for event in page.items]


if __name__ == "__main__":
    main(sys.argv[1])
