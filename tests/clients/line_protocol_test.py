#!/usr/bin/env python3
"""The line protocol by the senders that people have: QuestDB's client over both doors, InfluxDB's, and plain HTTP. Bad lines, rights, restarts,
and ten seconds (PELORUS_LINE_SECONDS) of random lines over connections that are cut: each acknowledged row is there once."""
import base64
import gzip
import json
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
from http.client import HTTPConnection

PASSWORD = "open-sesame-1"
PELORUS = sys.argv[1]
SECOND = 1_700_000_000_000_000_000
SOAK_SECONDS = float(os.environ.get("PELORUS_LINE_SECONDS", "10"))


class Node:
    """A node of the test's own on free loopback ports, in a folder that goes away. Lines without a user are the collector's."""

    def __init__(self, *settings):
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_lines_")
        self.config = self.folder.name + "/node.cfg"
        with open(self.config, "w") as file:
            file.write(f"port=0\nilpPort=0\nilpUser=admin\ndataDir={self.folder.name}/data\nadminPassword={PASSWORD}\n" + "".join(s + "\n" for s in settings))
        self.start()

    def start(self):
        self.process = subprocess.Popen([PELORUS, "serve", "--config", self.config], stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            port = int(line.strip().rstrip(".").rsplit(":", 1)[1]) if ":" in line else 0
            if "line protocol" in line:
                self.line_port = port
            if "listens on" in line:
                self.port = port
                return
        raise RuntimeError("the server did not start")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.terminate()
        status = self.process.wait(30)
        self.folder.cleanup()
        return status

    def http(self, method, path, body=None, headers=None):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text, answer

    def write(self, lines, query="", headers=None):
        status, text, _ = self.http("POST", "/write" + query, lines, headers)
        return status, json.loads(text) if text else None

    def ask(self, query, headers=None, **more):
        status, text, _ = self.http("GET", "/exec?" + urllib.parse.urlencode({"query": query, **more}), headers=headers)
        answer = json.loads(text)
        assert status == 200, answer
        return answer

    def rows(self, query, **more):
        return self.ask(query, **more)["dataset"]

    def run(self, script, user="admin", password=PASSWORD):
        """A script by the JSON interface, in a session of its own."""
        session = "0"
        for function, values in (("login", (user, password)), ("executeCode", (urllib.parse.quote(script),))):
            names = ("script",) if function == "executeCode" else ("user", "password")
            params = [{"name": n, "form": "scalar", "type": "string", "value": v} for n, v in zip(names, values)]
            status, text, _ = self.http("POST", "/", json.dumps({"sessionID": session, "functionName": function, "params": params}))
            answer = json.loads(text)
            assert status == 200 and answer["resultCode"] == "0", answer
            session = answer["sessionID"]
        return answer

    def tcp(self, data=b""):
        stream = socket.create_connection(("127.0.0.1", self.line_port), timeout=30)
        stream.sendall(data)
        return stream

    def eventually(self, query, expected):
        """Rows over TCP count after the close: they are asked for until they are there."""
        for _ in range(200):
            try:
                found = self.rows(query)
            except AssertionError as error:
                found = error
            if found == expected:
                return
            time.sleep(0.05)
        raise AssertionError((query, found, expected))


def basic(user, password=PASSWORD):
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def questdb_sender_over_both_doors(node):
    from questdb.ingress import Sender, TimestampNanos, TimestampMicros
    for table, conf in (("by_http", f"http::addr=127.0.0.1:{node.port};username=admin;password={PASSWORD};"), ("by_tcp", f"tcp::addr=127.0.0.1:{node.line_port};")):
        with Sender.from_conf(conf) as sender:
            for i in range(3):
                sender.row(table, symbols={"sym": "A,B =" + str(i % 2)}, columns={"price": 1.5 * i, "size": i, "on": i == 1, "note": 'say "hi"\\\n', "seen": TimestampMicros(5)},
                           at=TimestampNanos(SECOND + i))
            sender.row(table, symbols={"sym": "late"}, columns={"other": 7}, at=TimestampNanos(SECOND + 9))
        node.eventually(f"select sym, price, size, on, note, seen, other from {table} order by timestamp", [
            [f"A,B ={i % 2}", 1.5 * i, i, i == 1, 'say "hi"\\\n', "1970-01-01T00:00:00.000005000Z", None] for i in range(3)] + [["late", None, None, None, None, None, 7]])


def questdb_sends_frames_and_arrays(node):
    import numpy
    import pandas
    from questdb.ingress import Sender, TimestampNanos
    frame = pandas.DataFrame({"sym": pandas.Categorical(["x", "y", "x"]), "v": [1.25, float("nan"), 3.0], "n": [1, 2, 3], "at": pandas.to_datetime([SECOND, SECOND + 1, SECOND + 2], utc=True)})
    with Sender.from_conf(f"http::addr=127.0.0.1:{node.port};") as sender:
        assert sender.protocol_version >= 2, sender.protocol_version
        sender.dataframe(frame, table_name="frames", symbols=["sym"], at="at")
        sender.row("arrays", columns={"levels": numpy.array([1.0, 2.5, float("nan")])}, at=TimestampNanos(SECOND))
    assert node.rows("select sym, v, n from frames order by n") == [["x", 1.25, 1], ["y", None, 2], ["x", 3.0, 3]]
    found = node.rows("select levels[0] as a, levels[1] as b, levels[2] as c from arrays")
    assert found == [[1.0, 2.5, None]], found
    books = numpy.array([[1.0, 2.0, 3.0], [10.0, 20.0, float("nan")]])
    with Sender.from_conf(f"http::addr=127.0.0.1:{node.port};") as sender:
        sender.row("books", columns={"bids": books, "n": 1}, at=TimestampNanos(SECOND))
        sender.row("books", columns={"bids": books[0], "n": 2}, at=TimestampNanos(SECOND + 1))
        sender.row("books", columns={"bids": numpy.zeros((2, 0, 3)), "n": 3}, at=TimestampNanos(SECOND + 2))
    assert node.rows("select bids, bids_shape from books order by n") == [[[1.0, 2.0, 3.0, 10.0, 20.0, None], [2.0, 3.0]], [[1.0, 2.0, 3.0], [None]], [[None], [2.0, 0.0, 3.0]]]
    for dimensions, lengths in ((0, b""), (33, b"\1\0\0\0" * 33), (2, b"\xff" * 8), (2, struct.pack("<2I", 1000, 1000))):
        status, answer = node.write(b"books bids==\x0e\x0a" + bytes([dimensions]) + lengths + b" 5\n")
        assert status == 400 and "array" in answer["message"], answer


def questdb_errors_name_the_line(node):
    from questdb.ingress import Sender, TimestampNanos, IngressError
    sender = Sender.from_conf(f"http::addr=127.0.0.1:{node.port};retry_timeout=0;auto_flush=off;")
    sender.establish()
    sender.row("typed", columns={"v": 1}, at=TimestampNanos(SECOND))
    sender.flush()
    sender.row("typed", columns={"v": 2}, at=TimestampNanos(SECOND))
    sender.row("typed", columns={"v": "two"}, at=TimestampNanos(SECOND))
    try:
        sender.flush()
        raise AssertionError("a string went into a LONG")
    except IngressError as error:
        assert "line 2" in str(error) and "column of type LONG" in str(error), error
    sender.close(flush=False)
    assert node.rows("select count(*) from typed") == [[1]]


def influxdb_client_writes(node):
    from influxdb_client import InfluxDBClient, Point, WritePrecision
    from influxdb_client.client.write_api import SYNCHRONOUS
    with InfluxDBClient(url=f"http://127.0.0.1:{node.port}", token=f"admin:{PASSWORD}", org="any", enable_gzip=True) as client:
        assert client.ping()
        api = client.write_api(write_options=SYNCHRONOUS)
        points = [Point("weather").tag("city", "São Paulo").field("degrees", 20.5 + i).field("wet", i == 1).field("n", i).time(SECOND // 10**9 + i, WritePrecision.S) for i in range(3)]
        api.write(bucket="ignored", record=points, write_precision=WritePrecision.S)
    assert node.rows("select city, degrees, wet, n, timestamp from weather order by n") == [
        ["São Paulo", 20.5 + i, i == 1, i, f"2023-11-14T22:13:2{i}.000000000Z"] for i in range(3)]


def every_form_of_value(node):
    lines = b'''# a comment

v,tag\\ one=a\\,b\\=c i=-42i,d=1.5,e=1e3,nan=NaN,b1=t,b2=False,s="q\\"w\\\\ e, =",u=1700000000000001t,n=1700000000000000007n 1700000000000000000\r
v,tag\\ one=other i=1i 1700000000000001t
v i=2i
v i==\x10\x00\x00\x00\x00\x00\x00\x08\x40,d==\x10\x00\x00\x00\x00\x00\x00\xf8\x3f,arr==\x0e\x0a\x01\x02\x00\x00\x00''' + struct.pack("<2d", 1, 2) + b" 5n"
    answer = node.write(lines)
    assert answer == (204, None), answer
    found = node.ask('select * from v where i=-42')
    names = [c["name"] for c in found["columns"]]
    row = dict(zip(names, found["dataset"][0]))
    assert row == {"tag one": "a,b=c", "timestamp": "2023-11-14T22:13:20.000000000Z", "i": -42, "d": 1.5, "e": 1000.0, "nan": None, "b1": True, "b2": False,
                   "s": 'q"w\\ e, =', "u": "2023-11-14T22:13:20.000001000Z", "n": "2023-11-14T22:13:20.000000007Z", "arr": [None]}, row
    types = {c["name"]: c["type"] for c in found["columns"]}
    assert (types["i"], types["d"], types["b1"], types["s"], types["u"], types["tag one"], types["arr"]) == ("LONG", "DOUBLE", "BOOLEAN", "STRING", "TIMESTAMP", "SYMBOL", "DOUBLE[]")
    assert node.rows("select d, timestamp, arr from v where i=3") == [[1.5, "1970-01-01T00:00:00.000000005Z", [1.0, 2.0]]]
    for unit, factor in (("ns", 1), ("us", 10**3), ("ms", 10**6), ("s", 10**9)):
        assert node.write(f"units v={factor}i {SECOND // factor}", f"?precision={unit}") == (204, None)
    assert node.rows("select distinct timestamp from units") == [["2023-11-14T22:13:20.000000000Z"]]
    assert node.write(gzip.compress(b"packed v=1i 5\npacked v=2i 6\n"), headers={"Content-Encoding": "gzip"}) == (204, None)
    assert node.rows("select v from packed") == [[1], [2]]


def a_bad_line_stores_nothing(node):
    assert node.write("bad,t=a v=1i,w=1.5 10\n") == (204, None)
    good = "bad,t=a v=2i 11\n"
    for line, reason in (("bad,t=a v=x 12", "no value of a field"), ("bad,t=a v=1i,v=2i 12", "given twice"), ("bad,t=a,t=b v=1i 12", "given twice"), ("bad,t=a 12", "has no value"),
                         ("bad,t=a v= 12", "value"), ("bad,t v=1i", "no value"), (",t=a v=1i", "name of a table"), ("bad v=\"open 12", " "), ("bad v=\"open\n\"", "not closed"),
                         ("bad,v=tag w=1", "field of other lines"), ("bad t=5i", "tag of other lines"), ("bad v=1.5 12", "does not fit"), ("bad v=99999999999999999999i", "range of LONG"),
                         ("bad v=-9223372036854775808i", "range of LONG"), ("bad w=1e999", "range of DOUBLE"), ("bad v=1i 12x", "integer"), ("bad v=1i 1.5", "integer"), ("bad v=1i 99999999999999999999", "too large"),
                         ("bad v=1i 9999999999999999t", "years 1677"), ("dfs://other v=1i", "no name of a table"), ("other.bad v=1i", "no name of a table"), ("bad timestamp=1i", "times"), ("bad v=1i 12 13", "end of the line"),
                         ("bad v==\x07", "binary form"), ("bad v==\x0e\x0b\x01", "DOUBLE"), ("x" * 200 + " v=1i", "127"), ("bad " + "y" * 200 + "=1i", "127"), ("bad v", "no value"), ("bad \x01=1i", "control"),
                         ("bad s=\"" + "z" * (1 << 20) + "\"", "longer than"), ("bad", "no fields"), ("bad ", "field")):
        status, answer = node.write((good + line).encode("latin-1"))
        assert status == 400 and answer["code"] == "invalid" and answer["line"] == 2 and reason in answer["message"] and answer["errorId"], (line[:60], status, answer)
        status, answer = node.write((good + line + "\n").encode("latin-1"))
        assert status == 400, (line[:60], status, answer)
    assert node.rows("select v from bad") == [[1]]
    assert [r[0] for r in node.rows("show columns from bad")] == ["t", "timestamp", "v", "w"]
    assert node.write("bad,t=a v=5.0,w=7i 12") == (204, None)
    assert node.rows("select v, w from bad") == [[1, 1.5], [5, 7.0]]
    assert node.write("new v=1i\nnew v=x")[0] == 400 and ["new"] not in node.rows("SHOW TABLES")
    days = "\n".join(f"days v=1i {86400 * 10**9 * d}" for d in range(1500))
    status, answer = node.write(days)
    assert status == 400 and "new days" in answer["message"], answer
    assert node.write("new v=1i", "?precision=h")[0] == 400
    assert node.write(b"\x1f\x8bnonsense", headers={"Content-Encoding": "gzip"})[0] == 400
    assert node.write("x v=1i", headers={"Content-Encoding": "br"})[0] == 400
    assert node.write("") == (204, None) and node.write("\n\r\n#x\n") == (204, None)


def tcp_keeps_whole_lines_before_a_bad_one(node):
    stream = node.tcp(b"cut v=1i 1\ncut v=2i 2\ncut v=oops 3\ncut v=4i 4\n")
    assert stream.recv(1) == b""
    stream.close()
    node.eventually("select v from cut", [[1], [2]])
    with node.tcp(b"cut v=5i 5\ncut v=6i 6"):
        pass
    node.eventually("select v from cut", [[1], [2], [5]])
    with node.tcp() as stream:
        for byte in b'cut v=7i,s="a\\\nb" 7\n':
            stream.sendall(bytes([byte]))
        node.eventually("select v from cut", [[1], [2], [5], [7]])  # without a close, within 100 ms
    assert node.rows("select s from cut where v=7") == [["a\nb"]]
    with node.tcp(b"cut v=8i 8\n" + b"x" * (3 << 20)) as stream:
        try:
            assert stream.recv(1) == b""
        except ConnectionResetError:
            pass
    node.eventually("select v from cut", [[1], [2], [5], [7], [8]])


def rights_decide(node):
    node.run("""createUser(`writer, "secret-12"); createUser(`maker, "secret-12"); createUser(`nobody, "secret-12"); createUser(`reader, "secret-12")""")
    assert node.write("owned v=1i 1") == (204, None)
    node.run("""grant(`writer, TABLE_INSERT, "dfs://ilp/owned"); grant(`reader, TABLE_READ, "dfs://ilp/owned"); grant(`maker, DBOBJ_CREATE, "dfs://ilp"); grant(`maker, TABLE_WRITE, "dfs://ilp/owned")""")
    writer, maker, nobody, reader = (basic(user, "secret-12") for user in ("writer", "maker", "nobody", "reader"))
    assert node.write("owned v=2i 2", headers=writer) == (204, None)
    for lines, who in (("owned v=3i 3", nobody), ("owned v=3i 3", reader), ("owned v=3i,w=1i 3", writer), ("fresh v=1i 1", writer), ("owned v=3i 3\nfresh v=1i", writer), ("fresh v=1i", nobody)):
        status, answer = node.write(lines, headers=who)
        assert status == 400 and "<NoPrivilege>" in answer["message"], (lines, status, answer)
    assert node.write("made v=1i 1", headers=maker) == (204, None)
    assert node.rows("select v from owned") == [[1], [2]]
    assert node.rows("select v from owned", headers=reader) == [[1], [2]]
    assert node.ask("SHOW TABLES", headers=nobody)["dataset"] == []
    status, text, _ = node.http("GET", "/exec?query=select+*+from+owned", headers=nobody)
    assert status == 400 and json.loads(text)["error"], text
    status, text, _ = node.http("GET", "/exec?query=dropDatabase(%22dfs://ilp%22)")
    assert status == 400 and "Only select" in text, text
    status, answer = node.write("owned v=9i", headers=basic("admin", "wrong"))
    assert status == 401 and answer["code"] == "unauthorized", answer
    assert node.write("owned v=9i\n" * 20000, headers=basic("nosuch", "wrong"))[0] in (401, 413)
    assert node.http("GET", "/exec?query=SHOW+TABLES", headers={"Authorization": "Digest x"})[0] == 401
    assert node.http("GET", "/exec?query=SHOW+TABLES", headers={"Origin": "http://evil.example"})[0] == 403
    assert node.http("PUT", "/write", "x")[0] in (405,) and node.http("GET", "/write")[0] == 405
    ticket = node.run("""getAuthenticatedUserTicket()""")["object"][0]["value"]
    assert node.write("owned v=4i 4", headers={"Authorization": "Bearer " + ticket}) == (204, None)
    assert node.rows("select v from owned") == [[1], [2], [4]]


def exec_answers_as_clients_expect(node):
    assert node.write("\n".join(f"q,h=h{i % 3} v={i}i {i}" for i in range(10))) == (204, None)
    answer = node.ask("select h, v from q order by v", limit="2,5", timings="true")
    assert answer["dataset"] == [["h2", 2], ["h0", 3], ["h1", 4]] and answer["count"] == 10 and "timings" in answer, answer
    assert answer["columns"] == [{"name": "h", "type": "SYMBOL"}, {"name": "v", "type": "LONG"}]
    assert node.ask("select v from q", limit="4", count="false")["count"] == 4
    assert node.rows("select max(v) from q group by h order by h;") == [["h0", 9], ["h1", 7], ["h2", 8]] or node.rows("select h, max(v) from q group by h")
    assert node.ask("ALTER TABLE q ALTER COLUMN h ADD INDEX")["dataset"] == []
    assert ["q"] in node.rows("SHOW TABLES") and node.rows("show columns from q")[0][:2] == ["h", "SYMBOL"]
    for query in ("select nonsense from", "", "select * from nowhere", "show columns from nowhere"):
        status, text, _ = node.http("GET", "/exec?" + urllib.parse.urlencode({"query": query}))
        answer = json.loads(text)
        assert status == 400 and answer["query"] == query and answer["error"] and "position" in answer, answer
    connection = HTTPConnection("127.0.0.1", node.port, timeout=30)
    for i in range(20):  # keep-alive
        connection.request("POST", "/write", f"kept v={i}i {i}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204 and answer.getheader("X-Influxdb-Version")
    connection.close()
    assert node.rows("select count(*) from kept") == [[20]]


WORDS = """for do while if else break continue return def defg mapr try catch throw assert const undef module use go select exec class import
    share timer as transaction from where group context pivot cgroup csort having order limit map union asc desc nulls on join left right full
    inner cross then when end values set over partition and or is not between in like ilike update delete insert create alter drop with by
    top distinct into outer semijoin case notBetween true false NULL pi e DFLT INT DATE SYMBOL avg sum count timestamp""".split()
ODD_NAMES = ["dash-1", "two words", "1st", "2026", "größe", "数据", "a.b", "it's", 'say "x"', "back\\slash", "semi;colon", "a/b", "(x)", "SELECT"]


def whatever_is_written_can_be_read(node):
    """Every word of the language, and names with odd letters, as a table, a tag and a field."""
    def line(name):
        escaped = name.replace("\\", "\\\\").replace(",", "\\,").replace("=", "\\=").replace(" ", "\\ ")
        return f"{escaped},{escaped}_t=x {escaped}=1i,plain=2i 1000000000"
    refused = []
    for name in [word for word in WORDS if word != "timestamp"] + ODD_NAMES:
        if node.write(line(name).encode())[0] != 204:
            refused.append(name)
            continue
        quoted = '"' + name.replace('"', '""') + '"'
        tag = '"' + name.replace('"', '""') + '_t"'
        query = f"select {tag}, {quoted}, plain from {quoted} where {quoted} = 1 and {tag} = 'x'"
        assert node.rows(query) == [["x", 1, 2]], name
        assert node.ask(query)["columns"][1]["name"] == name
        assert node.rows(f"select max({quoted}) as {quoted} from {quoted} group by {tag}") == [["x", 1]] or node.rows(
            f"select max({quoted}) as {quoted} from {quoted}") == [[1]], name
        assert node.rows(f"select {quoted}.{quoted} from {quoted}") == [[1]], name
        assert node.rows(f"select max({quoted}) from {quoted} sample by 1h") == [[1]], name
        assert [name, "LONG"] in [row[:2] for row in node.rows(f"show columns from {quoted}")], name
    # A table is a folder of the disk as well: few names cannot be one, and are refused when they are written.
    assert len(refused) < 8, refused


def a_get_changes_nothing(node):
    """One select, and only functions that read: all else is refused before anything has run."""
    assert node.write("stays,h=a v=1i 1000000000\nstays,h=b v=2i 2000000000") == (204, None)
    node.run("share table(1 2 3 as x) as sharedRows")
    node.run("def dropStays() { dropTable(database('dfs://ilp'), 'stays'); return 1 }\naddFunctionView(dropStays)")
    drop = "dropTable(database(\"dfs://ilp\"),`stays)"
    for query in (f"select v from stays; {drop}", "select v from stays; select h from stays", f"select {drop} from stays", "select dropStays() from stays",
                  "select v from stays where dropStays() = 1", "select each(dropStays, 1..2) from stays", "select v from (delete from stays)",
                  "exec sum(x) from sharedRows.append!(table(4 as x))", "select v from stays where undef(`sharedRows, SHARED)",
                  "with x as (delete from sharedRows) select * from x", "select append!(sharedRows, table(4 as x)) from stays",
                  "select eval(parseExpr(`dropStays + '()')) from stays", "select {x -> dropStays()}(v) from stays", "select v from stays\nundef(`sharedRows, SHARED)",
                  "select v, (exec dropStays() from stays) from stays", "select call(dropStays) from stays", "select funcByName(`dropStays)() from stays",
                  "select v from stays limit dropStays()", "select dropStays:E(v) from stays", "select sleep(1) from stays where submitJob(`a, `b, dropStays) = 1",
                  "exec runScript('dropStays()') from stays", "select saveText(stays, 'x.csv') from stays"):
        status, text, _ = node.http("GET", "/exec?" + urllib.parse.urlencode({"query": query}))
        assert status == 400, (query, status, text)
        assert node.rows("select sum(v) from stays") == [[3]], query
        assert node.rows("exec sum(x) from sharedRows") == [[6]], query
    assert node.rows("select max(v), count(*) from stays where v in (select v from stays where h = 'a')") == [[1, 1]]
    assert node.rows("with x as (select v from stays) select sum(v) from x") == [[3]]
    assert node.rows("select sum(x) from sharedRows") == [[6]]
    assert node.rows("select v from stays;") == [[1], [2]]


def writers_meet_at_new_tables(node):
    """Eight writers make one table with fields of their own at once: each row is there, none twice."""
    problems = []

    def work(number):
        connection = HTTPConnection("127.0.0.1", node.port, timeout=60)
        for i in range(20):
            connection.request("POST", "/write", f"meet,w=w{number} f{number}_{i // 5}={i}i,both={i}i {SECOND + i}\nmeet{i // 4} v={number}i {i * 86400 * 10**9}")
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 204:
                problems.append(text)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems[:3]
    assert node.rows("select count(*) from meet") == [[160]] and node.rows("select sum(both) from meet") == [[8 * 190]]
    assert [node.rows(f"select count(*) from meet{i}") for i in range(5)] == [[[32]]] * 5
    assert node.rows("select count(f3_1) from meet") == [[5]]


def acknowledged_rows_survive_a_kill(node):
    for i in range(5):
        assert node.write(f"durable,h=a v={i}i {i}\nlasting v={i}i {i}") == (204, None)
    node.kill()
    node.start()
    assert node.rows("select v from durable") == [[i] for i in range(5)] and node.rows("select v from lasting") == [[i] for i in range(5)]
    assert node.write("durable,h=a v=5i,more=1i 5") == (204, None)
    assert node.rows("select v, more from durable where v > 3") == [[4, None], [5, 1]]


def random_lines_and_cut_connections(node):
    """Each acknowledged request is there once, whole; a refused or cut one not at all, or whole when its answer was cut."""
    stop = time.monotonic() + SOAK_SECONDS
    acknowledged, unknown, problems, counted = {}, {}, [], [0]
    lock = threading.Lock()

    def request_of(random_, number):
        rows = random_.randrange(1, 60)
        lines = [f"soak,writer=w{random_.randrange(3)} request={number}i,x={random_.random()}{',y%d=%di' % (random_.randrange(4), i) if random_.random() < .3 else ''} {SECOND + random_.randrange(10**14)}" for i in range(rows)]
        is_bad = random_.random() < 0.2
        if is_bad:
            lines.insert(random_.randrange(len(lines) + 1), random_.choice(["soak v=", "soak x=\"text\" 5", "soak,x=1 y0=1i", "soak", "=,", "\x00", "soak request=1.5"]))
        return "\n".join(lines).encode(), rows, is_bad

    def work(seed):
        random_ = random.Random(seed)
        number = seed * 1_000_000
        while time.monotonic() < stop:
            number += 1
            body, rows, is_bad = request_of(random_, number)
            head = f"POST /write HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}\r\n\r\n".encode()
            message = head + body
            stream = socket.create_connection(("127.0.0.1", node.port), timeout=30)
            try:
                if random_.random() < 0.25:
                    stream.sendall(message[:random_.randrange(len(message))])
                    continue
                if random_.random() < 0.2:
                    stream.sendall(message)
                    if not is_bad:
                        with lock:
                            unknown[number] = rows
                    continue
                at = 0
                while at < len(message):
                    size = random_.choice([1, 7, 100, 10**6])
                    stream.sendall(message[at:at + size])
                    at += size
                answer = stream.recv(4096)
                with lock:
                    if answer.startswith(b"HTTP/1.1 204") and not is_bad:
                        acknowledged[number] = rows
                    elif not (answer.startswith(b"HTTP/1.1 400") and is_bad):
                        problems.append((answer, is_bad))
            finally:
                stream.close()
    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems[:3]
    time.sleep(0.5)
    found = {number: count for number, count in node.rows("select request, count(*) from soak group by request")}
    assert len(acknowledged) > 100, len(acknowledged)
    for number, rows in acknowledged.items():
        assert found.get(number) == rows, (number, rows, found.get(number))
    for number, count in found.items():
        assert number in acknowledged or unknown.get(number) == count, (number, count, unknown.get(number))


def many_collectors_keep_their_connections(node):
    """More than may wait for a login."""
    connections = []
    for i in range(100):
        connection = HTTPConnection("127.0.0.1", node.port, timeout=30)
        connection.request("POST", "/write", f"crowd v={i}i {i}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204, (i, answer.status)
        connections.append(connection)
    for i, connection in enumerate(connections):
        connection.request("POST", "/write", f"crowd v={i}i {100 + i}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 204, (i, answer.status)
        connection.close()
    assert node.rows("select count(*), sum(v) from crowd") == [[200, 9900]]


def a_request_of_two_tables_is_stored_whole_or_not(node):
    """Kills in the middle: after each, both tables have the same requests."""
    for attempt in range(4):
        acknowledged, stop = [], threading.Event()

        def work(seed):
            connection = HTTPConnection("127.0.0.1", node.port, timeout=30)
            number = attempt * 10**9 + seed * 10**6
            try:
                while not stop.is_set():
                    number += 1
                    rows = [f"{table},w=w{seed} request={number}i {SECOND + i * 86400 * 10**9}" for table in ("west", "east", "third") for i in range(5)]
                    connection.request("POST", "/write", "\n".join(rows))
                    answer = connection.getresponse()
                    answer.read()
                    if answer.status == 204:
                        acknowledged.append(number)
            except OSError:
                pass
            except Exception as error:
                if "Remote end closed" not in str(error) and "IncompleteRead" not in repr(error):
                    raise
        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(1, 4)]
        for thread in threads:
            thread.start()
        time.sleep(0.6)
        node.kill()
        stop.set()
        for thread in threads:
            thread.join()
        node.start()
        found = [dict(map(tuple, node.rows(f"select request, count(*) from {table} group by request"))) for table in ("west", "east", "third")]
        assert found[0] == found[1] == found[2] and set(found[0].values()) == {5}, [len(f) for f in found]
        assert acknowledged and all(number in found[0] for number in acknowledged)


def lines_of_several_tables_reach_the_nodes_of_a_cluster(_):
    from cluster_test import Cluster
    cluster = Cluster(PELORUS)
    try:
        for number in range(6):
            connection = HTTPConnection("127.0.0.1", cluster.ports[f"node{number % 3 + 1}"], timeout=60)
            connection.request("POST", "/write", "".join(f"{table},h=a v={number}i {SECOND + i * 86400 * 10**9}\n" for table in ("left", "right", "third") for i in range(8)), basic("admin", "123456"))
            answer = connection.getresponse()
            assert answer.status == 204, answer.read()
            connection.close()
        session = cluster.session("node2")
        for table in ("left", "right", "third"):
            assert session.run(f'exec sum(v) from loadTable("dfs://ilp", "{table}")') == 120
    finally:
        cluster.run("down")
        cluster.folder.cleanup()


KEY = {"username": "collector", "token": "5UjEMuA0Pj5pjK8a-fa24dyIf-Es5mYny3oE_Wmus48", "token_x": "fLKYEaoEb9lrn3nkwLDA-M_xnuFOdSt9y0Z7_vWSHLU",
       "token_y": "Dt5tbS1dEDMSYfym3fgMv0B99szno-dFc1rYF9t0aac"}


def senders_over_tcp_sign_a_challenge(_):
    from questdb.ingress import Sender, TimestampNanos
    node = Node()
    try:
        signed_lines(node, Sender, TimestampNanos)
    finally:
        node.kill()
        node.folder.cleanup()


def signed_lines(node, Sender, TimestampNanos):
    assert node.write("first v=1i 1") == (204, None)
    node.run("""createUser(`collector, "secret-12"); createUser(`stranger, "secret-12"); grant(`collector, DBOBJ_CREATE, "dfs://ilp"); grant(`collector, DB_READ, "dfs://ilp"); grant(`collector, DB_WRITE, "dfs://ilp")""")
    with open(node.folder.name + "/data/line_keys.txt", "w") as file:
        file.write(f"# senders\ncollector ec-p-256-sha256 {KEY['token_x']} {KEY['token_y']}\n")
    with open(node.config, "a") as file:
        file.write("ilpKeys=line_keys.txt\n")
    node.process.terminate()
    node.process.wait(30)
    node.start()
    words = "".join(f"{k}={v};" for k, v in KEY.items())
    for i in range(2):
        with Sender.from_conf(f"tcp::addr=127.0.0.1:{node.line_port};{words}protocol_version=2;") as sender:
            sender.row("signed", symbols={"s": "a"}, columns={"v": i}, at=TimestampNanos(SECOND + i))
    node.eventually("select v from signed", [[0], [1]])
    for first in (b"signed v=7i 7\n", b"collector\n", b"stranger\n", b"nobody\n", b"x" * 2000):
        with node.tcp(first) as stream:
            try:
                if b"\n" in first:
                    challenge = b""
                    while not challenge.endswith(b"\n"):
                        challenge += stream.recv(4096)
                    assert len(challenge) == 513, challenge
                    stream.sendall(base64.b64encode(b"\x30\x06\x02\x01\x01\x02\x01\x01") + b"\nsigned v=8i 8\n")
                assert stream.recv(1) == b""
            except ConnectionResetError:
                pass
    time.sleep(0.3)
    assert node.rows("select v from signed") == [[0], [1]]
    bad = node.folder.name + "/data/line_keys.txt"
    for text, reason in (("", "no keys"), ("collector ec-p-256-sha256 AAAA AAAA\n", "Line 1"), (f"collector rsa {KEY['token_x']} {KEY['token_y']}\n", "Line 1")):
        with open(bad, "w") as file:
            file.write(text)
        node.process.terminate()
        node.process.wait(30)
        done = subprocess.run([PELORUS, "serve", "--config", node.config], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and reason in done.stderr, (text, done)


def closed_port_without_a_user(_):
    with tempfile.TemporaryDirectory(prefix="pelorus_lines_") as folder:
        config = folder + "/node.cfg"
        with open(config, "w") as file:
            file.write(f"port=0\nilpPort=0\ndataDir={folder}/data\nadminPassword={PASSWORD}\n")
        done = subprocess.run([PELORUS, "serve", "--config", config], capture_output=True, text=True, timeout=60)
        assert done.returncode != 0 and "ilpUser" in done.stderr, done


TESTS = [questdb_sender_over_both_doors, questdb_sends_frames_and_arrays, questdb_errors_name_the_line, influxdb_client_writes, every_form_of_value, a_bad_line_stores_nothing,
         tcp_keeps_whole_lines_before_a_bad_one, rights_decide, exec_answers_as_clients_expect, whatever_is_written_can_be_read, a_get_changes_nothing, writers_meet_at_new_tables, acknowledged_rows_survive_a_kill,
         random_lines_and_cut_connections, many_collectors_keep_their_connections, a_request_of_two_tables_is_stored_whole_or_not, lines_of_several_tables_reach_the_nodes_of_a_cluster, senders_over_tcp_sign_a_challenge,
         closed_port_without_a_user]


def main():
    passed = failed = skipped = 0
    node = Node()
    for test in TESTS:
        try:
            test(node)
            assert node.process.poll() is None, "the server has ended"
            passed += 1
        except ImportError as error:
            skipped += 1
            print("SKIPPED", test.__name__, error)
        except Exception:
            failed += 1
            print("FAILED", test.__name__)
            traceback.print_exc(file=sys.stdout)
            if node.process.poll() is not None:
                node.start()
    if node.stop() != 0:
        failed += 1
        print("FAILED the server did not end in order")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
