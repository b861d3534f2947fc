"""Forks of a game that a driver has played to its end: played on, and held against the origin."""

from tests.contract import archive, history
from tests.contract.driver import PUBLIC
from tests.contract.readback import Readback, hand_after

HUMAN = {"kind": "human"}
CONFLICT = "rules_conflict"


def play(driver, origin=None):
    """Fork the game of *driver* from any version, and see the fork through.

    Returns its driver, and its log as `spliced` tells it. *origin* is that of the game that
    is forked, if this is a fork as well.
    """
    origin = origin or history.pages(driver, PUBLIC, "as=all&limit=500")
    other = driver.beside()
    seats = len(driver.look(PUBLIC)["seats"])
    _check_refusals(driver, seats, origin)
    body = {"at_version": _anywhere(driver, origin), "seats": [HUMAN] * seats}
    other.fork(driver.path, body)
    other.fill()
    other.start()
    _check_start(other, origin)
    other.play()
    return other, check(other, origin)


def _anywhere(driver, origin):
    dealt, last = _first(origin, "deal.dealt"), origin[-1]["seq"]
    # Behind the last move nothing is left to decide.
    end = max(one["seq"] for one in origin if one["type"] in history.MOVES)
    assert dealt <= end < last
    return driver.rng.randrange(dealt, end)


def _first(origin, kind):
    return next(one["seq"] for one in origin if one["type"] == kind)


def _check_refusals(driver, seats, origin):
    dealt = _first(origin, "deal.dealt")
    wrong = [
        ({"at_version": 1}, 409, "game_not_started"),
        ({"at_version": dealt - 1}, 409, "game_not_started"),
        ({"at_version": origin[-1]["seq"]}, 409, "nothing_to_play"),
        ({"at_version": origin[-1]["seq"] + 1}, 404, "version_not_found"),
        ({"at_version": dealt, "seats": [HUMAN] * (seats - 1 if seats > 3 else 4)}, 409, CONFLICT),
    ]
    for body, status, code in driver.rng.sample(wrong, 2):
        refused = driver.ask("POST", "/forks", body=body, key=driver.key(), status=status)
        assert refused.code == code


def _check_start(other, origin):
    """The fork begins as the origin stood at the version that it names."""
    state = other.look(PUBLIC)
    version = state["origin"]["version"]
    path = f"/v1/games/{state['origin']['game_id']}"
    before = other.service.ask("GET", f"{path}/states/{version}?as=all", status=200).json
    assert (state["deal"], state["rules"]) == (before["deal"], before["rules"])
    assert state["turn"]["seats"] == before["turn"]["seats"]
    other.copied = state["deal"]["number"]
    for seat in other.tokens:
        seen = other.look(seat)
        past = other.service.ask("GET", f"{path}/states/{version}?as=seat:{seat}", status=200).json
        assert seen["you"] == past["you"]
        mine = hand_after([one for one in origin if one["seq"] <= version], seat)
        assert sorted(seen["you"]["hand"]) == mine
    names = ("has_passed", "hand_size", "tricks_taken", "deal_points", "total")
    for mine, theirs in zip(state["seats"], before["seats"], strict=True):
        assert [mine[name] for name in names] == [theirs[name] for name in names]


def check(other, origin):
    """Check log, views, states and files of a fork that is over, and return its log as told.

    *origin* is the log of the game that it comes from.
    """
    final = other.look(PUBLIC)
    whole = history.pages(other, PUBLIC, "as=all&limit=500")
    told, copied = spliced(whole, origin)
    totals = copied["data"]["totals"]
    assert Readback(told, copied["data"]["deal"], totals).check() == final["result"]
    for viewer in (PUBLIC, *other.tokens):
        history.check_view(other, viewer, whole)
        seen = [version for eyes, version in other.served if eyes == viewer]
        history.check_state(other, viewer, other.rng.choice(seen))
    archive.check_fork(other, whole, told, final)
    return told


def spliced(whole, origin):
    """Return the log of a fork with the origin's events in place of the copied position.

    Beside it the event that sets the position, whose number they have.
    """
    (place,) = (at for at, one in enumerate(whole) if one["type"] == "position.set")
    copied = whole[place]
    version, deal = whole[0]["data"]["origin"]["version"], copied["data"]["deal"]
    before = [
        one | {"seq": copied["seq"]}
        for one in origin
        if one["seq"] <= version and one["data"].get("deal") == deal
    ]
    return [*whole[:place], *before, *whole[place + 1 :]], copied
