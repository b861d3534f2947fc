"""The HTTP service around the engine: Flask in front, Redis behind, bots beside."""
