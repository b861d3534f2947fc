"""What a seat can know of the cards it does not see: exactly, and nothing by guessing."""

from engine.knowledge.evidence import Evidence, Place, evidence_of
from engine.knowledge.placing import Placing, possible
from engine.knowledge.report import (
    Knowledge,
    Possible,
    QueenKnowledge,
    SeatKnowledge,
    knowledge_of,
)
from engine.knowledge.sampling import Sampler, World, chance_from

__all__ = [
    "Evidence",
    "Knowledge",
    "Place",
    "Placing",
    "Possible",
    "QueenKnowledge",
    "Sampler",
    "SeatKnowledge",
    "World",
    "chance_from",
    "evidence_of",
    "knowledge_of",
    "possible",
]
