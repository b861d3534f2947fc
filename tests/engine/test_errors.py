"""Refusals: one code each, and a tree."""

import re

from engine.errors import (
    IllegalPlay,
    RuleViolation,
    SeatsNotFilled,
)


def all_below(kind):
    for below in kind.__subclasses__():
        yield below
        yield from all_below(below)


def refusals():
    return [kind for kind in all_below(RuleViolation) if "code" in vars(kind)]


def test_every_leaf_has_a_code_of_its_own():
    leaves = [kind for kind in all_below(RuleViolation) if not kind.__subclasses__()]

    codes = [kind.code for kind in leaves]

    assert set(leaves) == set(refusals())
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", code) for code in codes)


def test_the_codes_are_a_closed_list():
    assert {kind.code for kind in refusals()} == {
        "rules_conflict",
        "lobby_closed",
        "wrong_join_code",
        "seat_taken",
        "seat_is_bot",
        "game_full",
        "seat_not_found",
        "seats_not_filled",
        "game_already_started",
        "client_seed_given",
        "game_not_started",
        "game_not_active",
        "game_not_finished",
        "knowledge_disabled",
        "hints_disabled",
        "hint_limit",
        "nothing_to_play",
        "not_your_turn",
        "wrong_phase",
        "wrong_pass_count",
        "duplicate_cards",
        "card_not_in_hand",
        "must_follow_suit",
        "must_lead_lowest_club",
        "must_lead_a_club",
        "hearts_not_broken",
        "queen_not_before_hearts",
        "no_points_on_first_trick",
    }


def test_every_illegal_play_names_an_option_of_play_or_none():
    options = {kind.option for kind in all_below(IllegalPlay)}

    assert None in options
    assert all(option.startswith("play.") for option in options - {None})


def test_open_seats_are_listed_in_words():
    assert str(SeatsNotFilled([2])) == "Nobody has claimed seat 2."
    assert str(SeatsNotFilled([1, 2])) == "Nobody has claimed seats 1, 2."
