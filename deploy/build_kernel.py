"""Compile the kernel of playouts: `python deploy/build_kernel.py [--if-possible] [FOLDER]`.

The extension comes to lie in FOLDER, else beside its source, where Python prefers it. It
carries a hash of that source, so that a build that has gone stale is noticed
(`service.kernel`). Everything is made in a temporary folder: nothing else is left behind.
It needs mypyc and a compiler, and nothing of this project but that source.
"""

import argparse
import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = Path("engine/playouts")
SOURCES = (
    "boldness.py",
    "counting.py",
    "kernel.py",
    "laying.py",
    "native.py",
    "shapes.py",
    "suits.py",
)
# Compiled as one, so that calls between them are plain ones; the name puts what both load
# beside them.
SETUP = """
from mypyc.build import mypycify
from setuptools import setup

names = ("suits", "shapes", "boldness", "counting", "laying", "kernel")
files = [f"engine/playouts/{name}.py" for name in names]
setup(name="kernel", ext_modules=mypycify(files, group_name="engine.playouts.kernel"))
"""
UNBUILT = 'BUILT_FROM: Final = ""'


def main() -> int:
    """Compile, say what was made, and return the exit code."""
    asked = argparse.ArgumentParser(description="Compile the kernel of playouts.")
    asked.add_argument("folder", nargs="?", type=Path, default=ROOT / PACKAGE)
    asked.add_argument("--if-possible", action="store_true", help="do without where it cannot be")
    options = asked.parse_args()
    if missing := what_is_missing():
        print(f"The kernel of playouts stays interpreted: {missing}.", flush=True)
        return 0 if options.if_possible else 1
    for extension in compiled_into(options.folder):
        print(f"compiled {extension}", flush=True)
    return 0


def what_is_missing() -> str:
    """Return why nothing can be compiled here, or nothing."""
    if not any(map(shutil.which, [os.environ.get("CC", "cc"), "gcc", "clang"])):
        return "there is no C compiler"
    if not importlib.util.find_spec("mypyc"):
        return "there is no mypyc"
    if not importlib.util.find_spec("setuptools"):
        return "mypyc needs setuptools"
    return ""


def fingerprint() -> str:
    """Return the hash of the source that `service.kernel` expects in a build."""
    digest = hashlib.sha256()
    for name in SOURCES:
        digest.update((ROOT / PACKAGE / name).read_bytes())
    return digest.hexdigest()


def compiled_into(folder: Path) -> list[Path]:
    """Return the extensions that were compiled into *folder*: the module, and what it loads."""
    with tempfile.TemporaryDirectory() as place:
        package = Path(place) / PACKAGE
        package.mkdir(parents=True)
        for name in SOURCES:
            shutil.copy(ROOT / PACKAGE / name, package)
        for init in (package.parent, package):
            (init / "__init__.py").touch()
        kernel = package / "kernel.py"
        source = kernel.read_text()
        assert source.count(UNBUILT) == 1
        kernel.write_text(source.replace(UNBUILT, f'BUILT_FROM: Final = "{fingerprint()}"'))
        (Path(place) / "setup.py").write_text(SETUP)
        run = subprocess.run(
            [sys.executable, "setup.py", "build_ext", "--inplace"],
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        if run.returncode:
            sys.exit(run.stdout.decode())
        return [_put(extension, folder) for extension in sorted(package.glob("*.so"))]


def _put(extension: Path, folder: Path) -> Path:
    # Never written over: processes may have the old one mapped.
    fresh = folder / f"{extension.name}.new"
    shutil.copy(extension, fresh)
    return fresh.replace(folder / extension.name)


if __name__ == "__main__":
    sys.exit(main())
