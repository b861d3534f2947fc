"""An analysis of a finished game as anybody asks for it; whether somebody works does not matter."""

MADE = {"cards.passed", "card.played", "moon.chosen"}
STATUSES = {"queued", "running", "done"}


def check(driver, whole):
    """Check that an analysis is there once it is asked for, and has every decision of *whole*."""
    scored = [one["data"]["deal"] for one in whole if one["type"] == "deal.scored"][:16]
    made = [one for one in whole if one["type"] in MADE and one["data"]["deal"] in scored]
    body = {"level": "hard"}
    first, again = (driver.ask("POST", "/analyses", body=body) for _ in range(2))
    assert first.status in {200, 202}
    assert again.status == 200
    assert first.headers["Location"] == again.headers["Location"]
    path = first.headers["Location"].removeprefix(driver.path)
    for reply in (first, again, driver.ask("GET", path, status=200)):
        assert reply.json["status"] in STATUSES
        assert reply.json["deals"] == scored
        assert reply.json["progress"]["all"] == len(made)
    beyond = {"level": "hard", "deals": [scored[-1] + 1]}
    assert driver.ask("POST", "/analyses", body=beyond, status=404).code == "deal_not_found"
