"""What a finished game's history must say, held against what a driver was shown live."""

import json

from service.streams import EVENTS_CAUGHT_UP
from tests.contract import analyses, archive
from tests.contract.driver import PUBLIC, WAIT
from tests.contract.readback import Readback, hand_after
from tests.contract.spec import frames

LIMITS = (500, 64, 7)
SAMPLES = 8
MOVES = {"cards.passed", "card.played", "moon.chosen"}


def check(driver):
    """Check log, views and past states of the game that *driver* has played to its end."""
    final = driver.look(PUBLIC)
    assert (final["status"], final["turn"], final["deal"]) == ("finished", None, None)
    assert final["revealed_version"] == final["version"]
    whole = _check_pages(driver, final["version"])
    result = Readback(whole).check()
    assert result == final["result"]
    assert [seat["total"] for seat in final["seats"]] == result["totals"]
    _check_seeds(driver, whole)
    for viewer in (PUBLIC, *driver.tokens):
        check_view(driver, viewer, whole)
        seen = [version for eyes, version in driver.served if eyes == viewer]
        for version in _samples(driver, seen):
            check_state(driver, viewer, version)
    _check_moves(driver, whole)
    _check_authority(whole)
    archive.check(driver, whole, final)
    analyses.check(driver, whole)
    _check_the_end(driver, final)
    return result


def pages(driver, viewer, query):
    """Return the events that the pages from *query* on hold, each page led to by the last."""
    items, target = [], f"{driver.path}/events?{query}"
    while target is not None:
        reply = driver.service.ask("GET", target, token=driver.token(viewer), status=200)
        page = reply.json
        items += page["items"]
        link = reply.headers.get("Link")
        assert (link is None) == page["complete"] == (not page["has_more"])
        target = link and link.removeprefix("<").removesuffix('>; rel="next"')
    return items


def _check_pages(driver, version):
    limits = LIMITS if driver.is_careful() else LIMITS[:1]
    whole, *others = (pages(driver, PUBLIC, f"as=all&limit={limit}") for limit in limits)
    assert all(other == whole for other in others)
    assert [one["seq"] for one in whole] == list(range(1, version + 1))
    assert not any(one["hidden"] for one in whole)
    return whole


def _check_seeds(driver, whole):
    (started,) = (one["data"] for one in whole if one["type"] == "game.started")
    seats = range(len(started["client_seeds"]))
    is_seeded = whole[0]["data"]["fairness"]["mode"] == "seeded"
    given = {} if is_seeded else driver.seeds
    assert started["client_seeds"] == [given.get(seat, "-") for seat in seats]


def check_view(driver, viewer, whole):
    """Everybody was told every event, and nobody another seat's secrets."""
    driver.follow(viewer)
    log = driver.logs[viewer]
    assert pages(driver, viewer, "limit=500") == log
    _check_stream(driver, viewer, log)
    for told, event in zip(log, whole, strict=True):
        own = {seat: part for seat, part in event["private"].items() if seat == str(viewer)}
        hidden = sorted(int(seat) for seat in event["private"].keys() - own.keys() - {"table"})
        assert told == {**event, "private": own, "hidden": hidden}
    if not driver.is_careful():
        return
    name = "public" if viewer is PUBLIC else f"seat:{viewer}"
    assert pages(driver, PUBLIC, f"as={name}&limit=500") == log
    plays = [one for one in log if one["type"] in {"card.played", "moon.chosen"}]
    assert pages(driver, viewer, "types=moon.chosen,card.played") == plays


def _check_stream(driver, viewer, log):
    """A stream tells the same as the log, and that nothing comes after it."""
    after = max(0, len(log) - EVENTS_CAUGHT_UP)
    reply = driver.ask("GET", f"/stream?after={after}", viewer, status=200)
    *told, end = [json.loads(one["data"]) for one in frames(reply.body)]
    assert told == log[after:]
    assert end == {"reason": "game_over"}
    driver.ask("GET", f"/stream?after={len(log)}", viewer, status=204)


def _check_moves(driver, whole):
    """Each accepted move is in the log, once, as it was answered."""
    gone = {sent.seat for sent in driver.sent} - driver.tokens.keys()
    logs = {seat: pages(driver, PUBLIC, f"as=seat:{seat}&limit=500") for seat in gone}
    for sent in driver.sent:
        log = (logs if sent.seat in gone else driver.logs)[sent.seat]
        for one in sent.reply.json["events"]:
            assert log[one["seq"] - 1] == one
    people = [one for one in whole if one["type"] in MOVES and one["actor"]["kind"] == "seat"]
    assert len(people) == len(driver.sent)


def _check_authority(whole):
    """Each move was made by the one who was in charge of the seat just then, and says so."""
    (created,) = (one["data"] for one in whole if one["type"] == "game.created")
    owners = {seat["seat"]: seat["kind"] for seat in created["seats"]}
    in_charge = dict(owners)
    for one in whole:
        data, seat = one["data"], one["data"].get("seat")
        match one["type"]:
            case "seat.bot_assigned":
                owners[seat] = in_charge[seat] = "bot"
            case "seat.released" if data["reason"] == "bot_removed":
                owners[seat] = in_charge[seat] = "human"
            case "seat.control_changed":
                assert data["from"] == in_charge[seat] != data["to"]
                in_charge[seat] = data["to"]
            case kind if kind in MOVES:
                _check_mover(one, owners[seat], in_charge[seat])
            case _:
                pass


def _check_mover(move, owner, in_charge):
    actor, auto, seat = move["actor"], move["data"]["auto"], move["data"]["seat"]
    if actor["kind"] == "timer":
        assert (owner, auto) == ("human", "timeout")
        return
    assert (actor["kind"], actor["seat"]) == ({"human": "seat", "bot": "bot"}[in_charge], seat)
    assert auto == ("takeover" if owner != in_charge else None)


def check_state(driver, viewer, version):
    """The state as of a version is what was served then, byte for byte."""
    served = driver.served[viewer, version]
    past = driver.ask("GET", f"/states/{version}", viewer, status=200)
    name = "public" if viewer is PUBLIC else f"seat:{viewer}"
    opened = driver.ask("GET", f"/states/{version}?as={name}", status=200)
    assert past.body == opened.body == served
    everything = driver.ask("GET", f"/states/{version}?as=all", status=200).json
    hands, kitty, state = everything.pop("hands"), everything.pop("kitty_cards"), past.json
    assert everything == {**state, "view": {"kind": "all", "seat": None}, "you": None}
    assert len(kitty) == (state["deal"]["kitty"]["size"] if state["deal"] else 0)
    if viewer is not PUBLIC:
        if state["deal"] and state["deal"]["kitty"]["taken_by"] == viewer:
            assert state["you"]["kitty"]["cards"] == kitty
        assert hands[viewer] == state["you"]["hand"]
        assert hand_after(driver.logs[viewer][:version], viewer) == sorted(hands[viewer])
    one = driver.ask("GET", f"/events/{version}", viewer, status=200).json
    assert one == driver.logs[viewer][version - 1]


def _check_the_end(driver, final):
    """A game that is over refuses all commands, and waits for nothing."""
    for seat in driver.tokens:
        move = driver.ask("POST", "/moves", seat, body={"type": "play", "card": "QS"}, status=409)
        assert (move.code, move.json["game_status"]) == ("game_not_active", "finished")
        legal = driver.ask("GET", "/legal-moves?explain=true", seat, status=200).json
        assert (legal["why"], legal["moves"], legal["forbidden"]) == ("game_not_active", [], [])
    abort = driver.service.ask("POST", f"{driver.path}/abort", token=driver.host, status=409)
    assert abort.code == "game_not_active"
    for sent in _samples(driver, driver.sent):
        driver.repeat(sent)
    version = final["version"]
    page = driver.ask("GET", f"/events?after={version}&wait={WAIT}", status=200).json
    assert (page["items"], page["complete"], page["version"]) == ([], True, version)


def _samples(driver, things):
    most = SAMPLES if driver.is_careful() else 1
    return driver.rng.sample(things, min(most, len(things)))
