"""A compiled kernel plays as the interpreted one does, and says what it was compiled from."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "engine" / "playouts"
SKIPPED = "stays interpreted: "


def run(*words):
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plain") / "playouts"
    return shutil.copytree(SOURCES, folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))


@pytest.fixture(scope="module")
def compiled(plain, tmp_path_factory):
    folder = shutil.copytree(plain, tmp_path_factory.mktemp("compiled") / "playouts")
    said = run("deploy/build_kernel.py", "--if-possible", folder)
    if SKIPPED in said:
        pytest.skip(said.partition(SKIPPED)[2].strip())
    return folder


def test_thousands_of_playouts_and_worlds_come_out_the_same(plain, compiled):
    one, other = (run("-m", "tests.engine.playouts.digest", folder) for folder in (plain, compiled))

    assert one.startswith("interpreted ")
    assert other.startswith("compiled ")
    _, count, digest = one.split()
    assert int(count) > 5_000
    assert other.split()[1:] == [count, digest]


def test_a_build_knows_the_source_that_it_was_made_from(compiled):
    kind = "import engine.playouts, sys; engine.playouts.__path__[:] = sys.argv[1:];"
    kind += "from service.kernel import kernel_kind; print(kernel_kind())"

    assert run("-c", kind, compiled) == "compiled\n"


def test_a_build_of_another_source_is_refused(compiled, tmp_path):
    folder = shutil.copytree(compiled, tmp_path / "playouts")
    with (folder / "kernel.py").open("a") as source:
        source.write("# changed\n")
    kind = "import engine.playouts, sys; engine.playouts.__path__[:] = sys.argv[1:];"
    kind += "from service.kernel import kernel_kind; kernel_kind()"

    with pytest.raises(subprocess.CalledProcessError) as refused:
        run("-c", kind, folder)

    assert "the compiled kernel of playouts is stale" in refused.value.stderr


def test_without_a_compiler_nothing_is_made(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)

    said = run("deploy/build_kernel.py", "--if-possible", tmp_path)

    assert SKIPPED in said
    assert list(tmp_path.iterdir()) == []
