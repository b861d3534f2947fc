"""Deals: closed to all but their owners until they are open, and then the same for everybody."""

from collections import defaultdict

import pytest

from engine import events as e
from tests.histories import places, played, table_of, until
from tests.proofs import DECK, holds
from tests.table import rules
from tests.tables import BOT, HUMAN, Api, full_table, make_app, open_table, started_table

FOR_EVER = "max-age=31536000, immutable"
TWO_DEALS = {"target": None, "deals": 2, "tie": "share"}
TABLES = {
    "standard": rules("standard", ending=TWO_DEALS),
    "all at the end": rules("standard", seats=5, reveal="game_end", ending=TWO_DEALS),
    "scatter": rules("spot", seats=6, passing={"cycle": ["scatter", "left"]}, ending=TWO_DEALS),
    "hold": rules("omnibus", seats=3, passing={"cycle": ["hold"]}, ending=TWO_DEALS),
    "no pass": rules("plain", ending=TWO_DEALS),
}
EYES = [None, "host", 0, "last"]


@pytest.fixture(scope="module", params=TABLES)
def stored(request):
    return played(TABLES[request.param])


@pytest.fixture(scope="module")
def two_deals():
    return played(TABLES["standard"])


@pytest.fixture
def api(redis_url):
    return Api(make_app(redis_url))


@pytest.fixture
def table(api, stored):
    return table_of(api, stored)


@pytest.fixture
def running(redis_url, two_deals):
    """A table in its second deal, some cards after the pass."""
    log = until(two_deals, places(two_deals, e.PassCompleted)[1] + 7)
    return table_of(Api(make_app(redis_url)), log)


def deal(table, number, viewer=None, view="own"):
    return table.ask("GET", f"/deals/{number}?as={view}", viewer, expect=200).json


def deals(table, query="", viewer=None):
    return table.ask("GET", f"/deals?{query}", viewer, expect=200).json["items"]


def seat_of(table, viewer):
    return max(table.tokens) if viewer == "last" else viewer


def events(table, number, viewer=None, view="own"):
    """Return the events of one deal, None for those of none, by type."""
    target = f"/events?limit=500&as={view}"
    found = defaultdict(list)
    for one in table.ask("GET", target, viewer, expect=200).json["items"]:
        if one["data"].get("deal") == number:
            found[one["type"]].append(one)
    return found


# Open


def test_an_open_deal_is_what_the_log_says(table):
    seats = range(table.state()["rules"]["seats"])
    for number in (1, 2):
        shown, log = deal(table, number), events(table, number, view="all")
        (dealt,), (scored,) = log["deal.dealt"], log["deal.scored"]

        assert shown["open"]
        assert shown["hands"] == [dealt["private"][str(seat)]["hand"] for seat in seats]
        assert (shown["first_version"], shown["last_version"]) == (dealt["seq"], scored["seq"])
        for name in ("dealer", "pass", "pass_count"):
            assert shown[name] == dealt["data"][name]
        for name in ("taken", "points", "totals", "moon"):
            assert shown[name] == scored["data"][name]


def test_the_tricks_are_those_of_the_log(table):
    for number in (1, 2):
        shown, log = deal(table, number)["tricks"], events(table, number)
        plays = iter(one["data"] for one in log["card.played"])

        for trick, completed in zip(shown, log["trick.completed"], strict=True):
            data = completed["data"]
            assert (trick["number"], trick["winner"], trick["points"]) == (
                (data["trick"], data["winner"], data["points"])
            )
            for play, card in zip(trick["plays"], data["cards"], strict=True):
                told = next(plays)
                assert play == {"seat": told["seat"], "card": told["card"]}
                assert play["card"] == card
        assert next(plays, None) is None


def test_the_passes_are_those_of_the_log(table):
    for number in (1, 2):
        shown, log = deal(table, number)["passes"], events(table, number, view="all")
        given = {
            one["data"]["seat"]: one["private"][str(one["data"]["seat"])]["cards"]
            for one in log["cards.passed"]
        }
        received = [
            {"from": gift["from"], "to": int(taker), "cards": gift["cards"]}
            for one in log["pass.completed"]
            for taker, part in one["private"].items()
            for gift in part["received"]
        ]

        for giver, cards in given.items():
            own = [one for one in shown if one["from"] == giver]
            assert sorted(card for one in own for card in one["cards"]) == sorted(cards)
        assert sorted(shown, key=repr) == sorted(received, key=repr)


def test_an_open_deal_is_the_same_in_every_view(table):
    views = ["own", "public", "all", "seat:0", "seat:1"]
    for number in (1, 2):
        shown = [
            table.ask("GET", f"/deals/{number}?as={view}", seat_of(table, viewer)).data
            for view in views
            for viewer in EYES
        ]

        assert len(set(shown)) == 1


def test_the_list_has_every_deal(table):
    for viewer in (None, 0):
        assert deals(table, viewer=viewer) == [deal(table, number) for number in (1, 2)]


# Closed


@pytest.mark.parametrize("viewer", EYES)
def test_a_closed_deal_shows_its_own_part_to_a_seat_and_no_other(running, viewer):
    seat = seat_of(running, viewer)
    shown, log = deal(running, 2, seat), events(running, 2, seat)
    own = seat if isinstance(seat, int) else None

    assert (shown["open"], shown["seed"], shown["last_version"]) == (False, None, None)
    (dealt,) = log["deal.dealt"]
    assert shown["hands"] == [
        dealt["private"][str(seat)]["hand"] if seat == own else None for seat in range(4)
    ]
    assert len(shown["passes"]) == 4
    for one in shown["passes"]:
        assert (one["cards"] is not None) == (own in (one["from"], one["to"]))
        assert one["cards"] is None or len(one["cards"]) == 3
    assert (shown["taken"], shown["points"], shown["totals"]) == (None, None, None)


def test_the_trick_on_the_table_has_no_winner_yet(running):
    shown = deal(running, 2)["tricks"]
    on_the_table = running.state()["deal"]

    assert [one["winner"] is None for one in shown] == [False, True]
    assert [one["points"] is None for one in shown] == [False, True]
    assert shown[-1]["plays"] == on_the_table["trick"]


def test_while_cards_are_passed_a_seat_sees_what_it_gave(api, two_deals):
    table = table_of(api, until(two_deals, places(two_deals, e.CardsPassed)[2]))
    passed = [one.event.seat for one in two_deals if isinstance(one.event, e.CardsPassed)][:3]
    for seat in table.tokens:
        shown = deal(table, 1, seat)

        assert [one["from"] for one in shown["passes"]] == passed
        known = [one["from"] for one in shown["passes"] if one["cards"] is not None]
        assert known == [one for one in passed if one == seat]
        assert shown["tricks"] == []


def test_what_a_seat_shows_of_itself_the_public_does_not_see(running):
    assert deal(running, 2, 0, view="seat:0") == deal(running, 2, 0)
    assert deal(running, 2, 0, view="public") == deal(running, 2)


@pytest.mark.parametrize("view", ["all", "seat:0", "seat:2"])
def test_the_eyes_of_others_do_not_see_a_closed_deal(running, view):
    revealed = running.state()["revealed_version"]

    answer = running.ask("GET", f"/deals/2?as={view}", 3, expect=(409, "not_revealed"))
    assert answer.json["revealed_version"] == revealed
    page = running.ask("GET", f"/deals?as={view}", 3, expect=200).json
    assert [one["number"] for one in page["items"]] == [1]
    assert (page["next_after"], page["has_more"], page["complete"]) == (1, False, False)


def test_deals_that_open_at_the_end_are_closed_when_they_are_scored(api):
    stored = played(TABLES["all at the end"])
    scored = places(stored, e.DealScored)[0]
    table = table_of(api, until(stored, scored))

    shown = deal(table, 1, 0)

    assert (shown["open"], shown["seed"]) == (False, None)
    assert [hand is None for hand in shown["hands"]] == [False, True, True, True, True]
    assert shown["last_version"] == scored
    assert shown["points"] is not None
    for number in (1, 2):
        for path in (f"/deals/{number}?as=all", f"/deals/{number}/proof"):
            table.ask("GET", path, 0, expect=(409, "not_revealed"))
    assert deals(table, "as=all") == []

    over = table_of(api, stored)
    assert all(one["open"] for one in deals(over))


def test_an_aborted_game_opens_the_deal_it_was_in(api, redis_db):
    table = started_table(api)
    turn = table.pass_cards()
    table.move(turn["seats"][0], table.a_move(turn["seats"][0]), expect=201)
    table.ask("POST", "/abort", "host", expect=200)

    shown = deal(table, 1)

    assert (shown["open"], shown["last_version"]) == (True, table.version)
    assert None not in shown["hands"]
    assert [len(one["cards"]) for one in shown["passes"]] == [3, 3, 3, 3]
    assert [len(one["plays"]) for one in shown["tricks"]] == [1]
    assert (shown["taken"], shown["points"], shown["totals"]) == (None, None, None)
    proof = table.ask("GET", "/deals/1/proof", expect=200).json
    assert holds(proof, table.state()["fairness"]["commitment"])


def test_a_game_aborted_in_the_lobby_has_no_deals(api, redis_db):
    table = open_table(api)
    table.ask("POST", "/abort", "host", expect=200)

    page = table.ask("GET", "/deals", expect=200).json

    assert (page["items"], page["has_more"], page["complete"]) == ([], False, True)


# Moons


def test_a_moon_waits_for_its_shooter(api):
    stored = played(rules("standard"), seed=7)
    (shot,) = places(stored, e.MoonShot)[:1]
    number = stored[shot - 1].event.deal
    table = table_of(api, until(stored, shot))

    told = stored[shot - 1].event
    moon = {"seat": told.seat, "kind": told.kind.value, "points": told.points}
    assert deal(table, number)["moon"] == {**moon, "choice": None}

    (chosen,) = [one.event for one in stored[shot : shot + 1]]
    over = table_of(api, stored)
    assert deal(over, number)["moon"] == {**moon, "choice": chosen.choice.value}


# Which


@pytest.mark.parametrize("path", ["/deals/{}", "/deals/{}/proof"])
def test_there_is_no_deal_before_the_first_and_after_the_last(running, path):
    for number in (0, 3, 256, 257, 999_999_999):
        running.ask("GET", path.format(number), expect=(404, "deal_not_found"))


def test_a_lobby_has_no_deals(api, redis_db):
    table = open_table(api)

    page = table.ask("GET", "/deals", expect=200).json
    assert (page["items"], page["next_after"]) == ([], 0)
    assert (page["has_more"], page["complete"]) == (False, False)
    table.ask("GET", "/deals/1", expect=(404, "deal_not_found"))


def test_the_pages_of_the_deals_are_the_list(api):
    table = table_of(api, played(rules("standard")))
    whole = deals(table)
    found, target = [], f"{table.path}/deals?limit=2&as=all"
    while target is not None:
        answer = api.ask("GET", target, expect=200)
        page, link = answer.json, answer.headers.get("Link")
        found += page["items"]
        assert len(page["items"]) == 2 or not page["has_more"]
        assert page["next_after"] == found[-1]["number"]
        assert (link is None) == page["complete"] == (not page["has_more"])
        target = link and link.removeprefix("<").removesuffix('>; rel="next"')

    assert found == whole
    assert [one["number"] for one in whole] == list(range(1, len(whole) + 1))
    assert len(whole) > 4


def test_only_what_is_open_may_be_kept_for_ever(running, api, two_deals):
    def cache(table, path, viewer=None):
        return table.ask("GET", path, viewer, expect=200).headers["Cache-Control"]

    assert cache(running, "/deals/1") == f"public, {FOR_EVER}"
    assert cache(running, "/deals/1", 0) == f"private, {FOR_EVER}"
    assert cache(running, "/deals/1/proof", 0) == f"public, {FOR_EVER}"
    assert cache(running, "/deals/2") == cache(running, "/deals/2", 0) == "private, no-cache"
    assert cache(running, "/deals?limit=1") == f"public, {FOR_EVER}"
    assert cache(running, "/deals") == cache(running, "/fairness") == "private, no-cache"

    over = table_of(api, two_deals)
    assert cache(over, "/deals") == cache(over, "/fairness", 0) == "public, max-age=86400"
    assert cache(over, "/deals", 0) == "private, no-cache"


def test_a_page_of_closed_deals_changes_when_they_open(api):
    stored = played(TABLES["all at the end"])
    table = table_of(api, until(stored, places(stored, e.DealScored)[0]))

    answer = table.ask("GET", "/deals?limit=1", 0, expect=200)

    assert answer.json["has_more"]
    assert answer.headers["Cache-Control"] == "private, no-cache"


# Proofs


@pytest.mark.parametrize("number", [1, 2])
def test_a_proof_holds(table, number):
    """Points 4 to 8 of docs/fairness.md."""
    commitment = table.state()["fairness"]["commitment"]
    proof = table.ask("GET", f"/deals/{number}/proof", expect=200).json
    rules, shown = table.state()["rules"], deal(table, number)

    assert holds(proof, commitment)
    assert (proof["scheme"], proof["game_id"]) == ("hearts-shuffle-1", table.id)
    assert (proof["deal"], proof["players"], proof["kitty"]) == (number, rules["seats"], [])
    assert proof["client_seeds"] == events(table, None)["game.started"][0]["data"]["client_seeds"]
    assert [sorted(hand, key=DECK.index) for hand in proof["hands"]] == shown["hands"]
    assert proof["deck"] == [card for card in DECK if card not in rules["derived"]["removed"]]
    assert proof["seed"] == shown["seed"]


def test_a_proof_that_was_changed_does_not_hold(table):
    commitment = table.state()["fairness"]["commitment"]
    proof = table.ask("GET", "/deals/1/proof", expect=200).json
    first, second, *others = proof["hands"]

    assert not holds({**proof, "hands": [second, first, *others]}, commitment)
    assert not holds({**proof, "client_seeds": ["-"] * proof["players"]}, commitment)
    assert not holds({**proof, "deal": 2}, commitment)
    assert not holds(proof, commitment[::-1])


def test_a_proof_is_the_same_for_everybody_and_closed_to_everybody(running):
    open_to = [running.ask("GET", "/deals/1/proof", viewer).data for viewer in (None, "host", 0)]
    for viewer in (None, "host", 0, 3):
        answer = running.ask("GET", "/deals/2/proof", viewer, expect=(409, "not_revealed"))
        assert answer.json["revealed_version"] == running.state()["revealed_version"]

    assert len(set(open_to)) == 1


# What the game is committed to


def test_seeds_are_told_from_the_start_on_and_that_they_were_given_before(api, redis_db):
    table, seed = full_table(api, HUMAN, HUMAN, HUMAN, BOT), "a1" * 32
    table.ask("PATCH", "/seats/1", 1, {"client_seed": seed}, expect=200)
    for viewer in (None, "host", 0, 1):
        before = table.ask("GET", "/fairness", viewer, expect=200).json
        assert before["client_seeds_given"] == [False, True, False, False]
        assert (before["client_seeds"], before["revealed"]) == (None, [])
        assert before["commitment"][:32] == table.id

    table.start()

    after = table.ask("GET", "/fairness", expect=200).json
    assert after == {**before, "client_seeds": ["-", seed, "-", "-"]}


def test_links_are_told_as_they_open(api, stored):
    for end in (*places(stored, e.DealScored), len(stored)):
        table = table_of(api, until(stored, end))
        open_now = [one for one in deals(table, viewer=0) if one["open"]]

        found = table.ask("GET", "/fairness", expect=200).json["revealed"]

        assert found == [{"deal": one["number"], "seed": one["seed"]} for one in open_now]
    assert len(found) == 2
