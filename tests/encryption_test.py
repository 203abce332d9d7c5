#!/usr/bin/env python3
"""Encrypted tables give back what they were given, and no file of theirs shows it."""
import subprocess
import sys
import tempfile
from pathlib import Path

PELORUS = str(Path(sys.argv[1]).resolve())
MODES = [f"aes_{bits}_{mode}" for bits in (128, 192, 256) for mode in ("ctr", "cbc", "ecb")]
MODES += ["sm4_128_cbc", "sm4_128_ecb"]
# Texts, whole numbers (as their bytes lie in a log) and the bounds of blocks.
TEXT = "SecretName"
NUMBER = 0x5A5B5C5D5E5F5051
MARKS = [TEXT.encode(), NUMBER.to_bytes(8, "little")]

failed = passed = 0


def check(what, found, expected):
    global failed, passed
    if found == expected:
        passed += 1
        return
    failed += 1
    print(f"FAILED: {what}: expected {expected!r}, got {found!r}")


class Place:
    def __init__(self, folder, name, key_folder="keys"):
        self.folder = folder
        self.data = folder / name
        self.key_folder = key_folder

    def run(self, script, settings=""):
        config = self.folder / "node.cfg"
        keys = f"TDEKeyDir={self.folder / self.key_folder}\n" if self.key_folder else ""
        config.write_text(keys + settings)
        (self.folder / "script.dos").write_text(script)
        return subprocess.run([PELORUS, "run", "--data", self.data, "--config", config, self.folder / "script.dos",
                               self.folder], capture_output=True, text=True, timeout=120)

    def shows(self):
        """Files below the data folder that hold what must not be seen."""
        return [str(path.relative_to(self.data)) for path in self.data.rglob("*")
                if path.is_file() and any(mark in path.read_bytes() for mark in MARKS)]


ENABLE = 'enableTDEKey(args[0] + "/first.key")\n'
DEFINITIONS = f"""
def rowsOf(n) {{
    ids = 0..(n - 1)
    return table(ids % 3 as part, ids as id, take({NUMBER}l, n) as number, "{TEXT}" + string(ids) as text,
                 take(symbol(`{TEXT}A`{TEXT}B), n) as sym, ids * 0.5 as price)
}}
"""


def every_mode(folder):
    place = Place(folder, "modes")
    script = ENABLE + DEFINITIONS + 'db = database("dfs://db", VALUE, 0..2)\n'
    for mode in MODES:
        script += f"""
t = createPartitionedTable(db, rowsOf(1), `{mode}, `part, encryptMode="{mode.upper()}")
t.append!(rowsOf(100))
flushOLAPCache()
t.append!(rowsOf(70000))
t.append!(rowsOf(9))
d = createDimensionTable(db, rowsOf(1), `d_{mode}, encryptMode="{mode}")
d.append!(rowsOf(20))
"""
    done = place.run(script)
    check("tables are made", (done.returncode, done.stderr), (0, ""))
    check("files of the log and segments", place.shows(), [])
    script = DEFINITIONS + "".join(f"""
t = loadTable("dfs://db", `{mode})
r = select * from t
print([r.rows(), sum(r.number == {NUMBER}l), sum(r.text == "{TEXT}" + string(r.id)), sum(r.price * 2 == r.id)])
print(exec id from t where text = "{TEXT}69999")
print(schema(t).encryptMode)
print(exec count(*) from loadTable("dfs://db", `d_{mode}))
""" for mode in MODES)
    done = place.run(script)
    expected = "".join(f"[70109,70109,70109,70109]\n[69999]\n{mode}\n20\n" for mode in MODES)
    check("rows come back", (done.stdout, done.stderr), (expected, ""))
    # A checkpoint takes the rows in memory over.
    done = place.run(DEFINITIONS + """
t = createPartitionedTable(database("dfs://db"), rowsOf(1), `extra, `part, encryptMode="aes_128_ctr")
t.append!(rowsOf(5))
sleep(2500)
print(exec count(*) from loadTable("dfs://db", `aes_128_ctr))""", "redoLogPurgeInterval=1\n")
    check("at a checkpoint", done.stdout.splitlines()[-1:], ["70109"])
    check("a checkpoint was made", len(list((place.data / "checkpoint").glob("*.state"))) > 0, True)
    check("files of the checkpoint", place.shows(), [])
    done = place.run(script)
    check("rows come back after a checkpoint", (done.stdout, done.stderr), (expected, ""))
    done = place.run('t = loadTable("dfs://db", `aes_256_cbc)\ndelete from t where id > 5\n'
                     'update t set price = -1.0 where id = 5\nprint(exec sum(price) from t)\n'
                     'flushOLAPCache()\nprint(checkTables())')
    check("changes", done.stdout.splitlines()[0], "12")
    check("files after changes", place.shows(), [])


def plain_tables_stay_plain(folder):
    place = Place(folder, "plain", None)
    script = DEFINITIONS + """db = database("dfs://db", VALUE, 0..2)
t = createPartitionedTable(db, rowsOf(1), `t, `part, encryptMode="plaintext")
done = t.append!(rowsOf(10))
print(schema(t).encryptMode)
print(isNull(getCurrentTDEKeyVersion()))
print(getClusterTDEKeys().rows())
"""
    done = place.run(script)
    check("a plain table", (done.stdout, done.stderr), ("plaintext\ntrue\n0\n", ""))
    check("marks are found where they are", len(place.shows()) > 0, True)
    make = 'createPartitionedTable(database("dfs://db"), rowsOf(1), `x, `part, encryptMode="{}")'
    done = place.run(DEFINITIONS + make.format("aes_128_ctr"))
    check("without a master key", "no master key is in use" in done.stderr, True)
    done = place.run(DEFINITIONS + make.format("des"))
    check("an unknown mode", "encryptMode must be plaintext" in done.stderr, True)
    done = place.run(ENABLE)
    check("without the setting", "The setting TDEKeyDir is missing" in done.stderr, True)
    inside = Place(folder, "plain", "plain/keys")
    check("keys in the data", "within the data folder" in inside.run(ENABLE).stderr, True)
    done = Place(folder, "plain").run('enableTDEKey(args[0] + "/script.dos")')
    check("no key in the file", "holds no master key" in done.stderr, True)
    done = Place(folder, "plain").run('enableTDEKey(args[0] + "/none.key")')
    check("no key file", "There is no key file" in done.stderr, True)


def keys_are_needed_and_change(folder):
    place = Place(folder, "rotated", "keys2")
    done = place.run("done = " + ENABLE + DEFINITIONS + """db = database("dfs://db", VALUE, 0..2)
t = createPartitionedTable(db, rowsOf(1), `t, `part, encryptMode="aes_256_cbc")
done = t.append!(rowsOf(70000))
print(getClusterTDEKeys().mode)
print((exec version from getClusterTDEKeys())[0] == getCurrentTDEKeyVersion())
print(enableTDEKey(args[0] + "/first.key"))
enableTDEKey(args[0] + "/second.key")
""")
    check("enabled", done.stdout, '["AES_256_CBC"]\ntrue\ntrue\n')
    check("another first key", "is in use already" in done.stderr, True)
    segments = {path: path.read_bytes() for path in (place.data / "segments").iterdir()}
    keys = list((folder / "keys2").iterdir())
    check("one key is kept", (len(keys), oct(keys[0].stat().st_mode & 0o777)), (1, "0o600"))
    count = 'print(exec count(*) from loadTable("dfs://db", `t))'
    sum_of = 'print(exec sum(id) from loadTable("dfs://db", `t))'
    done = place.run('old = getCurrentTDEKeyVersion()\nprint(rotateTDEKey(args[0] + "/second.key"))\n'
                     'print(old == getCurrentTDEKeyVersion())\n' + count)
    check("rotated", (done.stdout, done.stderr), ("true\nfalse\n70000\n", ""))
    check("rotation leaves segments", {path: path.read_bytes() for path in (place.data / "segments").iterdir()},
          segments)
    # The old key is not needed any more, not even by the log from before: the tables' keys are the same.
    keys[0].rename(folder / "away.key")
    done = place.run(sum_of)
    check("without the old key", (done.stdout, done.stderr), ("2449965000\n", ""))
    for path in (folder / "keys2").iterdir():
        path.rename(folder / "new.key")
    (folder / "away.key").rename(folder / "keys2" / "old.key")
    done = place.run(sum_of)
    check("the wrong key", "dfs://db/t needs the master key" in done.stderr and "(the setting TDEKeyDir)" in done.stderr,
          True)
    done = Place(folder, "rotated", None).run(sum_of)
    check("no key", "dfs://db/t needs the master key" in done.stderr and "TDEKeyDir is missing" in done.stderr, True)
    # Other tables go on while a key is away, and so does the log.
    (folder / "new.key").rename(folder / "keys2" / "any name")
    done = place.run("done = 1\nsleep(2500)\nprint(exec count(*) from loadTable('dfs://db', `t))", "redoLogPurgeInterval=1\n")
    check("a checkpoint", done.stdout, "70000\n")
    (folder / "keys2" / "any name").rename(folder / "new.key")
    done = place.run("""
p = createDimensionTable(database("dfs://db"), table(1..3 as id), `plain)
p.append!(table(1..3 as id))
sleep(2500)
print(exec count(*) from p)
""", "redoLogPurgeInterval=1\n")
    check("another table", done.stdout.splitlines()[-1:], ["3"])
    (folder / "new.key").rename(folder / "keys2" / "any name")
    done = place.run(sum_of)
    check("with the new key", (done.stdout, done.stderr), ("2449965000\n", ""))
    done = place.run(DEFINITIONS + """
dropTable(database("dfs://db"), `t)
t = createPartitionedTable(database("dfs://db"), rowsOf(1), `t, `part, encryptMode="sm4_128_cbc")
t.append!(rowsOf(10))
renameTable("dfs://db", `t, `u)
""")
    done = Place(folder, "rotated", None).run('print(existsDatabase("dfs://db"))')
    check("rows in the log need the key at the start", "/t needs the master key" in done.stderr or
          "/u needs the master key" in done.stderr, True)
    done = place.run('print(exec count(*) from loadTable("dfs://db", `u))\nprint(getClusterTDEKeys().tableName)')
    check("dropped, made anew, renamed", (done.stdout, done.stderr), ('10\n["dfs://db/u"]\n', ""))
    check("files after all", place.shows(), [])


def backups_are_encrypted_too(folder):
    place = Place(folder, "backed up")
    copies = Place(folder, "copies")
    done = place.run(ENABLE + DEFINITIONS + """db = database("dfs://db", VALUE, 0..2)
t = createPartitionedTable(db, rowsOf(1), `t, `part, encryptMode="aes_256_ctr")
t.append!(rowsOf(70000))
p = createPartitionedTable(database("dfs://plain", VALUE, 0..2), rowsOf(1), `p, `part)
p.append!(rowsOf(300))
""")
    check("tables to back up", done.stderr, "")
    first, second = f'"{folder}/first.key"', f'"{folder}/second.key"'
    to = f'"{copies.data}"'
    done = place.run(f'backupTable({to}, "dfs://db", `t)')
    check("an encrypted table's backup without a key", "its backup must be, too" in done.stderr, True)
    done = place.run(f'print(backupTable({to}, "dfs://db", `t, {second}))\nprint(backupDB({to}, "dfs://plain", {first}))\n'
                     f'print(checkBackup({to}, "dfs://db").rows())')
    check("backups", (done.stdout, done.stderr), ("3\n3\n0\n", ""))
    check("files of the backups", copies.shows(), [])
    done = place.run('t = loadTable("dfs://db", `t)\nt.append!(table(0 as part, 70000 as id, 1l as number, "x" as text, '
                     f'symbol(["y"]) as sym, 0.0 as price))\nprint(backupTable({to}, "dfs://db", `t, {second}))')
    check("what has changed is backed up again", done.stdout.splitlines()[-1:], ["1"])
    done = place.run(f'backupTable({to}, "dfs://db", `t, {first})')
    check("a backup with another key", "that is encrypted with the master key" in done.stderr, True)
    done = place.run(f'loadBackup({to}, "dfs://db", "/0", `t)')
    check("a backup is not shown", "Give the file of that key as keyPath" in done.stderr, True)
    done = place.run(f'restoreTable({to}, "dfs://db", `t, , `u, {first})')
    check("the wrong key of a backup", "but keyPath names the key" in done.stderr, True)
    done = place.run(f'print(restoreTable({to}, "dfs://db", `t, , `u, {second}).rows())\nu = loadTable("dfs://db", `u)\n'
                     'print(exec count(*) from u)\nprint(schema(u).encryptMode)\nprint(getClusterTDEKeys().rows())')
    check("restored", (done.stdout, done.stderr), ("1\n70001\naes_256_ctr\n2\n", ""))
    done = place.run(f'restoreDB({to}, "dfs://plain", "dfs://again", {first})\n'
                     'print(exec count(*) from loadTable("dfs://again", `p))')
    check("restored from an encrypted backup", done.stdout.splitlines()[-1:], ["300"])
    done = place.run(DEFINITIONS + 'w = createPartitionedTable(database("dfs://db"), rowsOf(1), `w, `part)\n'
                     f'restore({to}, "dfs://db", `t, "%", true, w, , , {second})')
    check("restored into a plain table", "is not encrypted in the way" in done.stderr, True)
    chunk = next(copies.data.rglob("*0.chunk"))
    content = bytearray(chunk.read_bytes())
    content[len(content) // 2] ^= 1
    chunk.write_bytes(content)
    done = place.run(f'print(checkBackup({to}, "dfs://db").rows() + checkBackup({to}, "dfs://plain").rows())')
    check("a damaged encrypted backup", done.stdout, "1\n")


def rows_set_aside_are_encrypted(folder):
    """The script of tests/script/memory, whose queries set rows aside, once an encrypted table is there."""
    script = (Path(__file__).parent / "script/memory/spilling.dos").read_text()
    expected = [line.split("// expect: ")[1] for line in script.splitlines() if line.startswith("print(same")]
    script = "".join(line + "\n" for line in script.split("// ---")[0].splitlines())
    begin = ("done = " + ENABLE + 'rows = table(1 2 as id, 3 4 as x)\n'
             'done = createDimensionTable(database("dfs://spill", VALUE, 1..3), rows, `d, encryptMode="aes_128_cbc")\n')
    done = Place(folder, "spilled").run(begin + script)
    check("rows set aside", (done.stdout.splitlines()[:len(expected)], done.stderr), (expected, ""))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "first.key").write_text("0123456789abcdef" * 4 + "\n")
        (folder / "second.key").write_text("fedcba9876543210" * 4)
        every_mode(folder)
        plain_tables_stay_plain(folder)
        keys_are_needed_and_change(folder)
        backups_are_encrypted_too(folder)
        rows_set_aside_are_encrypted(folder)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
