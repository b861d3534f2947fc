"""Whether the kernel of playouts is compiled, and from the source that lies beside it."""

import hashlib
from pathlib import Path
from typing import Final

from engine import playouts
from engine.playouts import kernel

SOURCES: Final = (
    "boldness.py",
    "counting.py",
    "kernel.py",
    "laying.py",
    "native.py",
    "shapes.py",
    "suits.py",
)
"""What goes into a compiled kernel."""


class StaleKernelError(RuntimeError):
    """The compiled kernel was made from another source than the one that lies beside it."""


def fingerprint(folder: Path) -> str:
    """Return a hash of the kernel's source in *folder*, as 64 hex digits."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((folder / name).read_bytes())
    return digest.hexdigest()


def kernel_kind() -> str:
    """Return ``compiled`` or ``interpreted``.

    Raises:
        StaleKernelError: It is compiled, but not from this source: its moves may differ.
    """
    if not kernel.BUILT_FROM:
        return "interpreted"
    if fingerprint(Path(playouts.__path__[0])) != kernel.BUILT_FROM:
        raise StaleKernelError(
            "the compiled kernel of playouts is stale: `make kernel` renews it, `make clean`"
            " removes it"
        )
    return "compiled"
