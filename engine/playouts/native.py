"""The machine's own whole numbers, where a compiler knows them; plain ones elsewhere."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64 as i64  # noqa: PLC0414 - to be imported from here
else:
    i64 = int
