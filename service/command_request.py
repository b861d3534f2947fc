"""A command as it was asked for, what can be said against it, and how it came out."""

import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine import commands as c
from engine.seats import Seat
from service.game import Game
from service.store.envelope import Actor, Cause, Stored

_HASH_BYTES: Final = 8
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"))
UNKNOWN: Final = "unknown"


class StaleTurn(Exception):  # noqa: N818 - a fact about the game
    """The decision that the caller means is not open."""

    code = "stale_turn"


class TurnAlreadyPlayed(Exception):  # noqa: N818 - a fact about the game
    """The seat has decided this turn, otherwise."""

    code = "turn_already_played"


class VersionMoved(Exception):  # noqa: N818 - a fact about the game
    """The game is not at the version that the caller expects."""

    code = "version_conflict"


class TokenRevoked(Exception):  # noqa: N818 - a fact about the game
    """The token's grant is not the one in force."""

    code = "token_revoked"


class KeyReused(Exception):  # noqa: N818 - a fact about the request
    """The idempotency key was used for another request."""

    code = "idempotency_key_reused"


class PreconditionFailed(Exception):  # noqa: N818 - a fact about the game
    """The version is none of those the request is conditional on."""

    code = "version_mismatch"


class BusyError(Exception):
    """Others were faster, as often as we tried."""


class Refused(Exception):  # noqa: N818 - a fact about the game
    """A command that *game*, as the log has it now, does not allow; *reason* says why.

    *kind* is that of the command, where it came to one.
    """

    def __init__(
        self, reason: Exception, game: Game, seat: Seat | None, kind: str = UNKNOWN
    ) -> None:
        super().__init__(str(reason))
        self.kind = kind
        self.reason = reason
        self.game = game
        self.seat = seat


class Guard(NamedTuple):
    """What the caller knows: the log refuses a command that was meant for another moment.

    *turn_id* and *expected_version* are versions, None if not given; *match* tells whether
    a version satisfies the request's precondition.
    """

    turn_id: int | None = None
    expected_version: int | None = None
    match: Callable[[int], bool] | None = None


NO_GUARD: Final = Guard()


class Caller(NamedTuple):
    """Who sends a command: *actor* for the log, *grant* the number of the token that says so.

    *scope* is whom an idempotency key belongs to. *grant* is None where no token is needed.
    """

    actor: Actor
    scope: str
    grant: int | None = None

    @property
    def seat(self) -> Seat | None:
        """The caller's own seat, None for the host and for a claim."""
        return self.actor.seat if self.grant is not None else None


class Outcome(NamedTuple):
    """What a command did: *game* right after it, and its *events*, none if it changed nothing.

    *replayed* says that it had been done before, *natural* that no key was needed to see it.
    """

    game: Game
    events: tuple[Stored, ...]
    replayed: bool = False
    natural: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """One command as it was asked for; *cause* identifies it for the life of the game.

    *command* is made from the game as it is when it is decided, None before it exists.
    *is_named* says that the caller can ask for it again by a key.
    """

    caller: Caller
    command: Callable[[Game | None], c.Command]
    cause: Cause
    guard: Guard = NO_GUARD
    is_named: bool = False


def cause_of(scope: str, key: str | None, operation: str, body: Mapping[str, Any]) -> Cause:
    """Return what identifies a command: *scope* and *key*, and a fingerprint of *body*.

    Without a key nobody can repeat the command by name, so its id is random.
    """
    text = _ENCODER.encode([operation, body])
    return Cause(
        command=secrets.token_bytes(_HASH_BYTES) if key is None else _hash(f"{scope}|{key}"),
        fingerprint=_hash(text),
    )


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=_HASH_BYTES).digest()
