"""A node of a test's own, and sessions of users on it, for the tests of rights."""
import json
import socket
import struct
import subprocess
import tempfile
import urllib.parse
from http.client import HTTPConnection

ADMIN_PASSWORD = "open-sesame-1"


class Refused(Exception):
    """The node answered with an error."""


class Node:
    """A node on a free loopback port, in a folder that goes away."""

    def __init__(self, program, *settings, data=None):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_rights_")
        self.data = data or self.folder.name + "/data"
        self.program = program
        self.settings = settings
        self.start()

    def start(self):
        config = self.folder.name + "/node.cfg"
        with open(config, "w") as file:
            file.write(f"port=0\ndataDir={self.data}\nadminPassword={ADMIN_PASSWORD}\n" + "".join(s + "\n" for s in self.settings))
        self.process = subprocess.Popen([self.program, "serve", "--config", config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)

    def remove(self):
        if self.process.poll() is None:
            self.stop()
        self.folder.cleanup()

    def session(self, user=None, password=None):
        return Session(self, user, password)

    def admin(self):
        return self.session("admin", ADMIN_PASSWORD)


class Session:
    """A native session: `run` sends scripts, `call` a function by its name, with STRING arguments."""

    def __init__(self, node, user=None, password=None):
        self.stream = socket.create_connection(("127.0.0.1", node.port), timeout=60)
        self.buffer = b""
        self.node, self.user, self.password = node, user, password
        body = "connect\n" if user is None else f"connect\nlogin\n{user}\n{password}\nfalse"
        self.stream.sendall(f"API 0 {len(body)}\n".encode() + body.encode())
        head, status = self._line(), self._line()
        if status != "OK":
            self.close()
            raise Refused(status)
        self.id = head.split()[0]

    def _line(self):
        while b"\n" not in self.buffer:
            piece = self.stream.recv(65536)
            if not piece:
                raise Refused("the connection ended: " + self.buffer.decode(errors="replace"))
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.decode(errors="replace")

    def _bytes(self, count):
        while len(self.buffer) < count:
            piece = self.stream.recv(65536)
            if not piece:
                raise Refused("the connection ended")
            self.buffer += piece
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def _answer(self):
        head = self._line()
        status = self._line()
        if status != "OK":
            raise Refused(status)
        if head.split()[1] == "0":
            return None
        flags = self._bytes(2)
        if flags[1] == 0 and flags[0] in (18, 17):  # a STRING or SYMBOL scalar
            text = b""
            while not text.endswith(b"\0"):
                text += self._bytes(1)
            return text[:-1].decode()
        if flags == b"\x04\x00":
            return struct.unpack("<i", self._bytes(4))[0]
        if flags == b"\x05\x00":
            return struct.unpack("<q", self._bytes(8))[0]
        if flags == b"\x01\x00":
            return bool(self._bytes(1)[0])
        raise AssertionError(f"the test asked for a value of kind {flags.hex()}: wrap it by string()")

    def _send(self, body, values=b""):
        self.stream.sendall(f"API {self.id} {len(body.encode())}\n".encode() + body.encode() + values)

    def run(self, script):
        """Runs a script whose value is nothing, or a scalar of STRING, INT, LONG or BOOL."""
        self._send("script\n" + script)
        return self._answer()

    def call(self, function, *strings):
        values = b"".join(b"\x12\x00" + s.encode() + b"\0" for s in strings)
        self._send(f"function\n{function}\n{len(strings)}\n1", values)
        return self._answer()

    def outcome(self, body):
        """Sends a request; returns "done", or the text of the error. A value of any kind is left unread, with the session."""
        self._send(body)
        self._line()
        status = self._line()
        if status != "OK":
            return status
        self.close()
        self.__init__(self.node, self.user, self.password)
        return "done"

    def refusal(self, script):
        """Returns the text of the error that the script must end with."""
        try:
            self.run(script)
        except Refused as error:
            return str(error)
        raise AssertionError(f"this must be refused: {script}")

    def close(self):
        self.stream.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def json_call(node, function, *strings, session="0", script=None):
    """A call over the JSON interface: (whether it worked, text of the error, id of the session)."""
    params = [{"name": "x", "form": "scalar", "type": "string", "value": s} for s in strings]
    if script is not None:
        function = "executeCode"
        params = [{"name": "script", "form": "scalar", "type": "string", "value": urllib.parse.quote(script)}]
    body = json.dumps({"sessionID": session, "functionName": function, "params": params})
    connection = HTTPConnection("127.0.0.1", node.port, timeout=60)
    connection.request("POST", "/", body)
    answer = json.loads(connection.getresponse().read().decode())
    connection.close()
    return answer["resultCode"] == "0", answer["msg"], answer["sessionID"]
