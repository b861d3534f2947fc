"""How a process that answers collects its garbage: seldom, and without what is there to stay."""

import gc
from typing import Final

# A request makes some hundreds of short-lived objects, hardly any of them in circles; with
# the usual 700 a collection comes with every other request and looks through the cache of
# games each time it is a full one.
_OBJECTS: Final = 20_000


def collect_seldom() -> None:
    """Leave out of every collection what is loaded now, and collect less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS)
