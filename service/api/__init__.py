"""One file for each resource of the HTTP contract."""

from flask import Blueprint

from service.api import (
    analyses,
    bulk_exports,
    catalogue,
    deals,
    documents,
    exports,
    forks,
    games,
    health,
    hints,
    imports,
    listing,
    log,
    moves,
    rematches,
    replay,
    seats,
    streams,
    verifications,
    webhooks,
)

BLUEPRINTS: tuple[Blueprint, ...] = (
    catalogue.bp,
    games.bp,
    listing.bp,
    forks.bp,
    rematches.bp,
    seats.bp,
    moves.bp,
    hints.bp,
    log.bp,
    streams.bp,
    replay.bp,
    deals.bp,
    analyses.bp,
    exports.bp,
    bulk_exports.bp,
    verifications.bp,
    imports.bp,
    webhooks.bp,
    health.bp,
    documents.bp,
)
