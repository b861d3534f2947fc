"""What is paid for, and when: no legal move is stopped, and no repeat costs anything."""

from dataclasses import replace

import pytest

from service.requests import DEPS
from service.store.base import StoreUnavailableError
from tests.house import at_once
from tests.limits import LIMITED, keys_of, let_the_window_end, limited, said, since, used
from tests.tables import (
    BOT,
    HUMAN,
    SHORT,
    Table,
    new_key,
    open_table,
    outcome_of,
    playing_table,
    started_table,
)

pytestmark = pytest.mark.store


# Moves


def wrong_move(table, seat, turn):
    return table.move(seat, {"type": "play", "card": "2C", "turn_id": turn + 1})


def test_a_legal_move_is_taken_after_a_hundred_that_were_not(redis_db, free, counts):
    api = limited(redis_db)
    table = playing_table(free).through(api)
    turn = table.through(free).state()["turn"]
    seat = turn["seats"][0]
    move = table.through(free).a_move(seat)

    outcomes = [outcome_of(wrong_move(table, seat, turn["id"])) for _ in range(100)]

    assert outcomes == [(409, "stale_turn")] * 30 + [LIMITED] * 70
    taken = table.move(seat, move, expect=201)
    assert said(taken) == ("move", 0)
    assert said(table.move(seat, move, expect=200)) == ("move", 0)
    assert used(counts, "move") == 100


def test_moves_that_are_taken_and_repeats_are_free(redis_db, free, counts):
    api = limited(redis_db)
    table = playing_table(free).through(api)
    plain, last = table.through(free), None
    while (turn := plain.state()["turn"]) and last != 0:
        last = turn["seats"][0]
        move = plain.a_move(last)
        for status in (201, 200):
            answer = table.move(last, move, expect=status)
            assert answer.headers["RateLimit-Policy"] == '"move";q=30;w=60'
            assert said(answer) == ("move", 30)

    assert keys_of(counts, "move") == []


@pytest.mark.parametrize(
    ("body", "expect"),
    [
        ({"type": "play", "card": "1C"}, (422, "validation_failed")),
        ({"type": "play", "card": "2C", "turn_id": 1}, (409, "stale_turn")),
    ],
)
def test_whatever_is_wrong_with_a_move_counts(redis_db, free, body, expect):
    api = limited(redis_db, move="2/60")
    table = playing_table(free).through(api)

    outcomes = [outcome_of(table.move(0, body)) for _ in range(3)]

    assert outcomes == [expect, expect, LIMITED]
    assert table.move(0, body).json["policy"] == "move"
    assert said(table.move(1, body)) == ("move", 1)


def test_a_refusal_over_the_quota_says_nothing_of_the_game(redis_db, free):
    api = limited(redis_db, move="1/60")
    table = playing_table(free).through(api)

    wrong_move(table, 0, 1)
    refused = wrong_move(table, 0, 1)

    assert "legal_moves" not in refused.json
    assert "current_version" not in refused.json


# New games


def test_games_of_every_kind_count_together(redis_db, free):
    over = started_table(free, HUMAN, BOT, BOT, rules=SHORT)
    while over.state()["status"] == "active":
        if over.state()["turn"]["seats"][0]:
            over.let_bots_play()
        else:
            over.move(0, over.a_move(0), expect=201)
    table = over.through(limited(redis_db, create="3/60"))
    fork = {"at_version": 5, "seats": [BOT] * 3}

    answers = [
        table.api.ask("POST", "/v1/games", body={}, expect=201),
        table.ask("POST", "/forks", body=fork, expect=201),
        table.ask("POST", "/rematch", 0, expect=201),
        table.api.ask("POST", "/v1/games", body={}, expect=LIMITED),
        table.ask("POST", "/forks", body=fork, expect=LIMITED),
        # It was opened before.
        table.ask("POST", "/rematch", 0, expect=201),
    ]

    assert [said(one) for one in answers] == [("create", left) for left in (2, 1, 0, 0, 0, 0)]


def test_games_that_are_refused_count(redis_db):
    api = limited(redis_db, create="2/60")
    bad = {"rules": {"preset": "none"}}

    for expect in ((422, "validation_failed"), (422, "validation_failed"), LIMITED):
        api.ask("POST", "/v1/games", body=bad, expect=expect)
    api.ask("POST", "/v1/games", body={}, expect=LIMITED)


def test_a_repeated_creation_is_free_and_answered_to_who_has_nothing_left(redis_db, counts):
    one, other = (limited(redis_db, create="2/60") for _ in range(2))
    key = new_key()
    made = one.ask("POST", "/v1/games", body={}, key=key, expect=201)

    for api in (one, other, one):
        again = api.ask("POST", "/v1/games", body={}, key=key, expect=201)
        assert again.json["id"] == made.json["id"]
        assert said(again) == ("create", 1)
    one.ask("POST", "/v1/games", body={}, expect=201)
    one.ask("POST", "/v1/games", body={}, expect=LIMITED)
    other.ask("POST", "/v1/games", body={}, key=key, expect=201)
    one.ask("POST", "/v1/games", body={}, key=new_key(), expect=LIMITED)

    assert used(counts, "create") == 4


def test_a_game_that_could_not_be_stored_is_not_charged(redis_db, counts):
    api = limited(redis_db, create="2/60")

    class Full:
        def __getattr__(self, name):
            return getattr(inner, name)

        def append(self, *_):
            raise StoreUnavailableError

    inner = api.deps.store
    api.app.extensions[DEPS] = replace(api.deps, store=Full())
    api.ask("POST", "/v1/games", body={}, expect=(503, "store_unavailable"))

    assert used(counts, "create") == 0


# Seats


def test_claims_count_whether_they_succeed_or_not(redis_db, free):
    api = limited(redis_db, claim="3/60")
    table = open_table(free).through(api)

    assert said(table.ask("POST", "/seats/0/claim", body={"name": "Ana"}, expect=201))[1] == 2
    taken = table.ask("POST", "/seats/0/claim", body={"name": "Bea"}, expect=(409, "seat_taken"))
    assert said(taken) == ("claim", 1)
    table.ask("POST", "/seats/claim", body={}, expect=(422, "validation_failed"))
    refused = table.ask("POST", "/seats/claim", body={"name": "Cid"}, expect=LIMITED)

    assert refused.json["policy"] == "claim"
    assert table.through(free).state()["seats"][1]["claimed"] is False


def test_a_repeated_claim_is_free_through_every_process(redis_db, free, counts):
    one, other = (limited(redis_db, claim="1/60") for _ in range(2))
    table, key = open_table(free), new_key()
    # The other one remembers the game as it is before the claim.
    table.through(other).state()
    claim = {"body": {"name": "Ana"}, "key": key, "expect": 201}
    made = table.through(one).ask("POST", "/seats/0/claim", **claim)

    for api in (other, one, other):
        again = table.through(api).ask("POST", "/seats/0/claim", **claim)
        assert again.json["seat_token"] == made.json["seat_token"]

    assert used(counts, "claim") == 1


def private_game(free):
    body = {"seats": [HUMAN, HUMAN, BOT], "visibility": "private"}
    made = free.ask("POST", "/v1/games", body=body, expect=201).json
    return Table(free, made), made["join_code"]


def guess(table, code, **more):
    body = {"name": "Eve"} if code is None else {"name": "Eve", "join_code": code}
    return table.ask("POST", "/seats/claim", body=body, **more)


def test_after_five_wrong_codes_even_the_right_one_is_not_looked_at(redis_db, free, counts):
    table, code = private_game(free)
    table = table.through(limited(redis_db))
    wrong = (409, "wrong_join_code")
    for given in ("0000000000", None, "1111111111", "2222222222", "3333333333"):
        assert said(guess(table, given, expect=wrong))[0] == "claim"

    refused = guess(table, code, expect=LIMITED)

    assert refused.json["policy"] == "join"
    assert refused.headers["RateLimit-Policy"] == '"join";q=5;w=60'
    assert said(refused) == ("join", 0)
    assert used(counts, "join") == 5
    assert outcome_of(guess(table, code, **since("192.0.2.9"))) == 201
    let_the_window_end(counts)
    guess(table, code, expect=201)


def test_right_codes_are_no_guesses(redis_db, free, counts):
    table, code = private_game(free)
    table = table.through(limited(redis_db))

    guess(table, code, expect=201)
    guess(table, code, expect=201)

    assert used(counts, "join") == 0
    assert used(counts, "claim") == 2


def test_of_many_codes_at_once_no_more_are_looked_at_than_may_be_wrong(redis_db, free, counts):
    table, _ = private_game(free)
    table = table.through(limited(redis_db))

    answers = at_once([lambda: guess(table, "0000000000")] * 40)

    found = sorted(map(outcome_of, answers))
    assert found == [(409, "wrong_join_code")] * 5 + [LIMITED] * 35
    assert used(counts, "join") == 5


def test_a_claim_beyond_the_quota_is_no_guess(redis_db, free, counts):
    table, code = private_game(free)
    table = table.through(limited(redis_db, claim="1/60"))
    guess(table, code, expect=201)

    for given in ("0000000000", code):
        assert guess(table, given, expect=LIMITED).json["policy"] == "claim"

    assert used(counts, "join") == 0


def test_who_guesses_wrong_still_takes_seats_of_open_games(redis_db, free):
    table, _ = private_game(free)
    table, public = table.through(limited(redis_db, join="1/60")), open_table(free)
    guess(table, None, expect=(409, "wrong_join_code"))
    guess(table, None, expect=LIMITED)

    public.through(table.api).ask("POST", "/seats/claim", body={"name": "Eve"}, expect=201)


# Files


def test_files_count_by_themselves(redis_db, free, counts):
    api = limited(redis_db, verification="1/60", **{"import": "2/60"})
    over = started_table(free, rules=SHORT)
    over.play()
    lines = over.ask("GET", "/export?format=jsonl").data
    file = {"content_type": "application/x-ndjson"}

    for expect in (200, LIMITED):
        answer = api.send("POST", "/v1/verifications", lines, **file)
        assert outcome_of(answer) == expect
        assert said(answer) == ("verification", 0)
    key = new_key()
    for more, left, expect in [
        ({"key": key}, 1, 201),
        ({"key": key}, 1, 201),
        ({}, 0, 201),
        ({}, 0, LIMITED),
        ({"key": key}, 0, 201),
    ]:
        answer = api.send("POST", "/v1/imports", lines, **file, **more)
        assert outcome_of(answer) == expect
        assert said(answer) == ("import", left)
    assert used(counts, "import") == 3


def test_files_that_are_refused_count(redis_db, counts):
    api = limited(redis_db)
    file = {"content_type": "application/x-ndjson"}

    assert api.send("POST", "/v1/imports", b"{}", **file).status_code == 409
    assert api.send("POST", "/v1/imports", b"{}", content_type="text/plain").status_code == 415
    assert api.send("POST", "/v1/verifications", b"{}", **file).status_code == 200

    assert used(counts, "import") == 2
    assert used(counts, "verification") == 1
