"""One file for each resource of the HTTP contract."""

from flask import Blueprint

from service.api import (
    catalogue,
    deals,
    documents,
    exports,
    games,
    health,
    imports,
    log,
    moves,
    replay,
    seats,
    streams,
    verifications,
)

BLUEPRINTS: tuple[Blueprint, ...] = (
    catalogue.bp,
    games.bp,
    seats.bp,
    moves.bp,
    log.bp,
    streams.bp,
    replay.bp,
    deals.bp,
    exports.bp,
    verifications.bp,
    imports.bp,
    health.bp,
    documents.bp,
)
