#!/usr/bin/env python3
"""What a node sends can be sent back, and is the same value then, bit for bit: every type and form, over JSON and over WebSocket.

Each value is fetched, and what came is the argument of a function that compares it with the original: no client takes it apart in between.
"""
import json
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
try:
    from websockets.sync.client import connect
except ImportError:
    connect = None
from values_of_types import TYPES, WITHOUT_ARRAYS

PASSWORD = "values-come-back-1"
# Numbers that need all of their digits, and the ends of types.
EXACT = {
    "BOOL": "true false", "CHAR": "char(-127 -1 0 10 34 53 65 92 127)", "SHORT": "-32767h 32767h", "INT": "-2147483647 2147483647",
    "LONG": "-9223372036854775807 9007199254740993 9223372036854775807", "FLOAT": "0.1f 16777217f 3.4e38f 1.4e-45f",
    "DOUBLE": "0.1 1.7976931348623157e308 2.2250738585072014e-308 123456789.123456789 -0.0", "STRING": '["", "a\\"b\\\\c\\n\\t,", "行情 😀", " x "]',
    "DECIMAL64(5)": 'decimal64(["9223372036854.77580", "-0.00001"], 5)', "DECIMAL128(20)": 'decimal128(["12345678901234567.12345678901234567890", "-1"], 20)',
}


def values():
    """Names and scripts of values: each type in each form that it can have."""
    for kind, items in {**TYPES, **{f"{name} exactly": script for name, script in EXACT.items()}}.items():
        plain = kind.split(" ")[0]
        yield f"{kind}, element", f"({items})[0]"
        yield f"{kind}, last element", f"last({items})"
        yield f"{kind}, vector", f"({items})"
        yield f"{kind}, no element", f"({items})[0:0]"
        yield f"{kind}, NULLs", f"join(({items}), take(({items})[5000], 2))"
        yield f"{kind}, NULL", f"({items})[5000]"
        yield f"{kind}, pair", f"pair(({items})[0], ({items})[1])"
        yield f"{kind}, table", f"table(1..size({items}) as k, ({items}) as v)"
        yield f"{kind}, matrix", f"matrix(({items}), ({items}))"
        yield f"{kind}, matrix with labels", f"matrix(({items}), ({items})).rename!(string(1..size({items})), `p`q)"
        yield f"{kind}, set", f"set({items})"
        yield f"{kind}, dictionary", f"dict(1..size({items}), ({items}))"
        yield f"{kind}, tuple", f'(({items}), ({items})[0], "x", NULL, (1, ({items})[1]))'
        if plain not in WITHOUT_ARRAYS:
            yield f"{kind}, array vector", f"array({plain}[], 0).append!([({items}), ({items})[0:1]])"
    yield "table without rows", "table(1:0, `a`b, [INT, STRING])"
    yield "dictionary of any", 'dict(`a`b, (1, "x"))'
    for word in ("select", "1st", "a b", "行情"):
        yield f"column {word}", f'table(1 2 as a).rename!("a", "{word}")'


class Node:
    def __init__(self, pelorus):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_values_")
        config = self.folder.name + "/node.cfg"
        Path(config).write_text(f"port=0\ndataDir={self.folder.name}/data\nadminPassword={PASSWORD}\n")
        self.process = subprocess.Popen([pelorus, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
        self.folder.cleanup()


def string(value):
    return {"name": "x", "form": "scalar", "type": "string", "value": value}


class JsonSession:
    def __init__(self, node):
        self.port, self.session = node.port, "0"
        self.session = self.call("login", string("admin"), string(PASSWORD))["sessionID"]

    def call(self, function, *params):
        body = json.dumps({"sessionID": self.session, "functionName": function, "params": list(params)}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{self.port}/", body), timeout=20) as answer:
            got = json.loads(answer.read())
        assert got["resultCode"] == "0", got["msg"]
        return got

    def fetch(self, script):
        return self.call("executeCode", string(urllib.parse.quote(script)))["object"]

    def is_same(self, value):
        return self.call("is_same", *value)["object"][0]["value"] in ("1", "true")


class SocketSession:
    """The wire protocol, a message of the socket for each message of it."""

    def __init__(self, node):
        self.opening = connect(f"ws://127.0.0.1:{node.port}/", compression=None, max_size=None)
        self.socket = self.opening.__enter__()
        self.session = 0
        answer = self.ask(b"connect\n")
        self.session = answer.split(b" ")[0].decode()
        strings = b"".join(b"\x12\0" + text.encode() + b"\0" for text in ("admin", PASSWORD))
        self.ask(b"function\nlogin\n2\n1\n", strings)

    def ask(self, body, values=b""):
        self.socket.send(f"API2 {self.session} {len(body)} / 0_1_4_2\n".encode() + body + values)
        answer = self.socket.recv()
        answer = answer if isinstance(answer, bytes) else answer.encode()
        state = answer.split(b"\n", 2)
        assert state[1] == b"OK", state[1]
        return answer

    def fetch(self, script):
        return self.ask(b"script\n" + script.encode()).split(b"\n", 2)[2]

    def is_same(self, value):
        return self.ask(b"function\nis_same\n1\n1\n", value).split(b"\n", 2)[2][2:3] == b"\1"


def come_back(name, session):
    failures, count = [], 0
    for what, script in values():
        count += 1
        try:
            session.fetch(f"def is_same(x) {{ y = {script}; return typestr(x) == typestr(y) && eqObj(x, y) }}\n1")
            if not session.is_same(session.fetch(script)):
                failures.append(f"{name}, {what}: another value came back")
        except AssertionError as error:
            failures.append(f"{name}, {what}: {error}")
    return failures, count


def main():
    node = Node(sys.argv[1])
    passed = failed = skipped = 0
    try:
        for name, make in (("JSON", JsonSession), ("WebSocket", SocketSession)):
            if make is SocketSession and connect is None:
                print("SKIPPED WebSocket: the Python package websockets is not installed")
                skipped += 1
                continue
            failures, count = come_back(name, make(node))
            for failure in failures:
                print("FAILED", failure)
            passed += count - len(failures)
            failed += len(failures)
    finally:
        node.stop()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
