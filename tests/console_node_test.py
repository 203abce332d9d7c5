#!/usr/bin/env python3
"""The console on a node: Ctrl-C that keeps the session, completion, a node that dies and comes back."""
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
import ports

try:
    from terminal_screen import ScreenTerminal
except ImportError:
    print("SKIPPED console_node_test.py (no pyte: scripts/setup.sh --python)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

PELORUS = Path(sys.argv[1]).resolve()
CTRL_C = "\x03"
passed = failed = 0


def check(what, good, shown=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}:\n{shown}")


class Node:
    def __init__(self, folder):
        self.folder = folder
        self.port = ports.free_port()
        self.start()

    def start(self):
        log = open(Path(self.folder, "node.log"), "a")
        self.process = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(self.port), "--data", str(Path(self.folder, "node"))],
                                        stdout=log, stderr=log)
        begin = time.monotonic()
        while time.monotonic() - begin < 30 and run("--connect", f"127.0.0.1:{self.port}", text="1").returncode != 0:
            time.sleep(0.1)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def run(*options, text=""):
    return subprocess.run([PELORUS, "-", *map(str, options)], input=text, capture_output=True, text=True, timeout=120)


class Console(ScreenTerminal):
    def __init__(self, node, home, **environment):
        super().__init__([PELORUS, "connect", f"127.0.0.1:{node.port}"], home, 100, 40, **environment)
        self.until(self.at_prompt)

    def at_prompt(self):
        return self.line(self.cursor()[0]) == ">"

    def type(self, statement, wait=True):
        """What the screen shows of the statement and its answer."""
        self.send("\x0c")  # a clear screen
        self.until(lambda: self.text() == ">")
        self.send(statement + "\r")
        begin = "> " + statement[:60]
        self.until(lambda: self.line(0).startswith(begin) and self.cursor()[0] > 0)
        if wait:
            self.until(self.at_prompt, 60)
        return self.text()


with tempfile.TemporaryDirectory() as folder:
    node = Node(folder)
    home = Path(folder, "home")
    home.mkdir()
    console = Console(node, home)
    console.type('db = database("dfs://demo", VALUE, 2024.01.01..2024.01.31)')
    console.type("data = table(take(2024.01.01..2024.01.04, 2000) as day, rand(100.0, 2000) as price)")
    console.type("trades = db.createPartitionedTable(data, `trades, `day)")
    shown = console.type("trades.append!(data)")
    check("H15: append! says how many rows came", "2,000 rows appended" in shown and "──" not in shown, shown)
    shown = console.type("trades")
    check("a table on disk is shown by its name and columns", "dfs://demo/trades, 2 columns" in shown and "price  DOUBLE" in shown, shown)
    shown = console.type("select count(*) as n from trades")
    check("a query of it shows rows", "2000" in shown and "1 row × 1 column" in shown, shown)
    appended = 'loadTable("dfs://demo", "trades").append!(table(2024.01.05 as day, 1.5 as price))'
    done = run("--connect", f"127.0.0.1:{node.port}", text=appended)
    check("H15: append! in run --connect prints nothing", (done.returncode, done.stdout) == (0, ""), done)

    console.type("x = 42")
    console.send("\x0cdo { y = 1 } while (true)\r")
    console.until(lambda: False, 1.5)
    console.send(CTRL_C)
    check("Ctrl-C ends a statement on the node", console.until(console.at_prompt, 20), console.text())
    check("and says so", "cancel" in console.text(), console.text())
    check("D05: the session is the same one", "42" in console.type("x").splitlines(), console.text())

    console.send("\x0cselect pri\t")
    check("D05: Tab completes a column of a table on the node", console.until("select price") or console.until("> select pri"), console.text())
    console.send(CTRL_C)
    console.send("\x0ctrades.pr\t")
    check("and after a point", console.until("> trades.price"), console.text())
    console.send(CTRL_C)
    console.send('\x0cloadTable("dfs://d\t')
    check("and the node's databases", console.until('loadTable("dfs://demo'), console.text())
    console.send(CTRL_C)
    console.until(lambda: False, 0.3)

    odd = Path(folder, "odd.csv")
    odd.write_text("trade id,price\n1,2.5\n2,3.5\n3,4.5\n4,n/a\n")
    shown = console.type(f'o = loadText("{odd}")')
    check("notes of an import come from the node", "Note: " in shown and "n/a" in shown, shown)
    shown = console.type("sleep(2500)", wait=False)
    check("a long statement says that it runs", console.until("running for 1 s", 10), console.text())
    console.until(lambda: console.at_prompt() and "running" not in console.text(), 20)
    check("and its time, with the line away", "2.5" in console.text() and "running" not in console.text(), console.text())

    console.send("\x0csleep(60000)\r")
    console.until(lambda: False, 1.5)
    node.kill()
    check("a node that dies under a statement is told", console.until("Lost 127.0.0.1", 20) and console.until(console.at_prompt, 20), console.text())
    shown = console.type("1 + 1")
    check("while it is away each statement says so", "127.0.0.1" in shown and "Error" in shown, shown)
    node.start()
    shown = console.type("1 + 1")
    check("and when it is back, the console connects again", "a new one now" in shown and "\n2" in shown, shown)
    check("with what is on disk", "2001" in console.type('exec count(*) from loadTable("dfs://demo", "trades")'), console.text())
    node.kill()
    node.start()
    shown = console.type("x = 5; x")
    check("a node that was restarted while nobody typed", "a new one now" in shown and "\n5" in shown, shown)
    console.close()
    node.kill()

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
