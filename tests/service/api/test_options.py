"""What the host makes of a table: its rules, an open or a closed lobby, and how it starts."""

from functools import partial

import pytest

from engine.presets import PRESETS
from tests.tables import (
    BOT,
    HUMAN,
    UNKNOWN_GAME,
    at_once,
    full_table,
    new_key,
    open_table,
    outcome_of,
    started_table,
)

FIFTY = {"rules": {"ending": {"target": 50}}}
CLOSED = (409, "lobby_closed")


def change(table, body, expect=200, **more):
    return table.ask("PATCH", "", "host", body, expect=expect, **more)


def types(table, after=0):
    return [one["type"] for one in table.events(after=after)]


# Rules


def test_the_host_changes_what_is_named_and_nothing_else(api):
    table = open_table(api, rules={"preset": "omnibus", "passing": {"count": 2}})
    before = table.state()["rules"]

    answer = change(table, FIFTY)

    expected = {**before, "ending": {**before["ending"], "target": 50}}
    assert answer.json["rules"] == table.state()["rules"] == expected
    assert (answer.json["view"]["kind"], answer.headers["ETag"]) == ("public", '"2-p"')


def test_a_preset_begins_afresh(api):
    table = open_table(api, rules={"preset": "omnibus", "passing": {"count": 2}})

    rules = change(table, {"rules": {"preset": "spot", "ending": {"deals": 3}}}).json["rules"]

    assert rules["preset"] == "spot"
    assert rules["ending"]["deals"] == 3
    assert rules["passing"]["count"] == 3
    spot = api.ask("GET", "/v1/presets/spot?seats=4", expect=200).json["rules"]
    assert rules == {**spot, "ending": {**spot["ending"], "deals": 3}}


@pytest.mark.parametrize("preset", PRESETS)
def test_rules_may_be_sent_back_as_they_were_read(api, preset):
    seats = [HUMAN] * PRESETS[preset].usual_seats
    table = open_table(api, *seats, rules={"preset": preset})
    before = table.state()

    assert change(table, {"rules": before["rules"]}).json == before
    assert change(table, {"rules": {}}).json == before


def test_all_rules_stand_in_the_event(api):
    table = open_table(api)
    change(table, FIFTY)

    (changed,) = table.events(after=1)
    assert (changed["type"], changed["actor"]) == ("game.options_changed", {"kind": "host"})
    assert changed["data"] == {"changes": {"rules": table.state()["rules"]}}
    assert (changed["private"], changed["hidden"]) == ({}, [])


def test_other_rules_withdraw_everybodys_readiness(api):
    table = full_table(api, HUMAN, HUMAN, BOT)
    for seat in (0, 1):
        table.tell(seat, ready=True)
    assert [seat["ready"] for seat in table.state()["seats"]] == [True, True, True]

    change(table, {"lobby": "closed"})
    assert [seat["ready"] for seat in table.state()["seats"]] == [True, True, True]
    changed = change(table, FIFTY).json

    assert [seat["ready"] for seat in changed["seats"]] == [False, False, True]


@pytest.mark.parametrize(
    ("rules", "fields"),
    [
        ({"seats": 5}, ["/rules/seats"]),
        (
            {"passing": {"count": 14}},
            ["/rules/deck/remove", "/rules/passing/count", "/rules/seats"],
        ),
        ({"passing": {"cycle": ["left2"]}}, ["/rules/passing/cycle", "/rules/seats"]),
        ({"version": 2}, ["/rules/version"]),
        ({"derived": {"deck_size": 51}}, ["/rules/derived/deck_size"]),
        ({"ending": {"target": None}}, ["/rules/ending/deals", "/rules/ending/target"]),
    ],
    ids=str,
)
def test_rules_that_contradict_themselves_or_the_table_change_nothing(api, rules, fields):
    table = open_table(api)

    answer = change(table, {"rules": rules, "lobby": "closed"}, (409, "rules_conflict"))

    assert sorted(answer.json["fields"]) == fields
    assert table.version == 1


def test_a_preset_for_other_tables_is_a_contradiction(api):
    table = open_table(api, *[HUMAN] * 5)

    answer = change(table, {"rules": {"preset": "online"}}, (409, "rules_conflict"))

    assert answer.json["fields"] == ["/rules/preset", "/rules/seats"]


def test_the_game_is_played_by_the_rules_that_hold_at_the_start(api):
    table = full_table(api)
    change(table, {"rules": {"passing": {"cycle": ["hold"]}}})

    turn = table.start().state()["turn"]

    assert turn["type"] == "play"
    assert api.ask("GET", "/v1/games").json["items"][0]["preset"] == "standard"


def test_the_list_knows_the_new_preset(api):
    table = open_table(api)
    change(table, {"rules": {"preset": "plain"}})

    assert api.ask("GET", "/v1/games").json["items"][0]["preset"] == "plain"


# An open and a closed lobby


@pytest.mark.parametrize("path", ["/seats/claim", "/seats/1/claim", "/seats/0/claim"])
def test_nobody_claims_a_seat_of_a_closed_lobby(api, path):
    table = open_table(api, claim={"seat": 0, "name": "Ana"}, lobby="closed")
    assert table.state()["lobby"] == "closed"

    refused = table.ask("POST", path, body={"name": "Bea"}, expect=CLOSED)
    assert refused.json["open_seats"] == [1, 2, 3]
    change(table, {"lobby": "open"})
    table.claim(1)


def test_a_claim_that_was_made_is_repeated_in_a_closed_lobby(api):
    table, key = open_table(api), new_key()
    first = table.ask("POST", "/seats/1/claim", body={"name": "Bea"}, key=key, expect=201)
    change(table, {"lobby": "closed"})

    again = table.ask("POST", "/seats/1/claim", body={"name": "Bea"}, key=key, expect=201)

    assert again.data == first.data


def test_opening_and_closing_is_said_once(api):
    table = open_table(api)
    for lobby in ("open", "closed", "closed", "open"):
        change(table, {"lobby": lobby})

    found = [one["data"] for one in table.events() if one["type"] == "lobby.changed"]
    assert found == [{"lobby": "closed"}, {"lobby": "open"}]


def test_rules_and_lobby_change_in_one_command(api):
    table = open_table(api)

    assert change(table, FIFTY | {"lobby": "closed"}).headers["ETag"] == '"3-p"'
    assert types(table, after=1) == ["game.options_changed", "lobby.changed"]


@pytest.mark.parametrize("lobby", ["open", "closed"])
def test_a_game_that_has_started_or_ended_is_closed(api, lobby):
    for end in ("/start", "/abort"):
        table = full_table(api)
        before = change(table, {"lobby": lobby}).json
        table.ask("POST", end, "host", expect=200)

        assert table.state()["lobby"] == "closed"
        past = table.ask("GET", f"/states/{before['version']}", expect=200).json
        assert past == before
        assert past["lobby"] == lobby


def test_nothing_is_changed_after_the_start_or_the_end(api):
    started, aborted = started_table(api), open_table(api)
    aborted.ask("POST", "/abort", "host", expect=200)

    for body in (FIFTY, {"lobby": "open"}, {"rules": {}}, {"rules": {"seats": 5}}):
        change(started, body, (409, "game_already_started"))
        change(aborted, body, (409, "game_not_active"))


def test_nobody_but_the_host_changes_a_table(api):
    table = full_table(api)

    table.ask("PATCH", "", None, FIFTY, expect=(401, "authentication_required"))
    table.ask("PATCH", "", 0, FIFTY, expect=(403, "host_only"))
    host = api.deps.keyring.host_token(UNKNOWN_GAME, 1, api.deps.keyring.current)
    nowhere = f"/v1/games/{UNKNOWN_GAME}"
    api.ask("PATCH", nowhere, host, FIFTY, expect=(404, "game_not_found"))
    api.ask("PATCH", nowhere, table.host, FIFTY, expect=(403, "wrong_game"))


# Conditions, repeats, two tabs


@pytest.mark.parametrize("viewer", [None, "host", 1])
def test_the_tag_that_was_read_is_the_one_that_is_compared(api, viewer):
    table = full_table(api)
    tag = table.ask("GET", viewer=viewer).headers["ETag"]
    headers = {"If-Match": tag}

    change(table, FIFTY, headers=headers)
    stale = change(table, {"lobby": "closed"}, (412, "version_mismatch"), headers=headers)
    assert stale.json["current_version"] == 6
    assert stale.headers["ETag"] == '"6-p"'


@pytest.mark.parametrize("given", ["0", '"x"', '"9-p"', "", "W/", '"6"'])
def test_a_tag_that_is_none_does_not_match(api, given):
    """Fault case 149."""
    table = open_table(api)

    change(table, FIFTY, (412, "version_mismatch"), headers={"If-Match": given})
    change(table, FIFTY, headers={"If-Match": "*"})


def test_a_repeated_change_is_made_once_and_answered_alike(api):
    table, key = open_table(api), new_key()
    headers = {"If-Match": '"1-p"'}
    first = change(table, FIFTY, key=key, headers=headers)
    change(table, {"lobby": "closed"})
    again = change(table, FIFTY, key=key, headers=headers)

    assert (again.data, again.headers["ETag"]) == (first.data, first.headers["ETag"])
    assert again.headers["Idempotency-Replayed"] == "true"
    assert table.version == 3
    change(table, {"lobby": "open"}, (409, "idempotency_key_reused"), key=key)


def test_of_two_tabs_of_the_host_one_is_first(api):
    table = open_table(api)
    headers = {"If-Match": '"1-p"'}
    bodies = [{"rules": {"ending": {"target": target}}} for target in (50, 60, 70, 80)]

    asked = partial(table.ask, "PATCH", "", "host", headers=headers)
    answers = at_once(*(partial(asked, body=body) for body in bodies))

    assert sorted(map(str, map(outcome_of, answers))) == [
        *["(412, 'version_mismatch')"] * 3,
        "200",
    ]
    (winner,) = (answer for answer in answers if answer.status_code == 200)
    assert table.state() == winner.json


def test_two_changes_without_a_condition_are_both_made(api):
    table = open_table(api)
    bodies = [FIFTY, {"rules": {"passing": {"count": 4}}}]

    at_once(*(partial(change, table, body) for body in bodies))

    rules = table.state()["rules"]
    assert (rules["ending"]["target"], rules["passing"]["count"]) == (50, 4)


# How it starts


def test_the_options_of_the_lobby_stand_in_the_first_event(api):
    table = open_table(api, lobby="closed", auto_start=True, fill_with_bots=True)
    plain = open_table(api)

    found = [one.events()[0]["data"] for one in (table, plain)]
    assert [data["lobby"] for data in found] == ["closed", "open"]
    assert [data["auto_start"] for data in found] == [True, False]
    assert [data["fill_with_bots"] for data in found] == [True, False]


def test_bots_take_the_free_seats_at_the_start_where_that_was_agreed(api):
    table = open_table(api, claim={"seat": 1, "name": "Ana"}, fill_with_bots=True)

    state = table.ask("POST", "/start", "host", expect=200).json

    assert [seat["kind"] for seat in state["seats"]] == ["bot", "human", "bot", "bot"]
    assert state["seats"][0]["name"] == "Medium Bot"
    assert types(table, after=2) == [*["seat.bot_assigned"] * 3, "game.started", "deal.dealt"]
    table.let_bots_play()
    assert table.state()["turn"]["seats"] == [1]


def test_a_game_starts_by_itself_when_the_last_person_is_ready(api):
    table = full_table(api, HUMAN, HUMAN, BOT, auto_start=True)
    assert table.state()["status"] == "lobby"
    table.tell(1, ready=True)
    before, key = table.version, new_key()

    first = table.ask("PATCH", "/seats/0", 0, {"ready": True}, key=key, expect=200)

    assert (first.json["status"], first.json["lobby"]) == ("active", "closed")
    assert len(first.json["you"]["hand"]) == first.json["seats"][0]["hand_size"] == 17
    assert types(table, after=before) == ["seat.updated", "game.started", "deal.dealt"]
    assert {str(one["actor"]) for one in table.events(after=before)} == {
        "{'kind': 'seat', 'seat': 0}"
    }
    again = table.ask("PATCH", "/seats/0", 0, {"ready": True}, key=key, expect=200)
    assert again.data == first.data
    table.ask("POST", "/start", "host", expect=(409, "game_already_started"))


def test_a_game_starts_by_itself_when_a_bot_takes_the_last_seat(api):
    table = open_table(api, HUMAN, HUMAN, HUMAN, auto_start=True)
    table.claim(0)
    table.tell(0, ready=True)
    table.order(1, **BOT)

    answer = table.order(2, **BOT)

    assert (answer.json["status"], answer.json["you"]) == ("active", None)
    assert types(table)[-3:] == ["seat.bot_assigned", "game.started", "deal.dealt"]


def test_somebody_who_sits_down_is_waited_for(api):
    table = open_table(api, HUMAN, HUMAN, BOT, auto_start=True)
    table.claim(0)
    table.tell(0, ready=True)
    table.claim(1)

    assert table.state()["status"] == "lobby"
    table.tell(1, ready=True)
    assert table.state()["status"] == "active"


def test_a_table_of_bots_starts_as_it_is_created(api):
    table, key = {"seats": [BOT] * 4, "auto_start": True}, new_key()
    made = api.ask("POST", "/v1/games", body=table, key=key, expect=201)

    assert (made.json["status"], made.json["game"]["status"]) == ("active", "active")
    assert made.headers["ETag"] == '"3-p"'
    again = api.ask("POST", "/v1/games", body=table, key=key, expect=201)
    assert again.data == made.data


def test_the_last_two_are_ready_at_the_same_instant(api):
    for _ in range(5):
        table = full_table(api, HUMAN, HUMAN, BOT, auto_start=True)

        answers = at_once(*(partial(table.tell, seat, ready=True) for seat in (0, 1)))

        assert sorted(answer.json["status"] for answer in answers) == ["active", "lobby"]
        assert types(table).count("deal.dealt") == 1


def test_a_start_and_the_last_readiness_at_once_deal_once(api):
    for _ in range(5):
        table = full_table(api, HUMAN, BOT, BOT, auto_start=True)

        answers = at_once(
            partial(table.ask, "POST", "/start", "host"),
            partial(table.ask, "PATCH", "/seats/0", 0, {"ready": True}),
        )

        assert types(table).count("game.started") == 1
        assert [answer.status_code for answer in answers].count(200) == 1
