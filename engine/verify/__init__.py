"""Checking a game that somebody else has written down.

Nothing in a file is believed but what somebody decided: the rules, the seats and their
seeds, the links or else the hands, passes, plays, choices, who left and came back. From
these the game is played again by the rules, and everything else that the file says has to
be what comes out.
"""
