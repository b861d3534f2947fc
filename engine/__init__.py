"""The rules of Hearts as pure functions: no I/O, no clock, no randomness of its own."""
