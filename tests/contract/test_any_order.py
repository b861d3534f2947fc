"""A table at which anything is tried at any moment: the driver as a state machine.

Hypothesis chooses the table and what is tried next, and shrinks what it finds to the
shortest game that shows it; which cards are played the number of the game fixes.
"""

import random
from typing import ClassVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run
from redis import Redis

from tests.contract import forks, history
from tests.contract.driver import PUBLIC, Driver
from tests.contract.test_whole_games import EASY, HUMAN, MIXES, RANDOM, TABLES, service_here

FORKED = 0.3
"""How often a game that is over is forked, and the fork seen through."""

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}

RULES = [
    *((seats, {"preset": preset, "ending": ONE_DEAL}) for preset, seats in TABLES),
    *((seats, rules | {"ending": ONE_DEAL}) for seats, rules in MIXES.values()),
]

has_moved = precondition(lambda machine: machine.driver.sent)


class Counting(Driver):
    """A driver that counts its keys: what Hypothesis chooses at random may be the same twice.

    *game* is the number that all of them begin with; it fixes the deals.
    """

    def __init__(self, game, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.game = game
        self.keys = 0

    def key(self):
        self.keys += 1
        return f"game-{self.game:010}-key-{self.keys:04}"


class AnyOrder(RuleBasedStateMachine):
    """One deal at one table.

    *open_service* gives a service that knows of no game; *ended* has the games seen through.
    """

    @initialize(
        table=st.sampled_from(RULES),
        others=st.lists(st.sampled_from([HUMAN, HUMAN, EASY, RANDOM]), min_size=10, max_size=10),
        game=st.integers(0, 2**32),
    )
    def sit_down(self, table, others, game):
        seats, rules = table
        service, bots = self.open_service()
        driver = Counting(game, service, random.Random(game), care=0, bots=bots)
        driver.open({"rules": rules, "seats": [HUMAN, *others[: seats - 1]]})
        driver.fill()
        driver.start()
        self.driver = driver

    @rule(moves=st.integers(1, 12))
    def play_on(self, moves):
        self.driver.play(len(self.driver.sent) + moves)

    @rule()
    def try_what_is_wrong(self):
        self.driver.attack()

    @has_moved
    @rule(data=st.data())
    def do_again_what_was_done(self, data):
        self.driver.repeat(data.draw(st.sampled_from(self.driver.sent)))

    @rule(data=st.data())
    def look_through_other_eyes(self, data):
        self.driver.look(data.draw(st.sampled_from([PUBLIC, *self.driver.tokens])))

    @rule(data=st.data())
    def read_on(self, data):
        self.driver.follow(data.draw(st.sampled_from([PUBLIC, *self.driver.tokens])))

    def teardown(self):
        """See the game through, whatever was tried, and read all of it back."""
        if hasattr(self, "driver"):
            self.driver.play()
            history.check(self.driver)
            if self.driver.rng.random() < FORKED:
                forks.play(self.driver)
            self.ended.add(self.driver.game_id)


def test_whatever_is_tried_in_whatever_order_the_table_keeps_to_the_contract(redis_url, tmp_path):
    class Here(AnyOrder):
        ended: ClassVar = set()

        def open_service(self):
            # The same steps must meet the same answers: no game is left.
            with Redis.from_url(redis_url) as client:
                client.flushall()
            return service_here(redis_url, tmp_path)

    checked = settings(
        max_examples=20,
        stateful_step_count=15,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )

    run(Here, settings=checked)

    # Else it has shown little.
    assert len(Here.ended) >= 5
