"""Hearts Game Notation, HGN/1: a whole game as text that people and programs read.

A game is a `Record`: tags, then lines. `recorder` makes one from events, `writer` writes it
in the one canonical way, `reader` reads it back and forgives what people do to text. What
the text claims is believed by nobody here; checking it is the business of `engine.verify`.
"""
