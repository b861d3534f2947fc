"""What docs/rules.md and docs/fairness.md say is so."""

import re
from pathlib import Path

import pytest

from engine import events as e
from engine.cards import codes_of
from engine.presets import PRESETS, preset_rules
from engine.readable import rules_data
from engine.rules import STANDARD_REMOVALS
from tests.games import play_game
from tests.proofs import recipe
from tests.table import STANDARD, rules

ROOT = Path(__file__).parents[2]
RULES = (ROOT / "docs" / "rules.md").read_text("utf-8")
FAIRNESS = (ROOT / "docs" / "fairness.md").read_text("utf-8")


def section(text, title):
    """The text under the heading that begins with *title*, to the next of its level."""
    level, found = re.search(rf"^(#+) {re.escape(title)}.*\n", text, re.MULTILINE).group(1, 0)
    after = text.split(found, 1)[1]
    return re.split(rf"^{level} ", after, maxsplit=1, flags=re.MULTILINE)[0]


def rows(text):
    """The cells of each row of the first table of *text*, without its head."""
    table = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def options():
    plain = rules_data(STANDARD)
    for name, value in plain.items():
        if name in {"preset", "version", "derived"}:
            continue
        if isinstance(value, dict):
            yield from (f"{name}.{option}" for option in value)
        else:
            yield name


# docs/rules.md


def test_every_option_has_a_row():
    table = section(RULES, "3. Options").split("### ")[0]

    assert {name.strip("`") for name, _ in rows(table)} == set(options())


def test_every_preset_has_a_row_with_its_seats():
    written = {name.strip("`"): seats for name, seats, _ in rows(section(RULES, "4. Presets"))}

    def spelled(seats):
        if len(seats) > 1 and len(seats) == seats[-1] - seats[0] + 1:
            return f"{seats[0]}–{seats[-1]}"  # noqa: RUF001
        return ", ".join(map(str, seats))

    assert written == {name: spelled(preset.seats) for name, preset in PRESETS.items()}


def test_the_decks_are_those_of_the_table():
    table = rows(section(RULES, "1. Standard game"))

    for seats, removed, size, opening in table:
        plain = rules_data(rules(seats=int(seats)))["derived"]
        assert sorted(re.findall(r"\w+", removed)) == sorted(plain["removed"])
        assert (int(size), opening.strip("`")) == (plain["hand_size"], plain["opening_card"])
    assert [int(seats) for seats, *_ in table] == list(STANDARD_REMOVALS)


def test_the_hands_of_cancellation_are_those_of_the_table():
    table = rows(section(RULES, "5. Cancellation Hearts"))

    for seats, hand, widow in table:
        plain = rules_data(rules("cancellation", int(seats)))["derived"]
        assert (int(hand), int(widow)) == (plain["hand_size"], plain["kitty_size"])
    assert [int(seats) for seats, *_ in table] == list(PRESETS["cancellation"].seats)


@pytest.mark.parametrize("title", ["Legal plays", "Tricks", "Scoring", "Ending"])
def test_every_worked_case_is_named_in_a_test(title):
    tests = "".join(
        (ROOT / "tests" / "engine" / f"test_{name}.py").read_text("utf-8")
        for name in ("playing", "scoring", "kitty", "cancellation")
    )

    for case, *_ in rows(section(section(RULES, "6. Worked cases"), title)):
        assert re.search(rf"\b{case}\b", tests), case


def test_every_conflict_points_to_options():
    table = rows(section(RULES, "Settled details"))
    known = {"/" + name.replace(".", "/") for name in options()} | {"/preset"}

    assert len(table) == 10
    for _, sides in table:
        assert set(re.findall(r"`(/[a-z_/0-9]+)`", sides)) <= known


def test_the_sections_cited_in_code_exist():
    sources = [*(ROOT / "engine").rglob("*.py"), *(ROOT / "service").rglob("*.py")]
    text = " ".join(path.read_text("utf-8") for path in sources)

    numbers = set(re.findall(r"rules\.md, sections? (\d)(?: and (\d))?", text))
    titles = set(re.findall(r'rules\.md, section \d, "([^"]+)"', text))
    points = re.findall(r"fairness\.md, points? (\d+)(?: (?:to|and) (\d+))?", text)

    assert all(f"\n## {n}. " in RULES for pair in numbers for n in pair if n)
    assert all(f"\n### {title}\n" in RULES for title in titles)
    assert all(1 <= int(n) <= 12 for pair in points for n in pair if n)
    assert numbers
    assert points


# docs/fairness.md


def test_the_points_are_numbered_one_to_twelve():
    assert re.findall(r"^(\d+)\. \*\*", FAIRNESS, re.MULTILINE) == [str(n) for n in range(1, 13)]


@pytest.mark.parametrize(
    ("name", "seats"),
    [("standard", 4), ("standard", 7), ("black_maria", 3), ("kitty", 6), ("cancellation", 7)],
)
def test_the_recipe_checks_every_deal_of_a_game(rng, name, seats):
    events = play_game(preset_rules(name, seats), rng)
    created, started = events[0], next(one for one in events if isinstance(one, e.GameStarted))
    scored = [event for event in events if isinstance(event, e.DealScored)]
    plain = rules_data(created.rules)
    deck = recipe()["whole_deck"](plain["deck"]["packs"], plain["derived"]["removed"])

    for number, event in enumerate(scored, 1):
        opened = event.opened
        dealt = recipe()["dealt"](
            opened.seed, created.commitment[:32], number, seats, started.client_seeds, deck
        )
        assert opened.deal == number
        assert recipe()["belongs"](opened.seed, number, created.commitment)
        shown = [*opened.hands, opened.kitty]
        assert list(map(sorted, dealt)) == [sorted(codes_of(some)) for some in shown]


def test_the_recipe_refuses_another_link():
    assert not recipe()["belongs"]("11" * 32, 1, "22" * 32)
