"""Fixtures for tests of the engine."""

import random

import pytest
from hypothesis import settings

# The same examples in every run, however slow the machine.
settings.register_profile("engine", derandomize=True, deadline=None, database=None)
settings.load_profile("engine")


@pytest.fixture
def rng():
    """Randomness that is the same in every run."""
    return random.Random(20261129)
