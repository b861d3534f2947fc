"""What everybody may know of a table beside its rules, as plain values."""

from typing import Final

from engine.commands import Origin, TableOptions
from engine.readable import Plain
from engine.shuffle import SCHEME

COMMITTED: Final = "committed"
SEEDED: Final = "seeded"
"""Where deals come from: a chain of the game's own, or one whose tip somebody has given."""


def fairness_data(commitment: str, deals_commitment: str | None) -> Plain:
    """Return what a game publishes of its chain before the first deal.

    *deals_commitment* is that of the chain behind a seeded game, None in all others.
    """
    return {
        "scheme": SCHEME,
        "mode": dealing_mode(deals_commitment),
        "commitment": commitment,
        "deals_commitment": deals_commitment,
    }


def dealing_mode(deals_commitment: str | None) -> str:
    """Return the word for where the deals come from."""
    return COMMITTED if deals_commitment is None else SEEDED


def origin_data(origin: Origin | None) -> Plain | None:
    """Return where a game comes from, None if it began here."""
    if origin is None:
        return None
    return {"kind": origin.kind, "game_id": origin.game_id, "version": origin.version}


def options_data(options: TableOptions) -> Plain:
    """Return what a table allows beside its rules, and what is written on it."""
    return {
        "spectators": options.spectators,
        "hints": switch_word(is_on=options.hints),
        "knowledge": switch_word(is_on=options.knowledge),
        "metadata": dict(options.metadata),
    }


def switch_word(*, is_on: bool) -> str:
    """Return how it is called that something is given to the players, or is not."""
    return "on" if is_on else "off"


def lobby_word(*, is_open: bool) -> str:
    """Return how a lobby that is open or not is called."""
    return "open" if is_open else "closed"
