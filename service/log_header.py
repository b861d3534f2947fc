"""The header of a log from a file, held against what the events under it say of the same.

A file may have no events at all, where nothing of a game is open yet; its header then has to
agree with itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from engine.commands import IMPORT
from engine.shuffle import NO_SEED, game_id_of
from engine.state import Status
from engine.table_data import fairness_data, origin_data
from service.log_facts import of_type
from service.log_file import is_time
from service.log_values import HASH, level_of, matching, name_of, origin_of, seed_chain_of

Plain: TypeAlias = Mapping[str, Any]

_ENDS: Final = {"game.finished": Status.FINISHED, "game.aborted": Status.ABORTED}


def course_of(events: Sequence[Plain]) -> Plain:
    """Return what the header over *events*, of which there are some, says of the game's course."""
    started = [one["time"] for one in of_type(events, "game.started")]
    last = events[-1]
    goes_on = Status.ACTIVE if started else Status.LOBBY
    is_over = last["type"] in _ENDS
    return {
        "status": _ENDS.get(last["type"], goes_on).value,
        "complete": is_over,
        "created_at": events[0]["time"],
        "started_at": started[0] if started else None,
        "finished_at": last["time"] if is_over else None,
    }


def alone(header: Plain) -> Plain:
    """Return what the *header* of a file without events has to say, given the rest of it.

    Such a game has begun at most, since all is open once a game is over; for the same reason
    it is no copy, and for the public there would be its creation.

    Raises:
        AttributeError, LookupError, TypeError, ValueError: It is the header of no such file.
    """
    started = header["started_at"]
    times = [header["created_at"], *([] if started is None else [started])]
    seats, fairness = header["seats"], header["fairness"]
    chain, origin = seed_chain_of(fairness), origin_of(header["origin"])
    commitment = matching(HASH, fairness["commitment"])
    if header["view"]["kind"] == "public" or (origin is not None and origin.kind == IMPORT):
        msg = "of this game there would be events"
        raise ValueError(msg)
    if not all(map(is_time, times)):
        msg = "these are no times"
        raise ValueError(msg)
    return {
        "game_id": game_id_of(commitment),
        "status": (Status.LOBBY if started is None else Status.ACTIVE).value,
        "complete": False,
        "created_at": min(times),
        "finished_at": None,
        "seats": [_seat(seat, one) for seat, one in enumerate(seats)],
        "fairness": {
            **fairness_data(commitment, None if chain is None else chain.commitment),
            "client_seeds": _seeds(fairness["client_seeds"], started, len(seats)),
        },
        "origin": origin_data(origin),
    }


def _seat(seat: int, said: Plain) -> Plain:
    name, level = said["name"], said["bot_level"]
    return {
        "seat": seat,
        "name": None if name is None else name_of(name),
        "kind": "human" if level is None or said["kind"] == "human" else "bot",
        "controller": "human" if level is None else "bot",
        "bot_level": None if level is None else level_of(level),
    }


def _seeds(said: list[str] | None, started: str | None, seats: int) -> list[str] | None:
    if said is None or started is None:
        return None
    if len(said) != seats:
        msg = "a client seed for each seat is expected"
        raise ValueError(msg)
    return [seed if seed == NO_SEED else matching(HASH, seed) for seed in said]
