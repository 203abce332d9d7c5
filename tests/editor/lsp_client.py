"""A small client of the language server protocol, for tests and benchmarks: one server process on pipes."""
import json
import os
import select
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class RequestFailed(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]


class LspClient:
    """Positions are written as `|` in texts given to `open_marked`."""

    def __init__(self, pelorus, folder=None, encodings=("utf-8", "utf-16"), initialize=True):
        self.process = subprocess.Popen([str(pelorus), "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        self.last_id = 0
        self.version = 0
        self.diagnostics = {}  # uri: (version, list)
        self.messages = []
        self.capabilities = None
        if initialize:
            parameters = {"processId": os.getpid(), "capabilities": {"general": {"positionEncodings": list(encodings)}},
                          "workspaceFolders": [{"uri": Path(folder).resolve().as_uri(), "name": "tests"}] if folder else None}
            self.capabilities = self.request("initialize", parameters)["capabilities"]
            self.notify("initialized", {})

    def send_bytes(self, data):
        self.process.stdin.write(data)

    def send(self, message):
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method, parameters):
        self.send({"jsonrpc": "2.0", "method": method, "params": parameters})

    def receive(self, seconds=20):
        """The next message of the server; None at its end, TimeoutError when none comes."""
        end = time.monotonic() + seconds
        while True:
            head = self.buffer.find(b"\r\n\r\n")
            if head >= 0:
                length = int(self.buffer[:head].split(b":")[1])
                if len(self.buffer) >= head + 4 + length:
                    body = self.buffer[head + 4:head + 4 + length]
                    self.buffer = self.buffer[head + 4 + length:]
                    message = json.loads(body)
                    if message.get("method") == "textDocument/publishDiagnostics":
                        told = message["params"]
                        self.diagnostics[told["uri"]] = (told.get("version"), told["diagnostics"])
                    elif "method" in message:
                        self.messages.append(message)
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError("the server is silent")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                return None
            self.buffer += piece

    def ask(self, method, parameters):
        self.last_id += 1
        self.send({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": parameters})
        return self.last_id

    def answer(self, number, seconds=20):
        while True:
            message = self.receive(seconds)
            if message is None:
                raise EOFError("the server has ended")
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RequestFailed(message["error"])
                return message["result"]

    def request(self, method, parameters, seconds=20):
        return self.answer(self.ask(method, parameters), seconds)

    def open(self, uri, text):
        self.version += 1
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "dos", "version": self.version, "text": text}})

    def change(self, uri, changes):
        self.version += 1
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.version}, "contentChanges": changes})

    def wait_diagnostics(self, uri, seconds=20):
        """The diagnostics of the newest version."""
        while self.diagnostics.get(uri, (None,))[0] != self.version:
            if self.receive(seconds) is None:
                raise EOFError("the server has ended")
        return self.diagnostics[uri][1]

    def open_marked(self, uri, marked):
        """Opens the text without its `|`; the parameters of a request at that place."""
        at = marked.index("|")
        self.open(uri, marked[:at] + marked[at + 1:])
        return {"textDocument": {"uri": uri}, "position": position_of(marked, at)}

    def close(self):
        """The exit status after an orderly end."""
        self.request("shutdown", None)
        self.notify("exit", None)
        return self.ended()

    def ended(self):
        try:
            return self.process.wait(20)
        finally:
            self.process.kill()
            self.process.stdin.close()
            self.process.stdout.close()


def position_of(text, at):
    """In bytes of UTF-8, which this client asks for."""
    line = text.count("\n", 0, at)
    return {"line": line, "character": len(text[text.rfind("\n", 0, at) + 1:at].encode())}


def offset_of(text, position):
    lines = text.split("\n")
    before = sum(len(line) + 1 for line in lines[:position["line"]])
    line = lines[position["line"]].encode() if position["line"] < len(lines) else b""
    return min(before + len(line[:position["character"]].decode(errors="ignore")), len(text))


def applied(text, edits):
    """The text after the edits, which do not overlap."""
    for edit in sorted(edits, key=lambda e: (e["range"]["start"]["line"], e["range"]["start"]["character"]), reverse=True):
        begin, end = offset_of(text, edit["range"]["start"]), offset_of(text, edit["range"]["end"])
        text = text[:begin] + edit["newText"] + text[end:]
    return text
