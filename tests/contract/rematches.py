"""The rematch of a game that a driver has played to its end, and what becomes of it."""

from tests.contract import history
from tests.contract.driver import PUBLIC, check_repeat


def play(driver):
    """Ask for the rematch as every seat, see it through, and return its driver."""
    other, before = driver.beside(), driver.look(PUBLIC)
    first, *others = driver.rng.sample(sorted(driver.tokens), len(driver.tokens))
    made = _asked(driver, first, 201)
    other.game_id, other.host = made["id"], made["host_token"]
    other.path = f"/v1/games/{other.game_id}"
    other.tokens[first] = made["seat_token"]
    assert made["seat"] == first
    for seat in others:
        joined = _asked(driver, seat, 200)
        assert (joined["id"], joined["seat"], joined["host_token"]) == (made["id"], seat, None)
        other.tokens[seat] = joined["seat_token"]
    _check_same(before, other.look(PUBLIC))
    other.start()
    other.play()
    history.check(other)
    return other


def _asked(driver, seat, status):
    reply, again = (driver.ask("POST", "/rematch", seat, status=status) for _ in range(2))
    check_repeat(reply, again)
    return reply.json


def _check_same(before, after):
    assert after["origin"] == {"kind": "rematch", "game_id": before["id"], "version": None}
    for name in ("rules", "clock", "visibility", "practice"):
        assert after[name] == before[name]
    sitting = [
        [(seat["seat"], seat["kind"], seat["name"]) for seat in state["seats"]]
        for state in (before, after)
    ]
    assert sitting[0] == sitting[1]
