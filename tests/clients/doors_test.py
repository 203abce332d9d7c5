#!/usr/bin/env python3
"""The other protocols of a node's one port: HTTP and its JSON interface, WebSocket, and TLS under each of them."""
import base64
import json
import os
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse
from http.client import HTTPConnection, HTTPSConnection
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / "support")]
from cases import cases_in, run_cases_with_server, tally

PASSWORD = "open-sesame-1"
PELORUS = sys.argv[1]


class Server:
    """A node of the test's own on a free loopback port, in a folder that goes away."""

    def __init__(self, *settings):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_doors_")
        self.data = self.folder.name + "/data"
        self.config = self.folder.name + "/node.cfg"
        with open(self.config, "w") as file:
            file.write(f"port=0\ndataDir={self.data}\nadminPassword={PASSWORD}\n" + "".join(s + "\n" for s in settings))
        self.start()

    def start(self):
        """Starts the node, also anew after its process has ended."""
        self.process = subprocess.Popen([PELORUS, "serve", "--config", self.config], stdout=subprocess.PIPE, text=True)
        self.lines = []  # printed until it listens
        for line in self.process.stdout:
            self.lines.append(line)
            if "listens on" in line:
                self.port = int(line.strip().rstrip(".").rsplit(":", 1)[1])
                return
        raise RuntimeError("the server did not start")

    @property
    def certificate(self):
        return self.data + "/tls/certificate.pem"

    def http(self, method, path, body=None, headers=None, tls=False):
        context = ssl.create_default_context(cafile=self.certificate) if tls else None
        connection = HTTPSConnection("localhost", self.port, context=context, timeout=20) if tls else HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer

    def json(self, function, *params, session="0", path="/", tls=False, headers=None):
        request = {"sessionID": session, "functionName": function, "params": list(params)}
        status, text, _ = self.http("POST", path, json.dumps(request), headers, tls)
        assert status == 200, (status, text)
        return json.loads(text)

    def run(self, script, session="0", **more):
        return self.json("executeCode", string("script", urllib.parse.quote(script)), session=session, **more)

    def raw(self, data=b"", tls=False):
        stream = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        if tls:
            stream = ssl.create_default_context(cafile=self.certificate).wrap_socket(stream, server_hostname="localhost")
        stream.sendall(data)
        return stream

    def alive(self):
        assert self.process.poll() is None
        assert self.http("GET", "/health")[:2] == (200, "ok\n")

    def stop(self):
        self.process.terminate()
        status = self.process.wait(20)
        self.folder.cleanup()
        return status


def string(name, value):
    return {"name": name, "form": "scalar", "type": "string", "value": value}


def all_of(stream):
    got = b""
    try:
        while piece := stream.recv(65536):
            got += piece
    except ConnectionResetError:
        pass  # the server closed with bytes unread
    stream.close()
    return got


def login(server):
    answer = server.json("login", string("userId", "admin"), string("password", PASSWORD))
    assert answer["resultCode"] == "0" and answer["userId"] == "admin", answer
    return answer["sessionID"]


# ---- WebSocket by hand, so that frames can be cut, joined and wrong

def upgrade_request(port, *lines, path="/"):
    key = base64.b64encode(os.urandom(16)).decode()
    head = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: keep-alive, Upgrade",
            f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", *lines]
    return ("\r\n".join(head) + "\r\n\r\n").encode()


def frame(payload, first=0x82, masked=True):
    n = len(payload)
    head = bytes([first]) + (bytes([n | 0x80]) if n < 126 else bytes([126 | 0x80]) + struct.pack(">H", n) if n < 65536 else bytes([127 | 0x80]) + struct.pack(">Q", n))
    mask = os.urandom(4)
    if not masked:
        return bytes([head[0], head[1] & 0x7f]) + head[2:] + payload
    return head + mask + bytes(b ^ mask[i % 4] for i, b in enumerate(payload))


def script_message(text, magic="API2", flags="0_1_4_64"):
    body = b"script\n" + text.encode()
    return f"{magic} 0 {len(body)} / {flags}\n".encode() + body


def connect_message(user="admin", password=PASSWORD):
    body = f"connect\nlogin\n{user}\n{password}\nfalse".encode()
    return f"API2 0 {len(body)} / 0_1_4_64\n".encode() + body


class Web:
    def __init__(self, server, *lines, tls=False, path="/"):
        self.stream = server.raw(upgrade_request(server.port, *lines, path=path), tls)
        self.file = self.stream.makefile("rb")
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            piece = self.file.readline()
            assert piece, head
            head += piece
        self.head = head.decode()

    def send(self, data):
        self.stream.sendall(data)

    def message(self):
        first, second = self.file.read(2)
        n = second & 0x7f
        if n == 126:
            n = struct.unpack(">H", self.file.read(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", self.file.read(8))[0]
        return first, self.file.read(n)

    def login(self):
        self.send(frame(connect_message()))
        first, answer = self.message()
        assert first == 0x82 and answer.endswith(b"\nOK\n"), answer
        return self

    def run(self, text):
        self.send(frame(script_message(text)))
        return self.message()[1]

    def close_code(self):
        first, payload = self.message()
        assert first == 0x88, (first, payload)
        return struct.unpack(">H", payload[:2])[0]


INT_TWO = b"\x04\x00\x02\x00\x00\x00"


def test_health_and_the_page_of_the_port(server):
    assert server.http("GET", "/health")[:2] == (200, "ok\n")
    status, text, answer = server.http("GET", "/")
    assert status == 200 and "pelorus connect" in text
    status, text, answer = server.http("HEAD", "/health")
    assert status == 200 and text == "" and answer.getheader("Content-Length") == "3"
    assert server.http("GET", "/nothing")[0] == 404
    assert server.http("DELETE", "/")[0] == 405
    for path, expected in (("/write", 405), ("/exec", 401), ("/ping", 204)):
        status, text, _ = server.http("GET", path)
        assert status == expected, (path, status, text)
    status, text, _ = server.http("GET", "/metrics")
    assert status == 200 and "pelorus_requests_total" in text and "# TYPE pelorus_sessions gauge" in text, text


def test_json_runs_scripts_in_a_session(server):
    session = login(server)
    answer = server.run("x = 1+1\nx", session)
    assert answer["object"] == [{"name": "", "form": "scalar", "type": "int", "value": "2"}], answer
    assert server.run("x + 40", session)["object"][0]["value"] == "42"
    assert server.json("executeCode", string("script", "x%2B1"), session="", path="/" + session)["object"][0]["value"] == "3"
    vector = server.run("[1, NULL, 3]", session)["object"][0]
    assert vector == {"name": "", "form": "vector", "type": "int", "size": "3", "value": [1, None, 3]}, vector
    table = server.run("table(`a`b as s, 2024.01.02 2024.01.03 as d, 1.5 2.5 as v)", session)["object"][0]
    assert table["form"] == "table" and table["size"] == "2"
    assert [(c["name"], c["type"], c["value"]) for c in table["value"]] == [
        ("s", "symbol", ["a", "b"]) if table["value"][0]["type"] == "symbol" else ("s", "string", ["a", "b"]),
        ("d", "date", ["2024.01.02", "2024.01.03"]), ("v", "double", [1.5, 2.5])], table
    answer = server.run("dict(`k`l, 1 2)", session)["object"][0]
    assert answer["form"] == "dictionary" and answer["size"] == "2"
    assert server.run("1:2", session)["object"][0]["form"] == "pair"
    assert server.run("print(1)", session)["resultCode"] == "0"
    answer = server.run("undefinedName + 1", session)
    assert answer["resultCode"] == "1" and "undefinedName" in answer["msg"] and answer["object"] == [], answer
    answer = server.run("1..200000", session)
    assert answer["resultCode"] == "1" and "100000" in answer["msg"], answer


def test_json_calls_functions_with_typed_parameters(server):
    session = login(server)
    numbers = {"name": "x", "form": "vector", "type": "int", "size": "3", "value": [1, "2", None]}
    answer = server.json("sum", numbers, session=session)
    assert answer["object"][0]["value"] == "3", answer
    table = {"name": "t", "form": "table", "value": [
        {"name": "d", "form": "vector", "type": "date", "value": ["2024.01.02", ""]},
        {"name": "s", "form": "vector", "type": "symbol", "value": ["a", "ü"]}]}
    assert server.json("size", table, session=session)["object"][0]["value"] == "2"
    for wrong in ({"name": "x", "form": "scalar", "type": "int", "value": "many"}, {"name": "x", "form": "heap", "type": "int", "value": "1"},
                  {"name": "x", "form": "scalar", "type": "handle", "value": "1"}, {"name": "x"}, 5):
        answer = server.json("abs", wrong, session=session)
        assert answer["resultCode"] == "1" and answer["msg"], answer


def test_json_needs_a_login_and_keeps_sessions_apart(server):
    answer = server.run("1+1")
    assert answer["resultCode"] == "1" and "Login is required" in answer["msg"], answer
    assert server.json("version")["resultCode"] == "0"
    answer = server.json("login", string("userId", "admin"), string("password", "wrong-one"))
    assert answer["resultCode"] == "1" and answer["userId"] == "guest", answer
    first, second = login(server), login(server)
    assert int(first) > 2**33 and first != second
    server.run("mine = 7", first)
    assert server.run("mine", second)["resultCode"] == "1"
    assert server.json("logout", session=first)["userId"] == "guest"
    assert "Login is required" in server.run("mine", first)["msg"]
    answer = server.run("1", "12345")
    assert answer["resultCode"] == "1" and "no session" in answer["msg"], answer


def test_json_sessions_end_and_their_ids_are_kept(server):
    first, second = login(server), login(server)
    assert server.run(f"closeSessions({second}l)", first)["resultCode"] == "0"
    answer = server.run("1", second)
    assert "no session" in answer["msg"], answer
    shown = 'exec sessionId from getSessionMemoryStat() where userId == `admin'
    assert first in server.run(shown, first)["object"][0]["value"].__repr__()
    open_to_guests = Server("guestsMayRun=true")
    try:
        admin = login(open_to_guests)
        guest = open_to_guests.run("1")["sessionID"]
        values = open_to_guests.run("exec sessionId from getSessionMemoryStat()", guest)["object"][0]["value"]
        assert int(guest) in values and int(admin) not in values and None in values, values
    finally:
        open_to_guests.stop()


def test_json_answers_are_bounded(server):
    session = login(server)
    for script in ("1..100001", "loop(x -> 1..100000, 1..2000)", "table(1..100001 as x)"):
        answer = server.run(script, session)
        assert answer["resultCode"] == "1" and "at most" in answer["msg"] + "at most" * ("more than 10000000" in answer["msg"]), answer["msg"][:300]
    server.alive()


def test_administrators_find_a_place_over_http(_):
    server = Server("maxConnections=1")
    try:
        taken = server.raw(connect_message())
        assert b"OK" in taken.recv(200)
        # The place that is left serves an administrator, and is free again after each answer.
        session = login(server)
        for _ in range(5):
            body = json.dumps({"sessionID": session, "functionName": "version", "params": []}).encode()
            stream = server.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            got = all_of(stream)
            assert got.startswith(b"HTTP/1.1 200") and b"Connection: close" in got, got
    finally:
        server.stop()


def test_pages_of_other_origins_are_refused(server):
    body = json.dumps({"sessionID": "0", "functionName": "version", "params": []})
    own = f"127.0.0.1:{server.port}"
    for headers in ({"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}, {"Host": f"evil.example:{server.port}"},
                    {"Sec-Fetch-Site": "cross-site"}, {"Origin": f"http://{own}", "Sec-Fetch-Site": "cross-site"}):
        status, text, answer = server.http("POST", "/", body, {"Host": own, **headers})
        assert status == 403, (headers, status, text)
        assert answer.getheader("Access-Control-Allow-Origin") is None
        lines = [f"{k}: {v}" for k, v in headers.items() if k != "Host"]
        stream = server.raw(upgrade_request(server.port, *lines) if "Host" not in headers else upgrade_request(server.port).replace(own.encode(), headers["Host"].encode()))
        assert all_of(stream).startswith(b"HTTP/1.1 403"), headers
    for headers in ({}, {"Origin": f"http://{own}"}, {"Host": "localhost"}, {"Host": "localhost:1"}, {"Sec-Fetch-Site": "same-origin"}):
        assert server.http("POST", "/", body, {"Host": own, **headers})[0] == 200, headers
    allowing = Server("allowedOrigins=https://desk.example", "allowedHosts=node.example")
    try:
        status, _, answer = allowing.http("POST", "/", body, {"Origin": "https://desk.example", "Sec-Fetch-Site": "cross-site"})
        assert status == 200 and answer.getheader("Access-Control-Allow-Origin") == "https://desk.example"
        status, _, answer = allowing.http("OPTIONS", "/", None, {"Origin": "https://desk.example", "Access-Control-Request-Method": "POST"})
        assert answer.getheader("Content-Length") is None, "RFC 9110 forbids it for 204"
        assert status == 204 and "POST" in answer.getheader("Access-Control-Allow-Methods")
        assert allowing.http("POST", "/", body, {"Host": "node.example"})[0] == 200
        assert allowing.http("POST", "/", body, {"Origin": "https://other.example"})[0] == 403
    finally:
        allowing.stop()


def test_bad_http_is_answered_and_survived(server):
    cases = {
        b"GET / HTTP/9.9\r\n\r\n": (b"400", b"505"),
        b"GET /\x00 HTTP/1.1\r\n\r\n": (b"400",),
        b"NONSENSE\r\n\r\n": (b"400",),
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n": (b"403", b"400"),
        b"GET / HTTP/1.1\r\nX: " + b"y" * 20000 + b"\r\n\r\n": (b"431", b"400"),
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n": (b"413",),
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n": (b"400",),
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n": (b"400", b"200"),
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n": (b"400",),
        b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1;" + b"x" * (1 << 20) + b"\r\nx\r\n0\r\n\r\n": (b"431",),
        b"GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n": (b"400",),
    }
    for request, allowed in cases.items():
        stream = server.raw(request)
        stream.shutdown(socket.SHUT_WR)
        got = all_of(stream)
        assert any(got.startswith(b"HTTP/1.1 " + status) for status in allowed), (request[:80], got[:200])
    for body in ("", "[]", "{", "null", '{"functionName":5}', '{"functionName":"abs","params":{}}', '{"sessionID":"x","functionName":"abs"}', "[" * 5000,
                 '{"functionName":"abs","params":[' + "[" * 3000 + "]" * 3000 + "]}", '{"functionName":"\\ud800","params":[]}', '{"functionName":"version","params":[]}\xff'):
        status, text, _ = server.http("POST", "/", body.encode("latin-1"))
        assert status == 200 and json.loads(text)["resultCode"] == "1", (body[:60], status, text)
    for noise in (b"\x00\x01", b"\xff" * 100, b"hello\n", b"\x16\x03\x01\x02\x00garbage", b"\x16"):
        stream = server.raw(noise)
        stream.shutdown(socket.SHUT_WR)
        all_of(stream)
    server.alive()


def test_chunks_continue_and_keep_alive(server):
    body = json.dumps({"functionName": "version", "params": []}).encode()
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(body[i:i + 7]), body[i:i + 7]) for i in range(0, len(body), 7)) + b"0\r\n\r\n"
    stream = server.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    file = stream.makefile("rb")
    assert file.readline().startswith(b"HTTP/1.1 200")
    stream.close()
    stream = server.raw(b"POST / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
    file = stream.makefile("rb")
    assert file.readline().startswith(b"HTTP/1.1 100"), "no 100 Continue"
    assert file.readline() == b"\r\n"
    stream.sendall(body)
    assert file.readline().startswith(b"HTTP/1.1 200")
    stream.close()
    # Two requests in one write, byte by byte before that.
    stream = server.raw()
    for byte in b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n":
        stream.sendall(bytes([byte]))
    stream.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert all_of(stream).count(b"HTTP/1.1 200") == 2


def test_web_socket_carries_the_native_protocol(server):
    web = Web(server)
    assert "101" in web.head and "Sec-WebSocket-Accept" in web.head and "Extensions" not in web.head
    web.login()
    answer = web.run("1+1")
    assert answer.split(b"\n", 2)[1] == b"OK" and answer.endswith(INT_TWO), answer
    # Each print is a message of its own, then the answer.
    web.send(frame(script_message("print(`a)\nprint(`b)\n2")))
    messages = [web.message()[1] for _ in range(3)]
    assert messages[0].startswith(b"MSG\na") and messages[0].endswith(b"\0") and messages[1].startswith(b"MSG\nb"), messages
    assert messages[2].endswith(INT_TWO)
    answer = web.run("nobody()")
    assert b"nobody" in answer and answer.endswith(b"\n"), answer
    # A message in many frames, bytes cut anywhere, a ping between its pieces.
    whole = script_message("1+1")
    cut = frame(whole[:5], 0x02) + frame(b"hi", 0x89) + frame(whole[5:20], 0x00) + frame(whole[20:], 0x80)
    for i in range(0, len(cut), 3):
        web.send(cut[i:i + 3])
    first, payload = web.message()
    assert (first, payload) == (0x8a, b"hi")
    assert web.message()[1].endswith(INT_TWO)
    # A large message both ways.
    answer = web.run("x = \"" + "y" * 300000 + "\"; take(x, 3)")
    assert answer.count(b"y" * 300000) == 3
    web.send(frame(struct.pack(">H", 1000) + b"bye", 0x88))
    assert web.close_code() == 1000
    assert web.file.read() == b""
    # Two requests in one write are answered one after the other.
    web = Web(server).login()
    web.send(frame(script_message("1+1")) + frame(script_message("3")))
    assert web.message()[1].endswith(INT_TWO) and web.message()[1].endswith(b"\x03\0\0\0")


def test_a_web_socket_gets_the_rows_of_a_stream_that_its_address_chooses(server):
    control = Web(server).login()
    control.run("share streamTable(10:0, [`x], [INT]) as shown")
    web = Web(server, "Sec-WebSocket-Protocol: streaming", path="/?filter=x+%3E+2").login()
    assert "Sec-WebSocket-Protocol: streaming" in web.head
    name = b"\x12\0shown\0"
    values = b"\x12\0localhost\0" + b"\x04\0\0\0\0\0" + name + name + b"\0\0\0" + b"\0\0\0"
    body = b"function\npublishTable\n6\n1\n"
    web.send(frame(f"API2 0 {len(body)} / 0_1_4_64\n".encode() + body + values))
    assert b"OK\n" in web.message()[1]
    assert web.message()[1][9:17] == b"\xff" * 8  # the columns
    control.run("shown.append!(table(1 2 3 4 as x))")
    first, message = web.message()
    assert first == 0x82 and message[9:17] == struct.pack("<q", 3) and message.endswith(struct.pack("<ii", 3, 4)), message
    assert b"\0\x06" in message  # a table
    control.run("s = exec subscriber from getStreamingStat().pubTables; at = s[0].split(':'); stopPublishTable(at[0], int(at[1]), `shown, `shown)")
    assert web.file.read() == b""
    control.run("dropStreamTable(`shown)")


def test_web_socket_refusals(server):
    for protocol in ("python", "other"):
        got = all_of(server.raw(upgrade_request(server.port, "Sec-WebSocket-Protocol: " + protocol)))
        assert got.startswith(b"HTTP/1.1 400") and (protocol.encode() in got or b"subprotocol" in got), got
    assert all_of(server.raw(upgrade_request(server.port).replace(b"Version: 13", b"Version: 8"))).startswith(b"HTTP/1.1 426")
    assert all_of(server.raw(upgrade_request(server.port).replace(b"Key: ", b"Key: x"))).startswith(b"HTTP/1.1 400")
    cases = [(frame(b"x", masked=False), 1002), (frame(b"x", 0xc2), 1002), (frame(b"x", 0x83), 1002), (frame(b"x", 0x80), 1002),
             (frame(b"x", 0x09), 1002), (frame(b"text", 0x81), 1003), (frame(b"x" * 200000), 1009), (frame(b"x", 0x88), 1002)]
    for bytes_, code in cases:
        web = Web(server)
        web.send(bytes_)
        assert web.close_code() == code, (bytes_[:10], code)
        assert web.file.read() == b""
    # A request that is none is told, then the connection ends.
    web = Web(server)
    web.send(frame(b"GARBAGE\n"))
    assert b"no request line" in web.message()[1]
    assert web.close_code() == 1002
    web = Web(server)
    assert b"Login is required" in web.run("1+1")
    server.alive()


def test_a_web_socket_that_leaves_cancels_its_request(server):
    web = Web(server).login()
    web.send(frame(script_message("sleep(60000)")))
    deadline = time.time() + 10
    watcher = login(server)

    def running():
        answer = server.run('sum(getConsoleJobs().desc like ("%slee" + "p(60000)%"))', watcher)
        return int(answer["object"][0]["value"]) if answer["object"] else -1
    while running() != 1:
        assert time.time() < deadline, "the request does not run"
        time.sleep(0.05)
    # Pings are answered while it runs.
    web.send(frame(b"there?", 0x89))
    assert web.message() == (0x8a, b"there?")
    web.send(frame(struct.pack(">H", 1000), 0x88))
    while running() != 0:
        assert time.time() < deadline, "the request goes on without its client"
        time.sleep(0.05)


def test_a_bad_frame_of_a_slow_reader_holds_up_nobody(server):
    web = Web(server).login()
    web.send(frame(script_message("s = \"" + "x" * 100000 + "\"\nfor (i in 0..999) { print(s) }")))
    time.sleep(1)  # the prints fill what the network holds: the server waits for the client to read
    web.send(frame(b"x", masked=False))
    begin = time.time()
    for _ in range(10):
        server.alive()
    assert time.time() - begin < 5, "the server waits for one client"
    web.stream.close()


def test_tls_under_every_protocol(server):
    assert server.http("GET", "/health", tls=True)[:2] == (200, "ok\n")
    answer = server.json("login", string("userId", "admin"), string("password", PASSWORD), tls=True)
    assert server.run("1+1", answer["sessionID"], tls=True)["object"][0]["value"] == "2"
    web = Web(server, tls=True).login()
    assert web.run("1+1").endswith(INT_TWO)
    answer = web.run("take(\"" + "z" * 100000 + "\", 20)")
    assert answer.count(b"z" * 100000) == 20
    native = server.raw(connect_message(), tls=True)
    file = native.makefile("rb")
    file.readline()
    assert file.readline() == b"OK\n"
    native.sendall(script_message("1+1"))
    file.readline()
    assert file.readline() == b"OK\n" and file.read(6) == INT_TWO
    native.unwrap()  # waits for the server's close_notify
    for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
        context = ssl.create_default_context(cafile=server.certificate)
        context.minimum_version = context.maximum_version = version
        with context.wrap_socket(socket.create_connection(("127.0.0.1", server.port)), server_hostname="127.0.0.1") as stream:
            assert stream.version() == {ssl.TLSVersion.TLSv1_2: "TLSv1.2", ssl.TLSVersion.TLSv1_3: "TLSv1.3"}[version]
    assert os.stat(server.data + "/tls/key.pem").st_mode & 0o077 == 0
    # A handshake within the handshake is noise.
    stream = server.raw(b"", tls=True)
    stream.sendall(b"\x16\x03\x01\x02\x00")
    assert stream.recv(10) == b""
    server.alive()


def test_the_python_client_connects_by_tls(server):
    try:
        import dolphindb
    except ImportError:
        print("SKIPPED the Python client by TLS: it is not installed")
        return
    session = dolphindb.Session(enableSSL=True)
    assert session.connect("127.0.0.1", server.port, "admin", PASSWORD)
    assert session.run("1+1") == 2
    assert len(session.run("table(1..100000 as x, rand(1.0, 100000) as y)")) == 100000
    assert session.run("getConfig(`enableHTTPS)") in ("true", True)
    session.close()


def test_websockets_of_pypi(server):
    try:
        from websockets.sync.client import connect
    except ImportError:
        print("SKIPPED websockets: it is not installed")
        return
    with connect(f"ws://127.0.0.1:{server.port}/dolphindb/", compression="deflate", max_size=None) as web:
        web.send(connect_message())
        assert web.recv().endswith(b"OK\n")
        whole = script_message("1+1")
        web.send(iter([whole[:3], whole[3:9], whole[9:]]))
        assert web.recv().endswith(INT_TWO)
        assert web.ping(b"x").wait(5)
    context = ssl.create_default_context(cafile=server.certificate)
    with connect(f"wss://localhost:{server.port}/", ssl=context, max_size=None) as web:
        web.send(connect_message())
        assert web.recv().endswith(b"OK\n")


def test_stopping_tells_and_ends_in_time(_):
    server = Server()
    busy = Web(server).login()
    busy.send(frame(script_message("sleep(60000)")))
    idle = Web(server).login()
    time.sleep(0.3)
    begin = time.time()
    server.process.terminate()
    time.sleep(0.5)
    assert server.http("GET", "/health")[0] == 503
    assert b"S00005" in idle.run("1+1")
    assert server.process.wait(10) == 0
    assert time.time() - begin < 5, time.time() - begin
    server.folder.cleanup()


def test_slow_and_silent_clients_are_let_go(server):
    silent = server.raw(b"GET / HT")
    begin = time.time()
    got = all_of(silent)
    assert 5 < time.time() - begin < 16 and (got == b"" or got.startswith(b"HTTP/1.1 408")), (time.time() - begin, got)
    server.alive()


def main():
    return tally(*run_cases_with_server(cases_in(globals()), Server()))


if __name__ == "__main__":
    sys.exit(main())
