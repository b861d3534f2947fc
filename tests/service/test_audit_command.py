"""`hearts audit`: every bot of a finished game kept to its cards, or the one move that did not."""

import io
import subprocess
import sys
from pathlib import Path

import pytest

from engine import commands as c
from engine.analysis import advise
from engine.bots import LEVELS, choose, fallback_move
from engine.cards import code_of, each, lowest, union
from engine.clocks import Clock
from engine.resuming import position_of
from engine.view import view_for
from service import jobs, timekeeper
from service.audit_command import progress
from service.cli import main
from service.schemas.history import header_data
from service.schemas.responses import EVERYTHING, PUBLIC, Viewer
from tests.audits import lines_of, log_of, notation_of
from tests.fakes import MemoryStore
from tests.faults.log_files import with_hash
from tests.house import House, legal_moves
from tests.table import rules

SHORT = {"target": None, "deals": 2, "tie": "share"}
BOTS = ("medium", "easy", "random", "medium")
HINTS_PAGE = Path(__file__).parents[2] / "docs" / "hints.md"


def called(level):
    return f"{level} {LEVELS[level].version}"


@pytest.fixture
def house():
    return House(MemoryStore())


@pytest.fixture
def audited(tmp_path, capsys):
    """Audit a file, and return the exit code and what was said, line by line."""

    def audited(raw, name="game"):
        (tmp_path / name).write_bytes(raw)
        code = main(["audit", str(tmp_path / name)])
        said = capsys.readouterr()
        return code, (said.out + said.err).replace(f"{tmp_path}/", "").splitlines()

    return audited


def to_the_end(house, game_id):
    """Let people play what they may, and bots what they do, until the game is over."""
    house.rest_without_sweeping()
    while not (game := house.read(game_id)).is_over:
        house.ask(game_id, legal_moves(game)[0])
        house.rest_without_sweeping()
    return game_id


def test_a_game_of_bots_agrees_seat_by_seat(house, audited):
    game_id = to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT)))

    assert audited(log_of(house, game_id)) == (
        0,
        [
            "game: 112 of 112 moves made again agree",
            *(f"  seat {seat}, {called(level)}: 28 of 28 agree" for seat, level in enumerate(BOTS)),
        ],
    )


@pytest.mark.parametrize(
    "table",
    [
        rules("omnibus", 7, ending=SHORT),
        rules("cancellation", 8, ending=SHORT),
        rules("kitty", 5, ending=SHORT, reveal="game_end"),
        rules(seats=5, passing={"cycle": ["scatter"]}, ending=SHORT),
        rules(scoring={"hearts": {}}, ending=SHORT),
    ],
)
def test_so_does_a_game_by_other_rules_beside_a_person(house, audited, table):
    levels = (None, *("medium", "random", "easy", "medium") * 2)[: table.seats]
    game_id = to_the_end(house, house.started(*levels, rules=table))

    code, said = audited(log_of(house, game_id))

    assert code == 0
    assert "moves made again agree" in said[0]
    assert len(said) == table.seats


def test_a_stand_in_is_checked_and_a_fallback_is_named(house, audited):
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT))
    house.ask(game_id, fallback_move(view_for(1, house.read(game_id).state)))
    house.ask(game_id, c.ReleaseSeat(0, "medium"))

    to_the_end(house, game_id)

    code, said = audited(log_of(house, game_id))
    assert code == 0
    assert said[:4] == [
        "game: 111 of 111 moves made again agree",
        f"  seat 0, {called('medium')}: 28 of 28 agree",
        "  seat 1, easy 1: 27 of 27 agree",
        "  seat 1, easy 1: 1 not made again, made by the fallback",
    ]


def test_a_fallback_that_chose_is_found(house, audited):
    lines = lines_of(house, to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT))))
    for one in lines[1:]:
        if one["type"] == "card.played":
            one["data"]["auto"] = "fallback"

    code, said = audited(with_hash(lines))

    assert code == 1
    assert "differ" in said[0]


def test_a_time_that_nobody_kept_and_signs_for_a_terminal_do_no_harm(house, audited):
    lines = lines_of(house, to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT))))
    played = [one for one in lines[1:] if one["type"] == "card.played"]
    played[0]["data"]["auto"] = "timeout"
    played[1]["actor"]["level"] = "\x1b[31mE"

    _, said = audited(with_hash(lines))

    assert not any("\x1b" in line for line in said)


def test_what_the_clock_moves_is_named(house, audited):
    clock = Clock(60, 60, 60, "easy")
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT), clock=clock)
    house.rest_without_sweeping()
    house.now += 60_000

    house.rest()

    code, said = audited(log_of(house, to_the_end(house, game_id)))
    assert code == 0
    assert "  seat 0, easy: 1 of 1 agree" in said


def test_what_the_clock_moved_otherwise_cannot_be_told(house, audited, monkeypatch):
    """It names no version, so it may have been of another one."""
    monkeypatch.setattr(timekeeper, "choose", lambda view, *_: c.PassCards(*others(view)))
    clock = Clock(60, 60, 60, "easy")
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT), clock=clock)
    house.rest_without_sweeping()
    house.now += 60_000
    house.rest()

    code, said = audited(log_of(house, to_the_end(house, game_id)))

    assert code == 3
    assert said[0] == "game: 84 of 84 moves made again agree, 1 cannot be made again"
    assert (
        "  seat 0, easy: 1 not made again, made by the clock, for which no version is named" in said
    )


def others(view):
    """Return the seat of *view*, and three cards that `easy` does not pass from its hand."""
    passed = choose(view, "easy", b"").cards
    return view.you.seat, tuple(each(view.you.hand & ~union(passed)))[:3]


def advised_game(house, **more):
    """Return a game in which seat 0 was advised twice, first in the pass if there is one."""
    options = c.TableOptions(hints=True)
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT, **more), options=options)
    for level in ("hard", "expert"):
        house.rest_without_sweeping()
        game = house.read(game_id)
        advice = advise(view_for(0, game.state), level, house.deps.links(game)(1))
        house.ask(game_id, c.TakeHint(0, game.turn.id, level, advice))
        house.ask(game_id, advice.ranking[0].move)
    return to_the_end(house, game_id)


def test_hints_are_given_again(house, audited):
    code, said = audited(log_of(house, advised_game(house)))

    assert code == 0
    assert "  seat 0, hints by expert: 1 of 1 agree" in said
    assert "  seat 0, hints by hard: 1 of 1 agree" in said


def test_the_page_about_hints_shows_how_to_give_them_again(house, tmp_path):
    (tmp_path / "game.jsonl").write_bytes(log_of(house, advised_game(house)))
    _, _, rest = HINTS_PAGE.read_text(encoding="utf-8").partition("```python\n")
    program, _, _ = rest.partition("```")

    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True, text=True
    )

    assert done.stdout.split() == ["True", "True"]


def test_a_hint_that_is_another_here_is_named(house, audited):
    lines = lines_of(house, advised_game(house))
    hint = next(one for one in lines[1:] if one["type"] == "hint.used")
    hint["private"]["0"]["ranking"].reverse()
    hint["private"]["0"].update(reason="no_clear_difference", best=0, other=0, against=0)

    code, said = audited(with_hash(lines))

    assert code == 3
    assert said[-1] == (
        "  seat 0, hints by hard: 1 not made again, another one is given here,"
        " and hints name no version"
    )


@pytest.mark.parametrize("viewer", [PUBLIC, Viewer(1)], ids=["public", "seat 1"])
def test_hints_that_a_view_hides_are_counted_as_not_told(house, audited, viewer):
    """All else is open: where no deal passes, such a view shows every move of a game."""
    game_id = advised_game(house, passing={"cycle": ["hold"]})

    code, said = audited(with_hash(lines_of(house, game_id, viewer)))

    assert code == 3
    assert said[0] == "game: 78 of 78 moves made again agree"
    assert "  seat 0, hints: 2 not made again, this view of the game hides them" in said


def test_the_seat_that_was_advised_has_its_hints_made_again(house, audited):
    game_id = advised_game(house, passing={"cycle": ["hold"]})

    code, said = audited(with_hash(lines_of(house, game_id, Viewer(0))))

    assert code == 0
    assert sum("hints by" in line for line in said) == 2


def test_a_seeded_game_agrees(house, audited):
    chain = house.deps.keyring.seed_chain("5eed" * 16)
    game_id = house.started(*BOTS, rules=rules(ending=SHORT), seed_chain=chain)

    code, said = audited(log_of(house, to_the_end(house, game_id)))

    assert (code, said[0]) == (0, "game: 112 of 112 moves made again agree")


@pytest.mark.parametrize("form", [log_of, notation_of])
def test_a_fork_agrees_from_the_copied_deal_on(house, audited, form):
    """The link of the copied deal is opened for this alone."""
    first = house.started(*BOTS, rules=rules(ending=SHORT))
    to_the_end(house, first)
    stored = house.log(first)
    moment = house.deps.games.moments(house.read(first), 30, len(stored))
    state = next(game.state for _, game in moment if game.turn is not None)
    origin = c.Origin(c.FORK, first, state.version)
    more = {"rules": rules(ending=SHORT), "origin": origin, "position": position_of(state)}
    game_id = house.open(*BOTS, **more)

    code, said = audited(form(house, to_the_end(house, game_id)))

    assert code == 0
    made = house.log(game_id)
    moves = [one for one in made if one.actor.kind == "bot" and hasattr(one.event, "auto")]
    assert f"{len(moves)} of {len(moves)} moves" in f"{said[0]} {said[-1]}"


def cheating(deal, trick):
    """Return a way to choose that is not its level's in one trick: another legal card."""
    cheated = []
    # The last of the others, since the first might be what the fallback plays.

    def choosing(view, level, seed):
        move = choose(view, level, seed)
        at = view.deal.number, view.deal.trick_number
        others = view.you.legal & ~getattr(move, "card", 0)
        if cheated or at != (deal, trick) or not others:
            return move
        *_, other = each(others)
        if other == lowest(view.you.legal):
            return move
        cheated.append((view.you.seat, code_of(other), code_of(move.card)))
        return c.PlayCard(view.you.seat, other)

    return choosing, cheated


def test_a_bot_that_looked_is_found_though_the_game_is_right(house, audited, monkeypatch):
    """All that follows is as it should be after that card: only the level can tell."""
    choosing, cheated = cheating(2, 5)
    monkeypatch.setattr(jobs, "choose", choosing)
    game_id = to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT)))

    code, said = audited(log_of(house, game_id))

    ((seat, done, right),) = cheated
    assert code == 1
    assert said[0] == "game: 1 of 112 moves made again differ"
    assert f"  seat {seat}, {BOTS[seat]} 1: 27 of 28 agree" in said
    assert said[-1] == f"  deal 2, trick 5, seat {seat}: {done} in the log, {right} made again"


def test_a_card_changed_in_the_file_is_found(house, audited):
    lines = lines_of(house, to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT))))
    plays = [one for one in lines[1:] if one["type"] == "card.played"]
    chosen = next(
        (one, later)
        for one in plays
        for later in plays
        if (one["data"]["seat"], one["data"]["deal"]) == (later["data"]["seat"], 1)
        and one["data"]["trick"] == 4 < later["data"]["trick"]
        and one["data"]["card"][1] == later["data"]["card"][1]
    )
    one, other = (line["data"] for line in chosen)
    one["card"], other["card"] = other["card"], one["card"]

    code, said = audited(with_hash(lines))

    assert code == 1
    assert any(line.startswith("  wrong at line") for line in said)
    assert any(
        f"deal 1, trick 4, seat {one['seat']}: {one['card']} in the log" in line for line in said
    )


def test_another_version_is_named_as_one_that_cannot_be_made_again(house, audited, monkeypatch):
    game_id = to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT)))
    monkeypatch.setattr(type(LEVELS["easy"]), "version", 2)

    code, said = audited(log_of(house, game_id))

    assert code == 3
    assert said[0] == "game: 84 of 84 moves made again agree, 28 cannot be made again"
    assert "  seat 1, easy 1: 28 not made again, the level has another version here" in said


def test_where_nothing_can_be_made_again_nothing_agrees(house, audited):
    lines = lines_of(house, to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT))))
    for one in lines[1:]:
        if one["actor"]["kind"] == "bot":
            one["actor"]["version"] = 777

    code, said = audited(with_hash(lines))

    assert code == 3
    assert said[0] == "game: none of 112 moves can be made again"


def test_notation_will_do_where_it_names_versions(house, audited):
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT))
    house.ask(game_id, fallback_move(view_for(1, house.read(game_id).state)))
    house.ask(game_id, c.ReleaseSeat(0, "medium"))

    code, said = audited(notation_of(house, to_the_end(house, game_id)))

    assert code == 0
    assert said[:4] == [
        "game: 111 of 111 moves made again agree",
        f"  seat 0, {called('medium')}: 28 of 28 agree",
        "  seat 1, easy 1: 27 of 27 agree",
        "  seat 1, easy 1: 1 not made again, as the fallback plays: notation marks none",
    ]


def test_a_bot_that_looked_is_found_in_notation_too(house, audited, monkeypatch):
    choosing, cheated = cheating(2, 7)
    monkeypatch.setattr(jobs, "choose", choosing)
    game_id = to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT)))

    code, said = audited(notation_of(house, game_id))

    ((seat, done, right),) = cheated
    assert code == 1
    assert said[-1] == f"  deal 2, trick 7, seat {seat}: {done} in the log, {right} made again"


def test_where_notation_names_no_versions_that_is_said(house, audited):
    game_id = to_the_end(house, house.started(*BOTS, rules=rules(ending=SHORT)))

    code, said = audited(notation_of(house, game_id, versions=False))

    assert code == 3
    assert said[0] == "game: none of 112 moves can be made again"
    assert said[1] == "  seat 0, medium: 28 not made again, the file names no version"
    assert said[-1] == ("  without a version, 112 of 112 moves are those of the levels here")


def test_a_document_does_not_say_who_moved(audited):
    code, said = audited(b'{"header":{}}')

    assert code == 2
    assert said[-1] == (
        "  game: a document does not say who did what, and when; take the game as jsonl"
    )  # fmt: skip


@pytest.mark.parametrize("raw", [b"{}\n", b"nothing", b"\xff"])
def test_what_cannot_be_read_is_wrong(audited, raw):
    code, said = audited(raw)

    assert code == 1
    assert said[0] == "game: no move of a bot to make again"
    assert said[1].startswith("  wrong at line ")


@pytest.mark.parametrize("origin", [{}, {"kind": None}, {"kind": "import"}])
def test_a_header_that_makes_no_sense_is_wrong(house, audited, origin):
    game_id = to_the_end(house, house.started(*[None] * 4, rules=rules(ending=SHORT)))
    header, *events = lines_of(house, game_id)

    code, said = audited(with_hash([header | {"origin": origin}, *events]))

    assert (code, said[1:]) == (1, ["  wrong at line 1: wrong_header"])


def test_of_a_header_alone_nothing_is_told(house, audited):
    game_id = house.started(*[None] * 4)
    header = header_data(house.read(game_id), EVERYTHING, 0)

    assert audited(with_hash([header]))[0] == 3
    assert audited(with_hash([header | {"origin": {}}]))[0] == 1


def test_a_game_of_people_has_nothing_to_check(house, audited):
    game_id = to_the_end(house, house.started(*[None] * 4, rules=rules(ending=SHORT)))

    assert audited(log_of(house, game_id)) == (0, ["game: no move of a bot to make again"])


def test_what_a_view_hides_is_not_looked_at(house, audited):
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT))
    house.rest_without_sweeping()

    code, said = audited(with_hash(lines_of(house, game_id, PUBLIC)))

    assert code == 3
    assert said == [
        "game: no move of a bot to make again",
        "  the file hides what follows: take it again when the game is over",
    ]


def test_an_aborted_game_opens_the_deal_it_was_in(house, audited):
    game_id = house.started(None, *BOTS[1:], rules=rules(ending=SHORT))
    house.rest_without_sweeping()
    house.ask(game_id, c.AbortGame())

    code, said = audited(log_of(house, game_id))

    assert (code, said[0]) == (0, "game: 3 of 3 moves made again agree")


def test_the_moves_are_counted_on_a_terminal_alone():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal, file = Terminal(), io.StringIO()
    for screen in (terminal, file):
        progress(screen)(7)

    assert (terminal.getvalue(), file.getvalue()) == ("7 moves made again\r", "")
