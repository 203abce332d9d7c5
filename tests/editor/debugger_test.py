#!/usr/bin/env python3
"""`pelorus dap` as an editor's debugger meets it.

    tests/editor/debugger_test.py [PELORUS]"""
import json
import os
import select
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

PELORUS = sys.argv[1] if len(sys.argv) > 1 else "build/release/pelorus"
CASES = []
SCRIPT = """def twice(x) {
    y = 2 * x
    return y
}
def total(v) {
    sum = 0
    for (x in v) {
        sum = sum + twice(x)
    }
    return sum
}
a = 1 2 3
b = total(a)
c = each(z -> z + 1, a)
print b
d = {name: "x", values: a}
"""


def case(function):
    CASES.append(function)
    return function


class Refused(Exception):
    pass


class Debugger:
    def __init__(self, script, breakpoints=(), filters=(), start=True, **launch):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_debugger_")
        self.path = self.folder.name + "/script.dos"
        Path(self.path).write_text(script)
        self.process = subprocess.Popen([PELORUS, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer, self.sequence, self.events = b"", 0, []
        self.request("initialize", adapterID="pelorus")
        self.request("launch", program=self.path, folder="", **launch)
        self.placed = self.set_breakpoints(*breakpoints)
        self.request("setExceptionBreakpoints", filters=list(filters))
        if start:
            self.request("configurationDone")

    def set_breakpoints(self, *breakpoints):
        given = [b if isinstance(b, dict) else {"line": b} for b in breakpoints]
        return self.request("setBreakpoints", source={"path": self.path}, breakpoints=given)["breakpoints"]

    def receive(self, seconds=20):
        end = time.monotonic() + seconds
        while True:
            head = self.buffer.find(b"\r\n\r\n")
            if head >= 0:
                length = int(self.buffer[:head].split(b":")[1])
                if len(self.buffer) >= head + 4 + length:
                    message = json.loads(self.buffer[head + 4:head + 4 + length])
                    self.buffer = self.buffer[head + 4 + length:]
                    return message
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"the debugger is silent; it has said {self.events}")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise EOFError("the debugger has ended")
            self.buffer += piece

    def send(self, command, arguments):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self.sequence

    def request(self, command, **arguments):
        number = self.send(command, arguments)
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message["request_seq"] == number:
                if not message["success"]:
                    raise Refused(message["message"])
                return message.get("body")

    def event(self, name):
        while True:
            for i, message in enumerate(self.events):
                if message["event"] == name:
                    del self.events[i]
                    return message.get("body")
            self.events.append(self.receive())

    def stop(self):
        """Where it stops: the reason and the lines of the calls, innermost first."""
        reason = self.event("stopped")["reason"]
        self.stack = self.request("stackTrace", threadId=1)["stackFrames"]
        return (reason, *[frame["line"] for frame in self.stack])

    def step(self, command):
        self.request(command, threadId=1)
        return self.stop()

    def variables(self, frame=0):
        scope = self.request("scopes", frameId=self.stack[frame]["id"])["scopes"][0]
        return {v["name"]: v for v in self.request("variables", variablesReference=scope["variablesReference"])["variables"]}

    def value(self, expression, frame=0):
        return self.request("evaluate", expression=expression, frameId=self.stack[frame]["id"])["result"]

    def outcome(self):
        status = self.event("exited")["exitCode"]
        self.event("terminated")
        text = "".join(m["body"]["output"] for m in self.events if m["event"] == "output")
        return status, text

    def close(self):
        self.request("disconnect")
        assert self.process.wait(20) == 0
        self.process.stdin.close()
        self.process.stdout.close()
        self.folder.cleanup()


@case
def a_script_without_breakpoints_runs_to_its_end():
    d = Debugger(SCRIPT)
    assert d.outcome() == (0, "12\n")
    d.close()


@case
def a_breakpoint_stops_with_stack_and_variables():
    d = Debugger(SCRIPT, [3])
    assert d.placed == [{"verified": True, "line": 3}]
    assert d.stop() == ("breakpoint", 3, 8, 13), d.stack
    assert [f["name"] for f in d.stack] == ["twice", "total", "(script)"]
    assert d.variables()["y"]["value"] == "2" and d.variables()["x"]["value"] == "1"
    assert d.variables(1)["sum"]["value"] == "0"
    assert d.variables(2)["a"]["value"] == "[1,2,3]" and "b" not in d.variables(2)
    assert d.value("x + y") == "3" and d.value("sum", 1) == "0" and d.value("size(a)", 2) == "3"
    assert d.step("continue") == ("breakpoint", 3, 8, 13) and d.variables()["y"]["value"] == "4"
    d.set_breakpoints()
    d.request("continue", threadId=1)
    assert d.outcome() == (0, "12\n")
    d.close()


@case
def steps_go_over_into_and_out_of_calls():
    d = Debugger(SCRIPT, [13])
    assert d.stop() == ("breakpoint", 13)
    assert d.step("stepIn") == ("step", 6, 13)
    assert d.step("next") == ("step", 7, 13)
    assert d.step("next") == ("step", 8, 13)
    assert d.step("stepIn") == ("step", 2, 8, 13)
    assert d.step("stepOut") == ("step", 8, 13)
    assert d.step("stepOut") == ("step", 14)
    assert d.step("next") == ("step", 15)
    d.request("continue", threadId=1)
    assert d.outcome()[0] == 0
    d.close()


@case
def a_lambda_that_each_calls_is_stepped_into():
    d = Debugger(SCRIPT, [14])
    assert d.stop() == ("breakpoint", 14)
    reason = d.step("stepIn")
    assert reason == ("step", 14, 14), (reason, d.stack)
    assert d.variables()["z"]["value"] == "1"
    d.request("disconnect")
    assert d.process.wait(20) == 0


@case
def conditions_hits_and_log_points():
    d = Debugger(SCRIPT, [{"line": 2, "condition": "x == 2"}])
    assert d.stop() == ("breakpoint", 2, 8, 13) and d.variables()["x"]["value"] == "2"
    d.request("continue", threadId=1)
    assert d.outcome()[0] == 0
    d.close()
    d = Debugger(SCRIPT, [{"line": 2, "hitCondition": "3"}])
    d.stop()
    assert d.variables()["x"]["value"] == "3"
    d.request("continue", threadId=1)
    d.outcome()
    d.close()
    d = Debugger(SCRIPT, [{"line": 3, "logMessage": "twice {x} is {y} {nothing}"}])
    status, text = d.outcome()
    assert status == 0 and "twice 1 is 2 <" in text and "twice 3 is 6 <" in text, text
    d.close()
    d = Debugger(SCRIPT, [{"line": 2, "condition": "nothing == 2"}])
    assert d.stop()[0] == "breakpoint"
    d.close()


@case
def breakpoints_go_to_the_next_statement():
    d = Debugger("// nothing\n\nx = 1\ny = (1 +\n  2)\n", [1, 4, 5, 99], start=False)
    assert [p.get("line", 0) for p in d.placed] == [3, 4, 0, 0], d.placed
    d.request("configurationDone")
    assert d.stop() == ("breakpoint", 3)
    d.close()


@case
def a_line_of_several_statements_stops_once():
    d = Debugger("x = 1; y = 2; z = 3\nfor (i in 0..1) { x += i; y += i }\nprint x", [1, 2])
    assert d.stop() == ("breakpoint", 1)
    assert d.step("continue") == ("breakpoint", 2)
    d.set_breakpoints(3)
    assert d.step("continue") == ("breakpoint", 3)
    d.close()


@case
def an_error_stops_before_it_leaves():
    d = Debugger("def f(x) {\n    return x.nothing\n}\ntry { f(1) } catch (ex) { }\nf(2)\n", filters=["errors"])
    assert d.stop() == ("exception", 2, 4)
    assert d.variables()["x"]["value"] == "1"
    assert d.step("continue") == ("exception", 2, 5)
    d.request("continue", threadId=1)
    assert d.outcome()[0] == 1
    d.close()


@case
def an_error_without_a_stop_is_told():
    d = Debugger("x = 1\nthrow \"bad luck\"\n")
    status, text = d.outcome()
    assert status == 1 and "bad luck" in text and ":2:" in text, text
    d.close()
    d = Debugger("x = (1 +")
    status, text = d.outcome()
    assert status == 1 and "yntax" in text, text
    d.close()


@case
def an_endless_loop_is_paused_and_ended():
    d = Debugger("x = 0\ndo {\n    x += 1\n} while (true)\n")
    time.sleep(0.3)
    d.request("pause", threadId=1)
    assert d.stop()[0] == "pause"
    assert int(d.variables()["x"]["value"].replace(",", "")) > 0
    d.request("continue", threadId=1)
    d.request("terminate")
    status, text = d.outcome()
    assert status == 1 and "ended by its debugger" in text
    d.close()


@case
def a_stop_at_entry_and_a_disconnect_end_the_script():
    d = Debugger(SCRIPT, stopOnEntry=True)
    assert d.stop()[0] == "entry"
    d.close()


@case
def values_are_opened_and_changed_by_evaluation_only_where_they_are_meant():
    d = Debugger(SCRIPT + "t = table(1 2 as k, 3 4 as v)\nprint t.k\n", [18])
    assert d.stop() == ("breakpoint", 18)
    inner = d.request("variables", variablesReference=d.variables()["d"]["variablesReference"])["variables"]
    assert [(v["name"], v["value"]) for v in inner] in ([("name", '"x"'), ("values", "[1,2,3]")], [('"name"', '"x"'), ('"values"', "[1,2,3]")]), inner
    columns = d.request("variables", variablesReference=d.variables()["t"]["variablesReference"])["variables"]
    assert [c["name"] for c in columns] == ["k", "v"]
    for wrong in ("nothing", "1 +", "x = 5", "throw 1"):
        try:
            d.value(wrong)
            raise AssertionError(wrong)
        except Refused:
            pass
    assert d.value("exec sum(v) from t") == "7"
    d.request("continue", threadId=1)
    assert "[1,2]" in d.outcome()[1]
    d.close()


@case
def what_is_malformed_is_refused():
    d = Debugger("x = 1\ny = 2\n", [2])
    d.stop()
    for command, arguments in (("nothing", {}), ("setBreakpoints", {}), ("setBreakpoints", {"source": {"path": d.path}, "breakpoints": [7]}), ("scopes", {}), ("scopes", {"frameId": 99}),
                               ("variables", {"variablesReference": 12345}), ("evaluate", {}), ("launch", {"program": d.path}), ("configurationDone", {}), ("evaluate", {"expression": "x", "frameId": 77})):
        try:
            d.request(command, **arguments)
            raise AssertionError(command)
        except Refused:
            pass
    d.close()
    process = subprocess.Popen([PELORUS, "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    for body in (b"nonsense", b"[]", b"{}", b'{"command":7}', b'{"command":"launch","arguments":[]}', b'{"command":"configurationDone"}', b'{"command":"launch","arguments":{"program":"/nothing/here"}}'):
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    process.stdin.close()
    assert process.wait(20) == 1
    process.stdout.close()


def main():
    passed = failed = 0
    for function in CASES:
        try:
            function()
            passed += 1
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED {function.__name__}")
            traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
