"""The app as a WSGI server loads it, made from the environment."""

from typing import Final

from flask import Flask

from service.app import create_app
from service.settings import load

app: Final[Flask] = create_app(load())
