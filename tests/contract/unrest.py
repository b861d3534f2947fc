"""People who come and go while a driver plays: at the table, and in the middle of a deal.

Every command is sent twice, and whatever is dead must be: an old token does nothing but
repeat what killed it.
"""

from itertools import cycle

from tests.contract.driver import PUBLIC, check_repeat

REVOKED = (401, "token_revoked")
BOT = {"kind": "bot", "level": "random", "name": "Robo"}


class Unrest:
    """Somebody leaves or comes back between two moves, with that *chance*."""

    def __init__(self, chance):
        self.chance = chance
        self.left = []
        self.ways = cycle([_kick, _rotate, _release, _rotate_host, _step_aside])
        self.done = set()

    def __call__(self, driver):
        if driver.rng.random() >= self.chance:
            return False
        if self.left and driver.rng.random() < 0.7:
            self.done.add("come back")
            _come_back(driver, self.left.pop(driver.rng.randrange(len(self.left))))
        elif driver.tokens:
            seat = driver.rng.choice(sorted(driver.tokens))
            how = next(self.ways)
            self.done.add(how.__name__)
            how(driver, seat)
            if how in {_kick, _release}:
                self.left.append(seat)
        return True


def rearrange(driver):
    """Change rules, lobby and seats before the start, and end with the table as it was."""
    before = driver.look(PUBLIC)
    _change_rules(driver, before["rules"])
    _close_and_open(driver)
    _rotate_host(driver, None)
    seat = next(seat["seat"] for seat in before["seats"] if not seat["claimed"])
    _swap(driver, seat)
    driver.fill()
    _kick(driver, seat)
    driver.fill()
    _release(driver, seat)
    driver.fill()
    _rotate(driver, seat)
    for one in driver.tokens:
        driver.ask("PATCH", f"/seats/{one}", one, body={"ready": True}, status=200)
    after = driver.look(PUBLIC)
    assert after["rules"] == before["rules"]
    assert all(seat["ready"] and seat["claimed"] for seat in after["seats"])


def _change_rules(driver, rules):
    body = {"rules": {"ending": {"target": 77, "deals": 7}}}
    stale = driver.as_host("", "PATCH", body=body, tag='"0-p"', status=412)
    assert stale.code == "version_mismatch"
    twice = [_patch(driver, "", body)["rules"] for _ in range(2)]
    assert twice == [{**rules, "ending": {**rules["ending"], "target": 77, "deals": 7}}] * 2
    assert _patch(driver, "", {"rules": rules})["rules"] == rules


def _close_and_open(driver):
    assert _patch(driver, "", {"lobby": "closed"})["lobby"] == "closed"
    driver.refuse("lobby_closed", "POST", "/seats/claim", PUBLIC, body=driver.claim_body("Ben"))
    assert _patch(driver, "", {"lobby": "open"})["lobby"] == "open"


def _swap(driver, seat):
    state = _patch(driver, f"/seats/{seat}", BOT)
    assert (state["seats"][seat]["kind"], state["seats"][seat]["name"]) == ("bot", "Robo")
    state = _patch(driver, f"/seats/{seat}", {"kind": "human"})
    assert (state["seats"][seat]["kind"], state["seats"][seat]["name"]) == ("human", None)


def _patch(driver, path, body):
    """Send *body* as the host, twice under one key and tag; return the state."""
    key, tag = driver.key(), driver.tag()
    reply, again = (
        driver.as_host(path, "PATCH", body=body, key=key, tag=tag, status=200) for _ in range(2)
    )
    assert again.body == reply.body
    told = reply.json
    # Who may change the table may invite to it.
    assert told.pop("join_code", driver.join_code) == driver.join_code
    assert told == driver.look(PUBLIC)
    return told


def _kick(driver, seat):
    key, body = driver.key(), {"kick": True}
    reply, again = (
        driver.as_host(f"/seats/{seat}", "PATCH", body=body, key=key, status=200) for _ in range(2)
    )
    check_repeat(reply, again)
    dead = driver.tokens.pop(seat)
    _check_dead(driver, dead)
    _check_left(driver, seat, reply.json)


def _release(driver, seat):
    key, dead = driver.key(), driver.tokens.pop(seat)
    reply, again = (
        _ask(driver, f"/seats/{seat}/release", dead, key=key, status=200) for _ in range(2)
    )
    check_repeat(reply, again)
    _check_dead(driver, dead)
    refused = _ask(driver, f"/seats/{seat}/release", dead, key=driver.key())
    assert (refused.status, refused.code) == REVOKED
    _check_left(driver, seat, reply.json)


def _check_left(driver, seat, state):
    seen = state["seats"][seat]
    assert (seen["kind"], seen["claimed"]) == ("human", False)
    if state["status"] == "active":
        assert (seen["controller"], seen["bot_level"]) == ("bot", "medium")
        assert seen["name"] is not None
        return
    driver.seeds.pop(seat, None)
    assert (seen["controller"], seen["name"], seen["ready"]) == ("human", None, False)
    assert not seen["client_seed_given"]


def _come_back(driver, seat):
    key, body, path = driver.key(), {"reissue": True}, f"{driver.path}/seats/{seat}"
    # The app that has opened the table may do that, too, and nothing else about a seat.
    token, kind = (driver.host, "host") if driver.app is None else (driver.app, "key")
    if driver.app is not None:
        for other in ({"kick": True}, {"kind": "human"}, {"name": "Eve"}, {"ready": True}):
            refused = driver.service.ask("PATCH", path, token=token, body=other, status=403)
            assert refused.code == "host_only"
    reply, again = (
        driver.service.ask("PATCH", path, token=token, body=body, key=key, status=200)
        for _ in range(2)
    )
    check_repeat(reply, again)
    made = driver.ask("GET", f"/events/{reply.json['version']}", status=200).json
    assert made["actor"] == {"kind": kind}
    driver.tokens[seat] = reply.json["seat_token"]
    seen = driver.look(seat)["seats"][seat]
    assert (seen["controller"], seen["bot_level"], seen["claimed"]) == ("human", None, True)


def _rotate(driver, seat):
    dead = driver.tokens[seat]
    made = _rotated(driver, f"/seats/{seat}/rotate-token", dead)
    assert made["seat"] == seat
    driver.tokens[seat] = made["seat_token"]
    driver.look(seat)


def _step_aside(driver, seat):
    if driver.look(PUBLIC)["status"] != "active":
        return
    for controller, level in (("bot", "medium"), ("human", None)):
        key, body = driver.key(), {"controller": controller}
        reply, again = (
            driver.ask("PUT", f"/seats/{seat}/control", seat, body=body, key=key, status=200)
            for _ in range(2)
        )
        check_repeat(reply, again)
        seen = reply.json["seats"][seat]
        assert (seen["controller"], seen["bot_level"], seen["claimed"]) == (controller, level, True)


def _rotate_host(driver, _):
    driver.host = _rotated(driver, "/host/rotate-token", driver.host)["host_token"]


def _rotated(driver, path, dead):
    key = driver.key()
    reply, again = (_ask(driver, path, dead, key=key, status=201) for _ in range(2))
    check_repeat(reply, again)
    _check_dead(driver, dead)
    refused = _ask(driver, path, dead, key=driver.key())
    assert (refused.status, refused.code) == REVOKED
    return reply.json


def _check_dead(driver, token):
    for path in ("", "/events?after=0"):
        refused = driver.service.ask("GET", driver.path + path, token=token)
        assert (refused.status, refused.code) == REVOKED


def _ask(driver, path, token, **more):
    return driver.service.ask("POST", driver.path + path, token=token, **more)
