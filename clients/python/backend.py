"""The build backend of the source distribution (PEP 517): it has the whole tree, and builds the engine by CMake.

`backend.py sdist FOLDER` makes the distribution without pip."""
from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

SOURCE = Path(__file__).resolve().parent
ROOT = SOURCE.parent.parent
BUILD_SYSTEM = '\n[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["clients/python"]\n'


def _files() -> list[str]:
    if (ROOT / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
        return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]
    return [str(path.relative_to(ROOT)) for path in sorted(ROOT.rglob("*")) if path.is_file() and "build" not in path.relative_to(ROOT).parts[:1]]


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    information = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\nSummary: {project['description']}\n"
    made = {"pyproject.toml": (SOURCE / "pyproject.toml").read_text().replace('"README.md"', '"clients/python/README.md"') + BUILD_SYSTEM, "PKG-INFO": information}
    with tarfile.open(Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in _files():
            if path not in made:
                archive.add(ROOT / path, f"{name}/{path}")
        for path, text in made.items():
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))
    return f"{name}.tar.gz"


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: object = None) -> str:
    subprocess.run(["make", "build"], cwd=ROOT, check=True)
    subprocess.run([sys.executable, ROOT / "scripts/build_wheel.py", "--plain"], cwd=ROOT, check=True)
    wheel = next((ROOT / "build/wheel").glob("*linux_x86_64.whl"))
    shutil.copy(wheel, wheel_directory)
    return wheel.name


if __name__ == "__main__" and sys.argv[1:2] == ["sdist"]:
    print(build_sdist(sys.argv[2]))
