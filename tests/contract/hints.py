"""A hint now and then, held against what its seat may do."""


def taken(driver, seat, state):
    """Let *seat* be advised now and then, where the table allows it, and return its state then."""
    if state["hints"] == "off" or driver.rng.random() >= SHARE:
        return state
    body = {"level": "hard", "turn_id": state["turn"]["id"]}
    hint = driver.ask("POST", "/hints", seat, body=body, status=201).json
    again = driver.ask("POST", "/hints", seat, body=body, status=200).json
    assert hint == again
    now = driver.look(seat)
    assert now["turn"]["id"] == state["turn"]["id"]
    _check(hint, now["you"])
    return now


SHARE = 0.1


def _check(hint, you):
    moves = [one["move"] for one in hint["ranking"]]
    assert hint["move"] == moves[0]
    if hint["move"]["type"] == "pass":
        for move in moves:
            assert set(move["cards"]) <= set(you["hand"])
            assert len(move["cards"]) == len(you["legal_moves"][0]["cards"])
    else:
        assert sorted(map(str, moves)) == sorted(map(str, you["legal_moves"]))
