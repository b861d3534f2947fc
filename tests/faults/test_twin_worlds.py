"""Two games that look the same to one reader give that reader the same bytes.

The twin of a log has the same public history and the same cards in the reader's hand; all
cards that the reader has not seen are exchanged at random, wherever they are and were.
"""

import hashlib
import random
import zlib
from dataclasses import replace
from typing import NamedTuple

import pytest

from engine import commands as c
from engine import events as e
from engine.analysis import advise, advising
from engine.cards import CODES, card, cards, codes_of, each, union
from engine.evolve import fold
from engine.hints import decide_hint
from engine.position import Position
from engine.shuffle import game_id_of
from engine.state import Passing, Playing, table_of, turn_of
from engine.view import view_for
from service import problems
from service.api import hints
from service.keyring import Keyring
from service.requests import DEPS
from service.schemas import responses
from service.store.base import Marks, Row
from service.store.codec import encode
from service.store.envelope import Actor, Stored
from service.store.event_types import version_of
from tests.fakes import MemoryStore
from tests.streams import CREATED_AT, cause_of, restless_game, stored_fork, stored_game
from tests.table import rules
from tests.tables import KEYS, Api, make_app

PUBLIC = None
HOST = "host"
NOON = CREATED_AT + 3_600_000
NOT_COMPARED = {"Date"}
FORMS = ("jsonl", "json")

ONE_DEAL = {"target": None, "deals": 1, "tie": "share"}
TABLES = [
    rules("standard", seats=4, ending={**ONE_DEAL, "deals": 2}),
    rules("standard", seats=3, reveal="game_end", ending={**ONE_DEAL, "deals": 2}),
    rules("omnibus", seats=5, passing={"cycle": ["hold"]}, ending=ONE_DEAL),
    rules("spot", seats=6, passing={"cycle": ["scatter", "left"]}, ending=ONE_DEAL),
    rules("kitty", seats=7, ending=ONE_DEAL),
    rules("cancellation", seats=5, passing={"cycle": ["left"]}, ending=ONE_DEAL),
    rules("kitty", seats=3, deck={"kitty_to": "last_trick"}, reveal="game_end", ending=ONE_DEAL),
]
BEGINNINGS = e.DealDealt | e.PositionSet
MOMENTS = 5
"""How many moments of each game are looked at, through the eyes of each reader."""


class World(NamedTuple):
    """An app with one game in a store of its own."""

    api: Api
    game_id: str

    def tokens(self, stored):
        """Return the token of each reader who has one."""
        sign, table = self.api.deps.keyring, table_of(state_of(stored))
        seats = {
            seat: sign.seat_token(self.game_id, seat, player.grant, sign.current)
            for seat, player in enumerate(table.players)
            if player.claimed
        }
        return {**seats, HOST: sign.host_token(self.game_id, table.host_grant, sign.current)}


@pytest.fixture
def worlds(redis_url, monkeypatch):
    """Two apps, whose stores tests fill, and whose hints are thought over for no time."""
    monkeypatch.setattr(advising, "HINT_BUDGETS", {"hard": 60})
    return [Api(make_app(redis_url)) for _ in range(2)]


class Linked(Keyring):
    """A keyring that has a link for every deal, whatever it was dealt from."""

    def links(self, *_):
        return lambda deal: hashlib.sha256(b"%d" % deal).hexdigest()


def settled(api, stored):
    """Return the world in which *stored* is all that happened."""
    store, game_id = MemoryStore(), game_id_of(stored[0].event.commitment)
    entries = [encode(one, stored[0].time) for one in stored]
    store.append(game_id, 0, b"", entries, Marks(None, Row(game_id, CREATED_AT, SUMMARY)))
    api.over(store)
    keyring = Linked([key.encode() for key in KEYS])
    api.app.extensions[DEPS] = replace(api.deps, clock=lambda: NOON, keyring=keyring)
    return World(api, game_id)


SUMMARY = b"\x93\xa6active\xa8standard\x90"


# The twin


def seen_by(reader, deal):
    """Return the cards of the running *deal*, its events, that *reader* has seen."""
    seen = 0
    for one in deal:
        match one.event:
            case e.DealDealt(hands=hands) if reader in range(len(hands)):
                seen |= hands[reader]
            case e.PositionSet(position=position):
                seen |= seen_in(position, reader)
            case e.PassCompleted(received=received) if reader in range(len(received)):
                seen |= union(some for _, some in received[reader])
            case e.KittyTaken(seat=seat, cards=kitty) if seat == reader:
                seen |= kitty
            case e.CardPlayed(card=played):
                seen |= played
            case _:
                pass
    return seen


def twin_of(stored, reader, rng):
    """Return a log that *reader* cannot tell from *stored*."""
    start = max(place for place, one in enumerate(stored) if isinstance(one.event, BEGINNINGS))
    deal, dealt = stored[start:], stored[start].event
    if isinstance(dealt, e.PositionSet):
        whole = union(dealt.position.dealt) | dealt.position.kitty
        # The table has kept it, seen by nobody, since it was opened.
        start, deal = 0, stored
    else:
        whole = union(dealt.hands) | dealt.kitty
    unseen = list(each(whole & ~seen_by(reader, deal)))
    change = dict(zip(unseen, rng.sample(unseen, len(unseen)), strict=True))
    return [
        *stored[:start],
        *(
            one if _is_advice_for(reader, one) else one._replace(event=changed(one.event, change))
            for one in deal
        ),
    ]


def _is_advice_for(reader, one):
    # It names cards of the first pack, of which somebody else may hold the twin.
    return isinstance(one.event, e.HintUsed) and one.event.seat == reader


def seen_in(position, reader):
    """Return the cards of *position* that *reader* has seen."""
    seen = union(position.trick) | union(union(past.trick.cards) for past in position.tricks)
    if reader not in range(len(position.dealt)):
        return seen
    gifts = position.received[reader] if position.received else ()
    kitty = position.kitty if position.kitty_taker == reader else 0
    return seen | position.dealt[reader] | union(some for _, some in gifts) | kitty


def changed(event, change):
    """Return *event* with its hidden cards changed."""

    def other(some):
        return union(change.get(one, one) for one in each(some))

    match event:
        case e.DealDealt(hands=hands, kitty=kitty):
            more = {"hands": tuple(map(other, hands)), "kitty": other(kitty)}
        case e.PositionSet(position=position) | e.GameCreated(position=Position() as position):
            more = {"position": _moved(position, other)}
        case e.KittyTaken(cards=kitty):
            more = {"cards": other(kitty)}
        case e.CardsPassed(cards=passed):
            more = {"cards": tuple(map(other, passed))}
        case e.HintUsed(advice=advice):
            moves = [one._replace(move=_other_move(one.move, other)) for one in advice.ranking]
            more = {"advice": replace(advice, ranking=tuple(moves))}
        case e.PassCompleted(received=received):
            gifts = tuple(tuple((giver, other(some)) for giver, some in one) for one in received)
            more = {"received": gifts}
        case _:
            more = {}
    return replace(event, **more)


def _other_move(move, other):
    match move:
        case c.PassCards(cards=passed):
            return replace(move, cards=tuple(map(other, passed)))
        case c.PlayCard(card=played):
            return replace(move, card=other(played))
        case _:
            return move


def _moved(position, other):
    passed = [None if cards is None else tuple(map(other, cards)) for cards in position.passed]
    gifts = [tuple((giver, other(some)) for giver, some in one) for one in position.received]
    return replace(
        position,
        dealt=tuple(map(other, position.dealt)),
        kitty=other(position.kitty),
        passed=tuple(passed),
        received=tuple(gifts),
    )


def state_of(stored):
    return fold(None, [one.event for one in stored])


def is_running(stored):
    state = state_of(stored)
    return isinstance(state, Passing | Playing) and turn_of(state) is not None


def moments(table, rng, play=stored_game):
    """Yield beginnings of a game under *table* at which somebody is to act."""
    stored = play(table, rng)
    running = [place for place in range(4, len(stored)) if is_running(stored[:place])]
    passing = [place for place in running if isinstance(state_of(stored[:place]), Passing)]
    chosen = rng.sample(running, min(MOMENTS - 1, len(running))) + rng.sample(passing or running, 1)
    created = stored[0].event
    opened = replace(created, options=replace(created.options, hints=True))
    for place in sorted(chosen):
        log = [stored[0]._replace(event=opened), *stored[1:place]]
        yield [*log, *hint_after(log, rng)]


def hint_after(stored, rng):
    """Return the hint that a person to act is given after *stored*, every other time."""
    state = state_of(stored)
    turn, players = turn_of(state), table_of(state).players
    people = [seat for seat in turn.seats if players[seat].playing_level is None]
    if not people or rng.random() < 1 / 2:
        return []
    seat = rng.choice(people)
    advice = advise(view_for(seat, state), "hard", "00" * 32)
    used = decide_hint(state, c.TakeHint(seat, turn.id, "hard", advice))
    last = stored[-1]
    cause, number = cause_of(len(stored) + 10_000), version_of(used)
    return [Stored(last.seq + 1, last.time + 1, Actor("seat", seat), cause, used, number)]


# What a reader asks


def reads(game_id, version, seats):
    """Return the targets of everything there is to read about a game."""
    path = f"/v1/games/{game_id}"
    views = ["own", "public", "all", *(f"seat:{seat}" for seat in range(seats))]
    last = range(max(1, version - 3), version + 2)
    return [
        "/v1/games",
        path,
        f"{path}/legal-moves",
        f"{path}/legal-moves?explain=true",
        f"{path}/knowledge",
        f"{path}/events?limit=500",
        f"{path}/events?after={version - 3}&limit=2",
        f"{path}/events?types=deal.dealt,position.set,cards.passed,pass.completed",
        *(f"{path}/events?after={version - 9}&as={view}" for view in views),
        *(f"{path}/events/{seq}" for seq in last),
        *(f"{path}/events/{version}?as={view}" for view in views),
        *(f"{path}/states/{number}" for number in last),
        *(f"{path}/states/{version}?as={view}" for view in views),
        *(f"{path}/replay?after={max(0, version - 4)}&as={view}" for view in views),
        f"{path}/replay?step=trick&limit=100&state=none",
        f"{path}/fairness",
        *(f"{path}/deals?as={view}" for view in views),
        *(f"{path}/deals/{deal}?as={view}" for view in views for deal in (1, 2)),
        *(f"{path}/deals/{deal}/proof" for deal in (1, 2)),
        *(f"{path}/export?format={form}&as={view}" for view in views for form in FORMS),
        *(f"{path}/export?format={form}" for form in FORMS),
    ]


def wrong_moves(stored, reader, rng):
    """Return moves of *reader* that are refused, and one that may be accepted, last."""
    view = view_for(reader, state_of(stored))
    turn, legal = view.turn.id, view.you.legal
    held = codes_of(view.you.hand)
    plays = [{"type": "play", "card": code} for code in CODES if not card(code) & legal]
    passes = [
        {"type": "pass", "cards": rng.sample(some, min(count, len(some)))}
        for some in (CODES, held or CODES)
        for count in (1, 2, 3, 4)
        if count != view.deal.pass_count or not view.you.to_act
    ]
    twice = [{"type": "pass", "cards": [held[0]] * view.deal.pass_count}] if held else []
    odd = [
        {"type": "moon", "choice": "others_add"},
        {"type": "play", "card": rng.choice(CODES), "turn_id": turn + 1},
        {"type": "play", "card": rng.choice(CODES), "expected_version": view.version + 1},
        {"type": "pass", "cards": rng.sample(CODES, 3), "turn_id": 1},
    ]
    strange = [code for code in CODES if not card(code) & cards(" ".join(held))]
    foreign = [{"type": "pass", "cards": rng.sample(strange, max(1, view.deal.pass_count))}]
    best = [{"type": "play", "card": code} for code in codes_of(legal)[:1]]
    return [*plays, *passes, *twice, *odd, *foreign, *best]


def bytes_of(world, method, target, token, body=None):
    """Return all that is answered: status, headers and body."""
    headers = {"Request-Id": "the-same-in-both"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    answer = world.api.app.test_client().open(target, method=method, headers=headers, json=body)
    shown = [pair for pair in answer.headers.items() if pair[0] not in NOT_COMPARED]
    return answer.status_code, shown, answer.get_data()


def differences(worlds, stored, reader, rng):
    """Return the requests of *reader* that are answered differently in *stored* and its twin."""
    twin = twin_of(stored, reader, rng)
    both = [settled(api, log) for api, log in zip(worlds, (stored, twin), strict=True)]
    here, there = both
    token, seats = here.tokens(stored).get(reader), len(stored[0].event.seats)
    asked = [("GET", target, None) for target in reads(here.game_id, len(stored), seats)]
    path = f"/v1/games/{here.game_id}"
    if reader not in {PUBLIC, HOST}:
        asked.append(("POST", f"{path}/hints", {"level": "hard"}))
        asked += [("POST", f"{path}/moves", body) for body in wrong_moves(stored, reader, rng)]
        asked.append(("POST", f"{path}/seats/{reader}/release", None))
    if reader == HOST:
        changes = [{"kick": True}, {"reissue": True}, {"kind": "human"}]
        asked += [
            ("PATCH", f"{path}/seats/{seat}", body) for seat in range(seats) for body in changes
        ]
    return [
        (method, target, body)
        for method, target, body in asked
        if bytes_of(here, method, target, token, body)
        != bytes_of(there, method, target, token, body)
    ]


def readers_of(stored, rng):
    players = table_of(state_of(stored)).players
    people = [seat for seat, player in enumerate(players) if player.claimed]
    return [rng.choice([PUBLIC, HOST]), *people]


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_what_a_reader_cannot_see_changes_no_byte_of_any_answer(worlds, number):
    """Leaks L1, L4, L5, L6 and L17; fault case 50."""
    table, rng = TABLES[number], random.Random(f"twins of table {number}")
    for stored in moments(table, rng):
        for reader in readers_of(stored, rng):
            found = differences(worlds, stored, reader, rng)

            assert not found, f"{reader!r} at version {len(stored)} sees a difference: {found[:3]}"


@pytest.mark.parametrize("number", range(len(TABLES)))
def test_what_a_reader_cannot_see_of_a_fork_changes_no_byte_of_any_answer(worlds, number):
    """The same where the deal was copied."""
    table, rng = TABLES[number], random.Random(f"forked twins of table {number}")
    for stored in moments(table, rng, play=stored_fork):
        for reader in rng.sample(readers_of(stored, rng), 2):
            found = differences(worlds, stored, reader, rng)

            assert not found, f"{reader!r} at version {len(stored)} sees a difference: {found[:3]}"


@pytest.mark.parametrize("reader", [PUBLIC, HOST, 0, 1, 2, 3])
def test_whoever_comes_and_goes_opens_nothing(worlds, reader):
    """The same where seats change hands, and bots play on for people."""
    rng = random.Random(f"restless twins of {reader}")
    for stored in moments(TABLES[0], rng, play=restless_game):
        if reader in {PUBLIC, HOST, *readers_of(stored, rng)}:
            assert not differences(worlds, stored, reader, rng)


# The comparison itself finds leaks


def leak_in_a_tag(monkeypatch):
    """A tag over the whole state."""
    monkeypatch.setattr(
        "service.api.games.etag",
        lambda game, _: f'"{zlib.crc32(repr(game.state).encode())}"',
    )


def leak_in_a_count(monkeypatch):
    """How many moves somebody else could make."""
    turn_data = responses.turn_data

    def told(game):
        data = turn_data(game)
        if data is not None and isinstance(game.state, Playing):
            legal = view_for(data["seats"][0], game.state).you.legal
            data["options"] = legal.bit_count()
        return data

    monkeypatch.setattr(responses, "turn_data", told)


def leak_in_a_refusal(monkeypatch):
    """Who holds the card instead."""
    refused = problems.refusal_of

    def told(exc):
        return refused(exc)._replace(detail=str(getattr(exc.game.state, "hands", "")))

    monkeypatch.setattr(problems, "refusal_of", told)


def leak_in_an_event(monkeypatch):
    """The private parts of all seats."""
    monkeypatch.setattr("service.schemas.responses.own_part", lambda parts, *_, **__: dict(parts))


def leak_in_a_deal(monkeypatch):
    """The running deal, taken for open."""
    monkeypatch.setattr("service.game.Game.is_open", lambda *_: True)


def leak_in_a_hint(monkeypatch):
    """Advice by where all cards lie."""
    advice = hints._advice

    def openly(game, *args):
        return replace(advice(game, *args), worlds=zlib.crc32(repr(game.state).encode()) % 1_000)

    monkeypatch.setattr(hints, "_advice", openly)


@pytest.mark.parametrize(
    "leak",
    [
        leak_in_a_hint,
        leak_in_a_tag,
        leak_in_a_count,
        leak_in_a_refusal,
        leak_in_an_event,
        leak_in_a_deal,
    ],
)
@pytest.mark.parametrize("play", [stored_game, stored_fork])
def test_a_planted_leak_is_found(worlds, monkeypatch, leak, play):
    leak(monkeypatch)
    rng = random.Random("planted")

    assert any(
        differences(worlds, stored, reader, rng)
        for stored in moments(TABLES[0], rng, play)
        for reader in readers_of(stored, rng)
    )
