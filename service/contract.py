"""The HTTP contract, openapi.yaml, as the bytes that are served, and the same as JSON.

It is written at the root of the repository. A wheel carries a copy inside the
package; in a checkout there is none, and the root's is read.
"""

from functools import cache
from pathlib import Path

import msgspec

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


@cache
def openapi_json() -> bytes:
    """Return the document as JSON, converted once in each process.

    Raises:
        FileNotFoundError: The installation is incomplete.
    """
    # PyYAML does the reading, over libyaml where its wheel has that.
    return msgspec.json.encode(msgspec.yaml.decode(openapi_bytes()))
