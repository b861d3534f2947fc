"""What others' plays tell of their cards: how likely each world makes all that was played.

A net has learnt from games of `expert` which card that level plays with what hand. A world in
which others have played as it would is likelier than one in which they have not. The tables
it was taught at are those of `is_known`; of others it has nothing to say.

All numbers are whole, or come of the four operations and square roots, in a fixed order. So a
world has the same likelihood on every machine.

Source: docs/bots.md, "What others' plays tell".
"""

from engine.policy.history import Seen, is_known, plays_of, seen_plays
from engine.policy.likelihood import likelihoods

__all__ = ["Seen", "is_known", "likelihoods", "plays_of", "seen_plays"]
