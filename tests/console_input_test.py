#!/usr/bin/env python3
"""What somebody types at the console: editing of several lines, colours, completion, history; on screens of 60, 80 and 200 columns."""
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
try:
    from terminal_screen import ScreenTerminal
except ImportError:
    print("SKIPPED console_input_test.py (no pyte: scripts/setup.sh --python)\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)

PELORUS = Path(sys.argv[1]).resolve()
UP, DOWN, RIGHT, LEFT, HOME, END = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[H", "\x1b[F"
CTRL_C, CTRL_D, CTRL_L, CTRL_R, CTRL_U, CTRL_K = "\x03", "\x04", "\x0c", "\x12", "\x15", "\x0b"
ALT_ENTER = "\x1b\r"
passed = failed = 0


def check(what, good, shown=""):
    global passed, failed
    if good:
        passed += 1
    else:
        failed += 1
        print(f"FAILED {what}:\n{shown}")


class Console(ScreenTerminal):
    """The console at its first prompt."""

    def __init__(self, home, columns=80, lines=24, **environment):
        super().__init__([PELORUS], home, columns, lines, **environment)
        begin = time.monotonic()
        self.until(self.is_prompt)
        self.start = time.monotonic() - begin

    def is_prompt(self):
        return self.cursor()[1] == 2 and self.line(self.cursor()[0]) == ">"

    def type(self, keys, wanted=None):
        """Sends the keys; waits for the text or the prompt, and returns the screen's text."""
        self.send(keys)
        self.until(wanted if wanted else self.is_prompt)
        return self.text()

    def rows(self, count):
        """The last rows up to the cursor's."""
        y = self.cursor()[0]
        return [self.line(i) for i in range(y - count + 1, y + 1)]

    def colour(self, y, x):
        return self.screen.buffer[y][x].fg


FUNCTION = ["def twice(x) {", "    y = x * 2", "    return y", "}"]


def several_lines(home, columns):
    at = f"{columns} columns: "
    console = Console(home, columns)
    for line in FUNCTION[:3]:
        console.send(line.strip() + "\r" if line is not FUNCTION[1] else "    " + line.strip() + "\r")
        console.read(0.1)
    check(at + "Enter in an unfinished statement makes a line with the blanks of the one before, and shows what is open",
          console.rows(4) == ["> def twice(x) {", "{     y = x * 2", "{     return y", "{"], console.text())
    console.send("\x15}")  # without the blanks
    console.read(0.1)
    console.send(UP * 3 + END + LEFT * 3 + "0")  # in the first line: twice(x0)
    console.read(0.1)
    check(at + "the first line is edited while the last is there", "> def twice(x0) {" in console.text(), console.text())
    check(at + "and the cursor is in it", console.line(console.cursor()[0]).startswith("> def"), console.text())
    console.send("\x7f")
    console.type("\r")
    check(at + "Enter in the middle of a whole statement runs it", "8" in console.type("twice(4)\r").splitlines(), console.text())

    console.send(UP)
    console.read(0.1)
    check(at + "history recalls the input before", console.rows(1) == ["> twice(4)"], console.text())
    console.send(UP)
    console.read(0.1)
    check(at + "and one of several lines whole", console.rows(4)[0] == "> def twice(x) {" and console.rows(1) == ["{ }"], console.text())
    console.send(UP * 3 + DOWN + END + "0")
    console.read(0.1)
    check(at + "Up and Down move inside of it", "{     y = x * 20" in console.text(), console.text())
    console.type("\r")
    check(at + "what was edited runs", "80" in console.type("twice(4)\r").splitlines(), console.text())

    console.send("\x1b[200~a = 1\rb = 2\r\rdef c() {\r\treturn 1 + 2\r}\r\x1b[201~")
    console.read(0.2)
    check(at + "a pasted script is one input that does not run yet",
          console.rows(7)[:2] == ["> a = 1", ". b = 2"] and "{       return 1 + 2" in console.text(), console.text())
    console.type("\r")
    check(at + "Enter runs the pasted script", "3" in console.type("c()\r").splitlines(), console.text())

    console.send("x = [1,\r2")
    console.read(0.1)
    console.type(CTRL_C)
    check(at + "Ctrl-C drops the input", console.rows(2) == ["[ 2", ">"], console.text())
    check(at + "and the next one is a new one", "42" in console.type("6 * 7\r").splitlines(), console.text())
    console.send("1 +" + ALT_ENTER + "1" + ALT_ENTER)
    console.read(0.1)
    check(at + "Alt-Enter always makes a line", console.rows(3) == ["> 1 +", ". 1", "."], console.text())
    console.type(CTRL_C)
    console.type("select a\r", lambda: console.rows(1) == ["."])
    check(at + "an empty line ends a select that waits for its from", re.search(r"^ +a\nINT\n─+\n +1$", console.type("\r"), re.M), console.text())
    console.type("1 +\r1" + CTRL_L, lambda: console.cursor()[0] == 1)
    check(at + "Ctrl-L clears the screen and keeps the input", console.text() == "> 1 +\n. 1", console.text())
    console.type(CTRL_C)
    console.send(CTRL_R + "return y")
    console.read(0.1)
    check(at + "Ctrl-R finds an input by any of its lines", "return y': def twice(x) {" in console.text(), console.text())
    console.type("\r")
    console.send(CTRL_D)
    check(at + "Ctrl-D leaves", not console.read(2), console.text())
    console.close()


def wide_characters(home, columns):
    at = f"{columns} columns: "
    console = Console(home, columns)
    console.send('s = "中文🙂é"' + LEFT * 2)
    console.read(0.1)
    check(at + "wide characters take two columns", console.cursor()[1] == 2 + 5 + 6, console.cursor())
    console.send(LEFT + "国")
    console.read(0.1)
    check(at + "and are edited whole", "中文国🙂é" in console.text().replace(" ", "").replace("\u0301", ""), console.text())
    console.type(CTRL_C)
    text = "x" * (3 * columns)
    console.send("y = \"" + text)
    console.read(0.1)
    rows = (2 + 5 + len(text)) // columns + 1
    check(at + "long lines wrap", len(console.rows(rows)[0]) == columns and console.rows(rows)[0].startswith('> y = "xx'), console.text())
    console.send(HOME)
    console.read(0.1)
    check(at + "the cursor goes home over rows", console.cursor()[1] == 2, console.cursor())
    console.send(END + '"')
    console.type("\r")
    check(at + "a wrapped line runs", str(len(text)) in console.type("strlen(y)\r").splitlines(), console.text())
    for i in range(40):
        console.send(f"a{i} = {i}" + ALT_ENTER)
    console.read(0.2)
    check(at + "more lines than the screen has scroll", console.cursor()[0] == 23 and ". a39 = 39" in console.text(), console.text())
    console.send(UP * 39 + HOME)
    console.read(0.2)
    check(at + "also up to the first", console.line(0) == "> a0 = 0" and console.cursor() == (0, 2), console.text())
    console.type("\r")
    check(at + "they run", "39" in console.type("a39\r").splitlines(), console.text())
    console.close()


def locales(home):
    for locale in ("C", "POSIX", ""):
        console = Console(home, LC_ALL=locale, LANG=locale)
        console.send('"中文é"' + LEFT * 2 + "\x7f")
        console.read(0.1)
        check(f"characters are whole in the locale '{locale}'", console.line(console.cursor()[0]).replace(" ", "") == '>"中é"', console.text())
        console.close()


def tab(home, columns):
    at = f"{columns} columns: "
    console = Console(home, columns)
    console.type("prices = table(1 2 as bidPrice, 3 4 as bidSize, `a`b as sym)\r")
    console.send("select count(pric\t")
    console.read(0.1)
    check(at + "one candidate is inserted", console.rows(1) == ["> select count(prices"], console.text())
    console.type(CTRL_C)
    console.send("select b from prices" + LEFT * 12 + "\t")
    console.read(0.1)
    console.send("id\t")
    console.read(0.1)
    check(at + "a common beginning is inserted", "select bid from prices" in console.text(), console.text())
    console.send("\t")
    console.read(0.2)
    check(at + "a second Tab lists", re.search(r"bidPrice +bidSize", console.text()) and console.rows(1) == ["> select bid from prices"], console.text())
    console.send("P\t")
    console.read(0.1)
    check(at + "from knows its columns though it is behind", "select bidPrice from prices" in console.text(), console.text())
    console.type(CTRL_C)
    console.send("prices.bidS\t")
    console.read(0.1)
    check(at + "after a point columns", "> prices.bidSize" in console.text(), console.text())
    console.type(CTRL_C)
    console.send("prices.ups\t")
    console.read(0.1)
    check(at + "and methods", "> prices.upsert!" in console.text(), console.text())
    console.type(CTRL_C)
    console.send("mav\t(1 2 3, \t")
    console.until("[minPeriods]")
    check(at + "a call shows its signature", "mavg(X, window, [minPeriods])" in console.text() and "^^^^^^" in console.text(), console.text())
    console.type(CTRL_C)
    console.send("m\t\t")
    console.until("more", 1)
    check(at + "more candidates than fit are counted", columns == 200 or re.search(r"… and \d+ more", console.text()), console.text())
    check(at + "and the list leaves the input in sight", console.rows(1) == ["> m"], console.text())
    console.type(CTRL_C)
    Path(home, "folder").mkdir(exist_ok=True)
    Path(home, "folder", "quotes.csv").write_text("a\n1\n")
    console.send('loadText("~/fol\tq\t')
    console.read(0.2)
    check(at + "files inside of quotes", '> loadText("~/folder/quotes.csv' in console.text(), console.text())
    console.type(CTRL_C)
    console.send("\\hist\t")
    console.read(0.1)
    check(at + "words of the console", console.rows(1) == ["> \\history"], console.text())
    console.type(CTRL_C)
    console.send("!cat ~/fol\tq\t")
    console.read(0.1)
    check(at + "files of a command", console.rows(1) == ["> !cat ~/folder/quotes.csv"], console.text())
    console.type("\r")
    console.send("\tx")
    console.read(0.1)
    check(at + "Tab at the start of a line indents", console.rows(1) == [">     x"], console.text())
    console.close()


def colours(home):
    console = Console(home)
    console.send('x = mavg("a", 1) // c')
    console.read(0.1)
    y = console.cursor()[0]
    names = [console.colour(y, x) for x in (2, 6, 11, 16, 20)]
    check("names, strings, numbers and comments differ", len(set(names)) == 5 and names[0] == "default", names)
    console.send(HOME + "(")
    console.read(0.1)
    console.type(CTRL_C)
    console.send("[1, 2]")
    console.read(0.1)
    y = console.cursor()[0]
    check("the pair of the bracket is marked", console.screen.buffer[y][2].bold and console.screen.buffer[y][7].bold, "")
    console.send(LEFT * 2)
    console.read(0.1)
    check("and only at the bracket", not console.screen.buffer[y][2].bold, "")
    console.send(END + ")")
    console.read(0.1)
    check("a bracket without its other is red", console.colour(y, 8) == "red", console.colour(y, 8))
    console.type(CTRL_C)
    console.close()
    console = Console(home, NO_COLOR="1")
    console.send('x = mavg("a", 1) // c')
    console.read(0.1)
    check("NO_COLOR: none", not re.search(rb"\x1b\[[0-9;]*m", console.raw), console.raw)
    console.close()


def resize(home):
    console = Console(home, 80)
    console.send("1 + 1" + ALT_ENTER + "2 + 2")
    console.read(0.1)
    console.resize(60, 20)
    console.read(0.3)
    check("a narrower screen has the input whole", console.rows(2) == ["> 1 + 1", ". 2 + 2"], console.text())
    console.resize(200, 30)
    console.send("5" * 100)
    console.read(0.3)
    check("a wider one is used", console.rows(1) == [". 2 + 2" + "5" * 100], console.text())
    console.close()


def words(home):
    console = Console(home)
    text = console.type("\\?\r")
    check("\\? lists the words", "\\q" in text and "\\run FILE" in text, text)
    check("an unknown word has near ones", "\\history" in console.type("\\histroy\r"), console.text())
    check("?name is help", "wavg(X, Y)" in console.type("?wavg\r"), console.text())
    console.type(CTRL_L)
    check("name? too", "wavg(X, Y)" in console.type("wavg?\r"), console.text())
    console.type("1 + 1\r")
    check("_ is the last value", "12" in console.type("_ + 10\r").splitlines(), console.text())
    check("also when it is all", console.type("_\r").splitlines().count("12") == 2, console.text())
    check("! runs a command", "a b" in console.type("!echo a b\r").splitlines(), console.text())
    console.type("isBad = true\r")
    check("and x? of one begins a ternary", "17" in console.type("isBad?\r17 : 4\r", "17 : 4\n17").splitlines(), console.text())
    check("! of a variable is the language's", "false" in console.type("!isBad\r").splitlines(), console.text())
    script = Path(home, "script.dos")
    script.write_text("a = 1\nnosuch(a)\n")
    check("\\run names file and line", f"{script}:2:1: " in console.type(f"\\run {script}\r").replace("\n", ""), console.text())
    script.write_text("a = 17\na\n")
    console.type(f"\\run {script}\r")
    check("\\run runs in the session", "35" in console.type("a * 2 + 1\r").splitlines(), console.text())
    check("\\history shows the last inputs", "a * 2 + 1" in console.type("\\history 2\r"), console.text())
    check("\\q leaves", console.send("\\q\r") or not console.read(2), console.text())
    console.close()

    editor = Path(home, "editor.sh")
    editor.write_text('#!/bin/sh\nstat -c %a "$1" > "$HOME/mode"\nprintf "def g(x) {\\n  return x + 30\\n}\\n" >> "$1"\n')
    editor.chmod(0o755)
    console = Console(home, EDITOR=str(editor))
    console.type("1 + 2\r")
    console.send("\\e\r")
    console.until("return x + 30")
    check("\\e gives the text back to be edited on", console.rows(4)[0] == "> 1 + 2" and console.rows(1) == ["{ }"], console.text())
    check("the file was private", Path(home, "mode").read_text().strip() == "600", "")
    console.type("\r")
    check("and Enter runs it", "34" in console.type("g(4)\r").splitlines(), console.text())
    console.send("x = 5\x18\x05")
    console.until("return x + 30")
    check("Ctrl-X Ctrl-E edits what is typed", console.rows(4)[0] == "> x = 5", console.text())
    console.type(CTRL_C)
    console.close()


def kept_history(home):
    file = Path(home, ".pelorus_history")
    file.write_text("old = 1\nolder = 2\n")
    console = Console(home)
    console.type("[1,\r2]\r")
    console.type('login("admin", "secret word")\r')
    console.type(" hidden = 1\r")
    console.close()
    text = file.read_text()
    check("an input of several lines is one entry", re.search(r"^#\d+\n\[1,\n2\]\n", text, re.M), text)
    check("passwords are not kept", "secret" not in text and 'login("admin", "***")' in text, text)
    check("nor is what begins with a blank", "hidden" not in text, text)
    console = Console(home)
    console.send(UP * 2)
    console.read(0.2)
    check("the next console has it", console.rows(2) == ["> [1,", "[ 2]"], console.text())
    console.send(UP * 2)
    console.read(0.2)
    check("and inputs of the old file", console.rows(1) == ["> older = 2"], console.text())
    console.close()


def interrupts(home):
    console = Console(home)
    console.send("do { x = 1 } while (true)\r")
    console.read(0.5)
    console.type(CTRL_C)
    check("Ctrl-C stops a statement and keeps the session", console.is_prompt(), console.text())
    check("which goes on", "7" in console.type("3 + 4\r").splitlines(), console.text())
    console.send(CTRL_R + "xyz")
    console.read(0.1)
    console.type(CTRL_C)
    check("Ctrl-C leaves a search", console.is_prompt(), console.text())
    console.send("\x1b[200~abc")  # a paste that does not end
    console.read(0.1)
    console.type(CTRL_C)
    check("and a paste without an end", console.is_prompt(), console.text())
    console.close()


def random_keys(home, columns):
    """What is painted bit by bit is what is painted anew."""
    random = Random(columns)
    console = Console(home, columns, 12)
    keys = [*"ab(){}\"[] =1/*", "中", "🙂", "e\u0301", "word ", LEFT, LEFT, RIGHT, UP, DOWN, HOME, END, "\x7f", "\x7f", "\x17", CTRL_K, CTRL_U,
            "\x19", "\x1bb", ALT_ENTER, ALT_ENTER, "x" * 50, "\x1b[200~p q\r\tr\x1b[201~"]
    console.type("# a comment of an earlier input\r")
    for i in range(60):
        console.send("".join(random.choice(keys) for _ in range(random.randint(1, 12))))
        console.read(0.03)
        before, cursor = console.text().splitlines(), console.cursor()
        console.send(CTRL_L)
        console.read(0.03)
        after = console.text().splitlines()
        # The rows of the input are the last ones; where they fill the screen they are all that there is.
        if before[len(before) - len(after):] != after or cursor[1] != console.cursor()[1]:
            check(f"{columns} columns: keys {i} are painted as they would be anew", False, "\n".join(before + ["---", *after]))
            return
        if random.random() < 0.2:
            console.send(CTRL_C)
            console.read(0.05)
    check(f"{columns} columns: random keys are painted as they would be anew", True)
    console.close()


def vi(home):
    Path(home, "inputrc").write_text('set editing-mode vi\n"\\C-g": "6 * 7"\n')
    console = Console(home, INPUTRC=str(Path(home, "inputrc")))
    console.send("\x07")
    console.read(0.2)
    check("keys of the inputrc hold", console.rows(1) == ["> 6 * 7"], console.text())
    console.send("\x1b")
    console.read(0.8)
    console.send("0x")
    console.read(0.2)
    check("vi's commands hold", console.rows(1) == [">  * 7"], console.text())
    console.type(CTRL_C)
    check("the next line begins in insert mode", "9" in console.type("4 + 5\r").splitlines(), console.text())
    console.close()


with tempfile.TemporaryDirectory() as folder:
    def new_home(name):
        home = Path(folder, name)
        home.mkdir()
        return home

    for width in (60, 80, 200):
        several_lines(new_home(f"lines{width}"), width)
        wide_characters(new_home(f"wide{width}"), width)
        tab(new_home(f"tab{width}"), width)
        random_keys(new_home(f"random{width}"), width)
    locales(new_home("locales"))
    colours(new_home("colours"))
    resize(new_home("resize"))
    words(new_home("words"))
    kept_history(new_home("history"))
    interrupts(new_home("interrupts"))
    vi(new_home("vi"))

print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(1 if failed else 0)
