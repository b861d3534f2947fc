"""Webhooks: what an application's own server is told of the games that its key has created.

The log says what there is to tell (`messages`), `telling` writes that down for each endpoint,
and `courier` sends it. What is written down is tried again until it has arrived.
"""
