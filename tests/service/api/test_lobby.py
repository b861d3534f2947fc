"""From an open table to the first deal: claims, client seeds, the start, an early end."""

import pytest

from tests.tables import BOT, HUMAN, full_table, new_key, open_table, playing_table, started_table

ONES, TWOS = "11" * 32, "22" * 32


def events_of(table, kind, viewer=None):
    return [one for one in table.events(viewer) if one["type"] == kind]


# Claims


def test_a_claim_gives_a_seat_and_its_token(api):
    table = open_table(api)
    answer = table.ask("POST", "/seats/2/claim", body={"name": "Cid"}, expect=201)

    assert answer.headers["ETag"] == '"2-s2"'
    claimed = answer.json
    assert (claimed["game_id"], claimed["seat"], claimed["version"]) == (table.id, 2, 2)
    table.tokens[2] = claimed["seat_token"]
    assert table.state(2)["view"] == {"kind": "seat", "seat": 2}


def test_any_seat_is_the_lowest_that_is_free(api):
    table = open_table(api, HUMAN, BOT, HUMAN, HUMAN, claim={"seat": 0, "name": "Ana"})

    for seat in (2, 3):
        claimed = table.ask("POST", "/seats/claim", body={"name": "Bea"}, expect=201)
        assert claimed.json["seat"] == seat
    full = table.ask("POST", "/seats/claim", body={"name": "Bea"}, expect=(409, "game_full"))
    assert full.json["open_seats"] == []


def test_a_seat_is_claimed_once(api):
    table = open_table(api)
    table.claim(1)

    for _ in range(2):
        taken = table.ask(
            "POST", "/seats/1/claim", body={"name": "Bea"}, expect=(409, "seat_taken")
        )
        assert taken.json["open_seats"] == [0, 2, 3]


@pytest.mark.parametrize("seat", [4, 6, 7, 10, 255, 256, 999_999_999])
def test_a_seat_that_is_not_there_cannot_be_claimed(api, seat):
    table = open_table(api)

    table.ask("POST", f"/seats/{seat}/claim", body={"name": "Ana"}, expect=(404, "seat_not_found"))


def test_a_repeated_claim_gives_the_same_token(api):
    table, key = open_table(api), new_key()
    for path in ("/seats/2/claim", "/seats/claim"):
        key = new_key()
        first = table.ask("POST", path, body={"name": "Cid"}, key=key, expect=201)
        table.claim(first.json["seat"] + 1)
        again = table.ask("POST", path, body={"name": "Cid"}, key=key, expect=201)

        assert again.data == first.data
        assert again.headers["Idempotency-Replayed"] == "true"


def test_a_key_is_for_one_claim(api):
    table, key = open_table(api), new_key()
    table.ask("POST", "/seats/2/claim", body={"name": "Cid"}, key=key, expect=201)

    reused = (409, "idempotency_key_reused")
    table.ask("POST", "/seats/2/claim", body={"name": "Dag"}, key=key, expect=reused)
    table.ask("POST", "/seats/3/claim", body={"name": "Cid"}, key=key, expect=reused)
    table.ask("POST", "/seats/claim", body={"name": "Cid"}, key=key, expect=reused)
    assert table.version == 2


def test_nothing_is_claimed_after_the_start_or_the_end(api):
    started, aborted = started_table(api), open_table(api)
    aborted.ask("POST", "/abort", "host", expect=200)
    for path in ("/seats/1/claim", "/seats/claim"):
        refused = (409, "game_already_started")
        started.ask("POST", path, body={"name": "Ana"}, expect=refused)
        aborted.ask("POST", path, body={"name": "Ana"}, expect=(409, "game_not_active"))


# Client seeds


def test_a_client_seed_is_given_once(api):
    table = full_table(api)
    given = table.ask("PATCH", "/seats/1", 1, {"client_seed": ONES}, expect=200)
    again = table.ask("PATCH", "/seats/1", 1, {"client_seed": ONES}, expect=200)

    assert given.data == again.data
    other = (409, "client_seed_given")
    table.ask("PATCH", "/seats/1", 1, {"client_seed": TWOS}, expect=other)
    table.ask("PATCH", "/seats/1", 1, {"client_seed": TWOS, "name": "Bea"}, expect=other)
    assert table.state()["seats"][1]["name"] == "Person 1"


def test_a_client_seed_is_its_seats_own_until_the_start(api):
    table = open_table(api)
    body = {"name": "Ana", "client_seed": ONES}
    claimed = table.ask("POST", "/seats/0/claim", body=body, expect=201)
    table.tokens[0] = claimed.json["seat_token"]
    for seat in (1, 2, 3):
        table.claim(seat)
    table.ask("PATCH", "/seats/1", 1, {"client_seed": TWOS}, expect=200)

    for viewer in (None, "host", 2):
        shown = [table.ask("GET", path, viewer).text for path in ("", "/events", "/states/6")]
        assert ONES not in "".join(shown)
        assert TWOS not in "".join(shown)
    assert events_of(table, "seat.claimed", 0)[0]["private"] == {"0": {"client_seed": ONES}}
    assert events_of(table, "seat.claimed", 1)[0]["hidden"] == [0]
    table.start()
    (started,) = events_of(table, "game.started")
    assert started["data"]["client_seeds"] == [ONES, TWOS, "-", "-"]


def test_nothing_is_updated_after_the_end(api):
    table = full_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    table.ask("PATCH", "/seats/1", 1, {"name": "Bea"}, expect=(409, "game_not_active"))


def test_a_seat_that_changes_nothing_leaves_no_event(api):
    table = full_table(api)
    before = table.version
    table.ask("PATCH", "/seats/1", 1, {"name": "Person 1"}, expect=200)
    table.ask("PATCH", "/seats/1", 1, {"name": " Person 1 "}, expect=200)

    assert table.version == before


NO_CHANGE = [
    pytest.param("/seats/1", 1, {"name": "Ana"}, {"name": "Bea"}, id="a name"),
    pytest.param("/seats/1", 1, {"ready": False}, {"ready": True}, id="not ready"),
    pytest.param("", "host", {"lobby": "open"}, {"lobby": "closed"}, id="an open lobby"),
    pytest.param("", "host", {"rules": {}}, {"rules": {"preset": "plain"}}, id="the same rules"),
    pytest.param("/seats/3", "host", BOT, {"kind": "human"}, id="the same bot"),
    pytest.param("/seats/2", "host", HUMAN, BOT, id="a free seat"),
]


@pytest.mark.parametrize(("path", "who", "same", "other"), NO_CHANGE)
def test_a_change_to_what_is_there_is_remembered_by_its_key(api, path, who, same, other):
    table, key = open_table(api, HUMAN, HUMAN, HUMAN, BOT), new_key()
    table.claim(1)
    before = table.state()
    first = table.ask("PATCH", path, who, same, key=key, expect=200)
    after = table.state()
    differs = {name for name in after if after[name] != before[name]}
    assert {"version"} <= differs <= {"version", "last_event_at", "links"}
    table.ask("PATCH", path, who, other, key=key, expect=(409, "idempotency_key_reused"))
    table.ask("PATCH", path, who, other, expect=200)
    changed = table.version

    again = table.ask("PATCH", path, who, same, key=key, expect=200)

    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    assert table.version == changed


# The start and the end


def test_a_start_with_a_free_seat_names_it(api):
    table = open_table(api, HUMAN, BOT, HUMAN, claim={"seat": 0, "name": "Ana"})
    answer = table.ask("POST", "/start", "host", expect=(409, "seats_not_filled"))

    assert answer.json["open_seats"] == [2]


def test_a_start_deals_once(api):
    """Fault case 70."""
    table, key = full_table(api), new_key()
    first = table.ask("POST", "/start", "host", key=key, expect=200)

    table.ask("POST", "/start", "host", expect=(409, "game_already_started"))
    again = table.ask("POST", "/start", "host", key=key, expect=200)
    assert again.data == first.data
    assert len(events_of(table, "deal.dealt")) == 1
    assert first.json["status"] == "active"
    assert (first.json["view"]["kind"], first.json["you"]) == ("public", None)


def test_an_abort_ends_the_game_once(api):
    table, key = playing_table(api), new_key()
    first = table.ask("POST", "/abort", "host", key=key, expect=200)

    over = (409, "game_not_active")
    table.ask("POST", "/abort", "host", expect=over)
    table.ask("POST", "/start", "host", expect=(409, "game_already_started"))
    assert table.ask("POST", "/abort", "host", key=key, expect=200).data == first.data
    state = table.state()
    assert (state["status"], state["turn"], state["result"]) == ("aborted", None, None)
    assert state["revealed_version"] == state["version"]


def test_a_game_aborted_in_its_lobby_cannot_start(api):
    table = full_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    table.ask("POST", "/start", "host", expect=(409, "game_not_active"))
    assert events_of(table, "game.aborted")[0]["data"]["reveals"] == []


@pytest.mark.parametrize("path", ["/start", "/abort"])
def test_the_host_may_say_at_which_version_a_command_is_meant(api, path):
    table = full_table(api)
    version = table.version
    for stale in (version - 1, version + 1):
        late = {"expected_version": stale}
        answer = table.ask("POST", path, "host", late, expect=(409, "version_conflict"))
        assert answer.json["current_version"] == version

    table.ask("POST", path, "host", {"expected_version": version}, expect=200)


def test_one_key_is_one_command_of_the_host(api):
    table, key = full_table(api), new_key()
    table.ask("POST", "/start", "host", key=key, expect=200)

    reused = (409, "idempotency_key_reused")
    table.ask("POST", "/abort", "host", key=key, expect=reused)
    table.ask("POST", "/start", "host", {"expected_version": 5}, key=key, expect=reused)
    assert table.state()["status"] == "active"
