#!/usr/bin/env python3
"""loadNpz reads archives as NumPy writes them; those here are made of the format's description alone."""
import struct
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())


def npy(kind, shape, data, column_major=False):
    header = f"{{'descr': '{kind}', 'fortran_order': {column_major}, 'shape': {shape}, }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


ARRAYS = {
    "counts": npy("<i4", "(3,)", struct.pack("<3i", 1, -2, 3)),
    "names": npy("<U3", "(2,)", "abcx\0\0".encode("utf-32-le")),
    "grid": npy("<f8", "(2, 2)", struct.pack("<4d", 1, 2, float("nan"), 4)),
    "cubes": npy("<i2", "(2, 1, 2)", struct.pack("<4h", 1, 2, 3, 4)),
    "turned": npy("<i2", "(2, 1, 2)", struct.pack("<4h", 1, 3, 2, 4), True),
}
SCRIPT = """
arrays = loadNpz(args[0])
print(arrays.counts)
print(arrays.names)
print(isNull(arrays.grid[1, 0]))
print(arrays.grid[0, 1])
print(eqObj(arrays.cubes, arrays.turned))
print(arrays.cubes[1][0, 1])
"""
EXPECTED = ["[1,-2,3]", '["abc","x"]', "true", "2", "true", "4"]


def run(folder, archive, script):
    (folder / "script.dos").write_text(script)
    return subprocess.run([PELORUS, "run", folder / "script.dos", archive], capture_output=True, text=True, timeout=30)


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(folder / f"{method}.npz", "w", method) as archive:
                for array, data in ARRAYS.items():
                    archive.writestr(array + ".npy", data)
            done = run(folder, folder / f"{method}.npz", SCRIPT)
            actual = done.stdout.splitlines()
            if actual != EXPECTED:
                print("FAILED: expected", EXPECTED, "got", actual, done.stderr)
                failed += 1
        whole = (folder / f"{zipfile.ZIP_STORED}.npz").read_bytes()
        for length in (0, 10, len(whole) // 2, len(whole) - 30):
            (folder / "torn.npz").write_bytes(whole[:length])
            done = run(folder, folder / "torn.npz", "loadNpz(args[0])")
            if done.returncode != 1 or "torn.npz" not in done.stderr:
                print("FAILED: an archive of", length, "bytes:", done.stdout, done.stderr)
                failed += 1
    print(f"{6 - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
