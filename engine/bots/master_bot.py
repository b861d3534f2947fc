"""The level ``master``: as ``expert``, in worlds that make likely what others have played."""

from importlib import import_module

from engine.bots.expert_bot import ExpertBot
from engine.bots.worlds import Worlds
from engine.view import View


class MasterBot(ExpertBot):
    """Tells others' hands from their plays, by a net that has seen such bots play."""

    level = "master"
    version = 1
    name = "Master Bot"
    summary = "Plays as Expert does, and at the standard table of four tells hands from plays."

    def worlds(self, view: View, seed: bytes) -> Worlds:
        """Return where worlds come from: the likelier, the more often."""
        # Not at the top: NumPy takes its time and memory, and few processes play at this level.
        found: Worlds = import_module("engine.bots.likely_worlds").LikelyWorlds(view, seed)
        return found
