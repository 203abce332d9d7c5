#!/usr/bin/env python3
"""loadText and its kin read .gz files and .zip archives, by their first bytes and not by their names."""
import gzip
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
ROWS = 400000

SCRIPT = """
path = args[0]
print(select name, type from extractTextSchema(path))
t = loadText(path)
print([t.rows(), sum(t.id), sum(t.price), t.name[t.rows() - 1]])
print(each(eqObj, t.values(), ploadText(path).values()))
given = loadText(path, , table(`id`price`name as name, `LONG`DOUBLE`STRING as type))
print(sum(given.id))
ds = textChunkDS(path, 1)
print(ds.size() > 3)
print(mr(ds, def(rows): sum(rows.id), +))
db = database("dfs://packed", HASH, [INT, 3])
stored = loadTextEx(db, `t, `id, path)
print(exec count(*) from stored)
print(exec sum(price) from stored)
"""


def run(folder, archive, script):
    (folder / "script.dos").write_text(script)
    return subprocess.run([PELORUS, "run", "--data", folder / f"data of {archive.name}", folder / "script.dos", archive],
                          capture_output=True, text=True, timeout=120)


def main():
    failed = 0

    def check(what, found, expected):
        nonlocal failed
        if found != expected:
            print(f"FAILED: {what}: expected {expected!r}, got {found!r}")
            failed += 1

    # Only far behind the first sample it shows that prices are no integers.
    rows = [f"{i},{i if i < ROWS - 90000 else i + 0.5},\"name, {i}\"\n" for i in range(ROWS)]
    text = ("id,price,name\n" + "".join(rows)).encode()
    cut = text.index(b"\n", len(text) // 2) + 7
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plain.csv").write_bytes(text)
        (folder / "one.gz").write_bytes(gzip.compress(text))
        (folder / "members.csv").write_bytes(gzip.compress(text[:cut]) + gzip.compress(text[cut:]))
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with zipfile.ZipFile(folder / f"{method}.zip", "w", method) as archive:
                archive.writestr("data/rows.csv", text)
        expected = run(folder, folder / "plain.csv", SCRIPT)
        check("the plain file", expected.returncode, 0)
        for packed in ("one.gz", "members.csv", "0.zip", "8.zip"):
            done = run(folder, folder / packed, SCRIPT)
            # What imports tell is the same but for the name.
            check(packed, (done.stdout, done.stderr.replace(packed, "plain.csv")), (expected.stdout, expected.stderr))

        whole = (folder / "one.gz").read_bytes()
        (folder / "torn.gz").write_bytes(whole[:-300000])
        for call in ("loadText(args[0])", "extractTextSchema(args[0])", "textChunkDS(args[0], 1)",
                     "loadTextEx(database('dfs://torn', HASH, [INT, 3]), `t, `id, args[0])"):
            done = run(folder, folder / "torn.gz", call)
            place = f"torn.gz is damaged at byte {len(whole) - 300000}: it is cut off."
            check("a torn file in " + call, (done.returncode, place in done.stderr), (1, True))
        (folder / "empty.gz").write_bytes(gzip.compress(b""))
        done = run(folder, folder / "empty.gz", "loadText(args[0])")
        check("an empty file", (done.returncode, "empty.gz is empty" in done.stderr), (1, True))
        with zipfile.ZipFile(folder / "two.zip", "w") as archive:
            archive.writestr("a.csv", "1\n")
            archive.writestr("b.csv", "2\n")
        done = run(folder, folder / "two.zip", "loadText(args[0])")
        check("two files", (done.returncode, "two.zip holds 2 files instead of one" in done.stderr), (1, True))
    print(f"{11 - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
