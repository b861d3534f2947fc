"""A finished game as frames, deals and files, held against its log and what was shown live."""

import hashlib
import json
import re
from itertools import count

from engine.notation.reader import read_game
from engine.notation.record import ScoreLine
from engine.notation.writer import write_game
from tests.contract.driver import PUBLIC
from tests.contract.readback import Readback
from tests.proofs import DECK, holds

ENDS = {"game.finished", "game.aborted"}
OF_A_COPY = re.compile(rb'"origin":|^\{"sha256"|^\[(Game|Origin) "')
"""The lines in which a copy may differ: header, first event and trailer, or two tags."""

STOPS = {
    "trick": {"trick.completed", "deal.voided", *ENDS},
    "deal": {"deal.scored", "deal.voided", *ENDS},
}


def check(driver, whole, final):
    """Check what the history of the game gives; *whole* is its log as `all` sees it."""
    _check_frames(driver, whole)
    deals = _check_deals(driver, whole)
    _check_fairness(driver, whole, deals)
    _check_lines(driver, whole, final)
    _check_document(driver, final, deals)
    _check_notation(driver, deals, final)
    _check_files(driver)


def check_fork(driver, whole, told, final):
    """Check what the history of a fork gives.

    *told* is its log with the events of its origin in place of the copied position.
    """
    _check_frames(driver, whole)
    deals = _pages(driver, "/deals?limit=3", PUBLIC)
    last = None
    for shown in deals:
        events = [one for one in told if one["data"].get("deal") == shown["number"]]
        _check_told_deal(shown, events)
        assert last in {None, shown["number"] - 1}
        last = shown["number"]
    first = deals[0]["number"]
    proof = driver.ask("GET", f"/deals/{first}/proof", status=409)
    origin = final["origin"]["game_id"]
    assert proof.code == "not_provable"
    assert proof.json["links"] == {"proof": f"/v1/games/{origin}/deals/{first}/proof"}
    _check_fairness(driver, whole, deals)
    _check_document(driver, final, deals)
    _check_notation(driver, deals, final)
    _check_files(driver)


def _check_told_deal(shown, events):
    """Check a deal of a fork, whose first *events* may be those of its origin."""
    dealt, last = events[0], events[-1]
    seats = map(str, range(len(dealt["data"]["hand_sizes"])))
    assert shown["open"]
    assert shown["hands"] == [dealt["private"][seat]["hand"] for seat in seats]
    assert (shown["first_version"], shown["last_version"]) == (dealt["seq"], last["seq"])
    _check_played(shown, events)


def check_opened(driver, whole):
    """Check that an aborted game, whose log is *whole*, gives away all it has."""
    final = driver.look(PUBLIC)
    deals = _pages(driver, "/deals?limit=1", PUBLIC)
    for shown in deals:
        proof = driver.ask("GET", f"/deals/{shown['number']}/proof", status=200).json
        assert holds(proof, chain_of(final["fairness"]))
        assert None not in shown["hands"]
    assert (deals[-1]["last_version"], deals[-1]["points"]) == (final["version"], None)
    _check_fairness(driver, whole, deals)
    _, *events, _ = driver.ask("GET", "/export", status=200).body.splitlines()
    assert [json.loads(line) for line in events] == whole
    _check_document(driver, final, deals)


def _check_frames(driver, whole):
    """Frame n is event n, and the state that was served live at version n."""
    viewer = driver.rng.choice([PUBLIC, *driver.tokens])
    log, frames = driver.logs[viewer], _pages(driver, "/replay?limit=100", viewer)
    assert [one["event"] for one in frames] == log
    assert [one["version"] for one in frames] == [one["state"]["version"] for one in frames]
    served = {version: body for (eyes, version), body in driver.served.items() if eyes == viewer}
    assert served
    for version, body in served.items():
        assert frames[version - 1]["state"] == json.loads(body)
    _check_past(driver, viewer, frames)
    _check_steps(driver, whole)


def _check_past(driver, viewer, frames):
    for frame in driver.rng.sample(frames, min(5, len(frames))):
        version = frame["version"]
        past = driver.ask("GET", f"/states/{version}", viewer, status=200)
        assert past.json == frame["state"]
        page = driver.ask("GET", f"/replay?after={version - 1}&limit=1", viewer, status=200)
        assert page.json["items"] == [frame]


def _check_steps(driver, whole):
    step = driver.rng.choice([*STOPS])
    limit = driver.rng.choice([3, 50, 100])
    found = _pages(driver, f"/replay?step={step}&as=all&state=none&limit={limit}", PUBLIC)
    assert [one["event"] for one in found] == [one for one in whole if one["type"] in STOPS[step]]
    assert {one["state"] for one in found} == {None}


def _check_deals(driver, whole):
    viewer = driver.rng.choice([PUBLIC, *driver.tokens])
    deals = _pages(driver, f"/deals?limit={driver.rng.choice([1, 3, 50])}", viewer)
    commitment = chain_of(whole[0]["data"]["fairness"])
    dealt = [one["data"]["deal"] for one in whole if one["type"] == "deal.dealt"]
    assert [shown["number"] for shown in deals] == dealt
    for number, shown in zip(dealt, deals, strict=True):
        events = [one for one in whole if one["data"].get("deal") == number]
        _check_deal(shown, number, events)
        alone = driver.ask("GET", f"/deals/{number}?as=all", viewer, status=200).json
        assert alone == shown
        proof = driver.ask("GET", f"/deals/{number}/proof", viewer, status=200).json
        assert holds(proof, commitment)
        assert [sorted(hand, key=DECK.index) for hand in proof["hands"]] == shown["hands"]
        assert sorted(proof["kitty"], key=DECK.index) == shown["kitty"]["cards"]
    beyond = driver.ask("GET", f"/deals/{dealt[-1] + 1}", viewer, status=404)
    assert beyond.code == "deal_not_found"
    return deals


def _check_deal(shown, number, events):
    dealt, last = events[0], events[-1]
    seats = map(str, range(len(dealt["data"]["hand_sizes"])))
    assert (shown["number"], shown["open"]) == (number, True)
    assert (shown["first_version"], shown["last_version"]) == (dealt["seq"], last["seq"])
    assert shown["hands"] == [dealt["private"][seat]["hand"] for seat in seats]
    _check_played(shown, events)


def _check_played(shown, events):
    last = events[-1]
    is_void = last["type"] == "deal.voided"
    assert shown["voided"] == (last["data"]["reason"] if is_void else None)
    for name in ("taken", "points", "totals"):
        assert shown[name] == (None if is_void else last["data"][name])
    assert is_void or shown["moon"] == last["data"]["moon"]
    plays = [one["data"] for one in events if one["type"] == "card.played"]
    assert [play for trick in shown["tricks"] for play in trick["plays"]] == [
        {"seat": one["seat"], "card": one["card"]} for one in plays
    ]
    tricks = [one["data"] for one in events if one["type"] == "trick.completed"]
    told = [(one["number"], one["winner"], one["points"]) for one in shown["tricks"]]
    assert told[: len(tricks)] == [(one["trick"], one["winner"], one["points"]) for one in tricks]
    broken_off = [(len(tricks) + 1, None, None)] if is_void else []
    assert told[len(tricks) :] in ([], broken_off)
    _check_passes(shown, events)
    _check_kitty(shown["kitty"], events)


def _check_kitty(kitty, events):
    taken = [one for one in events if one["type"] == "kitty.taken"]
    assert kitty["size"] == len(kitty["cards"]) == events[0]["data"]["kitty_size"]
    if kitty["size"]:
        assert events[0]["private"]["table"] == {"kitty": kitty["cards"]}
    assert [(one["data"]["seat"], one["private"]) for one in taken] == [
        (seat, {str(seat): {"cards": kitty["cards"]}}) for seat in [kitty["taken_by"]] if taken
    ]


def _check_passes(shown, events):
    received = {
        (gift["from"], int(taker)): gift["cards"]
        for one in events
        if one["type"] == "pass.completed"
        for taker, part in one["private"].items()
        for gift in part["received"]
    }
    assert len(received) == len(shown["passes"])
    assert {(one["from"], one["to"]): one["cards"] for one in shown["passes"]} == received


def _check_fairness(driver, whole, deals):
    found = driver.ask("GET", "/fairness", status=200).json
    (started,) = (one["data"] for one in whole if one["type"] == "game.started")
    assert found["client_seeds"] == started["client_seeds"]
    given = [seat["client_seed_given"] for seat in driver.look(PUBLIC)["seats"]]
    mixed = [seed != "-" for seed in started["client_seeds"]]
    assert found["client_seeds_given"] == given
    assert mixed == (given if found["mode"] == "committed" else [False] * len(given))
    links = [{"deal": one["number"], "seed": one["seed"]} for one in deals]
    assert found["revealed"] == links


def _check_lines(driver, whole, final):
    """The file of lines is the log, and adds up to the result by itself."""
    viewer = driver.rng.choice([PUBLIC, *driver.tokens])
    reply = driver.ask("GET", "/export", viewer, status=200)
    *before, last = reply.body.splitlines(keepends=True)
    header, *events = map(json.loads, before)
    assert json.loads(last) == {"sha256": hashlib.sha256(b"".join(before)).hexdigest()}
    assert events == whole
    assert (header["version"], header["complete"]) == (final["version"], True)
    assert Readback(events).check() == final["result"]
    own = driver.ask("GET", "/export?format=jsonl&as=own", viewer, status=200).body
    assert [json.loads(line) for line in own.splitlines()[1:-1]] == driver.logs[viewer]


def _check_document(driver, final, deals):
    document = driver.ask("GET", "/export?format=json", status=200).json
    assert document["deals"] == deals
    assert (document["rules"], document["result"]) == (final["rules"], final["result"])


def _check_notation(driver, deals, final):
    """The text in notation is read back, and tells the same."""
    text = driver.ask("GET", "/export?format=hgn", status=200).body.decode()
    record = read_game(text).record
    assert write_game(record) == text
    scores = [line for line in record.lines if isinstance(line, ScoreLine)]
    assert [(list(one.points), list(one.totals)) for one in scores] == [
        (one["points"], one["totals"]) for one in deals if not one["voided"]
    ]
    assert record.tags["Result"].split() == [str(one) for one in final["result"]["totals"]]


def _check_files(driver):
    """The files are right, by the service's own word and whoever asks."""
    for name, media_type in (("jsonl", "application/x-ndjson"), ("hgn", "text/x-hgn")):
        file = driver.ask("GET", f"/export?format={name}", status=200).body
        report = driver.service.verify(file, media_type)
        assert report["valid"], str(report["first_error"])
        assert set(report["checks"].values()) == {"pass"}
        _check_copy(driver.service, name, media_type, file)


def _check_copy(service, name, media_type, file):
    """A copy is exported as the file it came from, but for id and origin."""
    copy = service.take_in(file, media_type)
    again = service.ask("GET", f"/v1/games/{copy['id']}/export?format={name}", status=200).body
    assert _without_id(again) == _without_id(file)


def _without_id(file):
    return [line for line in file.splitlines() if not OF_A_COPY.search(line)]


def _pages(driver, target, viewer):
    """Return the items of all pages from *target* on, each page led to by the last."""
    items, path = [], f"{driver.path}{target}"
    for _ in count():
        reply = driver.service.ask("GET", path, token=driver.token(viewer), status=200)
        page, link = reply.json, reply.headers.get("Link")
        items += page["items"]
        assert (link is None) == page["complete"] == (not page["has_more"])
        if link is None:
            break
        path = link.removeprefix("<").removesuffix('>; rel="next"')
    return items


def chain_of(fairness):
    """Return the commitment of the chain that the deals come from."""
    return fairness["deals_commitment"] or fairness["commitment"]
