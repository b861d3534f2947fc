"""Opening a table: what comes of a request, and which requests contradict themselves."""

import random

import pytest

from engine.bots import LEVELS
from engine.presets import PRESETS
from tests.tables import BOT, HUMAN, Table, new_key, open_table

# Values that fit the schema, whether or not they go together.
OPTIONS = [
    ("deck", "remove", ["standard", "none", [], ["2C"], ["2D", "2C"], ["QS"], ["AC", "KC", "QC"]]),
    ("deck", "leftover", ["none", "kitty"]),
    ("deck", "kitty_to", ["first_trick", "first_penalty_trick", "last_trick"]),
    ("passing", "count", [0, 1, 3, 4, 17]),
    ("passing", "cycle", [["hold"], ["left", "across"], ["scatter"], ["left2", "right2", "hold"]]),
    ("play", "opening_lead", ["lowest_club", "any_club", "eldest"]),
    ("play", "queen", ["free", "no_lead_until_broken", "no_play_until_broken"]),
    ("play", "hearts_broken_by", ["heart", "heart_or_queen"]),
    ("scoring", "hearts", ["one", "rank", {"A": 5}, {}, {"2": -1000, "K": 1000}]),
    ("scoring", "queen_of_spades", [0, 13, 1000]),
    ("scoring", "extra", [{}, {"JD": -10}, {"QS": 5}, {"2H": 3}, {"2C": 1000, "AS": -1000}]),
    ("scoring", "no_trick", [0, -5]),
    ("scoring", "moon", ["shooter_choice", "others_add", "self_subtract", "safety", "off"]),
    ("scoring", "moon_points", ["auto", 0, 26, -1000]),
    ("scoring", "moon_needs", ["penalties", "counters", "tricks"]),
    ("scoring", "moon_absorbs_bonus", [True, False]),
    ("scoring", "sun_points", [None, 0, 52, -1000]),
    ("ending", "target", [None, 1, 100, 100000]),
    ("ending", "deals", [None, 1, 256]),
    ("ending", "reach", ["at_least", "exceed"]),
    ("ending", "tie", ["share", "play_on"]),
]


def create(api, expect=201, **body):
    return api.ask("POST", "/v1/games", body=body, expect=expect)


def test_the_usual_table_has_one_person_and_three_bots(api):
    made = create(api).json

    assert [seat["bot_level"] for seat in made["game"]["seats"]] == [None, *["medium"] * 3]
    assert made["game"]["rules"]["preset"] == "standard"
    assert (made["status"], made["version"]) == ("lobby", 1)
    assert (made["seat"], made["seat_token"]) == (None, None)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_table_of_a_preset_has_its_usual_number_of_seats(api, preset):
    made = create(api, rules={"preset": preset}).json["game"]
    spelled_out = api.ask("GET", f"/v1/presets/{preset}", expect=200).json

    assert len(made["seats"]) == made["rules"]["seats"] == PRESETS[preset].usual_seats
    assert made["rules"] == spelled_out["rules"]


def test_the_id_of_a_game_is_half_of_its_commitment(api):
    made = create(api).json

    assert made["fairness"]["commitment"][:32] == made["id"]


def test_the_answer_says_where_the_game_is(api):
    answer = create(api, claim={"seat": 0, "name": "Ana"})

    assert answer.headers["Location"] == f"/v1/games/{answer.json['id']}"
    assert answer.headers["ETag"] == '"2-p"'
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_creator_may_take_a_seat(api):
    table = Table(api, create(api, claim={"seat": 0, "name": " Ana "}).json)

    assert table.state(0)["you"]["seat"] == 0
    assert table.state()["seats"][0]["name"] == "Ana"


@pytest.mark.parametrize("level", LEVELS)
def test_a_bot_has_a_name_of_its_level_unless_it_is_given_one(api, level):
    bots = [{"kind": "bot", "level": level}, {"kind": "bot", "level": level, "name": "Robo"}]
    seats = open_table(api, HUMAN, *bots).state()["seats"]

    assert [seat["name"] for seat in seats] == [None, f"{level.title()} Bot", "Robo"]


def test_every_game_has_an_id_and_tokens_of_its_own(api):
    made = [create(api, claim={"seat": 0, "name": "Ana"}).json for _ in range(20)]

    for member in ("id", "host_token", "seat_token"):
        assert len({one[member] for one in made}) == 20


@pytest.mark.parametrize("seat", [1, 3, 4, 6])
def test_a_seat_that_nobody_can_claim_is_a_contradiction(api, seat):
    answer = create(api, claim={"seat": seat, "name": "Ana"}, expect=(409, "rules_conflict"))

    assert answer.json["fields"] == ["/claim/seat"]


@pytest.mark.parametrize("seat", [2, 3])
def test_a_claim_contradicts_the_seats_that_are_asked_for(api, seat):
    body = {"seats": [HUMAN, HUMAN, BOT], "claim": {"seat": seat, "name": "Ana"}}
    answer = create(api, **body, expect=(409, "rules_conflict"))

    assert answer.json["fields"] == ["/claim/seat", "/seats"]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"rules": {"seats": 5}, "seats": [BOT] * 4}, ["/rules/seats", "/seats"]),
        ({"rules": {"preset": "online", "seats": 5}}, ["/rules/preset", "/rules/seats"]),
        ({"rules": {"preset": "online"}, "seats": [BOT] * 5}, ["/rules/preset", "/seats"]),
        ({"rules": {"version": 2}}, ["/rules/version"]),
        ({"rules": {"derived": {"deck_size": 51}}}, ["/rules/derived/deck_size"]),
    ],
)
def test_a_contradiction_names_both_sides(api, body, fields):
    answer = create(api, **body, expect=(409, "rules_conflict"))

    assert sorted(answer.json["fields"]) == fields


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_may_be_sent_back_as_they_were_read(api, preset):
    for seats in PRESETS[preset].seats:
        spelled_out = api.ask("GET", f"/v1/presets/{preset}?seats={seats}", expect=200).json

        made = create(api, rules=spelled_out["rules"]).json

        assert made["game"]["rules"] == spelled_out["rules"]


def test_a_refused_table_leaves_nothing_behind(api):
    key = new_key()
    wrong = {"rules": {"seats": 5}, "seats": [BOT] * 4}
    api.ask("POST", "/v1/games", body=wrong, key=key, expect=(409, "rules_conflict"))

    assert api.ask("GET", "/v1/games", expect=200).json["items"] == []
    api.ask("POST", "/v1/games", body={}, key=key, expect=201)


def test_rules_of_every_kind_are_taken_or_contradict_themselves(api):
    rng = random.Random("rules of every kind")
    seen = set()
    for _ in range(300):
        rules = {"preset": rng.choice(list(PRESETS)), "seats": rng.randint(3, 7)}
        for group, name, values in rng.sample(OPTIONS, rng.randint(1, 5)):
            rules.setdefault(group, {})[name] = rng.choice(values)
        answer = api.ask("POST", "/v1/games", body={"rules": rules})

        seen.add(answer.status_code)
        assert answer.status_code in {201, 409}, rules
    assert seen == {201, 409}
