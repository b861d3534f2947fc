"""The choice of whoever shot the moon: made once, by nobody else, and not after its time.

The deck has four cards, one of which counts: whoever takes it has shot the moon.
"""

from dataclasses import replace
from functools import partial

import pytest

from engine.cards import CODES
from service.deadlines import deadline_of
from service.jobs import Hands, play_due
from tests.house import MemoryTrouble, MemoryWatch
from tests.tables import Api, at_once, make_app, new_key, outcome_of, playing_table

RULES = {
    "deck": {"remove": list(CODES[4:])},
    "scoring": {"hearts": {}, "queen_of_spades": 0, "extra": {"2C": 5}},
    "ending": {"target": None, "deals": 2, "tie": "share"},
}
ADD, SUBTRACT = ({"type": "moon", "choice": one} for one in ("others_add", "self_subtract"))
MOMENTS = range(8)


class Shot:
    """A table that waits for *shooter*; *turn_id* is its turn."""

    def __init__(self, api):
        self.api = api
        self.table = playing_table(api, rules=RULES, clock={"play_seconds": 60})
        turn = self.table.play(until=lambda turn: turn["type"] == "moon")
        (self.shooter,), self.turn_id = turn["seats"], turn["id"]
        self.version = self.table.version

    def choose(self, body, seat=None, **more):
        return self.table.move(self.shooter if seat is None else seat, body, **more)

    def at_its_end(self):
        """Let a worker find that the time of the choice is up."""
        until = deadline_of(self.api.deps.games.read(self.table.id))
        parts = MemoryTrouble(), lambda _: None, MemoryWatch(), lambda *_: None
        late = replace(self.api.deps, clock=lambda: until)
        play_due(Hands(late, *parts, timer=lambda: 0.0), self.table.id)

    @property
    def chosen(self):
        """What was chosen, each time."""
        events = self.table.events(after=self.version)
        return [one["data"] for one in events if one["type"] == "moon.chosen"]


@pytest.fixture
def shot(api):
    return Shot(api)


def test_nobody_else_chooses(shot):
    """Fault case 26."""
    others = [seat for seat in range(4) if seat != shot.shooter]

    for seat in others:
        assert outcome_of(shot.choose(ADD, seat)) == (409, "not_your_turn")
    assert outcome_of(shot.choose(ADD, "host")) == (403, "seat_token_required")
    shot.table.ask("POST", "/moves", body=ADD, expect=(401, "authentication_required"))
    assert shot.table.version == shot.version


@pytest.mark.parametrize("move", [{"type": "play", "card": "2C"}, {"type": "pass", "cards": []}])
def test_nothing_is_played_before_the_choice(shot, move):
    for seat in range(4):
        assert shot.choose(move, seat).status_code in {409, 422}

    assert shot.table.version == shot.version


@pytest.mark.parametrize("guarded", [True, False])
def test_a_choice_is_made_once(shot, guarded):
    guard = {"turn_id": shot.turn_id} if guarded else {}
    first = shot.choose(ADD | guard, expect=201)

    again, other = shot.choose(ADD | guard), shot.choose(SUBTRACT | guard)

    if guarded:
        assert (again.status_code, again.data) == (200, first.data)
        assert outcome_of(other) == (409, "turn_already_played")
    else:
        assert {outcome_of(again), outcome_of(other)} <= {
            (409, "wrong_phase"),
            (409, "not_your_turn"),
        }
    assert [one["choice"] for one in shot.chosen] == ["others_add"]


@pytest.mark.parametrize("_", MOMENTS)
def test_of_two_choices_at_once_one_is_made(shot, redis_db, _):
    doors = [shot.table, shot.table.through(Api(make_app(redis_db)))] * 4
    bodies = [{**one, "turn_id": shot.turn_id} for one in (ADD, SUBTRACT)]
    asked = [bodies[number // 2 % 2] for number in range(len(doors))]

    answers = at_once(
        *(partial(door.move, shot.shooter, body) for door, body in zip(doors, asked, strict=True))
    )

    (made,) = shot.chosen
    assert sorted(one.status_code for one in answers) == [200] * 3 + [201] + [409] * 4
    for body, answer in zip(asked, answers, strict=True):
        assert (answer.status_code < 400) is (body["choice"] == made["choice"])


def test_a_choice_that_takes_too_long_is_the_safe_one(shot):
    """Fault cases 26 and 162: as the option `safety` goes, whatever the level would do."""
    shot.at_its_end()

    (made,) = shot.chosen
    assert (made["seat"], made["auto"]) == (shot.shooter, "timeout")
    assert made["choice"] == "others_add"
    for body in (ADD, SUBTRACT, ADD | {"choice": made["choice"]}):
        late = shot.choose(body | {"turn_id": shot.turn_id})
        assert outcome_of(late) == (409, "turn_already_played")
    assert len(shot.chosen) == 1


@pytest.mark.parametrize("_", MOMENTS)
def test_of_a_time_out_and_a_choice_at_once_one_is_made(shot, _):
    body = ADD | {"turn_id": shot.turn_id}

    answer, *_ = at_once(partial(shot.choose, body), shot.at_its_end, shot.at_its_end)

    (made,) = shot.chosen
    assert (answer.status_code == 201) is (made["auto"] is None)
    assert outcome_of(answer) in {201, (409, "turn_already_played")}


@pytest.mark.parametrize("_", MOMENTS)
def test_of_a_kick_and_a_choice_at_once_the_choice_is_made_once(shot, _):
    """Whoever was kicked first chooses no more; a bot does."""
    key, path = new_key(), f"/seats/{shot.shooter}"
    kick = partial(shot.table.ask, "PATCH", path, "host", {"kick": True}, key=key)

    answer, kicked = at_once(partial(shot.choose, ADD | {"turn_id": shot.turn_id}), kick)
    shot.table.let_bots_play()

    assert kicked.status_code == 200
    assert outcome_of(answer) in {201, (401, "token_revoked")}
    (made,) = shot.chosen
    assert (made["auto"] is None) is (answer.status_code == 201)


def test_who_has_a_new_token_chooses_and_the_old_one_is_dead(shot):
    old = shot.table.tokens[shot.shooter]
    shot.table.reissue(shot.shooter)

    dead = shot.table.ask("POST", "/moves", token=old, body=ADD | {"turn_id": shot.turn_id})
    shot.choose(ADD | {"turn_id": shot.turn_id}, expect=201)

    assert outcome_of(dead) == (401, "token_revoked")
    assert len(shot.chosen) == 1
