"""The level ``expert``: it searches as ``hard`` does, for longer."""

from engine.bots.hard_bot import HardBot


class ExpertBot(HardBot):
    """Searches with more simulations, half as many with two packs."""

    level = "expert"
    version = 3
    name = "Expert Bot"
    summary = "Tries each card out in thousands of deals that agree with all it has seen."
    play_budget = 2_000
    pass_budget = 4_000
