"""Provably fair dealing: the scheme ``hearts-shuffle-1``.

A chain of hashes fixes every deal of a game before anybody contributes; each deal mixes
its own link with the seeds that players sent. Links and commitments are lower-case hex.

Source: docs/fairness.md, points 1 to 9.
"""

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from engine.cards import CardSet, union
from engine.rules import MOST_DEALS, Rules
from engine.seats import PerSeat, for_each_seat

SCHEME: Final = "hearts-shuffle-1"
NO_SEED: Final = "-"
"""Stands for the client seed of a seat that sent none."""

Links: TypeAlias = Callable[[int], str]
"""Gives the link of a deal, numbered from 1 to 256, as 64 hex digits."""

_GAME_ID_LENGTH: Final = 32
_BYTE: Final = 256


def chain(tip: bytes) -> tuple[bytes, ...]:
    """Return the links 0 to 256 of the chain that ends in *tip*; link 0 is the commitment."""
    links = [tip]
    for _ in range(MOST_DEALS):
        links.append(hashlib.sha256(links[-1]).digest())
    return tuple(reversed(links))


def game_id_of(commitment: str) -> str:
    """Return the game's id, the first half of its *commitment*."""
    return commitment[:_GAME_ID_LENGTH]


def is_link(link: str, deal: int, commitment: str) -> bool:
    """Return whether *link* is the one of the deal numbered *deal* under *commitment*."""
    value = bytes.fromhex(link)
    for _ in range(deal):
        value = hashlib.sha256(value).digest()
    return hmac.compare_digest(value.hex(), commitment)


def deal_order(
    rules: Rules, link: str, game_id: str, deal: int, client_seeds: Sequence[str]
) -> list[CardSet]:
    """Return the deck of *rules* as shuffled for the deal numbered *deal*.

    *client_seeds* has one text per seat, `NO_SEED` where none was sent.

    Source: docs/fairness.md, points 4 to 6.
    """
    prefix = f"{SCHEME}|{game_id}|{deal}|{rules.seats}|{','.join(client_seeds)}|"
    stream = byte_stream(bytes.fromhex(link), prefix)
    deck = list(rules.deck_order)
    for last in range(len(deck) - 1, 0, -1):
        other = draw(stream, last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return deck


def deal_hands(
    rules: Rules, link: str, game_id: str, deal: int, client_seeds: Sequence[str]
) -> PerSeat[CardSet]:
    """Return the hands of the deal numbered *deal*, one per seat.

    Source: docs/fairness.md, point 7.
    """
    order = deal_order(rules, link, game_id, deal, client_seeds)
    size = rules.hand_size
    return for_each_seat(rules.seats, lambda seat: union(order[seat * size : (seat + 1) * size]))


def byte_stream(key: bytes, prefix: str) -> Iterator[int]:
    """Yield the endless bytes, 0 to 255, that *key* and *prefix* fix.

    They are the HMAC-SHA256 of *prefix* and a block number, blocks counted from 0.

    Source: docs/fairness.md, point 4.
    """
    block = 0
    while True:
        yield from hmac.digest(key, f"{prefix}{block}".encode("ascii"), "sha256")
        block += 1


def draw(stream: Iterator[int], below: int) -> int:
    """Return the next number of *stream*, evenly from 0 to *below* - 1; *below* is 1 to 256.

    Source: docs/fairness.md, point 5.
    """
    # Bytes past the last whole multiple are thrown away: a remainder would favour low cards.
    limit = _BYTE - _BYTE % below
    return next(value for value in stream if value < limit) % below
