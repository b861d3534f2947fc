"""What the code imports is asked for by name, not had by the way."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OURS = {"deploy", "engine", "service", "tests"}
# Flask is built on the first two, the next two are a checker's, `pyspiel` is of `make bench`
# alone, and the last is made by `make clients`.
GRANTED = {
    "werkzeug",
    "itsdangerous",
    "_typeshed",
    "mypy_extensions",
    "pyspiel",
    "hearts_client",
}
# What an extra brings may be missing, so that one module alone asks for it.
OPTIONAL = ROOT / "service" / "spans.py"
LISTS = {
    "requirements.in": ("engine", "service"),
    "requirements-otel.in": ("service/spans.py",),
    "requirements-dev.in": ("tests",),
}


def modules(name):
    """Return the module of that *name*, or those of the folder."""
    path = ROOT / name
    return {path} if path.is_file() else {*path.rglob("*.py")} - {OPTIONAL}


def imported(name):
    """Return the packages that the *name*'s modules import, without those of Python."""
    found = set()
    for module in modules(name):
        for node in ast.walk(ast.parse(module.read_text())):
            match node:
                case ast.Import(names=names):
                    found |= {alias.name.partition(".")[0] for alias in names}
                case ast.ImportFrom(module=str(name), level=0):
                    found.add(name.partition(".")[0])
    return found - sys.stdlib_module_names - OURS


def listed(name):
    """Return the projects that the list of that *name* asks for, those it includes too."""
    text = (ROOT / "deploy" / name).read_text()
    projects = set(re.findall(r"^([A-Za-z][\w-]*)", text, re.MULTILINE))
    included = re.findall(r"^-r (\S+)", text, re.MULTILINE)
    return set(map(plain, projects)).union(*map(listed, included))


def plain(project):
    """Return the one spelling of a project's name that all others stand for."""
    return re.sub("[-_.]+", "-", project).lower()


@pytest.mark.parametrize("name", LISTS)
def test_every_package_that_is_imported_is_listed(name):
    projects, known = listed(name), packages_distributions()

    missing = {
        package
        for folder in LISTS[name]
        for package in imported(folder) - GRANTED
        if projects.isdisjoint(map(plain, known.get(package, ())))
    }

    assert missing == set()


@pytest.mark.parametrize(
    ("extra", "name"), [(None, "requirements.in"), ("otel", "requirements-otel.in")]
)
def test_what_the_package_asks_for_is_what_is_locked(extra, name):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = project["optional-dependencies"][extra] if extra else project["dependencies"]

    assert {plain(re.split("[>=<]", one)[0]) for one in asked} == listed(name)
