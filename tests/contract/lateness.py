"""People who let their time go by while a driver plays, and a service that is away.

The time of the service is the driver's to move, so that nobody has to wait. What the clock
then does must stand in the log as it was promised, and whoever was late must be told.
"""

from dataclasses import replace

from service.requests import DEPS
from tests.contract.driver import PUBLIC
from tests.house import MemoryWatch

GRACE_SECONDS = 15
"""What everybody gets back besides the time of an outage."""


class Hours:
    """The time of a service and its worker, which runs on and can be moved."""

    def __init__(self, clock):
        self._clock = clock
        self._ahead = 0
        self.watch = MemoryWatch()

    def now(self):
        return self._clock() + self._ahead

    def pass_by(self, seconds):
        self._ahead += 1_000 * seconds

    def be_away(self, seconds):
        """Let *seconds* go by in which nobody keeps the time."""
        since = self.now()
        self.pass_by(seconds)
        self.watch.outages.append((since, self.now()))

    def rule(self, app, hands):
        """Let *app* go by this time, and return *hands* that do, too."""
        app.extensions[DEPS] = replace(app.extensions[DEPS], clock=self.now)
        return hands._replace(deps=replace(hands.deps, clock=self.now), watch=self.watch)


class Lateness:
    """Somebody is late between two moves with that *chance*; *done* has what came of it."""

    def __init__(self, hours, clock, chance):
        self.hours = hours
        self.clock = clock
        self.chance = chance
        self.done = set()

    def __call__(self, driver):
        if driver.rng.random() >= self.chance:
            return False
        turn = driver.look(PUBLIC)["turn"]
        if turn is None:
            return False
        if turn["deadline_at"] is None:
            driver.bots(driver.game_id)
            self.done.add("bots play")
        elif driver.rng.random() < 0.2:
            self._away(driver, turn)
        else:
            self._late(driver, turn)
        return True

    def _away(self, driver, turn):
        """Nobody is charged for an outage."""
        self.hours.be_away(self.clock["play_seconds"])
        news = self._news(driver)
        (extended,) = (one["data"] for one in news if one["type"] == "turn.extended")
        after = driver.look(PUBLIC)["turn"]
        assert (extended["turn_id"], extended["reason"]) == (turn["id"], "outage")
        assert (after["id"], after["deadline_at"]) == (turn["id"], extended["deadline_at"])
        assert after["deadline_at"] > turn["deadline_at"]
        assert "turn.timed_out" not in {one["type"] for one in news}
        self.done.add("outage")

    def _late(self, driver, turn):
        """The clock moves for all who are late, and they cannot do so any more."""
        self.hours.pass_by(2 * max(self.clock.values()) + GRACE_SECONDS)
        news = self._news(driver)
        times = [one["data"] for one in news if one["type"] == "turn.timed_out"]
        late = [seat for one in times for seat in one["seats"]]
        assert late
        assert all(one["turn_id"] == turn["id"] for one in times)
        assert set(late) <= set(turn["seats"])
        for one in times:
            self.done.add(f"late {min(one['consecutive'], 2)}")
        for one in news:
            if one["type"] == "seat.control_changed":
                assert one["data"]["reason"] == "timeout"
                self.done.add("takeover")
        for seat in late:
            self._try_too_late(driver, seat, turn)

    def _try_too_late(self, driver, seat, turn):
        body = {"type": "play", "card": "QS", "turn_id": turn["id"]}
        refused = driver.ask("POST", "/moves", seat, body=body, status=409)
        assert refused.code in {"turn_already_played", "game_not_active"}
        self.done.add(refused.code)

    def _news(self, driver):
        driver.follow(PUBLIC)
        before = len(driver.logs[PUBLIC])
        driver.bots(driver.game_id)
        driver.follow(PUBLIC)
        return driver.logs[PUBLIC][before:]
