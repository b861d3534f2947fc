"""Who sits where before the start, by the host's word: bots, free seats, kicks, new tokens."""

from functools import partial

import pytest

from tests.tables import BOT, HUMAN, at_once, full_table, new_key, open_table

REVOKED = (401, "token_revoked")
ROBO = {"kind": "bot", "level": "random", "name": "Robo"}
ONES = "11" * 32


def told(table, after):
    return [(one["type"], one["data"]) for one in table.events(after=after)]


def grant_of(table, token):
    return table.api.deps.keyring.read(token).grant


# What a seat says of itself


def test_a_seat_says_that_it_is_ready_and_that_it_is_not(api):
    table = full_table(api)
    table.tell(1, ready=True)
    assert [seat["ready"] for seat in table.state()["seats"]] == [False, True, False, False]
    table.tell(1, name="Bea")
    assert table.state(1)["seats"][1]["ready"]
    table.tell(1, ready=False)
    assert not table.state()["seats"][1]["ready"]

    ready = [one["data"]["ready"] for one in table.events() if one["type"] == "seat.updated"]
    assert ready == [True, True, False]


def test_one_change_says_all_at_once(api):
    table = full_table(api)
    before = table.version
    table.tell(0, ready=True, name="Ana", client_seed=ONES)

    ((kind, data),) = told(table, before)
    assert kind == "seat.updated"
    assert data == {"seat": 0, "name": "Ana", "ready": True, "client_seed_given": True}


def test_a_host_says_nothing_for_a_seat_and_a_seat_nothing_for_the_host(api):
    table = full_table(api)
    before = table.version
    for body in ({"name": "Eva"}, {"ready": True}, {"client_seed": ONES}):
        table.ask("PATCH", "/seats/1", "host", body, expect=(403, "seat_token_required"))
    for body in ({"kick": True}, {"reissue": True}, {"kind": "human"}, ROBO):
        table.ask("PATCH", "/seats/1", 1, body, expect=(403, "host_only"))
        table.ask("PATCH", "/seats/1", 2, body, expect=(403, "wrong_seat"))

    assert table.version == before


# Bots


def test_a_bot_takes_a_free_seat(api):
    table = open_table(api)
    state = table.order(2, **ROBO).json

    assert state == table.state()
    seat = state["seats"][2]
    assert (seat["kind"], seat["controller"], seat["bot_level"]) == ("bot", "bot", "random")
    assert (seat["name"], seat["claimed"], seat["ready"]) == ("Robo", True, True)
    bot = {"seat": 2, "level": "random", "name": "Robo"}
    assert told(table, 1) == [("seat.bot_assigned", bot)]
    table.ask("POST", "/seats/2/claim", body={"name": "Cid"}, expect=(409, "seat_is_bot"))
    assert table.order(2, **ROBO).json == state


def test_a_bot_takes_the_seat_of_a_person_whose_token_is_dead(api):
    table = open_table(api)
    table.ask("POST", "/seats/2/claim", body={"name": "Cid", "client_seed": ONES}, expect=201)
    table.claim(3)
    before = table.version

    table.order(3, **BOT)

    assert [kind for kind, _ in told(table, before)] == ["seat.kicked", "seat.bot_assigned"]
    table.ask("GET", "", 3, expect=REVOKED)
    table.ask("PATCH", "/seats/3", 3, {"name": "Dag"}, expect=REVOKED)
    assert table.state()["seats"][3]["name"] == "Easy Bot"


def test_a_seat_is_taken_from_its_bot(api):
    table = open_table(api, HUMAN, BOT, BOT)
    state = table.order(1, kind="human").json

    seat = state["seats"][1]
    assert (seat["kind"], seat["name"], seat["claimed"]) == ("human", None, False)
    ((kind, data),) = told(table, 1)
    assert (kind, data["reason"]) == ("seat.released", "bot_removed")
    table.claim(1)
    assert table.order(1, kind="human").json == table.state()
    assert api.ask("GET", "/v1/games").json["items"][0]["open_seats"] == [0]


def test_only_the_hosts_table_has_such_a_seat(api):
    table = open_table(api)
    for body in ({"kick": True}, {"reissue": True}, {"kind": "human"}, ROBO):
        for seat in (4, 6, 999_999_999):
            path = f"/seats/{seat}"
            table.ask("PATCH", path, "host", body, expect=(404, "seat_not_found"))


# Kicks and new tokens


def test_a_kicked_seat_is_free_again(api):
    table = full_table(api)
    before = table.version
    state = table.order(1, kick=True).json

    seat = state["seats"][1]
    assert (seat["name"], seat["claimed"], seat["ready"]) == (None, False, False)
    ((kind, data),) = told(table, before)
    assert (kind, data["seat"]) == ("seat.kicked", 1)
    for method, path in (("GET", ""), ("GET", "/events"), ("GET", "/states/1")):
        table.ask(method, path, 1, expect=REVOKED)
    old = table.tokens[1]
    table.claim(1, name="Eva")
    table.ask("GET", "", token=old, expect=REVOKED)
    assert table.state(1)["you"]["seat"] == 1


def test_a_client_seed_leaves_with_who_gave_it(api):
    table = full_table(api)
    table.tell(1, client_seed=ONES)
    table.order(1, kick=True)
    table.claim(1)
    assert not table.state()["seats"][1]["client_seed_given"]

    table.start()

    (started,) = (one["data"] for one in table.events() if one["type"] == "game.started")
    assert started["client_seeds"] == ["-"] * 4


@pytest.mark.parametrize("body", [{"kick": True}, {"reissue": True}], ids=str)
def test_what_is_done_with_a_person_needs_one(api, body):
    table = open_table(api, HUMAN, BOT, HUMAN, claim={"seat": 0, "name": "Ana"})

    free = table.ask("PATCH", "/seats/2", "host", body, expect=(409, "seats_not_filled"))
    assert free.json["open_seats"] == [2]
    table.ask("PATCH", "/seats/1", "host", body, expect=(409, "seat_is_bot"))


def test_the_host_gives_a_player_another_token(api):
    table = full_table(api)
    old, before = table.tokens[2], table.version
    answer = table.reissue(2)

    assert answer.json == {
        "game_id": table.id,
        "seat": 2,
        "seat_token": table.tokens[2],
        "version": before + 1,
        "links": {"game": table.path, "events": f"{table.path}/events"},
    }
    assert answer.headers["ETag"] == f'"{before + 1}-s2"'
    table.ask("GET", "", token=old, expect=REVOKED)
    assert table.state(2)["you"]["seat"] == 2
    assert table.state()["seats"][2]["name"] == "Person 2"
    rotated = {"seat": 2, "grant": grant_of(table, table.tokens[2])}
    assert told(table, before) == [("seat.token_rotated", rotated)]
    assert table.events(after=before)[0]["actor"] == {"kind": "host"}


def test_the_log_tells_whose_word_a_new_token_was(api):
    table = full_table(api)
    before = table.version
    table.reissue(2)
    table.ask("POST", "/seats/2/rotate-token", 2, expect=201)

    actors = [one["actor"]["kind"] for one in table.events(after=before)]
    assert actors == ["host", "seat"]


# Rotation by oneself


def test_a_player_replaces_the_own_token(api):
    table = full_table(api)
    old = table.tokens[1]
    answer = table.ask("POST", "/seats/1/rotate-token", 1, expect=201)

    table.tokens[1] = answer.json["seat_token"]
    assert answer.json["seat"] == 1
    assert answer.headers["ETag"] == f'"{table.version}-s1"'
    table.ask("GET", "", token=old, expect=REVOKED)
    table.tell(1, name="Bea")


def test_the_host_replaces_the_own_token(api):
    table = full_table(api)
    old, before = table.host, table.version
    answer = table.ask("POST", "/host/rotate-token", "host", expect=201)

    table.host = answer.json["host_token"]
    assert answer.json == {
        "game_id": table.id,
        "host_token": table.host,
        "version": before + 1,
        "links": {"game": table.path, "events": f"{table.path}/events"},
    }
    assert answer.headers["ETag"] == f'"{before + 1}-p"'
    for method, path in (("GET", ""), ("GET", "/events"), ("POST", "/start"), ("POST", "/abort")):
        table.ask(method, path, token=old, expect=REVOKED)
    table.ask("POST", "/host/rotate-token", token=old, expect=REVOKED)
    ((kind, data),) = told(table, before)
    assert (kind, data) == ("host.token_rotated", {"grant": grant_of(table, table.host)})
    table.start()


FATAL = {
    "rotate": ("/seats/1/rotate-token", 1, 201),
    "release": ("/seats/1/release", 1, 200),
    "rotate the host's": ("/host/rotate-token", "host", 201),
}
every_fatal_command = pytest.mark.parametrize(
    ("path", "viewer", "status"), FATAL.values(), ids=FATAL
)


@every_fatal_command
@pytest.mark.parametrize("running", [False, True], ids=["lobby", "running"])
def test_a_dead_token_repeats_what_killed_it_and_does_nothing_else(
    api, path, viewer, status, running
):
    table, key = full_table(api), new_key()
    if running:
        table.start()
    dead = table.token(viewer)
    first = table.ask("POST", path, token=dead, key=key, expect=status)
    version = table.version
    if viewer == "host":
        table.host = first.json["host_token"]

    for body in (None, {}):
        again = table.ask("POST", path, token=dead, body=body, key=key, expect=status)
        assert (again.data, again.headers["ETag"]) == (first.data, first.headers["ETag"])
        assert again.headers["Idempotency-Replayed"] == "true"
    table.ask("POST", path, token=dead, expect=REVOKED)
    table.ask("POST", path, token=dead, key=new_key(), expect=REVOKED)
    table.ask("GET", "", token=dead, expect=REVOKED)
    others = {
        "host": [
            ("POST", "/start", None),
            ("POST", "/abort", None),
            ("PATCH", "", {"lobby": "open"}),
        ],
        1: [("POST", "/seats/1/release", None), ("POST", "/seats/1/rotate-token", None)],
    }[viewer]
    for method, other, body in others:
        if other != path:
            table.ask(method, other, token=dead, body=body, key=key, expect=REVOKED)
    assert table.version == version


@every_fatal_command
def test_such_a_command_sent_ten_times_at_once_is_done_once(api, path, viewer, status):
    table, key = full_table(api), new_key()
    before, token = table.version, table.token(viewer)

    answers = at_once(*[partial(table.ask, "POST", path, token=token, key=key)] * 10)

    assert [answer.status_code for answer in answers] == [status] * 10
    assert len({answer.data for answer in answers}) == 1
    assert table.version == before + 1


def test_two_rotations_at_once_leave_one_token(api):
    table = full_table(api)
    token = table.tokens[1]

    answers = at_once(*[partial(table.ask, "POST", "/seats/1/rotate-token", token=token)] * 2)

    assert sorted(answer.status_code for answer in answers) == [201, 401]
    (new,) = (answer.json["seat_token"] for answer in answers if answer.status_code == 201)
    table.ask("GET", "", token=new, expect=200)


# Conditions and repeats of what the host does


@pytest.mark.parametrize(
    "body", [ROBO, {"kind": "human"}, {"kick": True}, {"reissue": True}], ids=str
)
def test_what_the_host_does_with_a_seat_may_be_conditional_and_repeated(api, body):
    table, key = full_table(api), new_key()
    headers = {"If-Match": table.ask("GET").headers["ETag"]}
    table.tell(0, name="Ana")
    stale = (412, "version_mismatch")
    table.ask("PATCH", "/seats/1", "host", body, headers=headers, expect=stale)
    headers = {"If-Match": table.ask("GET").headers["ETag"]}

    first = table.ask("PATCH", "/seats/1", "host", body, headers=headers, key=key, expect=200)
    table.tell(0, name="Anna")
    again = table.ask("PATCH", "/seats/1", "host", body, headers=headers, key=key)

    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    reused = (409, "idempotency_key_reused")
    table.ask("PATCH", "/seats/2", "host", body, key=key, expect=reused)


def test_of_two_tabs_that_give_one_seat_away_one_is_first(api):
    for _ in range(5):
        table = open_table(api)
        headers = {"If-Match": '"1-p"'}

        asked = partial(table.ask, "PATCH", "/seats/1", "host", headers=headers)
        answers = at_once(partial(asked, body=ROBO), partial(asked, body=BOT))

        assert sorted(answer.status_code for answer in answers) == [200, 412]
        assert table.version == 2


def test_a_claim_and_a_bot_at_once_leave_one_of_them(api):
    for _ in range(5):
        table = open_table(api)

        claim, bot = at_once(
            partial(table.ask, "POST", "/seats/1/claim", body={"name": "Bea"}),
            partial(table.order, 1, **BOT),
        )

        assert bot.status_code == 200
        assert claim.status_code in {201, 409}
        seat = table.state()["seats"][1]
        assert (seat["kind"], seat["claimed"]) == ("bot", True)
        if claim.status_code == 201:
            table.ask("GET", "", token=claim.json["seat_token"], expect=REVOKED)
