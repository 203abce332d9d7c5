#!/usr/bin/env bash
# Puts libarrow, libparquet and their headers into build/arrow, out of the wheel that scripts/arrow_requirements.txt pins by its
# hash. Nothing is installed: no Python sees it. Does nothing when it is there; without the package index it says so and goes on,
# since only Parquet files need it (docs/decisions/008).
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=scripts/arrow_requirements.txt
target=build/arrow
stamp=$target/requirements.fetched
if cmp -s "$requirements" "$stamp"; then exit 0; fi

echo "setup: fetching Arrow C++ into $target"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! { /usr/bin/python3 -m venv "$work/venv" &&
  "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --only-binary :all: --python-version 311 \
    --platform manylinux_2_28_x86_64 --require-hashes -r "$requirements" -d "$work"; }; then
  echo "setup: Arrow C++ could not be fetched; Pelorus will read and write no Parquet files." >&2
  exit 0
fi
/usr/bin/python3 - "$work" <<'PYTHON'
import sys, zipfile
from pathlib import Path
work = Path(sys.argv[1])
with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
    wanted = [n for n in wheel.namelist() if n.startswith(("pyarrow/include/arrow/", "pyarrow/include/parquet/"))]
    wanted += [n for n in wheel.namelist() if n.startswith(("pyarrow/libarrow.so.", "pyarrow/libparquet.so."))]
    wanted += [n for n in wheel.namelist() if "/LICENSE" in n or "/NOTICE" in n]
    wheel.extractall(work, wanted)
licences = work / "pyarrow" / "licences"
licences.mkdir()
for file in [*work.glob("pyarrow-*/**/LICENSE*"), *work.glob("pyarrow-*/**/NOTICE*")]:
    file.rename(licences / file.name)
PYTHON
rm -rf "$target"
mkdir -p "$target/lib"
mv "$work"/pyarrow/include "$work"/pyarrow/licences "$target/"
mv "$work"/pyarrow/lib*.so.* "$target/lib/"
for library in "$target"/lib/lib*.so.*; do
  name=$(basename "$library")
  ln -s "$name" "$target/lib/${name%%.so.*}.so"
done
cp "$requirements" "$stamp"
