"""Analyses of games that are over: what was asked for, how far it is, and what came of it.

A record says what is to be judged, and keeps each decision that is; jobs go through what is
missing, a little at a time. So a job that is lost, doubled or cut off costs nothing but time.
"""
