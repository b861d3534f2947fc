"""Fixtures for tests of the engine."""

import random

import pytest


@pytest.fixture
def rng():
    """Randomness that is the same in every run."""
    return random.Random(20261129)
