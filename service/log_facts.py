"""What the log of a game from a file says before it is played: rules, chain, links, hands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from engine import commands as c
from engine.cards import CardSet
from engine.rules import MOST_DEALS, Rules
from engine.seats import PerSeat
from engine.verify.rerun import dealt_hands, sound_links
from service.log_commands import Copied, copied_of
from service.log_values import origin_of, rules_of, seed_chain_of

Plain: TypeAlias = Mapping[str, Any]

_HASH: Final = re.compile("[0-9a-f]{64}", re.ASCII)


class Facts(NamedTuple):
    """What the log says before it is played.

    *opened* are the links that it opens, *links* those of them that belong to the commitment,
    *given* the hands of deals without one, all by deal. *copied* is what
    a fork began with, None in other games and where the view hides it.
    """

    rules: Rules
    origin: c.Origin | None
    commitment: str
    client_seeds: tuple[str, ...]
    opened: Mapping[int, str]
    links: Mapping[int, str]
    given: Mapping[int, PerSeat[CardSet]]
    copied: Copied | None


def facts_of(events: Sequence[Plain]) -> Facts:
    """Return what *events*, the whole log, say before they are played.

    Raises:
        RulesConflict: Its rules contradict themselves.
        AttributeError, LookupError, TypeError, ValueError: They are no log.
    """
    if [event["seq"] for event in of_type(events, "game.created")] != [1]:
        msg = "a log begins with the creation of its game, and has no other"
        raise ValueError(msg)
    created = events[0]["data"]
    changes = [one["data"]["changes"] for one in of_type(events, "game.options_changed")]
    rules = rules_of([created, *changes][-1]["rules"])
    started = of_type(events, "game.started")
    seeds = tuple(map(str, started[0]["data"]["client_seeds"])) if started else ()
    if len(seeds) not in {0, rules.seats}:
        msg = "a client seed for each seat is expected"
        raise ValueError(msg)
    _check_first_deal(events)
    commitment, opened = str(created["fairness"]["commitment"]), dict(_opened(events))
    chain = seed_chain_of(created["fairness"])
    links = sound_links(opened, commitment if chain is None else chain.commitment)
    set_, dealt = of_type(events, "position.set"), of_type(events, "deal.dealt")
    given = _given(rules, dealt, links)
    origin, copied = origin_of(created["origin"]), copied_of(rules, set_[0]) if set_ else None
    return Facts(rules, origin, commitment, seeds, opened, links, dict(given), copied)


def _check_first_deal(events: Sequence[Plain]) -> None:
    numbers = [event["data"]["deal"] for event in of_type(events, "position.set")]
    if len(numbers) > 1 or not set(numbers) <= set(range(1, MOST_DEALS + 1)):
        msg = "a fork begins once, with a deal"
        raise ValueError(msg)


def of_type(events: Sequence[Plain], name: str) -> list[Plain]:
    """Return those of *events* whose type has that *name*."""
    return [event for event in events if event["type"] == name]


def _opened(events: Sequence[Plain]) -> Iterator[tuple[int, str]]:
    """Yield the links that the log opens, by deal, which has to be one after the other."""
    begun = [*of_type(events, "position.set"), *of_type(events, "deal.dealt")]
    numbers, found = [event["data"]["deal"] for event in begun], []
    for event in events:
        data = event["data"]
        if event["type"] in {"deal.scored", "deal.voided"} and data["reveal"] is not None:
            found.append((data["deal"], data["reveal"]["seed"]))
        if event["type"] in {"game.finished", "game.aborted"}:
            found += [(deal["deal"], deal["seed"]) for deal in data["reveals"]]
    for place, (deal, seed) in enumerate(found):
        number = numbers[place] if place < len(numbers) else None
        if type(deal) is not int or deal != number or not _HASH.fullmatch(seed):
            msg = "the links are those of the deals, in their order"
            raise ValueError(msg)
        yield deal, seed


def _given(
    rules: Rules, deals: Sequence[Plain], links: Mapping[int, str]
) -> Iterator[tuple[int, PerSeat[CardSet]]]:
    for dealt in deals:
        number = dealt["data"]["deal"]
        shown = [dealt["private"].get(str(seat)) for seat in range(rules.seats)]
        if number not in links and None not in shown:
            hands = dealt_hands(rules, [hand["hand"] for hand in shown])
            if hands is not None:
                yield number, hands
