"""Reviews that take next to nothing."""

from engine.analysis import outset, review
from engine.analysis.review import Effort


def hurry(monkeypatch):
    """Have every decision judged by a few playouts, of which nobody can say what they tell."""
    efforts = {level: Effort(20, 20) for level in review.EFFORTS}
    monkeypatch.setattr(review, "EFFORTS", efforts)
    monkeypatch.setattr(outset, "PLAYOUTS", 20)
