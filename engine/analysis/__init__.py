"""What each move of a decision is likely to bring: all of them played out in the same worlds.

`analyse` knows what the seat knows and nothing more, so a hint can be made of it;
`analyse_openly` is told where every card lies, which a game that is over may be judged by.
Nothing here chooses as a bot does: no card is dropped on the way, and each move comes out with
its error, so that one is called better than another only where the worlds agree that it is.
"""

from engine.analysis.advising import (
    HINT_BUDGETS,
    advice_of,
    advise,
    basis_of,
    hint_seed,
    reason_for,
)
from engine.analysis.analyses import analyse, analyse_openly, compare
from engine.analysis.judged import Analysis, Estimate, Judged
from engine.analysis.reasons import reason_text
from engine.analysis.tables import Truth

__all__ = [
    "HINT_BUDGETS",
    "Analysis",
    "Estimate",
    "Judged",
    "Truth",
    "advice_of",
    "advise",
    "analyse",
    "analyse_openly",
    "basis_of",
    "compare",
    "hint_seed",
    "reason_for",
    "reason_text",
]
