"""What turns values of an old version of an event into those of the next.

Stored bytes never change; an old entry is brought up to date each time it is read.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

Values: TypeAlias = list[Any]
"""What stands behind the cause of an entry, in its order."""

UPCASTS: Final[dict[tuple[int, int], Callable[[Values], Values]]] = {}
"""Number and version of a type → what makes values of the next version from its own.

Pure functions, one for each version ever released but the last of its type.
"""


def upcast(number: int, v: int, values: Values) -> tuple[int, Values]:
    """Return the highest version that *values* of version *v* reach, and them as such.

    Both unchanged where no way leads on from *v*.
    """
    while (step := UPCASTS.get((number, v))) is not None:
        v, values = v + 1, step(values)
    return v, values
