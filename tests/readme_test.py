#!/usr/bin/env python3
"""README's first steps run as they are written: five minutes in the console, the example's quotes, ten analyses over them, and the chart of a
factor over real quotes (skipped where these are not at hand).

Commands are the indented lines that begin with build/release/pelorus; /tmp stands for a folder of the test."""
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from cases import tally  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PELORUS = os.path.abspath(sys.argv[1])
QUOTES = Path(os.environ.get("PELORUS_MARKET_DATA", "/nowhere"), "nyse_quotes_2018.csv.gz")
README = (ROOT / "README.md").read_text()
passed = failed = skipped = 0


def check(what, holds, found=""):
    global passed, failed
    passed, failed = passed + bool(holds), failed + (not holds)
    if not holds:
        print(f"FAILED {what}: {found}")


def section(heading):
    return re.split(r"^#+ ", README.split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.M)[0]


def block(heading):
    return re.search(r"^```dos\n(.*?)^```$", section(heading), re.M | re.S)[1]


def commands(text):
    """The arguments of the commands of a text, without their comments."""
    return [line.split("#")[0].split()[1:] for line in text.splitlines() if line.startswith("    build/release/pelorus run ")]


def run(arguments, folder, text=None):
    done = subprocess.run([PELORUS, *(argument.replace("/tmp", str(folder)).replace("QUOTES.csv.gz", str(QUOTES)) for argument in arguments)],
                          capture_output=True, text=True, input=text, timeout=300, cwd=ROOT)
    return done.returncode, done.stdout, done.stderr


def script(text, data, folder):
    file = Path(folder, "script.dos")
    file.write_text(text)
    done = subprocess.run([PELORUS, "run", "--data", data, str(file)], capture_output=True, text=True, timeout=300, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def five_minutes(folder):
    lines = [line[4:] for line in section("Five minutes").split("On market data")[0].splitlines() if line.startswith("    ")]
    shown = {i for i, line in enumerate(lines) if re.match(r"sym +price|STRING|──|[AB]  +\d|\d+ rows", line)}
    # Who types takes longer than the handler of the feed.
    text = "\n".join(line + ("\nsleep(1000)" if line.startswith("insert into feed") else "") for i, line in enumerate(lines) if i not in shown)
    code, output, errors = script(text, f"{folder}/five", folder)
    check("five minutes run", code == 0, errors)
    check("five minutes show their tables", "A   2.5   2" in output and "2024.01.05" in output, output[-2000:])


def ten_analyses(folder):
    made = [command for command in commands(section("Five minutes")) if "--connect" not in command]
    check("the quotes are made, imported and asked by three commands", len(made) == 3, made)
    for command in made:
        code, _, errors = run(command, folder)
        check(" ".join(command), code == 0, errors)
    text = block("Ten analyses over quotes")
    check("there are ten", len(re.findall(r"^// \d+\. ", text, re.M)) == 10)
    marked = re.sub(r"^// (\d+)\. .*$", r'print("@@@\1")', text, flags=re.M)
    code, output, errors = script(marked, f"{folder}/db", folder)
    check("ten analyses run", code == 0, errors)
    parts = re.split(r"@@@\d+\n", output)[1:]
    shown = typed(text, f"{folder}/db", folder)
    check("ten analyses can be typed", "the end" in shown and "Error at" not in shown and shown.count("rows ×") >= 8, shown[-3000:])
    check("each of the ten shows rows", len(parts) == 10 and all(len(part.splitlines()) > 3 for part in parts), output)


def typed(text, data, folder):
    """What the console shows of a script that is typed line by line, as if by hand."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="dumb", HOME=str(folder), COLUMNS="200")
        os.execv(PELORUS, [PELORUS, "--data", data])
    shown = b""

    def until(what, seconds=60):
        nonlocal shown
        end = time.monotonic() + seconds
        begin = len(shown)
        while what not in shown[begin:] and time.monotonic() < end:
            if select.select([terminal], [], [], 0.1)[0]:
                try:
                    shown += os.read(terminal, 65536)
                except OSError:
                    return

    until(b"> ")
    for line in text.splitlines():
        os.write(terminal, line.encode() + b"\r")
    os.write(terminal, b'print("the " + "end")\r')
    until(b"the end\r\n")
    os.write(terminal, b"\x04")
    until(b"nothing", 2)
    os.close(terminal)
    os.waitpid(pid, 0)
    return shown.decode(errors="replace")


def real_quotes(folder):
    global skipped
    if not QUOTES.exists():
        skipped += 1
        print("SKIPPED the factor over real quotes: PELORUS_MARKET_DATA names no folder with nyse_quotes_2018.csv.gz")
        return
    heading = "A chart of a factor over your own quotes"
    for command in commands(section(heading)):
        code, _, errors = run(command, folder)
        check(" ".join(command), code == 0, errors)
    code, output, errors = script(block(heading), f"{folder}/real", folder)
    check("the factor over real quotes", code == 0, errors)
    check("its correlation is a number", re.search(r"^-?0\.\d+$", output, re.M), output)
    picture = Path(folder, "imbalance.png")
    check("its picture is one", picture.exists() and picture.read_bytes().startswith(b"\x89PNG"))


def main():
    for part in (five_minutes, ten_analyses, real_quotes):
        with tempfile.TemporaryDirectory(prefix="pelorus_readme_") as folder:
            part(folder)
    return tally(passed, failed, skipped)


if __name__ == "__main__":
    sys.exit(main())
