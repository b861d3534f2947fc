"""Mixes of rules by chance alone, quick to draw: any preset and table, some options changed."""

from engine.cards import CODES
from engine.conflicts import check_rules
from engine.errors import RulesConflict
from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data, rules_from

TABLES = tuple((name, seats) for name, preset in PRESETS.items() for seats in preset.seats)

_MOST_CHANGES = 6
_SUITS = ("CDSH", "CDSH", "CSH", "SH", "H")
_LEFT = (6, 8, 12, 16, 24, 36, 48, 52)
_DEALS = (1, 1, 2, 3)
_RANKS = "23456789TJQKA"


def any_mix(rng):
    """Return rules of a short game that stand together."""
    while True:
        rules = _changed(rng, *rng.choice(TABLES))
        try:
            check_rules(rules)
        except RulesConflict:
            continue
        return rules


def _changed(rng, preset, seats):
    plain = rules_data(preset_rules(preset, seats))
    if seats in range(5, 8):
        plain["deck"]["packs"] = rng.choice([plain["deck"]["packs"], 1, 2])
    small = ["deck.remove"] if rng.random() < 0.5 else []
    for path in [*small, *rng.sample([*_OPTIONS], rng.randint(0, _MOST_CHANGES))]:
        group, option = path.split(".")
        plain[group][option] = _OPTIONS[path](rng, seats)
    if plain["deck"]["packs"] == 2:
        plain["play"]["cancel_pairs"] = rng.random() < 0.8
    plain["reveal"] = rng.choice(["deal_end", "game_end"])
    plain["ending"]["deals"] = rng.choice(_DEALS)
    if rng.random() < 0.7:
        plain["deck"]["leftover"] = "kitty"
    return rules_from(plain)


def _few_cards(rng, _):
    # A small deck makes a quick game, and one of few suits in two packs is full of pairs.
    suits = rng.choice(_SUITS)
    some = [code for code in CODES if code[1] in suits]
    left = rng.sample(some, min(rng.choice(_LEFT), len(some)))
    return [code for code in CODES if code not in left]


def _hearts(rng, _):
    by_rank = {rank: rng.randint(-3, 9) for rank in rng.sample(_RANKS, rng.randint(0, 4))}
    return rng.choice(["one", "rank", by_rank])


def _extra(rng, _):
    return {code: rng.randint(-12, 12) for code in rng.sample(CODES, rng.randint(0, 3))}


def _cycle(rng, seats):
    words = ["left", "right", "hold", "scatter", "across", "left2", "right2"]
    fit = words[: 5 if seats % 2 == 0 else 4] + (words[5:] if seats > 4 else [])
    return [rng.choice(fit) for _ in range(rng.randint(1, 3))]


def _one_of(*values):
    return lambda rng, _: rng.choice(values)


_OPTIONS = {
    "deck.remove": _few_cards,
    "deck.kitty_to": _one_of("first_trick", "first_penalty_trick", "last_trick"),
    "passing.count": lambda rng, _: rng.randint(0, 5),
    "passing.cycle": _cycle,
    "play.opening_lead": _one_of("lowest_club", "any_club", "eldest"),
    "play.first_trick_points": _one_of("forbidden", "allowed"),
    "play.hearts_lead": _one_of("after_broken", "any_time"),
    "play.hearts_broken_by": _one_of("heart_or_queen", "heart"),
    "play.queen": _one_of("free", "no_lead_until_broken", "no_play_until_broken"),
    "play.hearts_and_queen": _one_of("queen_must_lead", "free_choice"),
    "scoring.hearts": _hearts,
    "scoring.queen_of_spades": _one_of(0, 1, 13, 25),
    "scoring.extra": _extra,
    "scoring.no_trick": _one_of(0, -5),
    "scoring.moon": _one_of("shooter_choice", "others_add", "self_subtract", "safety", "off"),
    "scoring.moon_points": _one_of("auto", 0, 26, -7),
    "scoring.moon_needs": _one_of("penalties", "counters", "tricks"),
    "scoring.moon_absorbs_bonus": _one_of(True, False),
    "scoring.sun_points": _one_of(None, 52),
    "ending.target": _one_of(None, 1, 20, 60),
    "ending.reach": _one_of("at_least", "exceed"),
    "ending.tie": _one_of("play_on", "share"),
}

OPTIONS = ("deck.packs", "deck.leftover", "play.cancel_pairs", *_OPTIONS)
