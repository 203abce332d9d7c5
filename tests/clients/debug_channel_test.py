#!/usr/bin/env python3
"""The WebSocket subprotocol "debug" of a node, message by message: who may debug, malformed calls, values, and how a script ends.

    tests/clients/debug_channel_test.py [PELORUS]"""
import json
import random
import struct
import sys
import time
import traceback
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
from doors_test import PASSWORD, Server, Web, frame, login, string  # noqa: E402

CASES = []
ENDLESS = "do { x = 1 } while (true)\n"


def case(function):
    CASES.append(function)
    return function


# ---- the object format, as far as calls have it

def text(value):
    return b"\x12\x00" + value.encode() + b"\0"


def integer(value):
    return b"\x04\x00" + struct.pack("<i", value)


def strings(*values):
    return b"\x12\x01" + struct.pack("<ii", len(values), 1) + b"".join(v.encode() + b"\0" for v in values)


def integers(*values):
    return b"\x04\x01" + struct.pack(f"<ii{len(values)}i", len(values), 1, *values)


def several(*values):
    return b"\x19\x01" + struct.pack("<ii", len(values), 1) + b"".join(values)


TRUE, NOTHING = b"\x01\x00\x01", b"\x00\x00\x00"


def call(number, function, data=None):
    keys, values = ["id", "func"], [integer(number), text(function)]
    if data is not None:
        keys.append("data")
        values.append(data)
    return b"\x19\x05" + strings(*keys) + several(*values)


class Refused(Exception):
    pass


class Debugger(Web):
    def __init__(self, server, user="admin", password=PASSWORD):
        super().__init__(server, "Sec-WebSocket-Protocol: debug")
        assert "Sec-WebSocket-Protocol: debug" in self.head, self.head
        self.number, self.events, self.objects = -1, [], b""
        if user:
            self.ask("login", strings(user, password))

    def receive(self):
        first, payload = self.message()
        if first == 0x88:
            raise EOFError(payload[2:].decode())
        length = struct.unpack("<I", payload[:4])[0]
        self.objects = payload[4 + length:]
        return json.loads(payload[4:4 + length])

    def ask(self, function, data=None):
        self.number += 1
        self.send(frame(call(self.number, function, data)))
        while True:
            message = self.receive()
            if "event" in message:
                self.events.append(message)
                continue
            assert message["id"] == self.number, message
            if message["message"] != "OK":
                raise Refused(message["message"])
            return message["data"]

    def event(self, name):
        while not any(e["event"] == name for e in self.events):
            self.events.append(self.receive())
        return self.events.pop(next(i for i, e in enumerate(self.events) if e["event"] == name))

    def start(self, script, *lines):
        self.ask("parseScriptWithDebug", strings(script))
        assert self.ask("setBreaks", several(text(""), integers(*lines) if lines else strings())) == ["", list(lines)]
        self.ask("runScriptWithDebug")
        return self

    def cut(self):
        self.file.close()
        self.stream.close()

    def refused(self, function, data=None):
        try:
            answer = self.ask(function, data)
        except Refused as error:
            return str(error)
        raise AssertionError(f"{function} was answered: {answer}")


def running(server, session):
    return int(server.run("exec count(*) from getConsoleJobs()", session=session)["object"][0]["value"]) - 1


def wait_for_end(server, session):
    deadline = time.monotonic() + 30
    while running(server, session) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert running(server, session) == 0


@case
def a_script_stops_goes_on_and_ends(server):
    d = Debugger(server).start("x = 40\ny = x + 2\nprint y\n", 1)
    assert d.event("BREAKPOINT")["data"] == {"status": "BREAKPOINT", "line": 1}
    frames = d.ask("stackTrace")
    assert [(f["line"], f["moduleName"], "name" in f) for f in frames] == [(1, "", False)], frames
    x, = d.ask("getStackVariables", integers(frames[0]["stackFrameId"]))
    assert (x["name"], x["type"], x["form"], x["offset"]) == ("x", "INT", "SCALAR", 6) and d.objects == integer(40), (x, d.objects)
    d.ask("stepOver")
    assert d.event("STEP")["data"]["line"] == 2
    d.ask("continueRun")
    assert d.event("OUTPUT")["data"] == "42" and d.event("END")["data"]["status"] == "FINISHED"
    d.cut()


@case
def who_has_not_logged_in_debugs_nothing(server):
    d = Debugger(server, user=None)
    for function in ("parseScriptWithDebug", "runScriptWithDebug", "stackTrace", "getStackVariables", "setBreaks", "stopRun", "string{getCurrentSessionAndUser()[0]}"):
        assert "ogin" in d.refused(function, strings("x = 1"))
    assert "password" in d.refused("login", strings("admin", "wrong")).lower()
    for wrong in (strings("admin"), integer(7), NOTHING, several(strings("admin"), integer(1))):
        d.refused("login", wrong)
    d.ask("login", strings("admin", PASSWORD))
    d.start("x = 1\n")
    d.event("END")
    d.cut()


@case
def a_user_whose_scripts_are_denied_debugs_none(server):
    session = login(server)
    assert server.run("createUser(`carl,`carl12345); deny(`carl, SCRIPT_EXEC)", session=session)["resultCode"] == "0"
    d = Debugger(server, "carl", "carl12345")
    assert "NoPrivilege" in d.refused("parseScriptWithDebug", strings("x = 1"))
    d.cut()


@case
def another_connection_of_the_user_sees_a_variable_and_others_do_not(server):
    session = login(server)
    server.run("createUser(`bob,`bob12345678); createUser(`ann, `ann12345678, , true)", session=session)
    d = Debugger(server, "bob", "bob12345678").start("secret = 1..5\ny = 2\n", 1)
    d.event("BREAKPOINT")
    look = f"getVariable(1, 1, `secret, {d.ask('string{getCurrentSessionAndUser()[0]}')}l)"
    own = server.json("login", string("userId", "bob"), string("password", "bob12345678"))["sessionID"]
    other = server.json("login", string("userId", "ann"), string("password", "ann12345678"))["sessionID"]
    assert server.run(look, session=own)["object"][0]["size"] == "5"
    assert "debugs no script" in server.run(look, session=other)["msg"]
    assert "no such variable" in server.run(look.replace("1, 1", "1, 9"), session=own)["msg"]
    d.ask("continueRun")
    d.event("END")
    assert "not stopped" in server.run(look, session=own)["msg"]
    d.cut()


@case
def an_administrator_cancels_a_script_that_stands_still(server):
    session = login(server)
    d = Debugger(server).start("x = 1\ny = 2\n", 1)
    d.event("BREAKPOINT")
    server.run("cancelConsoleJob(exec rootJobId from getConsoleJobs() where sessionId = " + d.ask("string{getCurrentSessionAndUser()[0]}") + ")", session=session)
    assert "cancelled" in d.event("ERROR")["message"] and d.event("END")["data"]["status"] == "STOPPED"
    d.cut()


@case
def a_cut_connection_ends_scripts_that_run_and_that_stand_still(server):
    session = login(server)
    for script, lines in ((ENDLESS, ()), ("sleep(100000)\n", ()), ("x = 1\ny = 2\n", (1,)), ("def f() { do { try { x = 1 } catch (ex) { } } while (true) }\nf()\n", ())):
        d = Debugger(server).start(script, *lines)
        if lines:
            d.event("BREAKPOINT")
        d.cut()
    wait_for_end(server, session)


@case
def a_node_debugs_a_limited_number_of_scripts(server):
    session = login(server)
    server.run("createUser(`many,`many123456)", session=session)
    debuggers = []  # they stand still: sixteen that run would leave no time to others
    for _ in range(16):
        debuggers.append(Debugger(server, "many", "many123456").start("x = 1\ny = 2\n", 1))
    late = Debugger(server, "many", "many123456")
    late.ask("parseScriptWithDebug", strings("x = 1\n"))
    assert "16" in late.refused("runScriptWithDebug")
    debuggers.pop().cut()
    wait = time.monotonic() + 30
    while True:
        try:
            late.ask("runScriptWithDebug")
            break
        except Refused:
            assert time.monotonic() < wait
            time.sleep(0.1)
    late.event("END")
    late.cut()
    for d in debuggers:
        d.cut()
    wait_for_end(server, session)


@case
def functions_of_modules_stop_by_their_lines(server):
    folder = Path(server.data + "/modules/tools")
    folder.mkdir(parents=True, exist_ok=True)
    source = "module tools::halves\ndef half(x) {\n    return x \\ 2\n}\n"
    (folder / "halves.dos").write_text(source)
    d = Debugger(server)
    modules = d.ask("parseScriptWithDebug", strings("use tools::halves\nx = half(8)\nprint x\n"))["modules"]
    assert modules == {"tools::halves": str(folder / "halves.dos")}, modules
    assert d.ask("sourceRequest", text("tools::halves")) == source
    # The line of a definition is no statement that runs.
    assert d.ask("setBreaks", several(text("tools::halves"), integers(1, 2))) == ["tools::halves", [2]]
    d.ask("runScriptWithDebug")
    d.event("BREAKPOINT")
    assert [(f["line"], f["moduleName"]) for f in d.ask("stackTrace")] == [(1, ""), (2, "tools::halves")]
    d.ask("continueRun")
    assert d.event("OUTPUT")["data"] == "4"
    d.event("END")
    assert "no module" in d.refused("setBreaks", several(text("nowhere"), integers(1)))
    d.cut()


@case
def a_view_hides_what_its_definer_sees(server):
    session = login(server)
    server.run("createUser(`eve,`eve12345678)", session=session)
    assert server.run("def peek(f) { inside = 4711; return f(1) }\naddFunctionView(peek)\ngrant(`eve, VIEW_EXEC, `peek)", session=session)["resultCode"] == "0"
    d = Debugger(server, "eve", "eve12345678")
    d.ask("setAllExceptionBreak", several(TRUE))
    d.start("r = peek(def (x) {\n    return x + 1\n})\nprint r\n", 1)
    seen = {message["event"] for message in [d.receive()]}
    while "END" not in seen:
        for frame_ in d.ask("stackTrace"):
            for v in d.ask("getStackVariables", integers(frame_["stackFrameId"])):
                assert v["name"] != "inside", v
        d.ask("continueRun")
        seen = {e["event"] for e in d.events} or {d.receive()["event"]}
        d.events.clear()
    d.cut()


@case
def malformed_calls_end_at_most_their_connection(server):
    chance = random.Random(7)
    good = call(3, "setBreaks", several(text(""), integers(3)))
    damaged = [b"\x19\x05\x12\x01" + struct.pack("<ii", 2**31 - 1, 1), b"\x19\x05\x12\x01" + struct.pack("<ii", -5, 1), b"\x19\x05" + (b"\x19\x01" + struct.pack("<ii", 1, 1)) * 50, b"A" * 100, b"\x12" * 66_000]
    for _ in range(60):
        broken = bytearray(good)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        damaged.append(bytes(broken))
    for payload in damaged:
        d = Debugger(server, user=None)
        d.send(frame(payload))
        d.stream.settimeout(0.2)
        try:
            d.receive()
        except (EOFError, OSError):
            pass  # a close, or silence where more bytes are announced
        d.cut()
    server.alive()
    d = Debugger(server).start("x = 1\ny = 2\n", 1)
    d.event("BREAKPOINT")
    for function, data in (("nothing", None), ("getStackVariables", integers(-5)), ("getStackVariables", text("x")), ("getVariable", several(integer(1), integer(99), NOTHING)), ("getVariable", integers(1)),
                           ("setBreaks", integers(1)), ("setAllExceptionBreak", several()), ("sourceRequest", text("../x")), ("parseScriptWithDebug", strings("x")), ("runScriptWithDebug", None), ("login", strings("admin", PASSWORD))):
        d.refused(function, data)
    assert d.ask("setBreaks", several(text(""), integers(-1, 2**31 - 1, -2**31, 99, 0))) == ["", [0]]
    d.cut()


def main():
    passed = failed = 0
    server = Server()
    for function in CASES:
        try:
            function(server)
            passed += 1
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc()
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
