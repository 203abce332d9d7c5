#!/usr/bin/env python3
"""What a node sends, byte by byte, for answers that clients tell apart by single bytes."""
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from ports import free_port

PELORUS = str(Path(sys.argv[1]).resolve())

# No object where there is no value; VOID is followed by 1 for NULL and by 2 for the default of a parameter.
NOTHING, NULL, DEFAULT = None, "00 00 01", "00 00 02"
VOIDS = {
    "NULL": NULL,
    "null": NULL,
    "x = NULL; x": NULL,
    "def f() { return NULL }; f()": NULL,
    "def f(a = NULL) { return a }; f()": NULL,
    "dict([`k], [NULL])[`k]": NULL,
    "DFLT": DEFAULT,
    "def f(x, y) { return y }; f(1, )": DEFAULT,
    "x = 1": NOTHING,
    "def f() { }; f()": NOTHING,
    "print(1)": NOTHING,
    "": NOTHING,
    "(1, NULL)": "19 01 02 00 00 00 01 00 00 00 04 00 01 00 00 00 00 00 01",
    "00i": "04 00 00 00 00 80",
}


class Client:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.reader = self.socket.makefile("rb")
        self.session = "0"
        self.session, _ = self.ask(b"connect\n")

    def ask(self, body, values=b""):
        """The session and what the answer holds: bytes of its object, None when it has none, or the text of an error."""
        self.socket.sendall(b"API %s %d / 0_1_4_2\n" % (self.session.encode(), len(body)) + body + values)
        session, objects, _ = self.reader.readline().decode().split()
        status = self.reader.readline().decode().strip()
        if status != "OK":
            return session, status
        return session, self.object() if objects == "1" else None

    def object(self):
        """The bytes of a scalar, or of a tuple of scalars."""
        head = self.reader.read(2)
        if head == b"\x19\x01":
            count = self.reader.read(8)
            return head + count + b"".join(self.object() for _ in range(int.from_bytes(count[:4], "little")))
        assert head[1] == 0, head
        return head + self.reader.read({0: 1, 1: 1, 4: 4, 5: 8}[head[0]])

    def run(self, script):
        answer = self.ask(b"script\n" + script.encode())[1]
        return answer.hex(" ") if isinstance(answer, bytes) else answer

    def upload(self, name, value):
        return self.ask(b"variable\n%s\n1\n1" % name.encode(), value)[1]

    def call(self, name, *values):
        answer = self.ask(b"function\n%s\n%d\n1" % (name.encode(), len(values)), b"".join(values))[1]
        return answer.hex(" ") if isinstance(answer, bytes) else answer


def main():
    failures, passed = [], 0

    def check(name, said, wanted):
        nonlocal passed
        passed += said == wanted
        if said != wanted:
            failures.append(name)
            print(f"FAILED {name}: {said!r} is not {wanted!r}")

    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(port), "--data", folder], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        try:
            assert "listens on" in server.stdout.readline()
            client = Client(port)
            for script, wanted in VOIDS.items():
                check(f"C03 {script!r}", client.run(script), wanted)
            # NULL is NULL to a function; nothing is the default of a parameter that has one, as is the third byte.
            client.run("def g(a = 5) { return iif(isVoid(a), -1, a) }")
            check("C03 nothing", client.call("g", b"\0\0\0"), "04 00 05 00 00 00")
            check("C03 null", client.call("g", b"\0\0\1"), "04 00 ff ff ff ff")
            check("C03 default", client.call("g", b"\0\0\2"), "04 00 05 00 00 00")

            # What all sessions see is not hidden by an upload; the session goes on.
            client.run("share table(1 2 as a) as seenByAll")
            check("C17 upload", client.upload("seenByAll", bytes.fromhex("040005000000")),
                  "'seenByAll' is a shared variable and can't be overwritten. Upload under another name, or release it: "
                  'undef("seenByAll", SHARED).')
            check("C17 stays", client.run("exec int(count(*)) from seenByAll"), "04 00 02 00 00 00")
            client.run("undef(`seenByAll, SHARED)")
            check("C17 released", client.upload("seenByAll", bytes.fromhex("040005000000")), bytes.fromhex("0500ffffffffffffffff"))
            check("C17 uploaded", client.run("seenByAll"), "04 00 05 00 00 00")
            check("C17 decimals", client.run('eqObj(decimal64("1.50", 2), decimal64("1.5", 1))'), "01 00 01")
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(timeout=30)
    print(f"{passed} passed, {len(failures)} failed, 0 skipped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
