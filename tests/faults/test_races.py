"""Several at once, through two processes that remember nothing of each other."""

import random
from functools import partial

import pytest

from tests.tables import (
    BOT,
    HUMAN,
    Api,
    Table,
    at_once,
    full_table,
    make_app,
    new_key,
    open_table,
    outcome_of,
    playing_table,
    started_table,
)


@pytest.fixture
def doors(redis_db):
    """Two ways into the service: two apps on one store, each with a cache of its own."""
    return [Api(make_app(redis_db)) for _ in range(2)]


def ways(table, doors, count):
    """Return *count* ways to the table, through one door, then the other, and so on."""
    return [table.through(doors[number % len(doors)]) for number in range(count)]


def kinds(table):
    return [one["type"] for one in table.events()]


def outcomes(answers):
    return sorted(map(str, map(outcome_of, answers)))


@pytest.mark.parametrize("seats", [3, 4, 7])
def test_all_seats_pass_at_the_same_instant(doors, seats):
    """Fault case 62."""
    for _ in range(4):
        table = started_table(doors[0], *[HUMAN] * seats)
        moves = [table.a_move(seat) for seat in range(seats)]
        passes = [
            partial(way.move, seat, moves[seat])
            for seat, way in enumerate(ways(table, doors, seats))
        ]
        answers = at_once(*passes)

        assert [answer.status_code for answer in answers] == [201] * seats
        assert len({move["turn_id"] for move in moves}) == 1
        assert kinds(table).count("cards.passed") == seats
        assert kinds(table).count("pass.completed") == 1
        assert sorted(len(answer.json["events"]) for answer in answers) == [1] * (seats - 1) + [2]
        assert table.state()["turn"]["type"] == "play"


def test_of_two_moves_in_one_turn_one_is_made(doors):
    """Fault cases 63 and 76."""
    rng, trials, table = random.Random("two moves"), 0, playing_table(doors[0])
    while trials < 60:
        table, beside = table.through(doors[trials % 2]), table.through(doors[1 - trials % 2])
        turn = table.state()["turn"]
        seat = turn["seats"][0]
        moves = table.ask("GET", "/legal-moves", seat, expect=200).json["moves"]
        if len(moves) < 2:
            table.move(seat, moves[0], expect=201)
            continue
        trials += 1
        one, other = rng.sample(moves, 2)
        before = table.version
        guards = [{"turn_id": turn["id"]}, {"expected_version": before}]
        if len(table.state()["deal"]["trick"]) < 3:
            guards.append({})  # who wins the trick may go on, if it is not said which turn is meant
        guard = rng.choice(guards)
        answers = at_once(
            partial(table.move, seat, one | guard), partial(beside.move, seat, other | guard)
        )

        statuses = [answer.status_code for answer in answers]
        assert sorted(statuses) == [201, 409], outcomes(answers)
        made, refused = sorted(answers, key=lambda answer: answer.status_code)
        assert refused.json["code"] in {
            "not_your_turn",
            "stale_turn",
            "turn_already_played",
            "version_conflict",
        }
        # Who has shot the moon, as chance may have it, settles it by a move.
        moves = {"card.played", "moon.chosen"}
        played = [one for one in table.events(after=before) if one["type"] in moves]
        assert len(played) == 1
        assert played[0] == {**made.json["events"][0], "private": {}, "hidden": []}


@pytest.mark.parametrize("guarded", [True, False])
def test_twenty_repeats_at_once_are_one_move(doors, guarded):
    """Fault cases 64 and 65."""
    for _ in range(3):
        table, key = playing_table(doors[0]), new_key()
        seat = table.state()["turn"]["seats"][0]
        move = table.a_move(seat)
        if not guarded:
            del move["turn_id"]
        before = table.version
        repeats = [partial(way.move, seat, move, key=key) for way in ways(table, doors, 20)]
        answers = at_once(*repeats)

        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.data for answer in answers}) == 1
        replays = [answer for answer in answers if "Idempotency-Replayed" in answer.headers]
        assert len(replays) == 19
        assert table.version == before + 1
        table.play(until=lambda turn, before=before: turn["id"] > before + 4)
        for way in ways(table, doors, 2):
            assert way.move(seat, move, key=key, expect=201).data == answers[0].data


def test_repeats_without_a_key_are_one_move(doors):
    """Fault case 64."""
    table = playing_table(doors[0])
    seat = table.state()["turn"]["seats"][0]
    move, before = table.a_move(seat), table.version
    answers = at_once(*(partial(way.move, seat, move) for way in ways(table, doors, 12)))

    assert outcomes(answers) == ["200"] * 11 + ["201"]
    assert len({answer.data for answer in answers}) == 1
    assert table.version == before + 1


def test_a_repeat_may_come_while_others_go_on(doors):
    """A repeat looks things up that are written at the same moment."""
    table = playing_table(doors[0])
    seat = table.state()["turn"]["seats"][0]
    move = table.a_move(seat)
    first = table.move(seat, move, expect=201)

    def repeat():
        return [table.move(seat, move).data for _ in range(60)]

    def go_on():
        table.play(until=lambda turn: turn["id"] > first.json["version"] + 40)
        return []

    answers = at_once(go_on, repeat, repeat, repeat)
    assert {data for some in answers for data in some} == {first.data}


@pytest.mark.parametrize("any_seat", [True, False])
@pytest.mark.parametrize("seats", [3, 7])
def test_more_claims_than_seats_at_once(doors, seats, any_seat):
    """Fault case 69."""
    for _ in range(6):
        table = open_table(doors[0], *[HUMAN] * seats)
        paths = [
            "/seats/claim" if any_seat else f"/seats/{number % seats}/claim"
            for number in range(seats + 3)
        ]
        claims = [
            partial(way.ask, "POST", path, body={"name": f"Person {path}"})
            for way, path in zip(ways(table, doors, len(paths)), paths, strict=True)
        ]
        answers = at_once(*claims)

        refused = "(409, 'game_full')" if any_seat else "(409, 'seat_taken')"
        assert outcomes(answers) == [refused] * 3 + ["201"] * seats
        claimed = [answer.json for answer in answers if answer.status_code == 201]
        assert sorted(one["seat"] for one in claimed) == list(range(seats))
        assert len({one["seat_token"] for one in claimed}) == seats
        for one in claimed:
            for way in ways(table, doors, 2):
                seen = way.ask("GET", token=one["seat_token"], expect=200).json
                assert seen["you"]["seat"] == one["seat"]
        assert table.version == seats + 1


def test_one_claim_sent_twenty_times_at_once_is_one_seat(doors):
    """Fault cases 65 and 69."""
    for path in ("/seats/claim", "/seats/2/claim"):
        table, key = open_table(doors[0]), new_key()
        claim = {"body": {"name": "Ana"}, "key": key}
        claims = [partial(way.ask, "POST", path, **claim) for way in ways(table, doors, 20)]
        answers = at_once(*claims)

        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.data for answer in answers}) == 1
        assert table.version == 2


def test_ten_starts_at_once_deal_once(doors):
    """Fault case 70."""
    for _ in range(5):
        table = full_table(doors[0], HUMAN, HUMAN, HUMAN, BOT)
        starts = [partial(way.ask, "POST", "/start", "host") for way in ways(table, doors, 10)]
        answers = at_once(*starts)

        assert outcomes(answers) == ["(409, 'game_already_started')"] * 9 + ["200"]
        assert kinds(table).count("deal.dealt") == kinds(table).count("game.started") == 1
        assert [seat["hand_size"] for seat in table.state()["seats"]] == [13] * 4


def test_ten_starts_with_one_key_get_one_answer(doors):
    """Fault cases 65 and 70."""
    table, key = full_table(doors[0]), new_key()
    start = ("POST", "/start", "host")
    answers = at_once(*(partial(way.ask, *start, key=key) for way in ways(table, doors, 10)))

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.data for answer in answers}) == 1
    assert kinds(table).count("deal.dealt") == 1


def test_the_last_claim_and_the_start_at_once(doors):
    """Fault case 70."""
    for _ in range(8):
        table = open_table(doors[0])
        for seat in (0, 1, 2):
            table.claim(seat)
        other = table.through(doors[1])
        claimed, started = at_once(
            partial(other.ask, "POST", "/seats/3/claim", body={"name": "Dag"}),
            partial(table.ask, "POST", "/start", "host"),
        )

        assert claimed.status_code == 201
        assert outcome_of(started) in {200, (409, "seats_not_filled")}
        assert ("game.started" in kinds(table)) == (started.status_code == 200)


def test_a_start_and_an_abort_at_once_are_in_one_order(doors):
    for _ in range(8):
        table = full_table(doors[0])
        other = table.through(doors[1])
        aborted, started = at_once(
            partial(other.ask, "POST", "/abort", "host"),
            partial(table.ask, "POST", "/start", "host"),
        )

        assert aborted.status_code == 200
        assert outcome_of(started) in {200, (409, "game_not_active")}
        assert table.state()["status"] == "aborted"
        assert ("game.started" in kinds(table)) == (started.status_code == 200)


def test_creating_twenty_times_at_once_with_one_key_is_one_game(doors):
    """Fault case 65."""
    key, body = new_key(), {"claim": {"seat": 0, "name": "Ana"}}
    create = ("POST", "/v1/games", None, body)
    answers = at_once(*(partial(door.ask, *create, key=key) for door in doors * 10))

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    assert len(doors[0].ask("GET", "/v1/games", expect=200).json["items"]) == 1


def test_forking_twenty_times_at_once_with_one_key_is_one_game(doors):
    """Fault case 65."""
    table, key = started_table(doors[0]), new_key()
    at = table.version
    table.ask("POST", "/abort", "host", expect=200)
    body = {"at_version": at, "claim": {"seat": 0, "name": "Ana"}, "visibility": "public"}
    forks = [
        partial(way.ask, "POST", "/forks", None, body, key=key) for way in ways(table, doors, 20)
    ]
    answers = at_once(*forks)

    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.data for answer in answers}) == 1
    listed = doors[0].ask("GET", "/v1/games?origin=fork", expect=200).json["items"]
    assert [game["id"] for game in listed] == [answers[0].json["id"]]


def test_a_fork_of_practice_is_of_one_moment_while_it_goes_on(doors):
    body = {"practice": True, "claim": {"seat": 0, "name": "Ana"}}
    table = Table(doors[0], doors[0].ask("POST", "/v1/games", body=body, expect=201).json)
    table.start()
    table.let_bots_play()
    for number in range(8):
        move, at = table.a_move(0), table.version
        fork = {"at_version": at, "claim": {"seat": 0, "name": "Ana"}}
        other = table.through(doors[(number + 1) % 2])
        made, forked = at_once(
            partial(table.move, 0, move), partial(other.ask, "POST", "/forks", 0, fork)
        )
        table.let_bots_play()

        assert (made.status_code, forked.status_code) == (201, 201)
        assert forked.json["origin"]["version"] == at
        assert forked.json["game"]["deal"] == table.ask("GET", f"/states/{at}").json["deal"]


def test_two_updates_under_one_tag_are_one(doors):
    """Fault case 73."""
    for _ in range(6):
        table = full_table(doors[0])
        other = table.through(doors[1])
        headers = {"If-Match": table.ask("GET").headers["ETag"]}
        answers = at_once(
            partial(table.ask, "PATCH", "/seats/0", 0, {"name": "A"}, headers=headers),
            partial(other.ask, "PATCH", "/seats/1", 1, {"name": "B"}, headers=headers),
        )

        assert outcomes(answers) == ["(412, 'version_mismatch')", "200"]


def test_a_tag_is_the_same_from_every_process(doors):
    """Fault case 73."""
    table = started_table(doors[0])
    other = table.through(doors[1])
    for viewer in (None, "host", 0, 3):
        one, two = (way.ask("GET", viewer=viewer, expect=200) for way in (table, other))

        assert (one.headers["ETag"], one.data) == (two.headers["ETag"], two.data)
        headers = {"If-None-Match": one.headers["ETag"]}
        other.ask("GET", viewer=viewer, headers=headers, expect=304)


def test_every_version_has_one_event_whoever_wrote_it(doors):
    """Fault case 76."""
    table = started_table(doors[0], *[HUMAN] * 5)
    rng, both = random.Random("every version"), ways(table, doors, 2)
    for _ in range(25):
        state = table.state()
        moves = [
            partial(rng.choice(both).move, seat, table.a_move(seat, rng))
            for seat in state["turn"]["seats"]
            for _ in range(2)
        ]
        answers = at_once(*moves)
        assert {answer.status_code for answer in answers} <= {200, 201, 409}

    one, two = (way.events() for way in both)
    assert one == two
    assert [event["seq"] for event in one] == list(range(1, len(one) + 1))
    assert [event["time"] for event in one] == sorted(event["time"] for event in one)
    decisions = [
        (event["data"]["turn_id"], event["data"]["seat"])
        for event in one
        if event["type"] in {"cards.passed", "card.played"}
    ]
    assert len(set(decisions)) == len(decisions)
