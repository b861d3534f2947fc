"""Which cards may be played, and who takes a trick: L and T of docs/rules.md, section 6."""

import pytest

from engine.cards import CODES, RANKS, card, cards
from engine.decide import decide
from engine.errors import MustFollowSuit, RuleViolation
from engine.events import CardPlayed, MoonShot, PassCompleted, TrickCompleted
from engine.playing import forbidden, legal_plays, opening, trick_winner, why_not
from engine.state import situation
from tests.table import (
    STANDARD,
    a_deal,
    a_new_deal,
    accepted,
    after,
    hands,
    link,
    names,
    of_type,
    pass_cards,
    play,
    refusal,
    rules,
    step,
    to_act,
    trick,
)

OMNIBUS = rules("omnibus")
ALLOWED = rules(play={"first_trick_points": "allowed"})
FREE_CHOICE = rules(play={"hearts_and_queen": "free_choice"})
NO_LEAD = rules(play={"queen": "no_lead_until_broken"})
NO_PLAY = rules(play={"queen": "no_play_until_broken"})
ONLY_HEARTS_BREAK = rules(play={"hearts_broken_by": "heart"})
ELDEST = rules(play={"opening_lead": "eldest"})
ANY_CLUB = rules(play={"opening_lead": "any_club"})
HEARTS_ANY_TIME = rules(play={"hearts_lead": "any_time"})
PLAIN_QUEEN = rules(scoring={"queen_of_spades": 0})
QUEEN_BY_EXTRA = rules(
    play={"queen": "no_play_until_broken"},
    scoring={"queen_of_spades": 0, "extra": {"QS": 5}},
)


def lead(hand, **more):
    """Seat 0 leads from *hand*."""
    return a_deal(seat0=hand, leads=0, **more)


def follow(hand, led, *, rules=STANDARD, **more):
    """Seat 0 plays from *hand* after the cards *led*."""
    leader = -len(led.split()) % rules.seats
    return a_deal(seat0=hand, trick=trick(leader, led), rules=rules, **more)


def first(hand, led, **more):
    """The same on the first trick."""
    return follow(hand, led, first_trick=True, **more)


WORKED_CASES = {
    "L1": (follow("2C 9D KD 4H", "7D"), "9D KD"),
    "L2": (follow("2C QS 4H", "7D"), "2C QS 4H"),
    "L3": (first("AD QS 3H KS", "2C"), "AD KS"),
    "L4": (first("AD QS 3H KS", "2C", rules=ALLOWED), "AD QS 3H KS"),
    "L5": (
        first("2H 5H 9H TH JH KH QS", "2C", rules=rules(seats=7)),
        "2H 5H 9H TH JH KH QS",
    ),
    "L6": (first("2H 5H 9H TH JH KH JD", "2C", rules=rules("omnibus", 7)), "JD"),
    "L7": (lead("3H 9C QS"), "9C QS"),
    "L8": (lead("3H 9H"), "3H 9H"),
    "L9": (lead("3H 9H QS"), "QS"),
    "L9 free choice": (lead("3H 9H QS", rules=FREE_CHOICE), "3H 9H QS"),
    "L10": (lead("3H 9C QS", rules=NO_LEAD), "9C"),
    "L10 hearts and queen": (lead("3H QS", rules=NO_LEAD), "3H QS"),
    "L10 queen alone": (lead("QS", rules=NO_LEAD), "QS"),
    "L11": (follow("QS 4D", "5C", rules=NO_LEAD), "QS 4D"),
    "L12": (follow("AS KS QS JS QC", "9D 8D 7D", rules=NO_PLAY), "AS KS JS QC"),
    "L13": (follow("QS 4D", "5S", rules=NO_PLAY), "QS"),
    "L14": (follow("QS 4D", "9C 2H", rules=NO_PLAY, hearts_broken=True), "QS 4D"),
    "L16": (follow("AS QS 5H", "KS 3S"), "AS QS"),
    "L17": (first("QS 7H", "4S", rules=ELDEST), "QS"),
    "L17 a spade beside": (first("QS 9S 7H", "4S", rules=ELDEST), "9S"),
}

FURTHER_CASES = {
    "hearts lead any time": (lead("3H 9C QS", rules=HEARTS_ANY_TIME), "3H 9C QS"),
    "hearts are broken": (lead("3H 9C QS", hearts_broken=True), "3H 9C QS"),
    "free choice needs a hand of nothing else": (lead("3H QS 2C", rules=FREE_CHOICE), "QS 2C"),
    "free choice is for a queen that counts": (
        lead(
            "3H QS",
            rules=rules(play={"hearts_and_queen": "free_choice"}, scoring={"queen_of_spades": 0}),
        ),
        "QS",
    ),
    "a limited queen knows no free choice": (
        lead(
            "3H QS 2C",
            rules=rules(play={"hearts_and_queen": "free_choice", "queen": "no_lead_until_broken"}),
        ),
        "2C",
    ),
    "a plain queen is never held back": (
        lead(
            "3H 9C QS",
            rules=rules(play={"queen": "no_lead_until_broken"}, scoring={"queen_of_spades": 0}),
        ),
        "9C QS",
    ),
    "nor one that counts by extra alone": (lead("3H 9C QS", rules=QUEEN_BY_EXTRA), "9C QS"),
    "which is a penalty card all the same": (first("3D QS", "4C", rules=QUEEN_BY_EXTRA), "3D"),
    "a bonus card is no penalty card": (first("JD QS 3H 4S", "2C", rules=OMNIBUS), "JD 4S"),
    "the eldest leads no penalty card": (
        lead("3D 9H QS", first_trick=True, rules=ELDEST),
        "3D",
    ),
    "an eldest of penalty cards obeys the other rules": (
        lead("9H QS", first_trick=True, rules=ELDEST),
        "QS",
    ),
    "any club opens": (lead("2C 9C 3D", first_trick=True, rules=ANY_CLUB), "2C 9C"),
    "a heart worth nothing may fall on the first trick": (
        first("2H 9H 3D", "2C", rules=rules(scoring={"hearts": {"9": 1}})),
        "2H 3D",
    ),
    "a club that counts stays in hand on the first trick": (
        first("9C KC 3D", "2C", rules=rules(scoring={"extra": {"KC": 5}})),
        "9C",
    ),
    "the queen waits while following too": (first("QS 3D", "2C", rules=NO_PLAY), "3D"),
}

LEGAL = WORKED_CASES | FURTHER_CASES


@pytest.mark.parametrize(("game", "legal"), LEGAL.values(), ids=LEGAL)
def test_exactly_the_legal_cards_are_offered_and_accepted(game, legal):
    offered = legal_plays(situation(game, 0))

    assert names(offered) == set(legal.split())
    assert accepted(game) == set(legal.split())


REFUSED = {
    "L1": (follow("2C 9D KD 4H", "7D"), {"2C 4H": "must_follow_suit"}),
    "L3": (first("AD QS 3H KS", "2C"), {"QS 3H": "no_points_on_first_trick"}),
    "L6": (
        first("2H 5H JD", "2C", rules=rules("omnibus", 7)),
        {"2H 5H": "no_points_on_first_trick"},
    ),
    "L7": (lead("3H 9C QS"), {"3H": "hearts_not_broken"}),
    "L9": (lead("3H 9H QS"), {"3H 9H": "hearts_not_broken"}),
    "L10": (
        lead("3H 9C QS", rules=NO_LEAD),
        {"3H": "hearts_not_broken", "QS": "queen_not_before_hearts"},
    ),
    "L12": (
        follow("AS KS QS JS QC", "9D 8D 7D", rules=NO_PLAY),
        {"QS": "queen_not_before_hearts"},
    ),
    "L13": (follow("QS 4D", "5S", rules=NO_PLAY), {"4D": "must_follow_suit"}),
    "L17": (
        first("QS 9S 7H", "4S", rules=ELDEST),
        {"QS": "no_points_on_first_trick", "7H": "must_follow_suit"},
    ),
    "lowest club": (
        lead("2C 9C QS 3H", first_trick=True),
        {"9C QS 3H": "must_lead_lowest_club"},
    ),
    "any club": (
        lead("2C 9C QS 3H", first_trick=True, rules=ANY_CLUB),
        {"QS 3H": "must_lead_a_club"},
    ),
    "the first rule that takes a card away gives its code": (
        lead("3D 9H QS", first_trick=True, rules=ELDEST),
        {"9H QS": "no_points_on_first_trick"},
    ),
    "a rule taken back gives no code": (
        lead("9H QS", first_trick=True, rules=ELDEST),
        {"9H": "hearts_not_broken"},
    ),
}


@pytest.mark.parametrize(("game", "expected"), REFUSED.values(), ids=REFUSED)
def test_each_forbidden_card_names_the_rule_that_forbids_it(game, expected):
    codes = {code: word for some, word in expected.items() for code in some.split()}

    reasons = forbidden(situation(game, 0))

    assert {names(one).pop(): no.code for one, no in reasons} == codes
    assert {code: refusal(game, play(0, code)) for code in codes} == codes


OPTION_BEHIND = {
    "must_follow_suit": None,
    "must_lead_lowest_club": "play.opening_lead",
    "must_lead_a_club": "play.opening_lead",
    "hearts_not_broken": "play.hearts_lead",
    "queen_not_before_hearts": "play.queen",
    "no_points_on_first_trick": "play.first_trick_points",
}


@pytest.mark.parametrize(("game", "expected"), REFUSED.values(), ids=REFUSED)
def test_each_refused_play_names_the_option_behind_it(game, expected):
    for _, no in forbidden(situation(game, 0)):
        assert no.option == OPTION_BEHIND[no.code]


def test_a_refusal_tells_facts_about_the_own_hand():
    no = why_not(card("2C"), situation(follow("2C 9D KD 4H", "7D"), 0))

    assert isinstance(no, MustFollowSuit)
    assert str(no) == "Diamonds were led and you hold 9D, KD."


@pytest.mark.parametrize("game", [game for game, _ in REFUSED.values()], ids=REFUSED)
def test_a_refusal_names_no_card_of_another_hand(game):
    shown = set(names(game.hands[0]))

    messages = [str(no) for _, no in forbidden(situation(game, 0))]

    assert all(code in shown for text in messages for code in CODES if code in text)


def test_a_card_not_held_is_refused():
    """Fault case 10: a card of another seat, one played before, one not in the deck."""
    game = after(
        a_deal(
            rules=rules(seats=3),
            seat0="7C 8D",
            seat1="9C JD",
            seat2="TC QD",
        ),
        play(0, "7C"),
        play(1, "9C"),
        play(2, "TC"),
        play(2, "QD"),
    )

    held = names(game.hands[0])

    assert held == {"8D"}
    assert {refusal(game, play(0, code)) for code in CODES if code not in held} == {
        "card_not_in_hand"
    }
    assert refusal(game, play(0, "8D")) is None


# Hearts and what breaks them


def test_the_first_heart_breaks_hearts():
    game = a_deal(seat1="2H 9S", trick=trick(0, "8D"))

    (played,) = decide(game, play(1, "2H"), link)

    assert isinstance(played, CardPlayed)
    assert played.broke_hearts


def test_hearts_break_once():
    game = a_deal(seat1="2H 9S", trick=trick(0, "8D"), hearts_broken=True)

    (played,) = decide(game, play(1, "2H"), link)

    assert not played.broke_hearts


def test_a_lead_of_hearts_only_breaks_them():
    """L8, to its end."""
    game = after(lead("3H 9H"), play(0, "3H"))

    assert game.hearts_broken


@pytest.mark.parametrize(
    ("rules", "legal"),
    [
        pytest.param(STANDARD, {"2H", "8C"}, id="L15"),
        pytest.param(ONLY_HEARTS_BREAK, {"8C"}, id="L15 heart"),
        pytest.param(PLAIN_QUEEN, {"8C"}, id="a plain queen breaks nothing"),
    ],
)
def test_the_queen_breaks_hearts_where_the_rules_say_so(rules, legal):
    """Fault case 3: just before and just after the flag turns."""
    before = a_deal(
        rules=rules,
        trick=trick(1, "5S KS"),
        seat1="3D",
        seat2="2H 8C",
        seat3="QS 4D",
        seat0="7S TD",
    )

    game = after(before, play(3, "QS"), play(0, "7S"))

    assert not before.hearts_broken
    assert to_act(game) == 2
    assert accepted(game) == legal


def test_hearts_break_inside_a_trick():
    """L14, from its first card: the queen may follow the heart that broke hearts."""
    start = a_deal(rules=NO_PLAY, leads=2, seat2="9C 3D", seat3="2H 4H", seat0="QS 4D")

    game = after(start, play(2, "9C"), play(3, "2H"))

    assert accepted(game) == {"QS", "4D"}


# Who opens


def test_the_holder_of_the_lowest_club_after_the_pass_opens():
    """L18, and fault case 5 after a pass."""
    deal = a_new_deal(
        seat0="3C 4D 5H 6S", seat1="4C 6D 7H 8S", seat2="7C 8D 9H TS", seat3="2C 5D KH 9S"
    )

    passes = [
        pass_cards(0, "3C 4D 5H"),
        pass_cards(1, "4C 6D 7H"),
        pass_cards(2, "7C 8D 9H"),
    ]

    events, game = step(after(deal, *passes), pass_cards(3, "2C 5D KH"))

    assert of_type(PassCompleted, events).leader == 0
    assert of_type(PassCompleted, events).opening_card == card("2C")
    assert accepted(game) == {"2C"}
    assert {refusal(game, play(0, code)) for code in ("5D", "KH", "6S")} == {
        "must_lead_lowest_club"
    }


def test_five_seats_open_with_the_three_of_clubs():
    """L19."""
    deal = a_new_deal(
        rules=rules(seats=5, passing={"count": 1}),
        seat0="4C 3S",
        seat1="5C 4S",
        seat2="6C 5S",
        seat3="3C 6S",
        seat4="7C 7S",
    )

    passes = [pass_cards(seat, code) for seat, code in enumerate(("3S", "4S", "5S", "3C", "7S"))]

    game = after(deal, *passes)

    assert to_act(game) == 4
    assert accepted(game) == {"3C"}
    assert refusal(game, play(4, "7C")) == "must_lead_lowest_club"


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules(passing={"count": 0}), id="no pass"),
        pytest.param(rules(passing={"cycle": ["hold"]}), id="hold"),
    ],
)
def test_the_lowest_club_opens_a_deal_without_a_pass(rules):
    """Fault case 5."""
    game = a_new_deal(rules=rules, seat0="3C 3H", seat1="4C 3S", seat2="2C QS KC", seat3="9D")

    assert to_act(game) == 2
    assert accepted(game) == {"2C"}


@pytest.mark.parametrize(
    ("rules", "deal", "expected"),
    [
        pytest.param(STANDARD, 1, (2, "2C"), id="lowest club"),
        pytest.param(STANDARD, 2, (2, "2C"), id="lowest club, whoever deals"),
        pytest.param(ANY_CLUB, 1, (2, "2C"), id="any club, by the holder of the lowest"),
        pytest.param(ELDEST, 1, (0, None), id="eldest of the first deal"),
        pytest.param(ELDEST, 4, (3, None), id="eldest of the fourth deal"),
        pytest.param(ELDEST, 5, (0, None), id="eldest of the fifth deal"),
    ],
)
def test_who_opens(rules, deal, expected):
    seat, code = expected

    opener = opening(rules, hands("3C 3H", "4C 3S", "2C QS", "9D"), deal)

    assert opener == (seat, code and card(code))


def test_the_eldest_opens_with_anything_where_nobody_holds_a_club():
    without_clubs = rules(
        deck={"remove": [f"{rank}C" for rank in RANKS] + ["2D", "3D", "4D"]},
        play={"first_trick_points": "allowed"},
        passing={"count": 0},
    )
    game = a_new_deal(rules=without_clubs, deal=2, seat0="5D", seat1="6D 7S", seat2="8D")

    assert to_act(game) == 1
    assert accepted(game) == {"6D", "7S"}


# Tricks


def test_the_highest_card_of_the_suit_led_takes_the_trick():
    """T1."""
    game = a_deal(seat0="4C 2D", seat1="AH 3D", seat2="TC 4D", seat3="AS 5D")

    game = after(game, play(0, "4C"), play(1, "AH"), play(2, "TC"))
    events, game = step(game, play(3, "AS"))

    taken = of_type(TrickCompleted, events)
    assert (taken.winner, taken.points, taken.leader) == (2, 1, 2)
    assert names(game.taken[2]) == {"4C", "AH", "TC", "AS"}
    assert game.hearts_broken
    assert to_act(game) == 2


def test_a_queen_counts_thirteen_for_whoever_takes_the_trick():
    """T2."""
    game = a_deal(trick=trick(1, "5D KD QS"), seat0="2D 3C", seat1="4C", seat2="5C", seat3="6C")

    events = decide(game, play(0, "2D"), link)

    taken = of_type(TrickCompleted, events)
    assert (taken.winner, taken.points) == (2, 13)


@pytest.mark.parametrize(
    ("fallen", "winner"),
    [
        pytest.param(trick(0, "4C AH TC AS"), 2, id="T1"),
        pytest.param(trick(1, "5D KD QS 2D"), 2, id="T2"),
        pytest.param(trick(3, "2S AD AH AC"), 3, id="nobody follows"),
        pytest.param(trick(2, "2H 3H 4H AH"), 1, id="round the corner"),
    ],
)
def test_who_takes_a_trick(fallen, winner):
    assert trick_winner(fallen, 4, cancel_pairs=False) == winner


def test_points_may_be_below_zero_in_a_trick():
    game = a_deal(rules=OMNIBUS, trick=trick(0, "9D TD JD"), seat3="2D 3C", seat2="4C")

    events = decide(game, play(3, "2D"), link)

    assert of_type(TrickCompleted, events).points == -10


def test_play_goes_on_to_the_last_card_when_all_points_are_taken():
    """Fault case 34: no trick is skipped because it counts nothing."""
    game = a_deal(
        trick=trick(0, "2D 3D 4D"),
        seat3="5D 6D",
        seat0="7C",
        seat1="8C",
        seat2="9C",
        taken=("2H 3H 4H 5H 6H 7H", "8H 9H TH JH QH KH AH QS", "", ""),
        hearts_broken=True,
    )

    game = after(game, play(3, "5D"))

    assert to_act(game) == 3
    assert accepted(game) == {"6D"}


# Golden deals: the deck in the order clubs, diamonds, hearts, spades, dealt card by card


def golden(seats):
    codes = [rank + suit for suit in "CDHS" for rank in RANKS]
    no_pass = rules(seats=seats, passing={"cycle": ["hold"]})
    deck = [code for code in codes if cards(code) & no_pass.cards]
    dealt = {f"seat{seat}": " ".join(deck[seat::seats]) for seat in range(seats)}
    return a_new_deal(rules=no_pass, **dealt)


def lowest_legal(game):
    """The lowest legal card by rank, of equal ones clubs, diamonds, hearts, spades."""
    legal = names(legal_plays(situation(game, to_act(game))))
    return min(legal, key=lambda code: (RANKS.index(code[0]), "CDHS".index(code[1])))


def play_out(game):
    """Play the deal to its end; return its tricks and the events of the last card."""
    tricks, events = [], []
    while len(events) <= 2:  # a card, and the trick it may complete
        events, game = step(game, play(to_act(game), lowest_legal(game)))
        tricks += [event for event in events if isinstance(event, TrickCompleted)]
    return tricks, events


@pytest.mark.parametrize(
    ("seats", "points", "won", "first_lead"),
    [
        pytest.param(4, [0, 13, 13, 0], [3, 4, 3, 3], (0, "2C"), id="N=4"),
        pytest.param(5, [0, 6, 0, 5, 15], [0, 6, 0, 1, 3], (0, "3C"), id="N=5"),
        pytest.param(3, [13, 13, 0], [9, 4, 4], (0, "2C"), id="N=3"),
        pytest.param(6, [0, 0, 0, 12, 14, 0], [0, 0, 0, 3, 4, 1], (0, "2C"), id="N=6"),
        pytest.param(7, [0, 3, 0, 0, 2, 0, 21], [1, 1, 0, 0, 2, 0, 3], (0, "2C"), id="N=7"),
    ],
)
def test_golden_deals(seats, points, won, first_lead):
    game = golden(seats)

    tricks, _ = play_out(game)

    counted = [sum(t.points for t in tricks if t.winner == seat) for seat in range(seats)]
    assert (to_act(game), lowest_legal(game)) == first_lead
    assert counted == points
    assert [sum(t.winner == seat for t in tricks) for seat in range(seats)] == won


def test_the_queen_falls_in_the_eighth_trick_of_the_golden_deal_of_four():
    tricks, _ = play_out(golden(4))

    (fell,) = [one.trick for one in tricks if card("QS") in one.cards]
    assert fell == 8


def one_suit_each():
    suits = [" ".join(f"{rank}{suit}" for rank in RANKS) for suit in "CDHS"]
    return a_new_deal(
        rules=rules(passing={"cycle": ["hold"]}),
        **{f"seat{seat}": codes for seat, codes in enumerate(suits)},
    )


def test_one_suit_each_is_a_moon_of_the_clubs():
    tricks, events = play_out(one_suit_each())

    moon = of_type(MoonShot, events)
    assert [one.winner for one in tricks] == [0] * 13
    assert sum(one.points for one in tricks) == 26
    assert (moon.seat, moon.points) == (0, 26)


def test_one_suit_each_leaves_hearts_free_and_the_queen_held_on_the_first_trick():
    game = after(one_suit_each(), play(0, "2C"), play(1, "2D"))

    assert accepted(game) == {f"{rank}H" for rank in RANKS}

    game = after(game, play(2, "2H"))

    assert accepted(game) == {f"{rank}S" for rank in RANKS} - {"QS"}


def test_a_refused_play_changes_nothing():
    game = follow("2C 9D", "7D")
    copy = follow("2C 9D", "7D")

    with pytest.raises(RuleViolation):
        decide(game, play(0, "2C"), link)

    assert game == copy
