"""`hearts void-deals`: voiding the running deals of all games after an old backup was put back.

Each void is an ordinary command, named after the restore and the game; so the same call again
goes on where the last one ended, and what is done already stays done.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from engine import events as e
from engine import reasons
from engine.commands import VoidDeal
from engine.errors import CorruptLogError
from service.command_request import BusyError, Refused
from service.deps import Deps
from service.games import GameNotFoundError, QuarantinedError
from service.keyring import MissingKeyError
from service.rewinds import Voiding, void_deal
from service.store.codec import decode

_log = logging.getLogger(__name__)

AT_ONCE: Final = 500
_ENDS: Final = (e.GameFinished, e.GameAborted)
_OF_THIS_GAME_ALONE: Final = (
    GameNotFoundError,
    QuarantinedError,
    CorruptLogError,
    MissingKeyError,
    BusyError,
    Refused,
)


class Restore(NamedTuple):
    """What was put back: its *name*, and how many links to leave out after each voided deal."""

    name: str
    skip: int


def void_all(deps: Deps, restore: Restore, tell: Callable[[str], object]) -> bool:
    """Void the running deal of every game of the store; return whether that could be done.

    *tell* is given a line for each game that could not be dealt with, and one now and then that
    says how far this has come.

    Raises:
        StoreUnavailableError: The store does not answer; the same call again goes on.
    """
    game_ids = sorted(deps.store.game_ids())
    tally: Counter[str] = Counter()
    tell(f"{len(game_ids)} games")
    for first in range(0, len(game_ids), AT_ONCE):
        some = game_ids[first : first + AT_ONCE]
        for game_id, word in _outcomes(deps, restore, some, tell):
            tally[word] += 1
            _log.debug("%s: %s", game_id, word)
        counts = ", ".join(f"{count} {word}" for word, count in sorted(tally.items()))
        tell(f"{tally.total()} of {len(game_ids)}: {counts}")
    return not tally[_FAILED]


_FAILED: Final = "failed"


def _outcomes(
    deps: Deps, restore: Restore, game_ids: Sequence[str], tell: Callable[[str], object]
) -> Iterator[tuple[str, str]]:
    """Yield for each game what became of it."""
    lasts = deps.store.last(game_ids)
    for game_id, (version, entry) in zip(game_ids, lasts, strict=True):
        try:
            yield (
                game_id,
                Voiding.IDLE if _is_end(version, entry) else _void(deps, restore, game_id),
            )
        except _OF_THIS_GAME_ALONE as exc:
            tell(f"{game_id}: {exc}")
            yield game_id, _FAILED


def _is_end(version: int, entry: bytes) -> bool:
    """Return whether a game is over with its last *entry*: most are, and are not read whole."""
    # Of all that an entry says, only its time needs to know when the game was created.
    return version > 1 and isinstance(decode(entry, version, 0).event, _ENDS)


def _void(deps: Deps, restore: Restore, game_id: str) -> Voiding:
    command = VoidDeal(reasons.STORE_RESTORED, restore.skip)
    return void_deal(deps, game_id, command, f"restore|{restore.name}")
