"""Who asks: from the Authorization header to a role and a seat of this game.

The seat comes from the token and from nowhere else. Signature, game and seat are checked
before anything is looked up, so that an answer does not tell whether a game exists; the
token's grant is compared as soon as the game is loaded.
"""

from contextlib import suppress
from typing import NamedTuple

from flask import request

from engine.commands import PRIVATE
from engine.seats import Seat
from service.command_request import Caller, TokenRevoked
from service.deps import Deps
from service.game import Game
from service.games import GameNotFoundError
from service.keyring import Credential, InvalidTokenError, RevokedKeyError
from service.store.envelope import Actor


class Unauthorized(Exception):  # noqa: N818 - as HTTP calls it
    """No credential, or none of ours."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Forbidden(Exception):  # noqa: N818 - as HTTP calls it
    """A genuine credential that is not for this."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


class Reader(NamedTuple):
    """Who reads a game: a *seat*, else host or public; *grant* is None without a token.

    *until* is when a ticket expires, in ms since the epoch.
    """

    seat: Seat | None
    grant: int | None
    until: int | None = None


PUBLIC = Reader(None, None)


def reader_of(deps: Deps, game_id: str) -> Reader:
    """Return who reads the game: the token's seat, else the public.

    Raises:
        Unauthorized: There is a token, but none of ours.
        Forbidden: The token is for another game.
    """
    credential = _credential(deps, game_id)
    if credential is None:
        return PUBLIC
    return Reader(credential.seat, credential.grant)


def follower_of(deps: Deps, game_id: str, ticket: str | None) -> Reader:
    """Return who follows the game: the token's seat, else the *ticket*'s, else the public.

    Raises:
        Unauthorized: There is a token or a ticket, but none of ours, or the ticket has expired.
        Forbidden: It is for another game.
    """
    if ticket is None or "HTTP_AUTHORIZATION" in request.environ:
        return reader_of(deps, game_id)
    try:
        credential, expires_at = deps.keyring.read_ticket(ticket)
    except InvalidTokenError:
        raise Unauthorized("invalid_token", "The ticket is not one of ours.") from None
    if credential.game_id != game_id:
        raise Forbidden("wrong_game", "The ticket is for another game.")
    if deps.clock() >= expires_at:
        raise Unauthorized("ticket_expired", "The ticket has expired.")
    return Reader(credential.seat, credential.grant, expires_at)


def seat_caller(deps: Deps, game_id: str) -> Caller:
    """Return the seat that sends a command.

    Raises:
        Unauthorized: There is no token, or none of ours.
        Forbidden: The token is for another game, or the host's.
    """
    credential = _required(deps, game_id)
    if credential.seat is None:
        raise Forbidden("seat_token_required", "This needs the token of a seat.")
    actor = Actor("seat", credential.seat)
    return Caller(actor, f"seat:{credential.seat}", credential.grant)


def host_caller(deps: Deps, game_id: str) -> Caller:
    """Return the host who sends a command.

    Raises:
        Unauthorized: There is no token, or none of ours.
        Forbidden: The token is for another game, or a seat's.
    """
    credential = _required(deps, game_id)
    if credential.role != "host":
        raise Forbidden("host_only", "This needs the token of the host.")
    return Caller(Actor("host"), "host", credential.grant)


def seat_or_host_caller(deps: Deps, game_id: str, seat: Seat) -> Caller:
    """Return who sends a command about *seat*: its own holder, or the host.

    Raises:
        Unauthorized: There is no token, or none of ours.
        Forbidden: The token is for another game or seat.
    """
    if _required(deps, game_id).role == "host":
        return host_caller(deps, game_id)
    caller = seat_caller(deps, game_id)
    if caller.seat != seat:
        raise Forbidden("wrong_seat", "The token is for another seat.")
    return caller


def app_of_request(deps: Deps) -> str | None:
    """Return the name of the app whose key comes with the request, None without a key.

    A genuine token of a game says nothing here.

    Raises:
        Unauthorized: There is a credential, but none of ours, or a key that was revoked.
    """
    text = _bearer()
    if text is None:
        return None
    try:
        if text.startswith("hak_"):
            return deps.keyring.read_app_key(text).app
        deps.keyring.read(text)
    except InvalidTokenError:
        raise Unauthorized("invalid_token", "The credential is not one of ours.") from None
    except RevokedKeyError:
        raise Unauthorized("token_revoked", "The key is no longer valid.") from None
    return None


def key_of_request(deps: Deps) -> str:
    """Return the name of the app whose key has to come with the request.

    Raises:
        Unauthorized: There is no credential, none of ours, or a key that was revoked.
        Forbidden: It is the token of a game.
    """
    if _bearer() is None:
        raise Unauthorized("authentication_required", "This needs the key of an application.")
    app = app_of_request(deps)
    if app is None:
        raise Forbidden("key_required", "This needs the key of an application.")
    return app


def app_caller(app: str) -> Caller:
    """Return the *app* that sends a command about a game which its key has created."""
    return Caller(Actor("key"), f"key:{app}")


def check_app(app: str, game: Game) -> None:
    """Refuse the *app* what only the one may do whose key created the *game*.

    Raises:
        GameNotFoundError: It is another one, and the game is private.
        Forbidden: It is another one.
    """
    if app == game.table.options.application:
        return
    if game.table.visibility == PRIVATE:
        raise GameNotFoundError(game.game_id)
    raise Forbidden("key_scope", "The game was not created with a key of this application.")


def knows_of(deps: Deps, game_id: str) -> bool:
    """Return whether the request comes with what only those have who know of the game.

    That is a token of it or a ticket, one of ours, whether or not it is still in force.
    """
    with suppress(Unauthorized, InvalidTokenError):
        token = _bearer()
        if token is None:
            return deps.keyring.read_ticket(request.args.get("ticket", ""))[0].game_id == game_id
        return deps.keyring.read(token).game_id == game_id
    return False


def admit(deps: Deps, reader: Reader, game: Game) -> None:
    """Refuse a *reader* whose token is not the one in force, to a *game* that was just read.

    A genuine token that the log knows nothing of proves that the log has lost its end.

    Raises:
        TokenRevoked: It was replaced.
        GameNotFoundError: There is none, and the game is private.
        Unauthorized: There is none, and the running game has no spectators.
    """
    try:
        check_reader(reader, game)
    except TokenRevoked:
        assert reader.grant is not None, "the public has no token"
        deps.games.doubt(game, reader.seat, reader.grant)
        raise


def check_reader(reader: Reader, game: Game) -> None:
    """Refuse a *reader* whose token is no longer the one in force.

    Raises:
        TokenRevoked: It was replaced.
        GameNotFoundError: There is none, and the game is private.
        Unauthorized: There is none, and the running game has no spectators.
    """
    if reader.grant is None:
        _check_public(game)
        return
    players, seat = game.table.players, reader.seat
    if seat is None:
        holds = reader.grant == game.table.host_grant
    else:
        holds = seat < len(players) and players[seat].has_token(reader.grant)
    if not holds:
        raise TokenRevoked("The token is no longer valid.")


def _check_public(game: Game) -> None:
    if game.table.visibility == PRIVATE:
        raise GameNotFoundError(game.game_id)
    if not game.table.options.spectators and game.times.started_at is not None:
        raise Unauthorized("authentication_required", "Only who plays may see this game.")


def _required(deps: Deps, game_id: str) -> Credential:
    credential = _credential(deps, game_id)
    if credential is None:
        raise Unauthorized("authentication_required", "This needs a token.")
    return credential


def _bearer() -> str | None:
    # Two headers reach us as one, joined by a comma: that is no token either.
    given: str | None = request.environ.get("HTTP_AUTHORIZATION")
    if given is None:
        return None
    scheme, _, token = given.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized("invalid_token", "The credential is not one bearer token.")
    return token


def _credential(deps: Deps, game_id: str) -> Credential | None:
    token = _bearer()
    if token is None:
        return None
    try:
        credential = deps.keyring.read(token)
    except InvalidTokenError:
        raise Unauthorized("invalid_token", "This is not the token of a seat or a host.") from None
    if credential.game_id != game_id:
        raise Forbidden("wrong_game", "The token is for another game.")
    return credential
