"""Moves that must be refused, each with its code, for whatever a table waits for."""

from typing import NamedTuple

DECK = [rank + suit for suit in "CDSH" for rank in "23456789TJQKA"]


class Wrong(NamedTuple):
    """A move of *seat* that is refused with *code*."""

    seat: int
    body: dict
    code: str


def wrong_moves(seat, state, others, last, rng):
    """Return moves that the table does not allow while *seat*, whose view is *state*, may act.

    *others* are the people whose turn it is not; *last* is what each seat sent last.
    """
    turn = state["turn"]["id"]
    legal = state["you"]["legal_moves"][0]
    by_kind = {"play": _plays, "pass": _passes, "moon": _at_a_moon}
    found = [
        *by_kind[state["turn"]["type"]](seat, state["you"], rng),
        Wrong(seat, {**legal, "turn_id": turn + 1}, "stale_turn"),
        Wrong(seat, {**legal, "turn_id": 1}, "stale_turn"),
        Wrong(seat, {**legal, "expected_version": state["version"] - 1}, "version_conflict"),
        Wrong(seat, {**legal, "expected_version": state["version"] + 1}, "version_conflict"),
    ]
    found += [Wrong(other, legal, "not_your_turn") for other in others]
    found += [Wrong(other, _otherwise(body), "turn_already_played") for other, body in last.items()]
    return found


def _plays(seat, you, rng):
    held = you["hand"]
    return [
        Wrong(seat, {"type": "play", "card": _strange(held, rng)}, "card_not_in_hand"),
        Wrong(seat, {"type": "pass", "cards": held[:3]}, "wrong_phase"),
        Wrong(seat, {"type": "moon", "choice": "others_add"}, "wrong_phase"),
    ]


def _passes(seat, you, rng):
    cards, held = you["legal_moves"][0]["cards"], you["hand"]
    found = [
        Wrong(seat, _pass(cards[1:]), "wrong_pass_count"),
        Wrong(seat, _pass([*cards, _strange(cards, rng)]), "wrong_pass_count"),
        Wrong(seat, _pass([*cards[1:], _strange(held, rng)]), "card_not_in_hand"),
        Wrong(seat, {"type": "play", "card": held[0]}, "wrong_phase"),
        Wrong(seat, {"type": "moon", "choice": "self_subtract"}, "wrong_phase"),
    ]
    too_often = [cards[0]] * (held.count(cards[0]) + 1)
    if len(cards) >= len(too_often):
        rest = [one for one in cards if one != cards[0]]
        filled = [*too_often, *rest, *too_often][: len(cards)]
        found.append(Wrong(seat, _pass(filled), "duplicate_cards"))
    return found


def _at_a_moon(seat, _, rng):
    return [
        Wrong(seat, {"type": "play", "card": rng.choice(DECK)}, "wrong_phase"),
        Wrong(seat, {"type": "pass", "cards": rng.sample(DECK, 3)}, "wrong_phase"),
    ]


def _pass(cards):
    return {"type": "pass", "cards": cards}


def _strange(cards, rng):
    return rng.choice([one for one in DECK if one not in cards])


def _otherwise(body):
    match body["type"]:
        case "play":
            return {**body, "card": next(one for one in DECK if one != body["card"])}
        case "pass":
            return {**body, "cards": [one for one in DECK if one not in body["cards"]][:3]}
        case "moon":
            choices = {"others_add": "self_subtract", "self_subtract": "others_add"}
            return {**body, "choice": choices[body["choice"]]}
