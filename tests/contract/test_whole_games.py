"""Whole games over HTTP, every answer held to the contract, every log read back."""

import random
from pathlib import Path

import pytest

from engine.presets import PRESETS
from service import settings
from service.app import create_app
from service.jobs import make_hands, play_due
from tests.contract import history
from tests.contract.asking import in_process
from tests.contract.driver import Driver

HUMAN = {"kind": "human"}
TABLES = [(name, seats) for name, preset in PRESETS.items() for seats in preset.seats]


@pytest.fixture(scope="module")
def here(redis_url, tmp_path_factory):
    """The service in this process, and what moves its bots."""
    folder = tmp_path_factory.mktemp("whole-games")
    checked = settings.load({"HEARTS_DATA_DIR": str(folder), "HEARTS_EVENTS_URL": redis_url})
    hands = make_hands(checked)
    return in_process(create_app(checked)), lambda game_id: play_due(hands, game_id)


def play(here, body, name, care):
    service, bots = here
    driver = Driver(service, random.Random(name), care=care, bots=bots)
    driver.open(body)
    driver.fill()
    driver.start()
    driver.play()
    history.check(driver)
    return driver


@pytest.mark.parametrize(("preset", "seats"), TABLES)
def test_a_deal_of_every_preset_and_number_of_seats(here, preset, seats):
    rules = {"preset": preset, "ending": {"target": None, "deals": 1, "tie": "share"}}
    body = {"rules": rules, "seats": [HUMAN] * seats, "claim": {"seat": 0, "name": "Ana"}}

    play(here, body, f"{preset} {seats}", care=0.1)
