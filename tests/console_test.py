#!/usr/bin/env python3
"""The console on a terminal, and what the shell gives to the program."""
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PELORUS = Path(sys.argv[1]).resolve()
passed = failed = skipped = 0


def check(what, good, shown=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}: {shown!r}")


class Terminal:
    """The console in a pseudo terminal, with a home of its own."""

    def __init__(self, home):
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            os.environ.update(HOME=str(home), TERM="dumb", INPUTRC="/dev/null")
            os.execv(PELORUS, [str(PELORUS)])
        self.text = ""
        self.until("> ")

    def until(self, wanted, seconds=60):
        """What comes until the text that is wanted, or all that came in the time."""
        begin, came = time.monotonic(), ""
        while time.monotonic() - begin < seconds and wanted not in came:
            if select.select([self.descriptor], [], [], 0.2)[0]:
                try:
                    came += os.read(self.descriptor, 65536).decode(errors="replace")
                except OSError:
                    break
        self.text += came
        return came

    def type(self, line, wanted="\n> "):
        os.write(self.descriptor, line.encode() + b"\r")
        return self.until(wanted).replace("\r", "")

    def exit_code(self, seconds=30):
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            done, status = os.waitpid(self.process, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        return None


def run(*arguments, text="", cwd=None, **variables):
    environment = {**os.environ, **variables}
    for name in [name for name, value in variables.items() if value is None]:
        del environment[name]
    return subprocess.run([str(PELORUS), *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120, cwd=cwd, env=environment)


with tempfile.TemporaryDirectory() as folder:
    home = Path(folder, "home")
    home.mkdir()
    for word in ("exit", "quit", "exit;", "quit()"):
        console = Terminal(home)
        os.write(console.descriptor, word.encode() + b"\r")
        check(f"D07: {word} leaves", console.exit_code() == 0, console.text)

    console = Terminal(home)
    console.type("t = table(1 2 3 as v)")
    check("D07: a select waits for its from on the next line", "\n. " in console.type("select *", "\n. "), console.text)
    shown = console.type("from t")
    check("D07: and is run then", re.search(r"v\s*\nINT\s*\n─+\s*\n\s*1\s*\n\s*2\s*\n\s*3\s*\n3 rows", shown), shown)
    check("D07: a select of constants is whole", re.search(r"\n\s*2\s*\n", console.type("select 1 + 1 as two")), console.text)
    check("D07: help() tells how to find help", 'help("mavg")' in console.type("help()"), console.text)
    kept = (home / ".pelorus_history").read_text()
    check("D07: the history is written as it is made", "t = table(1 2 3 as v)" in kept and "help()" in kept, kept)
    os.kill(console.process, signal.SIGKILL)
    os.waitpid(console.process, 0)

    done = run(text="x = 1\nnosuch(x)\n", HOME=str(home))
    check("D07: pelorus < file fails when the script does", done.returncode == 1 and "nosuch" in done.stderr, done)
    done = run(text="1 + 1\nx = 2\nx * 3\n", HOME=str(home))
    check("D07: pelorus < file runs a script", (done.returncode, done.stdout.split()) == (0, ["2", "6"]), done)

    data = Path(folder, "data")
    done = run("--data", data, "-e", 'existsDatabase("dfs://d")')
    check("D07: --data may stand before -e", (done.returncode, done.stdout.strip()) == (0, "false") and data.is_dir(), done)
    script = Path(folder, "script.dos")
    script.write_text("args\n")
    done = run("--data", data, "run", script, "a", "b")
    check("D07: and before run", (done.returncode, done.stdout.strip()) == (0, '["a","b"]'), done)
    done = run("-e", "2 ** 3")
    check("D07: ** is the inner product, as help() says", done.stdout.strip() == "6", done)

    elsewhere = Path(folder, "elsewhere")
    elsewhere.mkdir()
    if os.getuid() == 0:  # as a user whom the system does not know, so that nobody's folder is touched
        elsewhere.chmod(0o777)
        os.chmod(folder, 0o755)
        program = shutil.copy(PELORUS, Path(folder, "pelorus"))  # the checkout may lie where only its owner may look
        try:
            done = subprocess.run([program], input="1\n", capture_output=True, text=True, timeout=60, cwd=elsewhere, user=54321,
                                  env={name: value for name, value in os.environ.items() if name != "HOME"})
            check("D07: without a home the console asks for --data", done.returncode == 1 and "--data" in done.stderr, done)
        except PermissionError:  # as below a root folder that only root may enter
            skipped += 1
            print("SKIPPED D07: without a home the console asks for --data (another user may start nothing here)")
    check("D07: without HOME nothing appears in the working directory", not list(elsewhere.iterdir()), list(elsewhere.iterdir()))

print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(1 if failed else 0)
