"""The event that sets a fork's position, told as the events that led to it in the origin."""

from collections.abc import Iterator

from engine.position_data import TABLE
from service.schemas.responses import Answer


def unfolded(event: Answer) -> Iterator[Answer]:
    """Yield what was copied with *event*, a ``position.set`` as somebody reads it.

    What is hidden in it stays so. All have its number.
    """
    data, own = event["data"], event["private"]
    for kind, public, private in (
        *_deal(data, own),
        *_passes(data, own),
        *_tricks(data),
        *_kitty_taken(data, own),
    ):
        yield {"seq": event["seq"], "type": kind, "data": public, "private": private}


def _deal(data: Answer, own: Answer) -> Iterator[tuple[str, Answer, Answer]]:
    names = ("deal", "dealer", "hand_sizes", "pass", "pass_count")
    public = {**{name: data[name] for name in names}, "kitty_size": data["kitty"]["size"]}
    hands = {seat: {"hand": part["dealt"]} for seat, part in own.items() if seat != TABLE}
    kitty = {TABLE: own[TABLE]} if TABLE in own else {}
    yield "deal.dealt", public, hands | kitty
    if data["moon"] is not None:
        yield "moon.shot", data["moon"], {}


def _passes(data: Answer, own: Answer) -> Iterator[tuple[str, Answer, Answer]]:
    for seat in data["passed"]:
        part = own.get(str(seat))
        yield (
            "cards.passed",
            {"seat": seat},
            {} if part is None else {str(seat): {"cards": part["passed"]}},
        )
    received = {seat: {"received": part["received"]} for seat, part in own.items() if seat != TABLE}
    yield "pass.completed", {}, received


def _tricks(data: Answer) -> Iterator[tuple[str, Answer, Answer]]:
    seats, tricks = len(data["hand_sizes"]), list(data["tricks"])
    if data["leader"] is not None:
        number = len(tricks) + 1
        tricks.append({"trick": number, "leader": data["leader"], "cards": data["trick"]})
    for trick in tricks:
        for place, card in enumerate(trick["cards"]):
            seat = (trick["leader"] + place) % seats
            yield "card.played", {"trick": trick["trick"], "seat": seat, "card": card}, {}
        if "winner" in trick:
            yield "trick.completed", trick, {}


def _kitty_taken(data: Answer, own: Answer) -> Iterator[tuple[str, Answer, Answer]]:
    taker = data["kitty"]["taken_by"]
    if taker is not None:
        part = own.get(str(taker))
        yield (
            "kitty.taken",
            {"seat": taker},
            {} if part is None else {str(taker): {"cards": part["kitty"]}},
        )
