"""The HTTP service around the engine: Flask in front, Redis behind, bots beside."""

from importlib import metadata
from typing import Final

VERSION: Final = metadata.version("hearts-api")
