"""Tags, conditions and caches: what a client may keep, and what it may make depend on it."""

import pytest

from tests.tables import HUMAN, SHORT, full_table, new_key, open_table, playing_table, started_table

LIVE = "private, no-cache"
OVER = "public, max-age=86400"
FOR_EVER = "max-age=31536000, immutable"
DAY = "public, max-age=86400"


def cache_of(answer):
    return answer.headers["Cache-Control"]


# Tags


def test_a_tag_names_version_and_view(api):
    """Fault case 73."""
    table = full_table(api)
    version = table.version

    for viewer, view in [(None, "p"), ("host", "p"), (0, "s0"), (3, "s3")]:
        tag = table.ask("GET", viewer=viewer, expect=200).headers["ETag"]
        assert tag == f'"{version}-{view}"'


def test_a_tag_changes_with_the_version_and_with_nothing_else(api):
    """Fault case 73."""
    table = full_table(api)
    for _ in range(3):
        one, other = (table.ask("GET", viewer=0) for _ in range(2))
        assert (one.headers["ETag"], one.data) == (other.headers["ETag"], other.data)

        table.ask("PATCH", "/seats/1", 1, {"name": f"Bea {new_key()[:8]}"}, expect=200)
        assert table.ask("GET", viewer=0).headers["ETag"] != one.headers["ETag"]


def test_a_client_that_has_the_tag_is_told_so(api):
    """Fault cases 73 and 170."""
    table = full_table(api)
    tag = table.ask("GET", viewer=2).headers["ETag"]
    answer = table.ask("GET", viewer=2, headers={"If-None-Match": tag}, expect=304)

    assert answer.data == b""
    assert answer.headers["ETag"] == tag
    assert cache_of(answer) == LIVE
    assert answer.headers["Vary"] == "Authorization, Accept"
    assert "Content-Type" not in answer.headers


@pytest.mark.parametrize(
    "given",
    [
        "{}",
        "W/{}",
        '"0-p", {}',
        '{}, "0-p"',
        'W/"0-p" ,W/{}',
        '"a","b",{},"c"',
        "  {}  ",
        "*",
        ",{}",
    ],
)
def test_a_tag_may_stand_in_a_list_and_be_weak(api, given):
    table = full_table(api)
    tag = table.ask("GET").headers["ETag"]

    table.ask("GET", headers={"If-None-Match": given.format(tag)}, expect=304)
    table.ask("HEAD", headers={"If-None-Match": given.format(tag)}, expect=304)


ODD = [
    "",
    "0",
    '"0"',
    '""',
    '"',
    "W/",
    'w/"6-p"',
    "6-p",
    "'6-p'",
    '"06-p"',
    '"6-p',
    '6-p"',
    '"6-P"',
]
ODD += ['"6-s0"', '"6-p;"', '"6"', '"-p"', "null", ",", ",,,", "**", '"*"', "\u00e9", "W/*"]
ODD += ['"1' + "0" * 4_000 + '-p"', '"5-p"', '"7-p"', '"999999999-p"', '"6-s00"']


@pytest.mark.parametrize("given", ODD, ids=lambda odd: repr(odd[:12]))
def test_an_odd_tag_in_if_none_match_matches_nothing(api, given):
    table = full_table(api, claim={"seat": 0, "name": "Ana"})
    table.ask("PATCH", "/seats/0", 0, {"name": "Bea"}, expect=200)
    assert table.version == 6

    table.ask("GET", headers={"If-None-Match": given}, expect=200)


def test_a_tag_of_one_view_is_nothing_in_another(api):
    table = full_table(api)
    tag = table.ask("GET", viewer=1).headers["ETag"]

    table.ask("GET", viewer=2, headers={"If-None-Match": tag}, expect=200)
    table.ask("GET", headers={"If-None-Match": tag}, expect=200)


def test_a_tag_does_not_open_what_the_token_does_not(api):
    table = full_table(api)
    tag = table.ask("GET", viewer=1).headers["ETag"]
    headers = {"If-None-Match": tag}

    table.ask("GET", token="nonsense", headers=headers, expect=(401, "invalid_token"))
    api.ask("GET", f"/v1/games/{'0' * 32}", headers=headers, expect=(404, "game_not_found"))


@pytest.mark.parametrize("name", ["If-None-Match", "If-Match", "If-Modified-Since", "Range"])
def test_a_condition_means_nothing_to_a_command(api, name):
    """Fault case 149."""
    table = full_table(api)
    headers = {name: '"1-p"' if name != "Range" else "bytes=0-10"}

    answer = table.ask("POST", "/start", "host", headers=headers, expect=200)
    assert answer.json["status"] == "active"
    assert table.ask("GET", headers=headers, expect=200).json["version"] == table.version


# If-Match


def test_the_tag_of_the_last_of_eleven_seats_is_known(api):
    table = full_table(api, *[HUMAN] * 11, rules={"preset": "cancellation"})
    tag = table.ask("GET", viewer=10).headers["ETag"]

    assert tag.endswith('-s10"')
    table.ask("PATCH", "/seats/10", 10, {"name": "Bea"}, headers={"If-Match": tag}, expect=200)


@pytest.mark.parametrize("viewer", ["host", 1, None])
def test_the_tag_that_was_read_is_the_one_that_is_compared(api, viewer):
    """Fault case 73."""
    table = full_table(api)
    tag = table.ask("GET", viewer=viewer).headers["ETag"]

    table.ask("PATCH", "/seats/1", 1, {"name": "Bea"}, headers={"If-Match": tag}, expect=200)


@pytest.mark.parametrize("given", ["{}", "W/{}", '"1-p", {}', '{},"x"', "*", ' {} , "2-s1"'])
def test_if_match_may_be_a_list_and_weak(api, given):
    table = full_table(api)
    tag = table.ask("GET").headers["ETag"]
    headers = {"If-Match": given.format(tag)}

    table.ask("PATCH", "/seats/1", 1, {"name": "Bea"}, headers=headers, expect=200)


@pytest.mark.parametrize("given", ODD, ids=lambda odd: repr(odd[:12]))
def test_an_odd_tag_in_if_match_does_not_match(api, given):
    """Fault case 149."""
    if given == '"6-s0"':
        return  # version 6, seen by somebody else
    table = full_table(api, claim={"seat": 0, "name": "Ana"})
    table.ask("PATCH", "/seats/0", 0, {"name": "Bea"}, expect=200)

    answer = table.ask("PATCH", "/seats/0", 0, {"name": "Cid"}, headers={"If-Match": given})

    assert answer.status_code == 412
    assert answer.json["code"] == "version_mismatch"
    assert answer.json["current_version"] == table.version == 6
    assert answer.headers["ETag"] == '"6-s0"'


def test_a_stale_tag_is_refused_even_where_nothing_would_change(api):
    table = full_table(api)
    headers = {"If-Match": '"1-p"'}

    name = table.state()["seats"][1]["name"]
    answer = table.ask("PATCH", "/seats/1", 1, {"name": name}, headers=headers)
    assert answer.status_code == 412


def test_a_repeat_with_its_key_is_not_stale(api):
    table, key = full_table(api), new_key()
    headers = {"If-Match": table.ask("GET").headers["ETag"]}
    one, other = (
        table.ask("PATCH", "/seats/1", 1, {"name": "Bea"}, key=key, headers=headers, expect=200)
        for _ in range(2)
    )

    assert one.data == other.data
    assert other.headers["Idempotency-Replayed"] == "true"


# expected_version and turn_id


def test_what_was_read_is_what_a_move_may_expect(api):
    """Fault case 73."""
    table = playing_table(api)
    state = table.state("host")
    seat = state["turn"]["seats"][0]
    move = {**table.a_move(seat), "turn_id": state["turn"]["id"]}

    table.move(seat, {**move, "expected_version": state["version"]}, expect=201)


def test_a_stale_version_says_what_the_version_is(api):
    """Fault case 150."""
    table = playing_table(api)
    state = table.state()
    seat = state["turn"]["seats"][0]
    move = {**table.a_move(seat), "expected_version": state["version"] - 1}

    answer = table.move(seat, move, expect=(409, "version_conflict"))
    assert answer.json["current_version"] == state["version"]
    assert answer.json["turn"] == state["turn"]
    assert answer.json["legal_moves"] == table.state(seat)["you"]["legal_moves"]


# How long an answer may be kept


def test_what_never_changes_here_may_be_kept_for_a_day(api):
    for target in ("/v1", "/v1/presets", "/v1/presets/standard", "/v1/bot-levels", "/openapi.yaml"):
        assert cache_of(api.ask("GET", target, expect=200)) == DAY


def test_what_changes_by_itself_is_not_kept(api):
    assert cache_of(api.ask("GET", "/v1/time")) == "no-store"
    assert cache_of(api.ask("GET", "/health/live")) == "no-store"
    assert cache_of(api.ask("GET", "/health/ready")) == "no-store"
    assert cache_of(api.ask("GET", "/v1/games")) == LIVE


def test_an_answer_with_a_token_is_not_kept(api):
    made = api.ask("POST", "/v1/games", body={}, expect=201)
    claimed = api.ask(
        "POST", f"/v1/games/{made.json['id']}/seats/0/claim", body={"name": "Ana"}, expect=201
    )

    assert cache_of(made) == cache_of(claimed) == "no-store"


def test_a_running_game_is_asked_for_again(api):
    table = started_table(api)
    for viewer in (None, "host", 0):
        for path in ("", "/events"):
            assert cache_of(table.ask("GET", path, viewer, expect=200)) == LIVE
    assert cache_of(table.ask("GET", "/legal-moves", 0, expect=200)) == LIVE
    assert cache_of(table.ask("GET", "/knowledge", 0, expect=200)) == LIVE


def test_what_is_past_never_changes_and_a_seats_part_stays_private(api):
    table = started_table(api)
    past = ["/events/1", "/states/1", "/events?limit=1", "/events/5", "/states/6"]
    for path in past:
        assert cache_of(table.ask("GET", path, expect=200)) == f"public, {FOR_EVER}"
        assert cache_of(table.ask("GET", path, "host", expect=200)) == f"public, {FOR_EVER}"
        assert cache_of(table.ask("GET", path, 0, expect=200)) == f"private, {FOR_EVER}"
    assert cache_of(table.ask("GET", "/events/1?as=public", 0)) == f"public, {FOR_EVER}"
    assert cache_of(table.ask("GET", "/events/1?as=seat:0", 0)) == f"private, {FOR_EVER}"


def test_a_game_that_is_over_may_be_kept_where_all_see_the_same(api):
    table = playing_table(api, rules=SHORT)
    table.play()
    for path in ("", "/events", "/events?after=10"):
        assert cache_of(table.ask("GET", path, expect=200)) == OVER
        assert cache_of(table.ask("GET", path, "host", expect=200)) == OVER
        assert cache_of(table.ask("GET", path, 0, expect=200)) == LIVE
    seat = table.ask("GET", "/states/60?as=seat:1", expect=200)
    assert cache_of(seat) == f"private, {FOR_EVER}"
    assert cache_of(table.ask("GET", "/states/60?as=all", expect=200)) == f"public, {FOR_EVER}"


def test_an_aborted_game_is_over_too(api):
    table = open_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    assert cache_of(table.ask("GET", expect=200)) == OVER
    assert table.ask("GET", "/events", expect=200).json["complete"]


def test_a_page_that_may_be_kept_for_ever_never_changes(api):
    table = playing_table(api, rules=SHORT)
    kept = {}
    for version in (8, 20, 40):
        table.play(until=lambda turn, version=version: turn["id"] >= version)
        for viewer in (None, 0, 1):
            for path in ("/events?limit=3", "/events?after=2&limit=4", "/events/6", "/states/7"):
                answer = table.ask("GET", path, viewer, expect=200)
                if "immutable" not in cache_of(answer):
                    continue
                shown = answer.json
                # The contract says these two tell what was current.
                now = ("version", "revealed_version") if "items" in shown else ()
                shown = {name: value for name, value in shown.items() if name not in now}
                assert kept.setdefault((viewer, path), shown) == shown
    assert len(kept) == 12
