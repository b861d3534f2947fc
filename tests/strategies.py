"""Rules of every kind, for tests of properties."""

from hypothesis import strategies as st

from engine.cards import CODES
from engine.conflicts import check_rules
from engine.errors import RulesConflict
from engine.presets import PRESETS
from engine.readable import rules_data, rules_from

RANKS = "23456789TJQKA"
SMALL = st.integers(-20, 20)
POINTS = st.one_of(SMALL, SMALL, st.integers(-1000, 1000))
AT_LEAST_NOTHING = POINTS.map(abs)
AT_MOST_NOTHING = POINTS.map(lambda points: -abs(points))
CARD = st.sampled_from(CODES)


def stands(rules):
    """Return whether the options of *rules* agree with each other."""
    try:
        check_rules(rules)
    except RulesConflict:
        return False
    return True


@st.composite
def any_rules(draw):
    """Generate rules with every option anywhere within its bounds."""
    packs = draw(st.sampled_from([1, 1, 2]))
    seats = draw(st.integers(3, 7) if packs == 1 else st.integers(5, 11))
    leftover = draw(st.sampled_from(["none", "kitty"]))
    removed = _removed(packs, seats) if leftover == "none" else _some_removed(packs, seats)
    remove = draw(st.one_of(st.sampled_from(["standard", "none"]), removed))
    return rules_from(
        {
            "preset": draw(st.sampled_from(list(PRESETS))),
            "seats": seats,
            "reveal": draw(st.sampled_from(["deal_end", "game_end"])),
            "deck": {
                "packs": packs,
                "remove": remove,
                "leftover": leftover,
                "kitty_to": draw(KITTY_TO),
            },
            "passing": {
                "count": draw(st.integers(0, min(5, _hand_size(packs, seats, remove)))),
                "cycle": draw(st.lists(_direction(seats), min_size=1, max_size=12)),
            },
            "play": {**draw(PLAY), "cancel_pairs": packs == 2 and draw(st.booleans())},
            "scoring": draw(SCORING),
            "ending": draw(ENDING),
        }
    )


def valid_rules():
    """Generate rules that a game can be played by."""
    return any_rules().filter(stands)


def rules_of_many_moons():
    """Generate rules by which few cards count, so that one seat often takes them all."""
    return st.builds(_with_few_counters, valid_rules(), _FEW_COUNTERS).filter(stands)


def _with_few_counters(rules, scoring):
    plain = rules_data(rules)
    return rules_from({**plain, "scoring": {**plain["scoring"], **scoring}})


@st.composite
def _removed(draw, packs, seats):
    """Generate a list of cards that leaves as many as deal evenly."""
    even = [left for left in range(1, 53) if left * packs >= seats and not left * packs % seats]
    count = 52 - draw(st.sampled_from(even))
    return draw(st.lists(CARD, unique=True, min_size=count, max_size=count))


def _some_removed(packs, seats):
    """Generate a list of cards that leaves any number that is a card for each seat."""
    return st.lists(CARD, unique=True, max_size=52 - -(-seats // packs))


def _hand_size(packs, seats, remove):
    left_out = len(remove) if isinstance(remove, list) else 0
    return (52 - left_out) * packs // seats


def _direction(seats):
    words = ["left", "right", "hold", "scatter"]
    words += ["across"] if seats % 2 == 0 else []
    words += ["left2", "right2"] if seats >= 5 else []
    return st.sampled_from(words)


KITTY_TO = st.sampled_from(["first_trick", "first_penalty_trick", "last_trick"])

PLAY = st.fixed_dictionaries(
    {
        "opening_lead": st.sampled_from(["lowest_club", "any_club", "eldest"]),
        "first_trick_points": st.sampled_from(["forbidden", "allowed"]),
        "hearts_lead": st.sampled_from(["after_broken", "any_time"]),
        "hearts_broken_by": st.sampled_from(["heart_or_queen", "heart"]),
        "queen": st.sampled_from(["free", "no_lead_until_broken", "no_play_until_broken"]),
        "hearts_and_queen": st.sampled_from(["queen_must_lead", "free_choice"]),
    }
)

_NO_SUN = st.fixed_dictionaries(
    {"moon": st.just("off"), "sun_points": st.none()},
)
_SUN = st.fixed_dictionaries(
    {
        "moon": st.sampled_from(["shooter_choice", "others_add", "self_subtract", "safety"]),
        "sun_points": st.one_of(st.none(), POINTS),
    }
)

SCORING = st.builds(
    lambda values, moon: values | moon,
    st.fixed_dictionaries(
        {
            "hearts": st.one_of(
                st.sampled_from(["one", "rank"]),
                st.dictionaries(st.sampled_from(RANKS), POINTS, max_size=13),
            ),
            "queen_of_spades": st.one_of(st.sampled_from([13, 0]), AT_LEAST_NOTHING),
            "extra": st.dictionaries(CARD, POINTS, max_size=4),
            "no_trick": st.one_of(st.just(0), AT_MOST_NOTHING),
            "moon_points": st.one_of(st.just("auto"), POINTS),
            "moon_needs": st.sampled_from(["penalties", "counters", "tricks"]),
            "moon_absorbs_bonus": st.booleans(),
        }
    ),
    st.one_of(_NO_SUN, _SUN),
)

_FEW_COUNTERS = st.builds(
    lambda values, moon: values | moon,
    st.fixed_dictionaries(
        {
            "hearts": st.dictionaries(st.sampled_from(RANKS), AT_LEAST_NOTHING, max_size=2),
            "queen_of_spades": st.sampled_from([0, 0, 13]),
            "extra": st.dictionaries(CARD, SMALL, max_size=1),
        }
    ),
    _SUN,
)

ENDING = st.one_of(
    st.fixed_dictionaries(
        {
            "target": st.one_of(st.integers(1, 60), st.integers(1, 100_000)),
            "deals": st.one_of(st.none(), st.integers(1, 3), st.integers(1, 256)),
            "reach": st.sampled_from(["at_least", "exceed"]),
            "tie": st.sampled_from(["play_on", "share"]),
        }
    ),
    st.fixed_dictionaries(
        {
            "target": st.none(),
            "deals": st.one_of(st.integers(1, 3), st.integers(1, 256)),
            "reach": st.just("at_least"),
            "tie": st.sampled_from(["play_on", "share"]),
        }
    ),
)
