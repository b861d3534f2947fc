"""What the history of a game looks like: frames, deals, proofs, and the head of an export.

A deal is put together from its events as a viewer may read them, so it cannot show more
than the log does.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from engine.cards import CODES, CardSet, code_of
from engine.passing import pass_targets
from engine.position_data import TABLE
from engine.rules import Direction
from engine.seats import Seat
from engine.shuffle import NO_SEED, SCHEME, deal_order, game_id_of
from engine.table_data import (
    fairness_data,
)
from service.game import Game
from service.schemas.responses import (
    EVERYTHING,
    PUBLIC,
    Answer,
    Viewer,
    event_data,
    state_data,
    view_data,
)
from service.schemas.unfolded import unfolded
from service.store.envelope import Stored

FORMAT: Final = "hearts-game"
FORMAT_VERSION: Final = 1
_OF_A_SEAT: Final = ("seat", "name", "kind", "controller", "bot_level")

_ByType: TypeAlias = Mapping[str, Sequence[Answer]]


def frame_data(stored: Stored, moment: Game | None, viewer: Viewer) -> Answer:
    """Return an event and the state after it; *moment* is None to leave the state out."""
    return {
        "version": stored.seq,
        "event": event_data(stored, viewer),
        "state": None if moment is None else state_data(moment, viewer),
    }


def deal_data(game: Game, number: int, stored: Iterable[Stored], viewer: Viewer) -> Answer:
    """Return the deal of that *number*, whose events are *stored*; whole once it is open."""
    found = _by_type(stored, EVERYTHING if game.is_open(number) else viewer)
    (dealt,) = found["deal.dealt"]
    scored = found["deal.scored"][0] if found["deal.scored"] else None
    voided = found["deal.voided"][0] if found["deal.voided"] else None
    return {
        "number": number,
        "dealer": dealt["data"]["dealer"],
        "pass": dealt["data"]["pass"],
        "pass_count": dealt["data"]["pass_count"],
        "open": game.is_open(number),
        "first_version": dealt["seq"],
        "last_version": _last_version(game, scored or voided),
        "hands": _hands(dealt),
        "kitty": _kitty(dealt, found),
        "passes": list(_passes(dealt, found)),
        "tricks": _tricks(found),
        "moon": _moon(found, scored),
        "taken": None if scored is None else scored["data"]["taken"],
        "points": None if scored is None else scored["data"]["points"],
        "totals": None if scored is None else scored["data"]["totals"],
        "voided": None if voided is None else voided["data"]["reason"],
        "seed": game.link(number),
    }


def proof_data(game: Game, deal: int, link: str) -> Answer:
    """Return what goes into the shuffle of *deal* under its *link*, and what comes out of it.

    Source: docs/fairness.md, points 4 to 7.
    """
    table = game.table
    rules, size = table.rules, table.rules.hand_size
    # The id that was mixed in: an import has another one by now, a seeded game from the start.
    game_id = game_id_of(table.chain_commitment)
    order = deal_order(rules, link, game_id, deal, table.client_seeds)
    dealt = size * rules.seats
    return {
        "scheme": SCHEME,
        "game_id": game_id,
        "deal": deal,
        "players": rules.seats,
        "client_seeds": list(table.client_seeds),
        "deck": _in_order(rules.deck_order),
        "seed": link,
        "hands": [_in_order(order[first : first + size]) for first in range(0, dealt, size)],
        "kitty": _in_order(order[dealt:]),
    }


def fairness_record(game: Game) -> Answer:
    """Return what the game is committed to, and what is open of it."""
    table = game.table
    links = [(deal, game.link(deal)) for deal in game.deals]
    return {
        **fairness_data(table.commitment, table.deals_commitment),
        "client_seeds_given": _given(game),
        "client_seeds": _client_seeds(game),
        "revealed": [{"deal": deal, "seed": seed} for deal, seed in links if seed is not None],
    }


def header_data(game: Game, viewer: Viewer, end: int) -> Answer:
    """Return what an export of *game* up to version *end* says of itself."""
    shown = state_data(game, PUBLIC)
    return {
        "format": FORMAT,
        "v": FORMAT_VERSION,
        "game_id": game.game_id,
        "view": view_data(viewer),
        "status": shown["status"],
        "version": end,
        "complete": game.is_over and end == game.version,
        "created_at": shown["created_at"],
        "started_at": shown["started_at"],
        "finished_at": shown["finished_at"],
        "seats": [{name: seat[name] for name in _OF_A_SEAT} for seat in shown["seats"]],
        "fairness": {**shown["fairness"], "client_seeds": _client_seeds(game)},
        "origin": shown["origin"],
    }


def _given(game: Game) -> list[bool]:
    table = game.table
    if table.client_seeds and table.seed_chain is None:
        return [seed != NO_SEED for seed in table.client_seeds]
    return [player.client_seed is not None for player in table.players]


def _client_seeds(game: Game) -> list[str] | None:
    return list(game.table.client_seeds) or None


def _in_order(some: Sequence[CardSet]) -> list[str]:
    return [code_of(one) for one in some]


def _by_type(stored: Iterable[Stored], viewer: Viewer) -> _ByType:
    found = defaultdict(list)
    for one in stored:
        event = event_data(one, viewer)
        copied = unfolded(event) if event["type"] == "position.set" else ()
        for told in (event, *copied):
            found[told["type"]].append(told)
    return found


def _last_version(game: Game, ended: Answer | None) -> int | None:
    if ended is not None:
        seq: int = ended["seq"]
        return seq
    return game.version if game.is_over else None


def _hands(dealt: Answer) -> list[list[str] | None]:
    own = dealt["private"]
    seats = range(len(dealt["data"]["hand_sizes"]))
    return [own[str(seat)]["hand"] if str(seat) in own else None for seat in seats]


def _kitty(dealt: Answer, found: _ByType) -> Answer:
    size, taken = dealt["data"]["kitty_size"], found["kitty.taken"]
    # Nobody sees it where it lies, and who took it in the event that says so.
    shown = [part["kitty"] for owner, part in dealt["private"].items() if owner == TABLE]
    shown += [part["cards"] for event in taken for part in event["private"].values()]
    return {
        "size": size,
        "taken_by": taken[0]["data"]["seat"] if taken else None,
        "cards": next(iter(shown), None if size else []),
    }


def _passes(dealt: Answer, found: _ByType) -> Iterator[Answer]:
    seats, received = len(dealt["data"]["hand_sizes"]), _received(found)
    for event in found["cards.passed"]:
        giver = event["data"]["seat"]
        for taker, cards in _sent(event, Direction(dealt["data"]["pass"]), seats):
            known = received.get((giver, taker)) if cards is None else cards
            yield {"from": giver, "to": taker, "cards": known}


def _sent(
    event: Answer, direction: Direction, seats: int
) -> Iterator[tuple[Seat, list[str] | None]]:
    """Yield who gets what of a pass, None for cards that are hidden."""
    giver = event["data"]["seat"]
    own, takers = event["private"].get(str(giver)), pass_targets(direction, giver, seats)
    if own is None:
        yield from ((taker, None) for taker in takers)
    elif direction is Direction.SCATTER:
        yield from ((taker, [code]) for taker, code in zip(takers, own["cards"], strict=True))
    else:
        yield from ((taker, sorted(own["cards"], key=CODES.index)) for taker in takers)


def _received(found: _ByType) -> dict[tuple[Seat, Seat], list[str]]:
    """Return the cards whose arrival is known, by giver and taker."""
    return {
        (gift["from"], int(taker)): gift["cards"]
        for event in found["pass.completed"]
        for taker, part in event["private"].items()
        for gift in part["received"]
    }


def _tricks(found: _ByType) -> list[Answer]:
    done = {one["data"]["trick"]: one["data"] for one in found["trick.completed"]}
    plays = defaultdict(list)
    for one in found["card.played"]:
        data = one["data"]
        plays[data["trick"]].append({"seat": data["seat"], "card": data["card"]})
    return [
        {
            "number": number,
            "plays": some,
            "winner": done[number]["winner"] if number in done else None,
            "points": done[number]["points"] if number in done else None,
        }
        for number, some in plays.items()
    ]


def _moon(found: _ByType, scored: Answer | None) -> Answer | None:
    if scored is not None:
        moon: Answer | None = scored["data"]["moon"]
        return moon
    for shot in found["moon.shot"]:
        data = shot["data"]
        return {
            "seat": data["seat"],
            "kind": data["kind"],
            "points": data["points"],
            "choice": None,
        }
    return None
