"""Deals played out by rules of thumb, for bots that search."""
