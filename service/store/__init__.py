"""Where games are kept: an append-only stream of events each."""
