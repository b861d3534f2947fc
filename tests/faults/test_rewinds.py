"""A store that has lost the end of a log: what this process remembers of it is not believed."""

from dataclasses import replace

import pytest

from service.requests import DEPS
from service.rewinds import watch
from service.store.codec import decode_all
from tests.fakes import Fault, FaultyStore, MemoryStore
from tests.tables import BOT, HUMAN, at_once, full_table, new_key, open_table, playing_table


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def api(api, store):
    return api.over(store)


@pytest.fixture
def table(api):
    return playing_table(api, rules={"play": {"opening_lead": "eldest"}})


def first_moves(table):
    """Return the seat to act, and two moves it may make."""
    seat = table.state()["turn"]["seats"][0]
    legal = table.ask("GET", "/legal-moves", seat, expect=200).json
    return seat, [{**move, "turn_id": legal["turn_id"]} for move in legal["moves"][:2]]


def process(api, store):
    """Let another process take over, which remembers nothing; return what this one knows."""
    before = api.app.extensions[DEPS]
    api.over(store)
    return before


def back_to(api, deps):
    api.app.extensions[DEPS] = deps


def voided(table):
    """Return the numbers of the deals that were voided."""
    return [one["data"]["deal"] for one in table.events() if one["type"] == "deal.voided"]


def lose_a_move(table, store):
    """Make a move and lose it; return the seat, the move and what else it could have been."""
    seat, (move, other) = first_moves(table)
    version = table.version
    table.move(seat, move, expect=201)
    store.cut(table.id, version)
    return seat, move, other


def test_a_deal_whose_end_was_lost_is_void(table, store):
    before = table.state()
    lose_a_move(table, store)

    state = table.state()

    assert (before["deal"]["number"], state["deal"]["number"]) == (1, 2)
    told = table.events(after=before["version"])
    assert [one["type"] for one in told] == ["deal.voided", "deal.dealt"]
    assert told[0]["data"]["reason"] == "store_rewound"
    assert told[0]["actor"] == {"kind": "system"}
    assert [seat["total"] for seat in state["seats"]] == [0, 0, 0, 0]


@pytest.mark.parametrize("key", [None, new_key()], ids=["turn", "key"])
def test_a_move_that_was_lost_is_not_made_in_a_later_deal(table, store, key):
    seat, (move, other) = first_moves(table)
    version = table.version
    table.move(seat, move, key=key, expect=201)
    store.cut(table.id, version)

    for one in (move, other):
        table.move(seat, one, key=key, expect=(409, "stale_turn"))
    assert table.state()["deal"]["trick"] == []
    seat, (move, _) = first_moves(table)
    answer = table.move(seat, move, key=key, expect=201)
    assert "Idempotency-Replayed" not in answer.headers


def test_a_repeat_never_gets_the_event_that_took_its_place(table, store, api):
    seat, (move, other) = first_moves(table)
    key, version = new_key(), table.version
    table.move(seat, move, key=key, expect=201)
    store.cut(table.id, version)
    elsewhere = process(api, store)
    table.move(seat, other, expect=201)
    back_to(api, elsewhere)

    table.move(seat, move, key=key, expect=(409, "turn_already_played"))
    table.move(seat, other, expect=200)
    played, *after = table.events(after=version)
    assert played["data"]["card"] == other["card"]
    assert [one["type"] for one in after] == ["deal.voided", "deal.dealt"]


def test_a_deal_is_void_once_however_many_have_noticed(table, store, api):
    seat, (move, _) = first_moves(table)
    processes = []
    for _ in range(4):
        processes.append(process(api, store))
        table.state()
    version = table.version
    table.move(seat, move, expect=201)
    for deps in processes:
        back_to(api, deps)
        table.state()
    store.cut(table.id, version)

    for deps in processes:
        back_to(api, deps)
        seat = table.state()["turn"]["seats"][0]
        table.move(seat, table.a_move(seat), expect=201)

    assert voided(table) == [1]


def test_all_that_notice_at_once_void_one_deal(table, store):
    lose_a_move(table, store)

    at_once(*[table.state] * 8)

    assert voided(table) == [1]


def test_a_second_loss_voids_a_second_deal(table, store):
    for _ in range(2):
        lose_a_move(table, store)
        table.state()

    assert voided(table) == [1, 2]
    assert table.state()["deal"]["number"] == 3


def test_whoever_comes_late_with_what_was_lost_before_does_not_void_again(table, store, api):
    lose_a_move(table, store)
    late = process(api, store)
    process(api, store)
    seat, (move, _) = first_moves(table)
    table.move(seat, move, expect=201)  # nobody has noticed so far
    elsewhere = process(api, store)
    back_to(api, late)
    table.state()
    assert voided(table) == [1]

    back_to(api, elsewhere)
    table.state()
    assert voided(table) == [1]


def test_links_that_were_dealt_are_left_out(api, store):
    table = playing_table(api, rules={"ending": {"target": None, "deals": 5, "tie": "share"}})
    first = table.version
    table.play(until=lambda _: table.state()["deal"]["number"] == 3)
    store.cut(table.id, first)

    assert table.state()["deal"]["number"] == 4
    fairness = table.ask("GET", "/fairness", expect=200).json
    assert [one["deal"] for one in fairness["revealed"]] == [1]


def test_a_game_that_was_over_goes_on_with_another_deal(api, store):
    table = playing_table(api, rules={"ending": {"target": None, "deals": 1, "tie": "share"}})
    table.play()
    assert table.state()["status"] == "finished"
    store.cut(table.id, table.version - 30)
    *_, last = [seq for seq, one in enumerate(table_log(api, table), 1) if one.cause]
    store.cut(table.id, last - 1)

    state = table.state()

    assert (state["status"], state["deal"]["number"]) == ("active", 2)
    table.play()
    assert table.state()["status"] == "finished"
    assert voided(table) == [1]


def table_log(api, table):
    entries = api.deps.store.streams[table.id]
    return decode_all(entries, 1, None)


def test_what_was_dealt_and_lost_with_the_start_is_void_when_it_is_dealt_again(api, store):
    table = full_table(api, rules={"passing": {"cycle": ["hold"]}})
    lobby = table.version
    table.start()
    table.state()
    store.cut(table.id, lobby)
    assert table.state()["status"] == "lobby"

    table.start()

    assert table.state()["deal"]["number"] == 2
    assert voided(table) == [1]


def test_a_lobby_that_has_lost_something_is_a_lobby(api, store):
    table = full_table(api)
    lobby = table.version
    table.tell(0, ready=True)
    store.cut(table.id, lobby)
    table.state()
    table.start()

    assert voided(table) == []
    assert table.state()["deal"]["number"] == 1


def test_while_a_deal_cannot_be_voided_nothing_is_answered(table, store, api):
    lose_a_move(table, store)
    faulty = FaultyStore(store, [Fault.UNAVAILABLE] * 2)
    back_to(api, watch(replace(api.deps, store=faulty)))

    for _ in range(2):
        table.ask("GET", expect=(503, "store_unavailable"))
    assert table.state()["deal"]["number"] == 2
    assert voided(table) == [1]


@pytest.mark.parametrize("fault", [Fault.LOST_AFTER, Fault.LOST_BEFORE, Fault.CONFLICT, Fault.LATE])
def test_a_void_whose_answer_is_lost_is_made_once(table, store, api, fault):
    lose_a_move(table, store)
    back_to(api, watch(replace(api.deps, store=FaultyStore(store, [fault]))))

    assert table.state()["deal"]["number"] == 2
    assert voided(table) == [1]


def test_bots_go_on_after_a_loss(api, store):
    table = full_table(api, HUMAN, BOT, BOT, BOT, rules={"passing": {"cycle": ["hold"]}})
    table.start()
    version = table.version
    table.let_bots_play()
    seat, (move, *_) = first_moves(table)
    table.move(seat, move, expect=201)
    store.cut(table.id, version)

    table.let_bots_play()

    assert voided(table) == [1]
    assert table.state()["turn"]["seats"] == [0]


def test_a_claim_that_was_lost_gives_no_second_token_to_its_seat(api, store):
    """Two people never hold one seat, even if the log forgot the first of them."""
    now = api.deps.clock()
    table = open_table(api)
    for seconds, name in ((5, "Ana"), (9, "Bea")):
        clock = now + 1_000 * seconds
        api.app.extensions[DEPS] = replace(api.deps, clock=lambda clock=clock: clock)
        table.claim(0, name=name)
        first = table.tokens.setdefault("lost", table.tokens[0])
        if name == "Ana":
            store.cut(table.id, 1)

    assert first != table.tokens[0]
    table.ask("GET", token=first, expect=(401, "token_revoked"))
    assert table.state(0)["seats"][0]["name"] == "Bea"


@pytest.mark.parametrize("how", ["rotate", "kick", "host"])
def test_a_token_that_was_lost_does_not_come_back(api, store, how):
    """A number that the log forgot is not given again, whatever takes its place."""
    now, table = api.deps.clock(), playing_table(api)
    seat, version = (None if how == "host" else 1), table.version

    def at(seconds):
        clock = now + 1_000 * seconds
        api.app.extensions[DEPS] = replace(api.deps, clock=lambda: clock)

    def rotated():
        if how == "host":
            return table.ask("POST", "/host/rotate-token", "host", expect=201).json["host_token"]
        return table.ask("POST", "/seats/1/rotate-token", seat, expect=201).json["seat_token"]

    at(60)
    lost = rotated()
    store.cut(table.id, version)
    at(90)
    if how == "kick":
        table.order(1, kick=True)
        table.reissue(1)
    else:
        assert rotated() != lost
    table.ask("GET", token=lost, expect=(401, "token_revoked"))


def test_a_read_shows_what_the_log_has_now(table, store):
    table.play(until=lambda turn: turn["id"] > 30)
    version = table.version
    store.cut(table.id, 20)

    page = table.ask("GET", f"/events?after={version}", expect=200).json
    assert page["items"] == []
    assert page["version"] == table.version < version
    table.ask("GET", f"/events/{version}", expect=(404, "event_not_found"))
    table.ask("GET", f"/states/{version}", expect=(404, "version_not_found"))


# Tokens that were lost


def rotated(table):
    """Give seat 1 another token and return it; the table goes on with the one before."""
    return table.ask("POST", "/seats/1/rotate-token", 1, expect=201).json["seat_token"]


def test_a_token_that_the_log_does_not_know_voids_the_deal(api, store, table):
    version = table.version
    lost = rotated(table)
    store.cut(table.id, version)
    process(api, store)
    table.state()
    assert voided(table) == [], "nobody can know so far"

    table.ask("GET", token=lost, expect=(401, "token_revoked"))

    assert voided(table) == [1]
    assert table.state(1)["deal"]["number"] == 2


@pytest.mark.parametrize("path", ["/moves", "/seats/1/release", "/events", "/deals"])
def test_whatever_such_a_token_asks_for_voids_the_deal_once(api, store, table, path):
    version = table.version
    lost = rotated(table)
    store.cut(table.id, version)
    is_read = path in {"/events", "/deals"}
    body = {"type": "play", "card": "2C"} if path == "/moves" else None

    for _ in range(3):
        process(api, store)
        method = "GET" if is_read else "POST"
        table.ask(method, path, token=lost, body=body, expect=(401, "token_revoked"))

    assert voided(table) == [1]


def test_a_token_from_before_the_last_void_voids_nothing_more(api, store, table):
    lost = []
    for viewer, path in ((1, "/seats/1/rotate-token"), ("host", "/host/rotate-token")):
        version = table.version
        made = table.ask("POST", path, viewer, expect=201).json
        lost.append(made.get("seat_token") or made["host_token"])
        store.cut(table.id, version)
        process(api, store)
    now = api.deps.clock() + 60_000
    back_to(api, watch(replace(api.deps, clock=lambda: now)))

    for token in lost * 2:
        table.ask("GET", token=token, expect=(401, "token_revoked"))

    assert voided(table) == [1]


def test_an_old_token_proves_nothing(api, store, table):
    old = table.tokens[1]
    table.tokens[1] = rotated(table)

    for _ in range(2):
        table.ask("GET", token=old, expect=(401, "token_revoked"))
        table.ask("POST", "/seats/1/release", token=old, expect=(401, "token_revoked"))
        process(api, store)
    assert voided(table) == []


def test_a_process_that_is_behind_proves_nothing(api, store, table):
    """A token newer than what is remembered is no token newer than the log."""
    seat, (move, _) = first_moves(table)
    behind = process(api, store)
    table.tokens[seat] = table.ask("POST", f"/seats/{seat}/rotate-token", seat, expect=201).json[
        "seat_token"
    ]
    back_to(api, behind)

    table.move(seat, move, expect=201)
    assert voided(table) == []


def test_a_token_of_a_lobby_voids_nothing(api, store):
    table = full_table(api)
    version = table.version
    lost = rotated(table)
    store.cut(table.id, version)
    process(api, store)

    table.ask("GET", token=lost, expect=(401, "token_revoked"))
    table.start()

    assert voided(table) == []


def test_a_log_that_is_lost_while_it_is_read_is_no_fault_of_ours(table, store, monkeypatch):
    seat, (move, _) = first_moves(table)
    version = table.version
    table.move(seat, move, expect=201)
    entries = store.entries

    def entries_after_the_loss(game_id, first, last):
        return entries(game_id, first, min(last, version))

    monkeypatch.setattr(store, "entries", entries_after_the_loss)
    monkeypatch.setattr(store, "tail", lambda *_: [])
    table.ask("GET", "/events", expect=(503, "store_unavailable"))


def test_a_game_that_is_gone_is_not_made_again(table, store):
    seat, (move, _) = first_moves(table)
    del store.streams[table.id]

    table.move(seat, move, expect=(404, "game_not_found"))
    table.ask("GET", expect=(404, "game_not_found"))
    assert table.id not in store.streams
