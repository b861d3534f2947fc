"""What a driver must not be shown: the deal that others hold, and a table that is not for all."""

ANYWHERE = [
    "",
    "/events",
    "/events?wait=1",
    "/states/1",
    "/replay",
    "/deals",
    "/fairness",
    "/export",
]


def check(driver, state):
    """Nobody sees more than they may: the running deal is closed to all but its owner."""
    revealed, version = state["revealed_version"], state["version"]
    assert revealed < version
    page = driver.ask("GET", f"/events?as=all&limit=500&after={revealed}", status=200).json
    assert (page["items"], page["has_more"]) == ([], False)
    seat = state["you"]["seat"]
    for path in ("/states/{}?as=all", "/states/{}?as=seat:{}", "/events/{}?as=all"):
        _check_not_revealed(driver, path.format(version, seat), revealed)
    own = driver.ask("GET", f"/states/{version}?as=seat:{seat}", seat, status=200)
    assert own.body == driver.served[seat, version]
    _check_deal(driver, seat, state["deal"]["number"], revealed)


def check_strangers(driver, state):
    """Who has no token of a table that is not for all is told what everybody is."""
    path = driver.path + driver.rng.choice([*ANYWHERE, "/stream"])
    if state["visibility"] == "private":
        refused = driver.service.ask("GET", path, status=404)
        assert refused.code == "game_not_found"
    elif not state["spectators"] and state["started_at"] is not None:
        refused = driver.service.ask("GET", path, status=401)
        assert refused.code == "authentication_required"


def _check_deal(driver, seat, number, revealed):
    for path in ("/deals/{}?as=all", "/deals/{}?as=seat:{}"):
        _check_not_revealed(driver, path.format(number, seat), revealed)
    proof = driver.ask("GET", f"/deals/{number}/proof", status=409)
    assert proof.code == ("not_provable" if number == driver.copied else "not_revealed")
    for path in (f"/replay?as=all&after={revealed}", f"/deals?as=all&after={number - 1}"):
        assert driver.ask("GET", path, status=200).json["items"] == []
    shown = driver.ask("GET", f"/deals/{number}", seat, status=200).json
    known = [place for place, hand in enumerate(shown["hands"]) if hand is not None]
    assert (known, shown["open"], shown["seed"]) == ([seat], False, None)
    kitty = shown["kitty"]
    assert (kitty["cards"] is None) == (kitty["size"] > 0 and kitty["taken_by"] != seat)


def _check_not_revealed(driver, path, revealed):
    closed = driver.ask("GET", path, status=409)
    assert (closed.code, closed.json["revealed_version"]) == ("not_revealed", revealed)
