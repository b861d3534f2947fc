"""Whole games over HTTP, every answer held to the contract, every log read back."""

import random
from dataclasses import replace

import pytest

from engine.commands import VoidDeal
from engine.presets import PRESETS
from engine.reasons import STORE_RESTORED
from service import settings
from service.app import create_app
from service.jobs import make_hands, play_due
from service.keyring import Keyring
from service.requests import LINES
from service.rewinds import Voiding, void_deal
from service.steady import SteadyClock
from service.streams import Pace
from service.wiring import make_deps
from tests.contract import archive, forks, history, rematches
from tests.contract.asking import at, in_process
from tests.contract.driver import Driver
from tests.contract.lateness import Hours, Lateness
from tests.contract.readback import Readback
from tests.contract.spec import contract
from tests.contract.unrest import Unrest, rearrange
from tests.processes import hearts_up
from tests.tables import make_settings

SECRET = "one secret gives the same deals in each run"

HUMAN, EASY, RANDOM = {"kind": "human"}, *({"kind": "bot", "level": x} for x in ("easy", "random"))

TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]

NORMAL = ["standard", "omnibus_bicycle", "spot", "black_maria", "new_moon"]

# Rules that no preset has. With the queen alone every deal is a moon.
MIXES = {
    "queen alone": (
        5,
        {
            "scoring": {"hearts": {}},
            "play": {"queen": "no_play_until_broken", "opening_lead": "any_club"},
            "passing": {"cycle": ["left2", "right2"], "count": 4},
            "ending": {"target": None, "deals": 3, "tie": "share"},
        },
    ),
    "scatter and wait": (
        6,
        {
            "reveal": "game_end",
            "passing": {"cycle": ["scatter", "hold"]},
            "play": {"queen": "no_lead_until_broken", "hearts_and_queen": "free_choice"},
            "scoring": {"hearts": {"A": 7, "2": -3}, "no_trick": -5, "moon": "safety"},
            "ending": {"target": 5, "reach": "exceed", "deals": 4, "tie": "share"},
        },
    ),
    "two packs": (
        6,
        {
            "deck": {"packs": 2, "leftover": "kitty", "kitty_to": "first_penalty_trick"},
            "play": {"queen": "no_play_until_broken", "cancel_pairs": True},
            "scoring": {"extra": {"JD": -10}, "moon": "others_add"},
            "ending": {"target": None, "deals": 2, "tie": "share"},
        },
    ),
    "own deck": (
        3,
        {
            "deck": {"remove": [f"{rank}C" for rank in "23456789TJQ"] + ["2H", "3H"]},
            "play": {"hearts_broken_by": "heart"},
            "scoring": {"extra": {"KS": 5, "JD": -10}, "queen_of_spades": 20, "sun_points": 52},
            "ending": {"target": None, "deals": 4, "tie": "play_on"},
        },
    ),
}

# What a move may be refused with in a running game; the rest is about other moments.
ELSEWHERE = {"game_not_started", "game_not_active", "idempotency_key_reused"}


@pytest.fixture(scope="module")
def here(redis_url, tmp_path_factory):
    return service_here(redis_url, tmp_path_factory.mktemp("whole-games"))


def service_here(redis_url, folder, hours=None):
    """Return the service in this process, and what moves its bots; it may go by *hours*."""
    environ = {
        "HEARTS_DATA_DIR": str(folder),
        "HEARTS_EVENTS_URL": redis_url,
        "HEARTS_SECRET_KEYS": SECRET,
        "HEARTS_RATE_LIMITS": "off",
    }
    checked = settings.load(environ)
    hands, app = make_hands(checked), create_app(checked)
    app.extensions[LINES] = replace(app.extensions[LINES], pace=Pace(15, 0))
    if hours is not None:
        hands = hours.rule(app, hands)
    return in_process(app), lambda game_id: play_due(hands, game_id)


def play(here, name, seats, rules, care):
    """Play a whole game and return its driver; *name* fixes all that happens in it."""
    service, bots = here
    return finish(Driver(service, random.Random(name), care=care, bots=bots), seats, rules)


def finish(driver, seats, rules, lobby=None, **more):
    driver.open({"rules": rules, "seats": seats, **more})
    if lobby is not None:
        lobby(driver)
    driver.fill()
    driver.start()
    driver.play()
    history.check(driver)
    return driver


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_deal_of_every_preset_and_number_of_seats(here, preset, seats):
    rules = {"preset": preset, "ending": {"target": None, "deals": 1, "tie": "share"}}

    play(here, f"{preset} {seats}", [HUMAN] * seats, rules, care=0.03)


@pytest.mark.parametrize("preset", NORMAL)
def test_a_game_with_bots_to_its_usual_end(here, preset):
    driver = play(here, preset, [HUMAN, EASY, RANDOM, EASY], {"preset": preset}, care=0.05)

    assert driver.look(None)["result"]["reason"] == "target_reached"


def test_seven_people_and_bots_play_cancellation_to_its_usual_end(here):
    seats = [HUMAN, EASY, RANDOM, HUMAN, EASY, RANDOM, HUMAN]
    driver = play(here, "seven", seats, {"preset": "cancellation"}, care=0.05)

    assert driver.look(None)["result"]["reason"] == "target_reached"


def test_every_refusal_of_a_move_is_foretold(here):
    drivers = [
        play(here, name, [HUMAN] * seats, rules, care=0.25)
        for name, (seats, rules) in MIXES.items()
    ]

    codes = contract().operation("makeMove").definition["responses"]["409"]["content"]
    (schema,) = (one["schema"] for one in codes.values())
    known = set(schema["properties"]["code"]["enum"])
    assert set().union(*(driver.refused for driver in drivers)) == known - ELSEWHERE


@pytest.mark.parametrize(
    ("preset", "seats"),
    [
        ("standard", [HUMAN] * 4),
        ("pagat", [HUMAN, EASY, HUMAN]),
        ("plain", [RANDOM, *[HUMAN] * 5, EASY]),
    ],
)
def test_a_game_in_which_people_come_and_go(here, preset, seats):
    service, bots = here
    unrest = Unrest(0.15)
    rng = random.Random(f"people come and go by {preset}")
    driver = Driver(service, rng, care=0.05, bots=bots, between=unrest)
    if preset == "pagat":
        driver.app = Keyring([SECRET.encode()]).app_key("shop", "0" * 12)
    rules = {"preset": preset, "ending": {"target": None, "deals": 3, "tie": "share"}}

    finish(driver, seats, rules, lobby=rearrange)

    assert unrest.done == {
        "come back",
        "_rotate",
        "_rotate_host",
        "_kick",
        "_release",
        "_step_aside",
    }
    autos = {one["data"].get("auto") for one in driver.logs[None]}
    assert autos == {None, "takeover"}


@pytest.mark.parametrize(
    "more", [{"visibility": "private"}, {"spectators": False}, {"knowledge": "on", "hints": "on"}]
)
def test_a_game_that_is_not_for_all_is_told_to_its_players(here, more):
    """And one that is, to all; every stream on the way says what the log says."""
    service, bots = here
    driver = Driver(service, random.Random(str(more)), care=0.1, bots=bots, between=Unrest(0.02))
    rules = {"ending": {"target": None, "deals": 2, "tie": "share"}}

    finish(driver, [HUMAN, EASY, HUMAN, HUMAN], rules, lobby=rearrange, **more)

    assert driver.is_for_all == ("knowledge" in more)


@pytest.fixture
def slow(redis_url, tmp_path):
    """The service in this process at a time that tests move, and what moves its bots."""
    hours = Hours(SteadyClock())
    return hours, *service_here(redis_url, tmp_path, hours)


LATE = {"outage", "late 1", "turn_already_played"}


@pytest.mark.parametrize(
    ("on_timeout", "done"),
    [("bot_move", LATE | {"late 2"}), ("bot_takeover", LATE | {"late 2", "takeover", "bots play"})],
)
def test_a_game_in_which_people_let_their_time_go_by(slow, on_timeout, done):
    hours, service, bots = slow
    clock = {"play_seconds": 30, "pass_seconds": 60}
    late = Lateness(hours, clock, 0.3)
    rng = random.Random(f"late, then {on_timeout}")
    driver = Driver(service, rng, care=0.05, bots=bots, between=late)
    rules = {"ending": {"target": None, "deals": 3, "tie": "share"}}

    finish(driver, [HUMAN, HUMAN, EASY, HUMAN], rules, clock={**clock, "on_timeout": on_timeout})

    assert late.done >= done
    autos = {one["data"].get("auto") for one in driver.logs[None]}
    assert autos == {None, "timeout", *({"takeover"} if "takeover" in done else ())}


def test_a_game_that_ends_with_somebodys_time(slow):
    hours, service, bots = slow
    clock = {"play_seconds": 30}
    late = Lateness(hours, clock, 0.02)
    driver = Driver(service, random.Random("too late"), care=0.05, bots=bots, between=late)
    driver.open({"seats": [HUMAN] * 4, "clock": {**clock, "on_timeout": "abort"}})
    driver.fill()
    driver.start()

    driver.play()

    assert driver.look(None)["status"] == "aborted"
    log = history.pages(driver, None, "as=all")
    assert [one["type"] for one in log[-2:]] == ["turn.timed_out", "game.aborted"]
    assert log[-1]["data"]["reason"] == "timeout"
    archive.check_opened(driver, log)


def test_a_seeded_game_of_people_who_send_seeds_and_bots(here):
    service, bots = here
    seats, hands = [HUMAN, EASY, HUMAN, RANDOM], []
    for run in range(2):
        driver = Driver(service, random.Random(f"seeded {run}"), care=0.1, bots=bots)
        dealing = {"mode": "seeded", "seed": "7e57" * 16}
        rules = {"ending": {"target": None, "deals": 2, "tie": "share"}}
        finish(driver, seats, rules, dealing=dealing)
        log = history.pages(driver, None, "as=all")
        hands.append([one["private"] for one in log if one["type"] == "deal.dealt"])

    assert hands[0] == hands[1]


@pytest.mark.parametrize(
    ("reveal", "seats"),
    [("deal_end", [HUMAN, EASY, HUMAN]), ("game_end", [EASY, HUMAN, RANDOM, HUMAN, HUMAN])],
)
def test_a_game_in_which_deals_are_voided(here, redis_url, reveal, seats):
    service, bots = here
    deps, voided = make_deps(make_settings(redis_url, SECRET)), []

    def void(driver):
        if driver.rng.random() > 0.05 or len(voided) > 3:
            return False
        command = VoidDeal(STORE_RESTORED, driver.rng.choice([0, 2]))
        voided.append(void_deal(deps, driver.game_id, command, driver.key()))
        return True

    driver = Driver(service, random.Random(f"void {reveal}"), care=0.1, bots=bots, between=void)
    ending = {"target": None, "deals": 2, "tie": "share"}
    finish(driver, seats, {"preset": "kitty", "ending": ending, "reveal": reveal})

    assert set(voided) == {Voiding.DONE}


FORKED = {
    "standard": (4, {"ending": {"target": None, "deals": 2, "tie": "share"}}),
    "kitty": (5, {"preset": "kitty", "ending": {"target": None, "deals": 2, "tie": "share"}}),
    "cancellation": (7, {"preset": "cancellation", "ending": {"target": 30}}),
    **MIXES,
}


@pytest.mark.parametrize("name", FORKED)
def test_a_fork_is_played_to_its_end(here, name):
    seats, rules = FORKED[name]
    driver = play(here, f"to be forked: {name}", [HUMAN] * seats, rules, care=0.01)

    other, told = forks.play(driver)
    third, _ = forks.play(other, told)

    assert third.look(None)["origin"]["game_id"] == other.game_id


def test_a_rematch_is_played_to_its_end(here):
    service, bots = here
    driver = Driver(service, random.Random("again"), care=0.03, bots=bots)
    rules = {"ending": {"target": None, "deals": 1, "tie": "share"}}
    seats = [HUMAN, EASY, HUMAN, HUMAN]
    finish(driver, seats, rules, clock={"play_seconds": 600, "idle_seconds": 6_000})

    again = rematches.play(driver)

    assert rematches.play(again).look(None)["origin"]["game_id"] == again.game_id


@pytest.mark.parametrize("reveal", ["deal_end", "game_end"])
def test_an_aborted_game_opens_every_deal_it_reached(here, reveal):
    driver = Driver(here[0], random.Random(reveal), care=0.02)
    driver.open({"rules": {"reveal": reveal}, "seats": [HUMAN] * 4})
    driver.fill()
    driver.start()
    driver.play(moves=60)
    driver.abort()

    log = history.pages(driver, None, "as=all")
    assert log[-1]["data"]["totals"] == [seat["total"] for seat in driver.look(None)["seats"]]
    assert sum(one["type"] == "deal.dealt" for one in log) == 2
    Readback(log).check_deals()
    archive.check_opened(driver, log)


@pytest.mark.whole_game
@pytest.mark.parametrize("bots", [[EASY, EASY, RANDOM], [EASY, RANDOM, HUMAN, EASY, HUMAN, RANDOM]])
def test_a_game_against_the_bots_of_real_workers(tmp_path, redis_url, bots):
    rules = {"ending": {"target": 10}}

    with hearts_up(tmp_path, HEARTS_EVENTS_URL=redis_url) as up:
        driver = finish(
            Driver(at(up.address), random.Random(len(bots)), care=0.1), [HUMAN, *bots], rules
        )

    assert driver.sent
