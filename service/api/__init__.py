"""One file for each resource of the HTTP contract."""

from flask import Blueprint

from service.api import catalogue, documents, games, health, log, moves, seats

BLUEPRINTS: tuple[Blueprint, ...] = (
    catalogue.bp,
    games.bp,
    seats.bp,
    moves.bp,
    log.bp,
    health.bp,
    documents.bp,
)
