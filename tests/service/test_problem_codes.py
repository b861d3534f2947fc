"""The words for people: each code has its own, in whole sentences."""

import pytest

from service.problem_codes import HELP, problem_type


def test_the_type_of_a_problem_is_a_path_with_hyphens():
    assert problem_type("must_follow_suit") == "/problems/must-follow-suit"


@pytest.mark.parametrize("code", HELP)
def test_meaning_and_advice_are_sentences(code):
    about = HELP[code]

    for text in (about.meaning, about.advice):
        assert text.endswith(".")
        assert text[0].isupper()
        assert text.count("`") % 2 == 0
    assert not about.title.endswith(".")


def test_no_two_codes_mean_the_same():
    meanings = [about.meaning for about in HELP.values()]

    assert len(set(meanings)) == len(meanings)
