"""`make bench-kernel`: playouts a second by every means there is, as ratios within one run.

Two figures each: at the decisions of random deals, four seats, standard rules, every decision
alike, so that half a deal is to go on average; and from the first lead on, whole deals. A
playout is `gains` of one card in one world, so it is scored, too. The means take turns over
the same positions, round by round, each in processor time; the median of the rounds' ratios
to plain Python is printed.

Run with a word it is one of the means, in a process of its own: it reads how often it is to
measure and writes seconds for each playout.
"""

import json
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PACKAGE = Path("engine/playouts")
DEALS = 20
ROUNDS = 7
SEATS = 4
TRICKS = 13
DRAW = 12345


class Means(NamedTuple):
    """A way to play out: *kind* of process, playouts of a position in one call, and calls."""

    kind: str
    worlds: int
    calls: int
    bar: float | None = None


MEANS = {
    "plain Python": Means("plain", 1, 2),
    "NumPy, 256 worlds": Means("lockstep", 256, 1),
    "NumPy, 1,024 worlds": Means("lockstep", 1_024, 1),
    "NumPy, 4,096 worlds": Means("lockstep", 4_096, 1, 9),
    "compiled": Means("compiled", 20, 3, 30),
    "open_spiel, random plays, from Python": Means("open_spiel", 1, 1),
}


def main():
    """Measure all means there are and print the table."""
    with tempfile.TemporaryDirectory() as place, ExitStack() as stack:
        started = {}
        for kind in dict.fromkeys(means.kind for means in MEANS.values()):
            folder = Path(place) / kind
            if process := _process(kind, folder):
                started[kind] = stack.enter_context(process)
        asked = {name: means for name, means in MEANS.items() if means.kind in started}
        rounds = [
            {name: _measured(started[means.kind], means) for name, means in asked.items()}
            for _ in range(ROUNDS + 1)
        ][1:]
        for process in started.values():
            process.stdin.close()
    _print_table(asked, rounds)


def _process(kind, folder):
    """Return a process for *kind*, or None if there is no such means here."""
    shutil.copytree(ROOT / PACKAGE, folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    if kind == "compiled":
        builder = [sys.executable, "deploy/build_kernel.py", "--if-possible", str(folder)]
        subprocess.run(builder, cwd=ROOT, check=True, stdout=sys.stderr)
        if not list(folder.glob("*.so")):
            return None
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.playouts", kind, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    if process.stdout.readline():
        return process
    process.wait()
    print(f"{kind}: not there", file=sys.stderr)
    return None


def _measured(process, means):
    process.stdin.write(json.dumps([means.worlds, means.calls]) + "\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def _print_table(asked, rounds):
    print(f"{'':40} {'at decisions':>25} {'whole deals':>25}")
    plain = next(iter(asked))
    for name, means in asked.items():
        cells = []
        for column in range(2):
            seconds = statistics.median(one[name][column] for one in rounds)
            ratio = statistics.median(one[plain][column] / one[name][column] for one in rounds)
            cells.append(f"{1 / seconds:14,.0f}/s x {ratio:6.2f}")
        verdict = ""
        if means.bar:
            ratio = statistics.median(one[plain][0] / one[name][0] for one in rounds)
            verdict = f"  ≥ {means.bar} {'held' if ratio >= means.bar else 'SHORT'}"
        print(f"{name:40} {cells[0]:>25} {cells[1]:>25}{verdict}")


def serve(kind, folder):
    """Be one of the means: measure as often as is asked."""
    measure = _open_spiel() if kind == "open_spiel" else _kernel(kind, folder)
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(measure(*json.loads(line))), flush=True)


def _kernel(kind, folder):
    import engine.playouts

    # The kernel as it was copied or compiled for this run, whatever lies in the checkout.
    engine.playouts.__path__[:] = [folder]
    from engine.playouts import kernel
    from engine.playouts.shapes import Playout
    from engine.playouts.tables import table_of
    from engine.presets import preset_rules

    assert bool(kernel.BUILT_FROM) == (kind == "compiled")
    gains = kernel.gains
    if kind == "lockstep":
        from engine.playouts import lockstep

        gains = lockstep.gains
    playout = Playout(table_of(preset_rules("standard", SEATS)))
    deals = list(_positions())

    def measure(worlds, calls):
        """Return the seconds of a playout at decisions, and of whole deals."""
        times = []
        for deal in deals:
            for start, world, card in deal:
                several = [world] * worlds
                began = time.process_time()
                for _ in range(calls):
                    gains(playout, start, several, [card], start.seat, DRAW)
                times.append((time.process_time() - began) / calls / worlds)
        return statistics.mean(times), statistics.mean(times[::TRICKS])

    return measure


def _positions():
    """Yield, deal by deal, a decision of each trick: start, world, a legal card."""
    from engine.cards import lowest
    from engine.playing import legal_plays
    from engine.playouts.starts import start_of, world_of
    from engine.presets import preset_rules
    from engine.state import situation, turn_of
    from engine.view import view_for
    from tests.engine.playouts.positions import positions

    for number in range(DEALS):
        found = list(positions(preset_rules("standard", SEATS), random.Random(number)))
        # The first of a deal is a first lead; then every place in a trick in turn.
        chosen = [found[SEATS * trick + trick % SEATS] for trick in range(TRICKS)]
        deal = []
        for state in chosen:
            seat = turn_of(state).seats[0]
            card = lowest(legal_plays(situation(state, seat)))
            deal.append((start_of(view_for(seat, state)), world_of(state.hands), card))
        yield deal


def _open_spiel():
    try:
        import pyspiel
    except ImportError:
        sys.exit()

    game = pyspiel.load_game("hearts(pass_cards=false)")
    rng = random.Random(1)
    deals = [list(_their_positions(game.new_initial_state(), rng)) for _ in range(DEALS)]

    def measure(worlds, calls):
        times = []
        for deal in deals:
            for at in deal:
                began = time.process_time()
                for _ in range(worlds * calls):
                    state = at.clone()
                    while not state.is_terminal():
                        state.apply_action(rng.choice(state.legal_actions()))
                    state.returns()
                times.append((time.process_time() - began) / calls / worlds)
        return statistics.mean(times), statistics.mean(times[::TRICKS])

    return measure


def _their_positions(state, rng):
    """Yield the same decisions of another deal."""
    while state.is_chance_node():
        state.apply_action(rng.choice(state.chance_outcomes())[0])
    for play in range(SEATS * TRICKS):
        if play % SEATS == play // SEATS % SEATS:
            yield state.clone()
        state.apply_action(rng.choice(state.legal_actions()))


if __name__ == "__main__":
    if sys.argv[1:]:
        serve(*sys.argv[1:])
    else:
        main()
