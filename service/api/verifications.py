"""Checking the file of a game, whoever wrote it."""

from typing import Final

from flask import Blueprint, Response

from service.bodies import read_file
from service.replies import NO_STORE, reply
from service.schemas.verification import report_data
from service.verification import FORMS

bp = Blueprint("verifications", __name__, url_prefix="/v1")

_BY_MEDIA_TYPE: Final = {form.media_type: form for form in FORMS}


@bp.post("/verifications")
def verify() -> Response:
    """Say what is right and wrong with the file in the body."""
    media_type, raw = read_file(_BY_MEDIA_TYPE)
    form = _BY_MEDIA_TYPE[media_type]
    return reply(report_data(form.verify(raw), form.name), cache=NO_STORE)
