"""A program in a pseudo terminal whose screen can be read, by PyPI's pyte (which .venv has)."""
import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(path) for path in ROOT.glob(".venv/lib/python3*/site-packages")]
import pyte  # noqa: E402  ImportError is the caller's


class ScreenTerminal:
    """The program on a screen of so many columns and lines. `environment` comes on top of HOME and the like."""

    def __init__(self, command, home, columns=80, lines=24, **environment):
        self.screen = pyte.HistoryScreen(columns, lines, history=10000)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.process, self.descriptor = pty.fork()
        if self.process == 0:
            for name in ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES", "VISUAL", "EDITOR"):
                os.environ.pop(name, None)
            os.environ.update({"HOME": str(home), "TERM": "xterm-256color", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8", **environment})
            os.execv(command[0], [str(word) for word in command])
        self.resize(columns, lines)

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        fcntl.ioctl(self.descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, keys):
        os.write(self.descriptor, keys.encode())

    def is_busy(self):
        """Whether the program's main thread computes, or would if a processor were free."""
        try:
            with open(f"/proc/{self.process}/stat") as stat:
                return stat.read().rpartition(") ")[2][0] in "RD"
        except OSError:
            return False

    def read(self, seconds=0.05):
        """Takes in what comes until nothing has come for so long. After keys, of which a program makes short work, it has
        also to wait for more of them: a busy machine may let it wait for a processor first."""
        end = time.monotonic() + (2 if seconds <= 0.1 else 0)
        while True:
            if not select.select([self.descriptor], [], [], seconds)[0]:
                if time.monotonic() < end and self.is_busy():
                    continue
                return True
            try:
                came = os.read(self.descriptor, 65536)
            except OSError:
                return False
            self.raw += came
            self.stream.feed(came)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip()

    def cursor(self):
        return self.screen.cursor.y, self.screen.cursor.x

    def line(self, y):
        return self.screen.display[y].rstrip()

    def until(self, wanted, seconds=20):
        """Waits until the screen's text holds what is wanted, or a test of the screen is true; whether it came."""
        test = wanted if callable(wanted) else lambda: wanted in self.text()
        begin = time.monotonic()
        while time.monotonic() - begin < seconds:
            alive = self.read()
            if test():
                return True
            if not alive:
                return False
        return False

    def close(self):
        os.close(self.descriptor)
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
