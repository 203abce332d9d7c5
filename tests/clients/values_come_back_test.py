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
from values_of_types import values

PASSWORD = "values-come-back-1"


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
