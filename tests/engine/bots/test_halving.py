from engine.bots.halving import best_of


class Judged:
    """Choices are what they gain a world; *asked* has who was played out, and how often."""

    def __init__(self):
        self.asked = []

    def __call__(self, choices, count):
        self.asked.append((sorted(choices), count))
        return [one * count for one in choices]


def test_the_choice_that_gains_most_is_found():
    assert best_of([3, -1, 7, 5], Judged(), 60, 3) == 7


def test_the_worse_half_is_dropped_after_each_round_and_two_stay():
    judge = Judged()

    best_of([0, 1, 2, 3, 4, 5, 6], judge, 84, 3)

    assert judge.asked == [([0, 1, 2, 3, 4, 5, 6], 4), ([3, 4, 5, 6], 7), ([5, 6], 14)]


def test_each_choice_meets_at_least_one_world_a_round():
    judge = Judged()

    best_of([1, 2, 3], judge, 1, 2)

    assert [count for _, count in judge.asked] == [1, 1]


def test_of_equal_choices_the_first_comes_out():
    assert best_of(["a", "b", "c"], lambda choices, _: [0] * len(choices), 9, 3) == "a"


def test_what_a_choice_has_ahead_counts():
    assert best_of([5, 6], Judged(), 4, 1, [3, 0]) == 5
