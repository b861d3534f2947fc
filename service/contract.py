"""The HTTP contract, openapi.yaml, as the bytes that are served.

It is written at the root of the repository. A wheel carries a copy inside the
package; in a checkout there is none, and the root's is read.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_PLACES = (_PACKAGE / "openapi.yaml", _PACKAGE.parent / "openapi.yaml")


def openapi_bytes() -> bytes:
    """Return the document as it was written.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    for place in _PLACES:
        if place.is_file():
            return place.read_bytes()
    raise FileNotFoundError(_PLACES[0])
