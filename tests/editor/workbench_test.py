#!/usr/bin/env python3
"""The workbench of an editor: `pelorus lsp` on an embedded database and on a node, and a node's subprotocol "pelorus".

    tests/editor/workbench_test.py [PELORUS]"""
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.argv[1:] = sys.argv[1:] or ["build/release/pelorus"]
sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "clients"))
from doors_test import PASSWORD, Server  # noqa: E402
from lsp_client import LspClient, RequestFailed  # noqa: E402

PELORUS = sys.argv[1]
CASES = []


def case(function):
    CASES.append(function)
    return function


class Bench:
    """An editor with a database."""

    def __init__(self, target, kind="embedded"):
        self.kind = kind
        self.client = LspClient(PELORUS)
        self.opened = self.client.request("pelorus/connect", target)

    def run(self, script, **more):
        return self.client.request("pelorus/run", {"script": script, **more}, 60)

    def value(self, script):
        answer = self.run(script)
        assert "error" not in answer, answer
        return answer["values"][-1]

    def page(self, result, offset=0, count=10, **order):
        return self.client.request("pelorus/page", {"handle": result["handle"], "offset": offset, "count": count, **order}, 60)

    def refused(self, method, parameters):
        try:
            answer = self.client.request(method, parameters)
        except RequestFailed as error:
            return str(error)
        raise AssertionError(f"{method} was answered: {answer}")

    def output(self):
        told = [m["params"]["text"] for m in self.client.messages if m["method"] == "pelorus/output"]
        self.client.messages.clear()
        return told

    def close(self):
        assert self.client.close() == 0


# ---- each of these runs on an embedded database and on a node

@case
def a_script_returns_its_values_and_prints(bench):
    answer = bench.run("print 1 + 1\nx = 3\nx * 2\n")
    assert [v["text"].strip() for v in answer["values"]] == ["6"], answer
    assert bench.output() == ["2"] and answer["millis"] >= 0


@case
def a_table_is_read_by_pages(bench):
    t = bench.value("t = table(1..1000 as id, string(1..1000) as name, take(1.5 NULL, 1000) as price)\nt")
    assert t["kind"] == "grid" and t["rows"] == 1000, t
    assert [(c["name"], c["type"], c["alignsRight"]) for c in t["columns"]] == [("id", "INT", True), ("name", "STRING", False), ("price", "DOUBLE", True)]
    page = bench.page(t, 998, 10)
    assert page == {"total": 1000, "rows": [["999", "999", "1.5"], ["1000", "1000", None]]}, page
    assert bench.page(t, 5000, 10)["rows"] == [] and bench.page(t, -3, 1)["rows"][0][0] == "1"


@case
def a_grid_is_sorted_and_filtered(bench):
    t = bench.value("t = table(3 1 2 as a, `x`y`z as b)\nt")
    assert [r[0] for r in bench.page(t, sort={"column": 0})["rows"]] == ["1", "2", "3"]
    assert [r[0] for r in bench.page(t, sort={"column": 0, "isDescending": True})["rows"]] == ["3", "2", "1"]
    page = bench.page(t, filter="a > 1 and b != `x")
    assert page == {"total": 1, "rows": [["2", "z"]]}, page
    assert bench.page(t, filter="  ")["total"] == 3
    why = bench.refused("pelorus/page", {"handle": t["handle"], "offset": 0, "count": 5, "filter": "nothing > 1"})
    assert "nothing" in why, why
    assert bench.page(t)["total"] == 3  # a filter that fails changes nothing


@case
def large_integers_and_times_are_exact(bench):
    t = bench.value("table(9007199254740993l as a, 2024.01.02T03:04:05.123456789 as b, 1.25$DECIMAL64(8) as c)")
    assert bench.page(t)["rows"] == [["9007199254740993", "2024.01.02T03:04:05.123456789", "1.25000000"]], bench.page(t)


@case
def vectors_matrices_and_dictionaries_are_grids(bench):
    assert bench.page(bench.value("1 2 3"))["rows"] == [["1"], ["2"], ["3"]]
    m = bench.value("m = matrix(1 2, 3 4)\nm.rename!(`p`q, `a`b)\nm")
    assert [c["name"] for c in m["columns"]] == ["label", "a", "b"] and bench.page(m)["rows"] == [["p", "1", "3"], ["q", "2", "4"]], m
    assert bench.page(bench.value("{a: 1, b: `x}"))["total"] == 2
    assert bench.page(bench.value("(1, `a, 2 3)"))["total"] == 3


@case
def an_error_has_its_place(bench):
    answer = bench.run("x = 1\ny = \"ö\" + undefinedThing(x)\n", line=10)
    assert answer["error"]["line"] == 11 and "undefinedThing" in answer["error"]["message"], answer
    # A node tells a console the line of a statement only.
    assert answer["error"]["character"] in ((0,) if bench.kind == "node" else (10,)), answer
    answer = bench.run("a = (1 + ", line=0)
    assert answer["error"]["line"] == 0, answer


@case
def a_chart_is_a_picture(bench):
    chart = bench.value("plot(1 3 2 as price, , \"prices\")")
    assert chart["kind"] == "chart", chart
    picture = bench.client.request("pelorus/chart", {"handle": chart["handle"], "width": 400, "height": 300, "isDark": True})
    assert picture["kind"] == "LINE" and picture["svg"].startswith("<svg") and "prices" in picture["svg"]
    part = bench.client.request("pelorus/chart", {"handle": chart["handle"], "width": 400, "height": 300, "from": 0.5, "to": 0.75})
    assert part["svg"] != picture["svg"]
    assert "0.9" in bench.refused("pelorus/chart", {"handle": chart["handle"], "width": 400, "height": 300, "from": 0.9, "to": 0.1})


@case
def a_chart_tells_its_values_at_a_place(bench):
    chart = bench.value("plot([1.5 3 2 as price, 10 20 NULL as size], 2024.01.02 2024.01.03 2024.01.05, \"prices\")")
    at = lambda x: bench.client.request("pelorus/chartPoint", {"handle": chart["handle"], "at": x})  # noqa: E731
    assert at(0.4) == {"at": 1 / 3, "label": "2024.01.03", "values": [{"name": "price", "text": "3"}, {"name": "size", "text": "20"}]}, at(0.4)
    assert at(9)["values"][1]["text"] == "" and at(-9)["label"] == "2024.01.02"
    bars = bench.value("plot(1 2, `a`b, , COLUMN)")
    assert bench.client.request("pelorus/chartPoint", {"handle": bars["handle"], "at": 0.5}) is None
    assert "chart" in bench.refused("pelorus/chartPoint", {"handle": bench.value("table(1 2 as x)")["handle"], "at": 0.5})


@case
def a_text_is_uploaded_in_parts_and_imported(bench):
    path = bench.client.request("pelorus/uploadText", {"file": "part.csv", "text": "k,v\n1,"})["path"]
    assert bench.client.request("pelorus/uploadText", {"file": "part.csv", "text": "2.5\n", "isAppended": True})["path"] == path
    t = bench.value(f"rows = loadText({json.dumps(path)})\nrows")
    assert bench.page(t)["rows"] == [["1", "2.5"]], bench.page(t)
    bench.client.request("pelorus/removeUpload", {"file": "part.csv"})
    assert bench.value(f"exists({json.dumps(path)})")["text"].strip() == "false"
    for wrong in ("", "../x", "a/b", ".x", "a b", "x" * 200):
        assert "name" in bench.refused("pelorus/uploadText", {"file": wrong, "text": ""})


@case
def completion_knows_the_session(bench):
    bench.run("quotedPrices = table(1 2 as openingPrice, 3 4 as closingPrice); someValue = 5\ndef someFunction(x) { return x }")
    client = bench.client
    uri = "file:///somewhere/session.dos"

    def labels(text):
        client.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "dos", "version": 1, "text": text}})
        items = client.request("textDocument/completion", {"textDocument": {"uri": uri}, "position": {"line": text.count("\n"), "character": len(text.rsplit("\n", 1)[-1])}})["items"]
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        return [item["label"] for item in items]
    for _ in range(100):  # the names are read when the run has been answered
        if "quotedPrices" in labels("x = quoted"):
            break
        time.sleep(0.1)
    assert "someFunction" in labels("someF")
    if isinstance(client, LspClient):
        client.open(uri, "y = someFunction(1)\nz = otherFunction(1)\n")
        marked = [d["message"] for d in client.wait_diagnostics(uri)]
        assert len(marked) == 1 and "otherFunction" in marked[0], marked
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert "quotedPrices" in labels("x = quoted") and "someValue" in labels("someV")
    assert labels("quotedPrices.clo") == ["closingPrice"], labels("quotedPrices.clo")
    assert "openingPrice" in labels("select open from quotedPrices where ope") or "openingPrice" in labels("exec ope from quotedPrices"[:8])
    assert "quotedPrices" not in labels("def f() {\n    quoted")


@case
def a_running_script_is_cancelled_and_the_session_stays(bench):
    bench.run("kept = 42")
    number = bench.client.ask("pelorus/run", {"script": "do { sleep(10) } while (true)"})
    time.sleep(0.5)
    bench.client.request("pelorus/cancel", {})
    assert "cancel" in bench.client.answer(number)["error"]["message"].lower()
    assert bench.value("kept")["text"].strip() == "42"


@case
def a_page_is_answered_while_a_script_runs(bench):
    t = bench.value("table(1..10 as a)")
    number = bench.client.ask("pelorus/run", {"script": "sleep(1500)\n7"})
    assert bench.page(t, 9)["rows"] == [["10"]]
    hover = bench.client.open_marked("file:///w.dos", "x = mav|g(1..3, 2)")
    assert "mavg" in json.dumps(bench.client.request("textDocument/hover", hover))
    assert bench.client.answer(number)["values"][0]["text"].strip() == "7"


@case
def variables_are_listed_and_shown(bench):
    bench.run("undef(all)")
    bench.run("prices = table(1 2 as a)\nn = 5")
    variables = {v["name"]: v for v in bench.client.request("pelorus/variables", {})}
    assert variables["prices"]["form"] == "TABLE" and variables["prices"]["rows"] == 2 and variables["n"]["form"] == "SCALAR", variables
    assert bench.client.request("pelorus/show", {"expression": "prices"})["kind"] == "grid"


@case
def databases_and_schemas_are_listed(bench):
    bench.run("""db = database("dfs://bench", VALUE, 1 2)
t = table(1 2 as k, 1.5 2.5 as price)
createPartitionedTable(db, t, `prices, `k)
loadTable("dfs://bench", `prices).append!(t)""")
    databases = bench.client.request("pelorus/databases", {})
    assert {"path": "dfs://bench", "tables": ["prices"]} in databases, databases
    schema = bench.client.request("pelorus/schema", {"database": "dfs://bench", "table": "prices"})
    assert [(c["name"], c["typeString"]) for c in schema["columns"]] == [("k", "INT"), ("price", "DOUBLE")], schema
    assert bench.page(bench.value('select * from loadTable("dfs://bench", `prices)'))["total"] == 2
    assert bench.value('loadTable("dfs://bench", `prices)')["kind"] in ("text", "grid")
    assert "nothere" in bench.refused("pelorus/schema", {"database": "dfs://nothere", "table": "t"})
    bench.run('dropDatabase("dfs://bench")')


@case
def jobs_are_listed(bench):
    jobs = bench.client.request("pelorus/jobs", {})
    assert isinstance(jobs["running"], list) and isinstance(jobs["batch"], list), jobs


@case
def what_is_malformed_is_refused(bench):
    t = bench.value("table(1 as a)")
    for parameters in ({}, {"handle": "x", "offset": 0, "count": 1}, {"handle": 10**12, "offset": 0, "count": 1}, {"handle": t["handle"], "offset": 0},
                       {"handle": t["handle"], "offset": 0, "count": 1, "sort": 7}, {"handle": t["handle"], "offset": 0, "count": 1, "sort": {"column": 99}},
                       {"handle": t["handle"], "offset": 0, "count": 1, "filter": 5}, [], "x", None):
        bench.refused("pelorus/page", parameters)
    bench.refused("pelorus/nothing", {})
    bench.refused("pelorus/chart", {"handle": t["handle"]})
    bench.refused("pelorus/run", {"script": 5})
    bench.refused("pelorus/run", {})
    assert bench.page(t, 0, 10**18)["total"] == 1
    bench.client.request("pelorus/release", {"handle": t["handle"]})
    bench.refused("pelorus/page", {"handle": t["handle"], "offset": 0, "count": 1})


@case
def only_the_newest_results_are_kept(bench):
    first = bench.value("table(0 as a)")
    for _ in range(40):
        last = bench.value("table(1 as a)")
    assert "no longer" in bench.refused("pelorus/page", {"handle": first["handle"], "offset": 0, "count": 1})
    assert bench.page(last)["total"] == 1


# ---- of one process

def an_open_folder_is_refused_by_name(folder):
    first = Bench({"folder": folder})
    first.run('database("dfs://x", VALUE, 1 2)')
    second = LspClient(PELORUS)
    try:
        second.request("pelorus/connect", {"folder": folder})
        raise AssertionError("two processes have one folder open")
    except RequestFailed as error:
        assert str(first.client.process.pid) in str(error), error
        print("   ", error)
    assert second.close() == 0
    first.close()


def other_databases_can_be_opened_in_turn(folder, server):
    bench = Bench({"folder": folder})
    assert bench.value("getNodeAlias()") is not None
    bench.opened = bench.client.request("pelorus/connect", {"address": f"127.0.0.1:{server.port}", "user": "admin", "password": PASSWORD})
    assert bench.value("1 + 1")["text"].strip() == "2"
    assert "password" in bench.refused("pelorus/connect", {"address": f"127.0.0.1:{server.port}", "user": "admin", "password": "wrong"}).lower()
    assert "connect" in bench.refused("pelorus/run", {"script": "1"})
    bench.client.request("pelorus/connect", {"folder": folder})
    assert bench.value("1 + 2")["text"].strip() == "3"
    bench.close()


def an_editor_that_leaves_ends_its_script(folder):
    bench = Bench({"folder": ""})
    bench.client.ask("pelorus/run", {"script": "do { sleep(10) } while (true)"})
    time.sleep(0.5)
    bench.client.process.stdin.close()
    assert bench.client.process.wait(20) == 1


# ---- the subprotocol of a node

class SocketBench(Bench):
    """The same requests by WebSocket: messages are lines of JSON."""

    def __init__(self, server, user="admin", password=PASSWORD, connects=True):
        from websockets.sync.client import connect
        self.opening = connect(f"ws://127.0.0.1:{server.port}", subprotocols=["pelorus"], max_size=None)
        self.socket = self.opening.__enter__()
        assert self.socket.subprotocol == "pelorus"
        self.client = self
        self.messages, self.last_id, self.kind = [], 0, "web socket"
        if connects:
            self.opened = self.request("pelorus/connect", {"user": user, "password": password})
            self.request("initialize", {"processId": None, "capabilities": {"general": {"positionEncodings": ["utf-8"]}}, "workspaceFolders": [{"uri": "file:///etc", "name": "x"}]})
            self.version = 0

    def send(self, message):
        self.socket.send(json.dumps(message).encode() + b"\n")

    def receive(self, seconds=20):
        return json.loads(self.socket.recv(seconds))

    ask, request, open, notify, open_marked, wait_diagnostics = (LspClient.ask, LspClient.request, LspClient.open, LspClient.notify, LspClient.open_marked, LspClient.wait_diagnostics)

    def answer(self, number, seconds=20):
        while True:
            message = self.receive(seconds)
            if message.get("id") == number and "method" not in message:
                if "error" in message:
                    raise RequestFailed(message["error"])
                return message["result"]
            self.messages.append(message)

    def close(self):
        self.socket.close()


def a_node_answers_only_after_the_login(server):
    bench = SocketBench(server, connects=False)
    assert "pelorus/connect" in bench.refused("initialize", {})
    assert "pelorus/connect" in bench.refused("pelorus/run", {"script": "1"})
    assert "password" in bench.refused("pelorus/connect", {"user": "admin", "password": "wrong"}).lower()
    bench.refused("pelorus/connect", {"user": 7})
    bench.request("pelorus/connect", {"user": "admin", "password": PASSWORD})
    assert bench.value("1 + 1")["text"].strip() == "2"
    bench.close()


def a_ticket_opens_a_session_of_its_user_and_of_nobody_else(server):
    bench = SocketBench(server)
    bench.run('createUser("ann", "Ticket-123")')
    ticket = bench.value("getAuthenticatedUserTicket(datetime(now() + 600000))")["text"].strip().strip('"')
    back = SocketBench(server, connects=False)
    for user, given in (("ann", ticket), ("nobody", ticket), ("guest", ticket), ("admin", ticket[:-2] + "AA"), ("admin", ""), ("admin", "x" * 2000)):
        assert "ticket is not valid" in back.refused("pelorus/connect", {"user": user, "ticket": given}), (user, given)
    back.refused("pelorus/connect", {"user": "admin", "ticket": 7})
    back.refused("pelorus/run", {"script": "1"})
    back.request("pelorus/connect", {"user": "admin", "ticket": ticket})
    assert back.value("getCurrentSessionAndUser()[1]")["text"].strip() == "admin"
    bench.run('deleteUser("ann")')
    bench.close()
    back.close()


def a_node_is_described_as_far_as_the_user_may_read(server):
    bench = SocketBench(server)
    node = bench.request("pelorus/node", {})
    assert node["nodes"][0]["port"] == server.port and node["nodes"][0]["state"] == 1, node["nodes"]
    assert any(figure["name"] == "diskFreeSpace" for figure in node["figures"]) and any("listening" in line for line in node["log"])
    bench.run('createUser("ann", "Ticket-123")')
    plain = SocketBench(server, "ann", "Ticket-123")
    assert plain.request("pelorus/node", {})["log"] == []
    plain.close()
    bench.run('deleteUser("ann")')
    bench.close()


def a_node_completes_and_diagnoses_but_reads_no_files(server):
    bench = SocketBench(server)
    items = bench.request("textDocument/completion", bench.open_marked("file:///a.dos", "x = mav|"))["items"]
    assert any(item["label"] == "mavg" for item in items)
    listed = bench.request("textDocument/completion", bench.open_marked("file:///b.dos", 'loadText("/etc/pass|'))
    assert listed["items"] == [], listed
    bench.open("file:///c.dos", "a = (1 + \n")
    end = time.monotonic() + 20
    while not any(m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"].endswith("c.dos") and m["params"]["diagnostics"] for m in bench.messages):
        assert time.monotonic() < end
        bench.messages.append(bench.receive())
    bench.close()


def a_client_that_leaves_ends_its_script_on_the_node(server):
    bench = SocketBench(server)
    bench.ask("pelorus/run", {"script": "do { sleep(10) } while (true)"})
    other = SocketBench(server)
    end = time.monotonic() + 20
    while not other.request("pelorus/jobs", {})["running"]:
        assert time.monotonic() < end
    bench.socket.close()
    while any("while (true)" in str(job) for job in other.request("pelorus/jobs", {})["running"]):
        assert time.monotonic() < end
    other.close()


def jobs_of_a_node_are_cancelled_and_modules_installed(server):
    bench = SocketBench(server)
    bench.run('submitJob("slow", "a slow one", def () { do { sleep(10) } while (true) })')
    end = time.monotonic() + 20
    while not any(job["jobId"].startswith("slow") for job in bench.request("pelorus/jobs", {})["batch"]):
        assert time.monotonic() < end
    bench.request("pelorus/cancelJob", {"id": "slow", "isBatch": True})
    assert bench.request("pelorus/uploadModule", {"source": "module bench::twice\ndef twice(x) { return 2 * x }\n"})["path"].endswith("twice.dos")
    assert bench.value("use bench::twice\ntwice(4)")["text"].strip() == "8"
    bench.close()


def hostile_messages_end_at_most_their_connection(server):
    for bytes_ in (b"\n", b"nonsense\n", b"[]\n", b"7\n", b"{}\n", b'{"id":1}\n', b'{"id":{"a":[1]},"method":"pelorus/connect"}\n', b"\xff\xfe\n", b"x" * 5000, b'{"jsonrpc":"2.0","id":1,"method":"pelorus/connect","params":{"user":"admin","password":"\\u0000"}}\n', b"[" * 4000 + b"\n"):
        bench = SocketBench(server, connects=False)
        bench.socket.send(bytes_)
        try:
            bench.socket.recv(1)
        except Exception:  # noqa: BLE001  an answer, a close or silence: the server must only live
            pass
        bench.socket.close()
    bench = SocketBench(server)
    for i, bytes_ in enumerate((b"nonsense\n", b"[]\n", b"7\n", b"[" * 100_000 + b"\n", json.dumps({"jsonrpc": "2.0", "id": 5, "method": "pelorus/run", "params": [[[]]]}).encode() + b"\n")):
        bench.socket.send(bytes_)
        bench.receive()
    assert bench.value("2 + 2")["text"].strip() == "4"
    bench.close()


def main():
    passed = failed = 0

    def check(name, function, *arguments):
        nonlocal passed, failed
        try:
            function(*arguments)
            passed += 1
        except Exception:  # noqa: BLE001
            failed += 1
            print(f"FAILED {name}")
            traceback.print_exc()

    server = Server()
    with tempfile.TemporaryDirectory(prefix="pelorus_workbench_") as folder:
        for kind, target in (("embedded", {"folder": folder + "/a"}), ("node", {"address": f"127.0.0.1:{server.port}", "user": "admin", "password": PASSWORD})):
            bench = Bench(target, kind)
            for function in CASES:
                check(f"{kind}: {function.__name__}", function, bench)
            bench.close()
        try:
            import websockets  # noqa: F401
            bench = SocketBench(server)
            for function in CASES:
                check(f"web socket: {function.__name__}", function, bench)
            bench.close()
            for function in (a_node_answers_only_after_the_login, a_ticket_opens_a_session_of_its_user_and_of_nobody_else, a_node_is_described_as_far_as_the_user_may_read, a_node_completes_and_diagnoses_but_reads_no_files, a_client_that_leaves_ends_its_script_on_the_node,
                             jobs_of_a_node_are_cancelled_and_modules_installed, hostile_messages_end_at_most_their_connection):
                check(function.__name__, function, server)
        except ImportError:
            print("SKIPPED: the subprotocol, without the Python package websockets")
        check("an_open_folder_is_refused_by_name", an_open_folder_is_refused_by_name, folder + "/b")
        check("other_databases_can_be_opened_in_turn", other_databases_can_be_opened_in_turn, folder + "/c", server)
        check("an_editor_that_leaves_ends_its_script", an_editor_that_leaves_ends_its_script, folder)
    failed += server.stop() != 0
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
