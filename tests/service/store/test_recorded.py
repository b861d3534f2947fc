"""Entries and streams that were stored once read as the same events for ever."""

import base64
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from engine import events as e
from engine.cards import card, cards
from engine.clocks import Clock, OnAllIdle, OnTimeout
from engine.commands import (
    Advice,
    Advised,
    BotSeat,
    ChooseMoon,
    HumanSeat,
    LobbyOptions,
    Origin,
    PassCards,
    PlayCard,
    SeedChain,
    TableOptions,
)
from engine.evolve import fold
from engine.playing import Trick
from engine.position import PastTrick, Position
from engine.presets import preset_rules
from engine.rules import (
    Deck,
    Direction,
    Ending,
    KittyTo,
    Leftover,
    Passing,
    Reach,
    Reveal,
    Scoring,
    Tie,
)
from engine.scoring import MoonChoice, Reason, Shot, ShotKind
from engine.state import Over, table_of
from service.store.codec import decode, decode_all, encode
from service.store.envelope import Actor, Cause, Stored
from service.store.event_types import EVENT_TYPES

HERE = Path(__file__).parent / "recorded"
CREATED_AT = 1_790_000_000_000
CAUSE = Cause(bytes(range(8)), bytes(range(8, 16)))
LINK = "ac16f8fc" * 8
SEED = "5eed" * 16
HANDS = tuple(cards(codes) for codes in ("2C AC", "2D AD QD", "2S AS QS", "2H AH JH KH"))
ODD_RULES = replace(
    preset_rules("spot", 5),
    deck=Deck(cards("2C 2D")),
    passing=Passing(4, (Direction.LEFT2, Direction.SCATTER, Direction.HOLD)),
    scoring=Scoring(
        hearts=MappingProxyType({"2": 3, "A": -1}),
        queen_of_spades=20,
        extra=MappingProxyType({card("JD"): -10, card("TC"): 5}),
        no_trick=-5,
        moon_points=30,
        moon_absorbs_bonus=True,
        sun_points=60,
    ),
    ending=Ending(target=None, deals=7, reach=Reach.EXCEED, tie=Tie.SHARE),
    reveal=Reveal.GAME_END,
)


KITTY = replace(
    preset_rules("kitty", 3),
    deck=Deck(remove=cards("2C"), leftover=Leftover.KITTY, kitty_to=KittyTo.FIRST_PENALTY_TRICK),
)
TWO_PACKS = replace(KITTY, seats=11, deck=replace(KITTY.deck, packs=2))
PAIRS = replace(TWO_PACKS, play=replace(TWO_PACKS.play, cancel_pairs=True))
WIDOW = cards("3C QS")

SUN = Shot(2, ShotKind.SUN, 52)
POSITION = Position(
    deal=3,
    scored=2,
    totals=(9, -26, 300, 0),
    dealer=1,
    direction=Direction.LEFT,
    pass_count=1,
    opening_card=card("3C"),
    dealt=HANDS,
    kitty=WIDOW,
    passed=((card("AC"),), None, (card("QS"),), ()),
    received=(((3, card("KH")),), (), ((0, card("AC")), (1, cards("AD QD"))), ()),
    tricks=(
        PastTrick(Trick(1, (card("2D"), card("2D") << 52, card("AH"))), None, 0),
        PastTrick(Trick(1, (card("3D"), card("2S"), card("JH"))), 3, -10),
    ),
    kitty_taker=3,
    kitty_trick=2,
    leader=3,
    trick=(card("KH"), card("4S")),
    hearts_broken=True,
)


def stored(seq, event, actor, *, cause=CAUSE, v=1):
    time = CREATED_AT if seq == 1 else CREATED_AT + 41_250 * seq
    return Stored(seq, time, actor, cause, event, v)


HOST, SEAT, BOT = Actor("host"), Actor("seat", 3), Actor("bot", 2, "easy", 1)
CREATED = stored(
    1,
    e.GameCreated(
        rules=ODD_RULES,
        seats=(HumanSeat(), *[BotSeat("random", "Random Bot")] * 3, HumanSeat()),
        commitment="8814" * 16,
        host_grant=1,
        nonce="0ce0" * 16,
        key_id="k1a2b3c4",
    ),
    HOST,
)
CREATED_CLOSED = CREATED._replace(
    event=replace(
        CREATED.event,
        lobby=LobbyOptions(is_open=False, auto_start=True, fill_with_bots=True),
    )
)
RECORDED = {
    ("game.created", 1): CREATED,
    ("seat.claimed", 1): stored(2, e.SeatClaimed(3, "Zoë 🂱", 1_700, SEED), SEAT),
    ("seat.updated", 1): stored(3, e.SeatUpdated(3, "Zoë", True, None), SEAT, cause=None),
    ("game.started", 1): stored(4, e.GameStarted((SEED, "-", "-", SEED)), HOST),
    ("deal.dealt", 1): stored(
        5, e.DealDealt(2, 0, Direction.RIGHT, 3, None, None, HANDS), HOST, cause=None
    ),
    ("cards.passed", 1): stored(
        6, e.CardsPassed(1, 2, (card("KD"), card("QH"), card("2C")), 43, None), BOT
    ),
    ("pass.completed", 1): stored(
        7,
        e.PassCompleted(
            1,
            3,
            card("2C"),
            tuple(((seat, hand), (0, card("5C"))) for seat, hand in enumerate(HANDS)),
        ),
        BOT,
        cause=None,
    ),
    ("card.played", 1): stored(8, e.CardPlayed(11, 7, 2, card("QS"), 4_321, True, "fallback"), BOT),
    ("trick.completed", 1): stored(
        9,
        e.TrickCompleted(11, 13, 3, -10, (card("2S"), card("QS"), card("AH"), card("JD")), None),
        SEAT,
        cause=None,
    ),
    ("moon.shot", 1): stored(10, e.MoonShot(3, 2, ShotKind.SUN, 52, True), SEAT, cause=None),
    ("moon.chosen", 1): stored(11, e.MoonChosen(3, 2, MoonChoice.SELF_SUBTRACT, 10, None), SEAT),
    ("deal.scored", 1): stored(
        12,
        e.DealScored(
            deal=3,
            taken=(0, 0, 26, 0),
            points=(26, 26, 0, 26),
            totals=(99, -26, 300, 0),
            moon=e.MoonScored(2, ShotKind.MOON, 26, MoonChoice.OTHERS_ADD),
            opened=e.Opened(3, LINK, HANDS),
        ),
        SEAT,
        cause=None,
    ),
    ("game.finished", 1): stored(
        13,
        e.GameFinished(
            (100, 5, 5, -40), (4, 2, 2, 1), (3,), Reason.TARGET_REACHED, (e.Opened(1, LINK, HANDS),)
        ),
        SEAT,
        cause=None,
    ),
    ("game.aborted", 1): stored(14, e.GameAborted("host", (0,) * 4, ()), HOST),
    ("game.options_changed", 1): stored(15, e.OptionsChanged(ODD_RULES), HOST),
    ("lobby.changed", 1): stored(16, e.LobbyChanged(is_open=False), HOST, cause=None),
    ("seat.bot_assigned", 1): stored(17, e.SeatBotAssigned(3, "random", "Zoë 🂱"), HOST),
    ("seat.released", 1): stored(18, e.SeatReleased(3, 2**48 - 1, "left"), SEAT),
    ("seat.kicked", 1): stored(19, e.SeatKicked(3, 1_701), HOST),
    ("seat.token_rotated", 1): stored(20, e.SeatTokenRotated(3, 1_702), SEAT),
    ("host.token_rotated", 1): stored(21, e.HostTokenRotated(1_703), HOST),
    ("seat.control_changed", 1): stored(
        22, e.ControlChanged(3, "easy", "kicked"), HOST, cause=None
    ),
    # With what was added at the end of an event since.
    ("game.created", 1, "lobby"): CREATED_CLOSED,
    ("seat.updated", 1, "ready"): stored(3, e.SeatUpdated(3, "Zoë", False, None, True), SEAT),
    ("moon.chosen", 1, "turn"): stored(
        11, e.MoonChosen(3, 2, MoonChoice.OTHERS_ADD, 4_321, "takeover"), BOT
    ),
    ("game.created", 1, "kitty"): CREATED._replace(event=replace(CREATED.event, rules=KITTY)),
    ("game.options_changed", 1, "kitty"): stored(15, e.OptionsChanged(KITTY), HOST),
    ("game.created", 1, "packs"): CREATED._replace(event=replace(CREATED.event, rules=TWO_PACKS)),
    ("game.options_changed", 1, "packs"): stored(15, e.OptionsChanged(TWO_PACKS), HOST),
    ("deal.dealt", 1, "kitty"): stored(
        5, e.DealDealt(2, 0, Direction.RIGHT, 3, None, None, HANDS, WIDOW), HOST, cause=None
    ),
    ("trick.completed", 1, "kitty"): stored(
        9,
        e.TrickCompleted(11, 1, 3, 0, (card("2S"), card("QC"), card("AS")), 3, True),
        SEAT,
        cause=None,
    ),
    ("game.created", 1, "pairs"): CREATED._replace(event=replace(CREATED.event, rules=PAIRS)),
    ("game.created", 1, "import"): CREATED._replace(
        event=replace(CREATED.event, rules=PAIRS, origin=Origin("import", "0b5e" * 8))
    ),
    ("game.options_changed", 1, "pairs"): stored(15, e.OptionsChanged(PAIRS), HOST),
    ("trick.completed", 1, "carried"): stored(
        9,
        e.TrickCompleted(
            deal=11,
            trick=2,
            winner=None,
            points=0,
            cards=(card("2S"), card("2S") << 52, card("AH")),
            leader=3,
            carried=(card("QS"), card("QS") << 52, card("AD")),
        ),
        SEAT,
        cause=None,
    ),
    ("game.created", 1, "fork"): CREATED._replace(
        event=replace(
            CREATED.event,
            rules=PAIRS,
            origin=Origin("fork", "0b5e" * 8, 43),
            position=POSITION,
            practice=True,
            visibility="unlisted",
        )
    ),
    ("position.set", 1): stored(24, e.PositionSet(POSITION), HOST, cause=None),
    ("position.set", 1, "moon"): stored(
        24,
        e.PositionSet(replace(POSITION, passed=(), received=(), leader=None, trick=(), shot=SUN)),
        HOST,
    ),
    ("kitty.taken", 1): stored(23, e.KittyTaken(11, 3, WIDOW), SEAT, cause=None),
    ("deal.scored", 1, "kitty"): stored(
        12,
        e.DealScored(3, (0, 0, 26), (0, 0, 26), (9, 5, 30), None, e.Opened(3, LINK, HANDS, WIDOW)),
        SEAT,
        cause=None,
    ),
    ("game.finished", 1, "kitty"): stored(
        13,
        e.GameFinished(
            (100, 5, 5), (3, 1, 1), (1, 2), Reason.DEALS_PLAYED, (e.Opened(1, LINK, HANDS, WIDOW),)
        ),
        SEAT,
        cause=None,
    ),
    ("game.created", 1, "seeded"): CREATED._replace(
        event=replace(CREATED.event, rules=PAIRS, seed_chain=SeedChain("8d3d" * 16, "5eed" * 16))
    ),
    ("game.created", 1, "seeded-copy"): CREATED._replace(
        event=replace(
            CREATED.event,
            rules=PAIRS,
            origin=Origin("import", "0b5e" * 8),
            seed_chain=SeedChain("8d3d" * 16),
        )
    ),
    ("deal.voided", 1): stored(
        12, e.DealVoided(3, "store_restored", e.Opened(3, LINK, HANDS, WIDOW)), Actor("system")
    ),
    ("deal.voided", 1, "late"): stored(12, e.DealVoided(256, "store_rewound", None), SEAT),
    ("game.created", 1, "options"): CREATED._replace(
        event=replace(
            CREATED.event,
            rules=PAIRS,
            visibility="private",
            options=TableOptions(
                spectators=False, knowledge=False, metadata=(("0", ""), ("tournament", "t_12 é"))
            ),
        )
    ),
    ("game.options_changed", 1, "visibility"): stored(
        15, e.OptionsChanged(None, visibility="private"), HOST
    ),
    ("game.options_changed", 1, "both"): stored(
        15, e.OptionsChanged(PAIRS, visibility="public"), HOST
    ),
    ("seat.claimed", 1, "player"): stored(
        2, e.SeatClaimed(3, "Zoë", 1_700, None, player_ref="u_33"), SEAT
    ),
    ("game.created", 1, "application"): CREATED._replace(
        event=replace(CREATED.event, rules=PAIRS, options=TableOptions(application="shop"))
    ),
    ("seat.token_rotated", 1, "key"): stored(20, e.SeatTokenRotated(3, 1_702), Actor("key")),
    ("game.created", 1, "clock"): CREATED._replace(
        event=replace(
            CREATED.event,
            rules=PAIRS,
            clock=Clock(60, 90, 2_592_000, "easy", OnTimeout.ABORT, 3, 600, OnAllIdle.ABORT),
        )
    ),
    ("turn.timed_out", 1): stored(
        13, e.TurnTimedOut(12, (2,), 3, OnTimeout.BOT_TAKEOVER), Actor("timer")
    ),
    ("turn.extended", 1): stored(
        14, e.TurnExtended(12, CREATED_AT + 99_000, "outage"), Actor("timer"), cause=None
    ),
    ("game.created", 1, "hints"): CREATED._replace(
        event=replace(CREATED.event, rules=PAIRS, options=TableOptions(hints=True))
    ),
    ("hint.used", 1, "pass"): stored(
        9,
        e.HintUsed(
            *(1, 0, 2, 8, "expert"),
            Advice(
                *(
                    93,
                    (Advised(PassCards(2, (card("4S"), card("AS") << 52)), 631, 76),),
                    "no_clear_difference",
                ),
            ),
        ),
        SEAT,
    ),
    ("hint.used", 1, "moon"): stored(
        90,
        e.HintUsed(
            *(3, 0, 2, 89, "hard"),
            Advice(
                1, (Advised(ChooseMoon(2, MoonChoice.SELF_SUBTRACT), -2_600, 0),), "best_place", 2
            ),
        ),
        SEAT,
    ),
    ("hint.used", 1): stored(
        44,
        e.HintUsed(
            *(1, 7, 2, 43, "hard"),
            Advice(
                333,
                (
                    Advised(PlayCard(2, card("4S")), -120, 14),
                    Advised(PlayCard(2, card("AS") << 52), 587, 34),
                ),
                *("dearest_card", 97, 66, 1),
            ),
        ),
        SEAT,
    ),
}
LAST = {key[:2]: key for key in RECORDED}
"""The last form of each version of each type."""


def recorded_entries():
    lines = map(str.split, (HERE / "entries.txt").read_text().splitlines())
    return {(name, int(v), *more): bytes.fromhex(entry) for name, v, *more, entry in lines}


def name_of(key):
    return "-".join(map(str, key))


def test_there_is_an_entry_of_every_version_of_every_type():
    released = {(kind.name, v) for kind in EVENT_TYPES.values() for v in range(1, kind.v + 1)}

    assert recorded_entries().keys() == RECORDED.keys()
    assert LAST.keys() == released


@pytest.mark.parametrize("key", RECORDED, ids=name_of)
def test_a_recorded_entry_is_the_same_event_for_ever(key):
    expected = RECORDED[key]
    created_at = None if expected.seq == 1 else CREATED_AT

    assert decode(recorded_entries()[key], expected.seq, created_at) == expected


@pytest.mark.parametrize(
    "key", [LAST[kind.name, kind.v] for kind in EVENT_TYPES.values()], ids=name_of
)
def test_the_last_form_of_an_event_is_still_written_so(key):
    assert encode(RECORDED[key], CREATED_AT) == recorded_entries()[key]


@pytest.mark.parametrize(
    ("key", "defaults"),
    [
        (("game.created", 1), {"lobby": LobbyOptions(), "origin": None, "seed_chain": None}),
        (("game.created", 1), {"position": None, "practice": False, "visibility": "public"}),
        (("game.created", 1), {"options": TableOptions()}),
        (("game.options_changed", 1), {"visibility": None}),
        (("seat.claimed", 1), {"player_ref": None}),
        (("game.created", 1), {"clock": None}),
        (("seat.updated", 1), {"ready": False}),
        (("moon.chosen", 1), {"turn_id": RECORDED["moon.chosen", 1].seq - 1}),
        (("game.created", 1), {"rules": ODD_RULES}),
        (("deal.dealt", 1), {"kitty": 0}),
        (("trick.completed", 1), {"takes_kitty": False, "carried": ()}),
        (("deal.scored", 1), {"opened": e.Opened(3, LINK, HANDS, kitty=0)}),
    ],
    ids=[
        "lobby",
        "fork",
        "options",
        "visibility",
        "player",
        "clock",
        "ready",
        "turn",
        "leftover",
        "kitty",
        "takes kitty",
        "opened kitty",
    ],
)
def test_what_an_old_entry_does_not_say_is_the_default(key, defaults):
    event = decode(recorded_entries()[key], RECORDED[key].seq, CREATED_AT).event

    assert {name: getattr(event, name) for name in defaults} == defaults


STREAMS = sorted(HERE.glob("*-*.txt"))


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: path.stem)
def test_a_recorded_stream_folds_to_the_same_scores(path):
    totals, *lines = path.read_text().splitlines()

    events = decode_all([base64.b64decode(line) for line in lines], 1, None)

    state = fold(None, (one.event for one in events))
    preset, _, seats = path.stem.removeprefix("restless-").rpartition("-")
    assert isinstance(state, Over)
    assert table_of(state).rules.preset == preset
    assert len(table_of(state).players) == int(seats)
    assert list(table_of(state).totals) == [int(total) for total in totals.split()]
    assert state.version == len(lines)


def test_streams_of_several_presets_are_recorded():
    assert len(STREAMS) >= 14
