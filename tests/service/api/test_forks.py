"""A game goes on from where another one stood; the first one does not notice."""

import random

import pytest

from tests.tables import BOT, HUMAN, SHORT, UNKNOWN_GAME, Table, new_key, started_table

PRACTICE = {"practice": True, "claim": {"seat": 0, "name": "Ana"}}
MEDIUM = {"kind": "bot", "level": "medium"}


def practice_table(api, rules=SHORT, **body):
    """Return a game for practice, in which bots have passed and Ana has not."""
    table = Table(
        api, api.ask("POST", "/v1/games", body=PRACTICE | {"rules": rules} | body, expect=201).json
    )
    table.start()
    table.let_bots_play()
    return table


def finished_table(api, *seats, rules=SHORT, seed=1):
    """Return a game of people that is over."""
    table = started_table(api, *seats, rules=rules)
    table.play(random.Random(seed))
    return table


def fork(table, at, viewer=None, *, expect=201, **body):
    """Return the fork of *table* at a version, or the problem if another answer is expected."""
    more = {name: body.pop(name) for name in ("key", "token") if name in body}
    answer = table.ask("POST", "/forks", viewer, {"at_version": at, **body}, expect=expect, **more)
    return Table(table.api, answer.json) if expect == 201 else answer.json


def first(table, kind):
    """Return the number of the first event of that type."""
    return next(event["seq"] for event in table.events() if event["type"] == kind)


# The fork


def test_a_fork_goes_on_where_the_game_stood(api):
    table = finished_table(api)
    at = first(table, "trick.completed") + 2
    before = table.ask("GET", f"/states/{at}?as=all", expect=200).json

    answer = table.ask(
        "POST", "/forks", None, {"at_version": at, "claim": {"seat": 2, "name": "Cid"}}
    )
    other = Table(api, answer.json)

    assert answer.status_code == 201
    assert answer.headers["Location"] == other.path
    assert answer.json["origin"] == {"kind": "fork", "game_id": table.id, "version": at}
    assert (answer.json["status"], answer.json["seat"]) == ("active", 2)
    state = other.state(2)
    assert (state["practice"], state["visibility"]) == (True, "unlisted")
    assert state["deal"] == before["deal"]
    assert state["you"]["hand"] == before["hands"][2]
    assert state["turn"]["seats"] == before["turn"]["seats"]
    assert state["rules"] == before["rules"]
    assert [one["kind"] for one in state["seats"]] == ["bot", "bot", "human", "bot"]
    assert [one["bot_level"] for one in state["seats"]] == ["medium", "medium", None, "medium"]


def test_a_fork_has_a_log_of_its_own(api):
    table = finished_table(api)
    other = fork(table, first(table, "card.played"), claim={"seat": 0, "name": "Ana"})

    kinds = [event["type"] for event in other.events()[:4]]

    assert kinds == ["game.created", "seat.claimed", "game.started", "position.set"]
    created, _, started, _ = other.events()[:4]
    assert created["data"]["origin"]["game_id"] == table.id
    assert started["data"]["client_seeds"] == ["-"] * 4
    assert other.state()["fairness"]["commitment"].startswith(other.id)


def test_a_fork_is_played_to_its_end(api):
    table = finished_table(api)
    other = fork(table, first(table, "card.played") + 20, seats=[HUMAN] * 4)
    for seat in range(4):
        other.claim(seat)
    other.start()

    other.play(random.Random(2))

    assert other.state()["status"] == "finished"
    assert table.state()["result"] is not None


def test_bots_play_in_a_fork_at_once(api):
    table = finished_table(api)
    other = fork(table, first(table, "card.played") + 1, claim={"seat": 0, "name": "Ana"})

    other.let_bots_play()

    state = other.state(0)
    assert state["you"]["to_act"] or state["turn"] is None


def test_a_version_inside_a_command_is_that_of_its_end(api):
    table = finished_table(api, rules=SHORT | {"ending": {"target": None, "deals": 2}})
    played = first(table, "trick.completed") - 1
    scored = first(table, "deal.scored")

    whole = fork(table, played, claim={"seat": 0, "name": "Ana"})
    next_deal = fork(table, scored, claim={"seat": 0, "name": "Ana"})

    assert whole.state()["origin"]["version"] == played + 1
    assert next_deal.state()["origin"]["version"] == scored + 1
    assert next_deal.state()["deal"]["number"] == 2


def test_a_fork_in_the_pass_keeps_who_has_passed(api):
    table = finished_table(api)
    passed = first(table, "cards.passed") + 1
    before = table.ask("GET", f"/states/{passed}?as=seat:0", expect=200).json

    other = fork(table, passed, claim={"seat": 0, "name": "Ana"})

    state = other.state(0)
    assert [one["has_passed"] for one in state["seats"]] == [True, True, False, False]
    assert state["you"]["passed"] == before["you"]["passed"]
    assert state["turn"]["seats"] == [2, 3]


def test_a_fork_waits_for_the_people_it_has_seats_for(api):
    table = finished_table(api)
    at = first(table, "card.played")
    other = fork(table, at, seats=[HUMAN, HUMAN, BOT, BOT], claim={"seat": 0, "name": "Ana"})

    state = other.state()
    assert (state["status"], state["practice"], state["deal"]) == ("lobby", False, None)
    other.ask("POST", "/start", "host", expect=(409, "seats_not_filled"))
    other.ask(
        "PATCH", "", "host", {"rules": {"ending": {"deals": 3}}}, expect=(409, "rules_conflict")
    )
    other.ask("PATCH", "", "host", {"lobby": "closed"}, expect=200)
    other.ask("PATCH", "", "host", {"lobby": "open"}, expect=200)
    other.claim(1)
    other.tell(1, client_seed="a1" * 32)
    other.start()

    assert other.state()["deal"] == table.ask("GET", f"/states/{at}", expect=200).json["deal"]
    assert other.state()["status"] == "active"


def test_a_fork_without_people_plays_by_itself(api):
    table = finished_table(api)
    other = fork(table, first(table, "card.played"), seats=[BOT] * 4)

    assert other.state()["status"] == "active"
    other.let_bots_play()
    assert other.state()["status"] == "finished"


def test_a_fork_can_be_forked(api):
    table = finished_table(api)
    other = fork(table, first(table, "card.played"), claim={"seat": 0, "name": "Ana"})
    other.let_bots_play()

    third = fork(other, first(other, "position.set"), 0, claim={"seat": 1, "name": "Bea"})

    assert third.state()["origin"] == {"kind": "fork", "game_id": other.id, "version": 4}
    assert third.events()[3]["data"] == other.events()[3]["data"]


def test_a_game_that_was_stopped_can_be_forked(api):
    table = started_table(api)
    table.pass_cards()
    table.ask("POST", "/abort", "host", expect=200)

    other = fork(table, table.version - 1, claim={"seat": 0, "name": "Ana"})

    assert other.state()["deal"]["number"] == 1


def test_a_copy_from_a_file_can_be_forked(api):
    table = finished_table(api)
    file = table.ask("GET", "/export?format=jsonl").data
    made = api.ask(
        "POST", "/v1/imports", data=file, content_type="application/x-ndjson", expect=201
    )
    copy = Table(api, made.json | {"host_token": None, "seat": None})

    at = first(copy, "trick.completed") - 1
    other = fork(copy, at, claim={"seat": 0, "name": "Ana"})

    assert other.state()["origin"] == {"kind": "fork", "game_id": copy.id, "version": at + 1}


# Who may fork what


def test_a_running_game_is_not_forked(api):
    table = started_table(api)

    for viewer in (None, 0, "host"):
        problem = fork(table, 6, viewer, expect=(409, "game_not_finished"))
        assert problem["game_status"] == "active"


def test_practice_is_forked_while_it_runs_by_its_player_and_its_host(api):
    table = practice_table(api)

    for viewer in (0, "host"):
        other = fork(table, table.version, viewer, claim={"seat": 0, "name": "Ana"})
        assert other.state(0)["you"]["hand"] == table.state(0)["you"]["hand"]
    fork(table, table.version, expect=(409, "game_not_finished"))
    assert table.state()["status"] == "active"


def test_a_token_that_was_replaced_forks_nothing(api):
    table = practice_table(api)
    old = table.tokens[0]
    table.reissue(0)

    fork(table, table.version, token=old, expect=(401, "token_revoked"))


def test_a_fork_is_made_of_a_game_that_there_is(api):
    body = {"at_version": 1}
    other = practice_table(api)

    api.ask("POST", f"/v1/games/{UNKNOWN_GAME}/forks", body=body, expect=(404, "game_not_found"))
    api.ask("POST", "/v1/games/xyz/forks", body=body, expect=(404, "not_found"))
    api.ask(
        "POST",
        f"/v1/games/{UNKNOWN_GAME}/forks",
        other.host,
        body,
        expect=(403, "wrong_game"),
    )
    other.ask("POST", "/forks", token="x", body=body, expect=(401, "invalid_token"))


def test_a_version_is_between_the_first_deal_and_the_end(api):
    table = finished_table(api)
    dealt, end = first(table, "deal.dealt"), table.version

    assert fork(table, dealt, claim={"seat": 0, "name": "Ana"}).state()["deal"]["number"] == 1
    fork(table, dealt - 1, expect=(409, "game_not_started"))
    fork(table, 1, expect=(409, "game_not_started"))
    fork(table, end - 1, expect=(409, "nothing_to_play"))
    fork(table, end, expect=(409, "nothing_to_play"))
    fork(table, end + 1, expect=(404, "version_not_found"))


def test_a_game_stopped_before_its_first_deal_has_nothing_to_fork(api):
    lobby = practice_lobby(api)
    fork(lobby, 1, "host", expect=(409, "game_not_started"))
    lobby.ask("POST", "/abort", "host", expect=200)

    fork(lobby, 1, expect=(409, "game_not_started"))
    fork(lobby, 3, expect=(409, "game_not_started"))


def practice_lobby(api):
    return Table(api, api.ask("POST", "/v1/games", body=PRACTICE, expect=201).json)


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ({"seats": [BOT] * 3}, ["/seats"]),
        ({"seats": [HUMAN] * 5}, ["/seats"]),
        ({"claim": {"seat": 4, "name": "Ana"}}, ["/claim/seat"]),
        ({"seats": [BOT] * 4, "claim": {"seat": 0, "name": "Ana"}}, ["/claim/seat", "/seats"]),
    ],
)
def test_the_seats_of_a_fork_are_those_of_the_table(api, body, fields):
    table = finished_table(api)

    assert fork(table, 7, expect=(409, "rules_conflict"), **body)["fields"] == fields


@pytest.mark.parametrize(
    "body",
    [
        {"rules": {}},
        {"at_version": 0},
        {"at_version": None},
        {"visibility": "secret"},
        {"clock": 1},
    ],
)
def test_a_fork_has_no_rules_of_its_own(api, body):
    table = finished_table(api)

    fork(table, body.pop("at_version", 7), expect=(422, "validation_failed"), **body)


# Repeats


def test_a_repeated_fork_is_the_same_game_with_the_same_tokens(api):
    table, key = practice_table(api), new_key()
    body = {"at_version": table.version, "claim": {"seat": 0, "name": "Ana"}}

    one, again = (table.ask("POST", "/forks", 0, body, key=key, expect=201) for _ in range(2))
    table.ask("POST", "/abort", "host", expect=200)
    later = table.ask("POST", "/forks", 0, body, key=key, expect=201)

    assert one.json == again.json == later.json
    assert "Idempotency-Replayed" not in one.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    other = body | {"visibility": "public"}
    table.ask("POST", "/forks", 0, other, key=key, expect=(409, "idempotency_key_reused"))


def test_a_key_makes_another_fork_of_another_game(api):
    tables, key = [practice_table(api), practice_table(api)], new_key()
    body = {"at_version": 5, "claim": {"seat": 0, "name": "Ana"}}

    made = [one.ask("POST", "/forks", 0, body, key=key, expect=201).json for one in tables]
    created = api.ask("POST", "/v1/games", body={}, key=key, expect=201).json

    assert len({one["id"] for one in [*made, created]}) == 3


# What it shows


def test_everybody_sees_of_a_position_what_they_may_see(api):
    table = finished_table(api)
    at = first(table, "card.played") + 9
    other = fork(table, at, claim={"seat": 2, "name": "Cid"})
    hands = table.ask("GET", f"/states/{at}?as=all", expect=200).json["hands"]

    for viewer in (None, 2):
        event = other.events(viewer)[3]
        shown = event["private"]
        assert list(shown) == ([] if viewer is None else ["2"])
        assert event["hidden"] == [seat for seat in range(4) if seat != viewer]
    assert shown["2"]["hand"] == hands[2]
    other.ask("GET", "/states/4?as=all", expect=(409, "not_revealed"))
    other.ask("GET", "/states/4?as=seat:1", 2, expect=(409, "not_revealed"))
    other.ask("POST", "/abort", "host", expect=200)
    opened = other.ask("GET", "/states/4?as=all", expect=200).json
    assert opened["hands"] == hands


@pytest.mark.parametrize("step", [0, 3, 30])
def test_the_copied_deal_reads_as_it_did(api, step):
    table = finished_table(api)
    at = first(table, "cards.passed") + step
    version = fork(table, at, claim={"seat": 0, "name": "Ana"}).state()["origin"]["version"]
    other = fork(table, at, seats=[HUMAN] * 4)
    for seat in range(4):
        other.claim(seat)
    other.start()
    deal = other.ask("GET", "/deals/1", 1, expect=200).json
    whole = table.ask("GET", "/deals/1", expect=200).json

    played = [play for trick in deal["tricks"] for play in trick["plays"]]
    assert played == [play for trick in whole["tricks"] for play in trick["plays"]][: len(played)]
    assert len(played) == sum(event["type"] == "card.played" for event in table.events()[:version])
    assert deal["hands"] == [None, whole["hands"][1], None, None]
    other.ask("POST", "/abort", "host", expect=200)
    opened = other.ask("GET", "/deals/1", expect=200).json
    assert opened["hands"] == whole["hands"]
    assert (
        opened["passes"]
        == sorted(whole["passes"], key=lambda one: one["from"])[: len(opened["passes"])]
    )


def test_the_deals_of_a_fork_begin_with_the_one_it_goes_on_with(api):
    table = finished_table(api, rules={"ending": {"target": None, "deals": 3, "tie": "share"}})
    at = [event["seq"] for event in table.events() if event["type"] == "deal.dealt"][1]
    other = fork(table, at + 9, seats=[BOT] * 4)
    other.let_bots_play()

    page = other.ask("GET", "/deals", expect=200).json

    assert [deal["number"] for deal in page["items"]] == [2, 3]
    assert other.ask("GET", "/deals?after=2", expect=200).json["items"] == page["items"][1:]
    other.ask("GET", "/deals/1", expect=(404, "deal_not_found"))
    other.ask("GET", "/deals/4", expect=(404, "deal_not_found"))
    assert other.ask("GET", "/deals/3/proof", expect=200).json["game_id"] == other.id
    revealed = other.ask("GET", "/fairness", expect=200).json["revealed"]
    assert [link["deal"] for link in revealed] == [2, 3]
    document = other.ask("GET", "/export?format=json", expect=200).json
    assert [deal["number"] for deal in document["deals"]] == [2, 3]
    assert document["header"]["origin"]["kind"] == "fork"


def test_the_copied_deal_is_proved_by_the_game_it_came_from(api):
    table = finished_table(api)
    other = fork(table, 20, seats=[BOT] * 4)
    running = fork(table, 20, claim={"seat": 0, "name": "Ana"})
    other.let_bots_play()

    for one in (other, running):
        problem = one.ask("GET", "/deals/1/proof", expect=(409, "not_provable")).json
        assert problem["links"]["proof"] == f"{table.path}/deals/1/proof"
    proof = api.ask("GET", problem["links"]["proof"], expect=200).json
    assert [sorted(hand) for hand in proof["hands"]] == [
        sorted(hand) for hand in other.ask("GET", "/deals/1", expect=200).json["hands"]
    ]


# The list of games


def listed(api, query=""):
    return [game["id"] for game in api.ask("GET", f"/v1/games{query}", expect=200).json["items"]]


def test_forks_and_practice_are_listed_where_they_are_asked_for(api):
    table = finished_table(api)
    alone, together = {"claim": {"seat": 0, "name": "Ana"}}, {"seats": [HUMAN, HUMAN, BOT, BOT]}
    practice = practice_table(api, visibility="public")
    hidden = practice_table(api)
    forks = [fork(table, 20, visibility="public", **one) for one in (alone, together)]
    fork(table, 20, **alone)

    assert listed(api) == [table.id]
    assert listed(api, "?practice=false") == [table.id]
    assert listed(api, "?practice=true") == [practice.id]
    assert listed(api, "?origin=fork") == [forks[1].id, forks[0].id]
    assert listed(api, "?origin=fork&practice=true") == [forks[0].id]
    assert listed(api, "?origin=fork&practice=false") == [forks[1].id]
    (line,) = api.ask("GET", "/v1/games?practice=true", expect=200).json["items"]
    assert (line["practice"], line["origin"]) == (True, None)
    (line,) = api.ask("GET", "/v1/games?origin=fork&practice=true", expect=200).json["items"]
    assert line["origin"] == {"kind": "fork", "game_id": table.id, "version": 20}
    assert hidden.state()["visibility"] == "unlisted"


def test_a_page_of_forks_leads_on_to_the_next(api):
    table = finished_table(api)
    forks = [fork(table, 20, visibility="public", seats=[HUMAN] * 4).id for _ in range(5)]
    started_table(api)
    seen, target = [], "/v1/games?origin=fork&limit=2&sort=created_at"
    while target:
        page = api.ask("GET", target, expect=200)
        seen += [game["id"] for game in page.json["items"]]
        cursor = page.json["next_cursor"]
        target = page.headers["Link"].split(">")[0][1:] if cursor else None
    assert seen == forks

    first_page = api.ask("GET", "/v1/games?origin=fork&limit=2", expect=200).json
    other = f"/v1/games?limit=2&cursor={first_page['next_cursor']}"
    api.ask("GET", other, expect=(400, "invalid_cursor"))


def test_few_forks_among_many_games_are_found_page_by_page(api):
    table = finished_table(api)
    wanted = fork(table, 20, visibility="public", seats=[HUMAN] * 4).id
    for _ in range(25):
        api.ask("POST", "/v1/games", body={}, expect=201)
    seen, target = [], "/v1/games?origin=fork&limit=1"
    while target:
        page = api.ask("GET", target, expect=200)
        seen += [game["id"] for game in page.json["items"]]
        target = page.headers["Link"].split(">")[0][1:] if page.json["next_cursor"] else None

    assert seen == [wanted]


# Practice


def test_practice_is_for_one_person(api):
    for seats in ([BOT] * 4, [HUMAN, HUMAN, BOT, BOT]):
        body = {"practice": True, "seats": seats}
        problem = api.ask("POST", "/v1/games", body=body, expect=(409, "rules_conflict")).json
        assert problem["fields"] == ["/practice", "/seats"]


def test_practice_stays_for_one_person_in_the_same_seat(api):
    table = practice_lobby(api)

    for seat, body in [(0, MEDIUM), (1, HUMAN)]:
        answer = table.ask("PATCH", f"/seats/{seat}", "host", body, expect=(409, "rules_conflict"))
        assert answer.json["fields"] == ["/kind"]
    table.order(1, kind="bot", level="easy", name="Robo")
    table.order(0, kind="human")
    assert table.state()["practice"] is True


def test_practice_does_not_start_without_its_player(api):
    body = {"practice": True, "fill_with_bots": True}
    table = Table(api, api.ask("POST", "/v1/games", body=body, expect=201).json)

    table.ask("POST", "/start", "host", expect=(409, "seats_not_filled"))


def test_other_games_may_be_unlisted_too(api):
    body = {"visibility": "unlisted"}
    table = Table(api, api.ask("POST", "/v1/games", body=body, expect=201).json)

    assert listed(api) == []
    assert table.state()["visibility"] == table.events()[0]["data"]["visibility"] == "unlisted"
    assert table.state()["practice"] is False
