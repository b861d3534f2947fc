"""The net learns: what it is taught stays, and is kept in whole numbers."""

import numpy as np

from engine.policy.inputs import UNSET
from engine.policy.layout import CARDS
from engine.policy.net import SCALE, Net
from tests.engine.bots.bot_games import short
from tests.teaching import learning, lessons
from tests.teaching.lessons import Lessons, kept_lessons


def test_lessons_are_kept_game_by_game_and_played_once(tmp_path):
    lessons.main(tmp_path, 40, "medium")
    few, (first, _) = kept_lessons(tmp_path), sorted(tmp_path.iterdir())
    kept = first.stat().st_mtime_ns

    lessons.main(tmp_path, 60, "medium")

    assert first.stat().st_mtime_ns == kept
    assert len(kept_lessons(tmp_path)) > len(few) > 40 * 20
    assert (kept_lessons(tmp_path).inputs[: len(few)] == few.inputs).all()


def test_a_play_is_one_of_its_choices():
    some = lessons.lessons_of(short("standard", 4, 2), ["easy", "medium"] * 2, 0)

    assert (some.choices & some.played == some.played).all()
    assert (some.choices & (some.choices - 1) > 0).all()
    assert ((some.inputs >= 0) & (some.inputs <= UNSET)).all()


def test_the_net_learns_what_is_played(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(learning, "BATCH", 64)
    lessons.main(tmp_path / "lessons", 80, "medium")

    learning.main(tmp_path / "lessons", tmp_path / "net.npz", "6")

    rounds = [line.split() for line in capsys.readouterr().out.splitlines() if "nats" in line]
    losses = [float(words[2]) for words in rounds]
    choices = np.bitwise_count(kept_lessons(tmp_path / "lessons").choices)
    assert losses[-1] < losses[0]
    assert losses[-1] < np.log(choices.astype(np.float64)).mean() - 0.2
    assert set(np.load(tmp_path / "net.npz")) == set(Net._fields)


def test_in_whole_numbers_it_wants_the_same():
    random = np.random.default_rng(3)
    teacher = learning.Teacher(random)
    some = lessons.lessons_of(short("standard", 4, 1), ["medium"] * 4, 0)
    kept = learning.whole(teacher.weights)
    net = Net(*(kept[name].astype(np.float64) for name in Net._fields))

    rows = np.zeros((len(some), len(net.first)))
    for row, inputs in zip(rows, some.inputs, strict=True):
        row[inputs[inputs != UNSET]] = 1
    wanted, *_ = teacher.wanted(np.pad(rows, ((0, 0), (0, 1))))

    found = net.wanted(rows @ net.first + net.first_bias) / SCALE**2
    assert found.shape == (len(some), CARDS)
    assert np.abs(found - wanted).max() < 0.05


def test_it_learns_from_nothing_but_what_it_is_given():
    some = lessons.lessons_of(short("standard", 4, 1), ["medium"] * 4, 0)
    one, other = (learning.Teacher(np.random.default_rng(7)) for _ in range(2))

    one.learn(some, 1e-3)
    other.learn(Lessons(*(part.copy() for part in some)), 1e-3)

    assert all((a == b).all() for a, b in zip(one.weights, other.weights, strict=True))
