#!/usr/bin/env python3
"""What copies and nodes cost, on one machine and in one run: each line prints a figure, what it is compared with, and the ratio.

    .venv/bin/python scripts/bench_cluster.py [PELORUS] [--rows 2000000] [--away 60] [--ingest 60] [--only PART[,PART]]

Parts: tasks (append and three analyses on one to three nodes, with one and two copies; the answers are compared bit by bit), append
(200,000 rows of 45 bytes with two copies and with one), rows (single rows beside one transaction of etcd), query (one partition
beside a single node), faults (a node killed and stopped, and its return), ingest (memory of the nodes while rows come). All commits
wait for the disk. Nodes share the machine's cores and its disk: figures of several nodes show what coordination costs, not what
machines add."""
import argparse
import http.client
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import dolphindb

ROOT = Path(__file__).resolve().parent.parent
arguments = argparse.ArgumentParser()
arguments.add_argument("pelorus", nargs="?", default=str(ROOT / "build/release/pelorus"))
arguments.add_argument("--rows", type=int, default=2_000_000)
arguments.add_argument("--away", type=float, default=60)
arguments.add_argument("--ingest", type=float, default=60)
arguments.add_argument("--only", default="tasks,append,rows,query,faults,ingest")
options = arguments.parse_args()
PARTS = options.only.split(",")


class Setting:
    """A cluster, or a single node when `nodes` is 0."""

    def __init__(self, nodes, replicas):
        self.nodes, self.replicas = nodes, replicas
        self.folder = tempfile.TemporaryDirectory(prefix="pelorus_bench_cluster_")
        dir = self.folder.name
        self.processes = {}
        if nodes == 0:
            sys.path.insert(0, str(ROOT / "tests/support"))
            from ports import free_port
            self.ports = [free_port()]
            settings = f"{dir}/node.cfg"
            with open(settings, "w") as file:
                file.write(f"port={self.ports[0]}\ndataDir={dir}/node\nadminPassword=123456\n")
            self.single = subprocess.Popen([options.pelorus, "serve", "--config", settings], stdout=subprocess.DEVNULL,
                                           stderr=subprocess.DEVNULL)
            deadline = time.monotonic() + 30
            while True:
                try:
                    self.session().close()
                    return
                except Exception:
                    assert time.monotonic() < deadline, "the node does not start"
                    time.sleep(0.1)
        self.single = None
        self.command("up", "--nodes", str(nodes), "--replicas", str(replicas))
        with open(f"{dir}/cluster.json") as file:
            plan = json.load(file)
        self.ports = [node["port"] for node in plan["nodes"]]
        self.etcd = plan["etcdPort"]

    def name(self):
        return "single node" if self.nodes == 0 else f"{self.nodes} nodes, {self.replicas} copies"

    def command(self, verb, *rest):
        subprocess.run([options.pelorus, "cluster", verb, "--dir", self.folder.name, *rest], check=True, capture_output=True, timeout=120)

    def session(self, node=0, patience=0):
        session = dolphindb.Session()
        # The client asks again and again by itself where nobody listens.
        assert session.connect("127.0.0.1", self.ports[node], "admin", "123456", readTimeout=60), "no connection"
        return session

    def pid(self, node):
        with open(f"{self.folder.name}/node{node + 1}.pid") as file:
            return int(file.read().split()[0])

    def end(self):
        if self.single is not None:
            self.single.terminate()
            self.single.wait(30)
        else:
            self.command("down")
        self.folder.cleanup()


def line(what, value, unit, peer="", other=None, goal=""):
    ratio = f"  {value / other:6.2f}x of {peer} {other:.2f}" if other else ""
    print(f"{what:58} {value:10.2f} {unit}{ratio}{'   goal ' + goal if goal else ''}", flush=True)


def timed(call, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


# The quotes follow from their numbers: every setting gets the same.
QUOTES = """
def quotesOf(first, n) {
    i = first + 0..(n - 1)
    h = (i * 7919 + i / 13 * 104729) % 1000003
    bid = 20 + h % 4000 / 100.0
    return table(symbol(format(h % 500, "S000")) as symbol, 2007.08.01 + int(i / 250000) as date, 09:30:00 + int(i % 250000 * 390 * 60 / 250000) as time,
        bid as bid, bid + (h % 17 - 1) / 100.0 as ofr, int(h % 90 + 1) as bidsiz, int(h % 70 + 1) as ofrsiz)
}
def makeQuotes() {
    db = database("dfs://TAQ", COMPO, [database("", VALUE, 2007.08.01..2007.08.31), database("", HASH, [SYMBOL, 4])])
    createPartitionedTable(db, quotesOf(0, 1), `quotes, `date`symbol)
}
"""
APPEND = 'loadTable("dfs://TAQ", `quotes).append!(quotesOf({first}, {count}))'


def equal(a, b):
    """To the bit, whatever a client makes of tables, dictionaries and vectors."""
    if hasattr(a, "equals"):
        return a.equals(b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(equal, a, b))
    return a.tobytes() == b.tobytes() if hasattr(a, "tobytes") else a == b


def tasks():
    text = (ROOT / "tests/perf/taq_warm.dos").read_text()
    definitions = text[text.index("quotes = loadTable"):text.index("for (task in tasks)")]
    answers, times = {}, {}
    for nodes, replicas in ((0, 1), (1, 1), (2, 1), (3, 1), (2, 2), (3, 2)):
        setting = Setting(nodes, replicas)
        try:
            session = setting.session()
            session.run(QUOTES)
            session.run("makeQuotes()")
            step = 500_000
            seconds = {"append": 0}
            for first in range(0, options.rows, step):
                begin = time.perf_counter()
                session.run(APPEND.format(first=first, count=min(step, options.rows - first)))
                seconds["append"] += time.perf_counter() - begin
            session.run(definitions)
            answer = []
            for task in ("T1", "T2", "T3"):
                session.run(f'work["{task}"](quotes)')
                seconds[task] = timed(lambda: session.run(f'work["{task}"](quotes)'), 5)
            answer.append(session.run('spread(quotes)'))
            answer.append(session.run('select * from loadTable("dfs://TAQ", `quotes_minute) order by symbol, date, minute'))
            answer.append(session.run("regression(quotes)"))
            times[nodes, replicas] = seconds
            answers[nodes, replicas] = answer
            for what, value in seconds.items():
                alone = times[0, 1][what]
                goal = "1.03x" if nodes == 1 else ""
                line(f"{what}, {setting.name()}", value * 1e3, "ms", "a single node", alone * 1e3 if nodes else None, goal)
        finally:
            setting.end()
    first = answers[0, 1]
    for key, answer in answers.items():
        for task, (a, b) in enumerate(zip(first, answer)):
            assert equal(a, b), f"T{task + 1} on {key} differs"
    print("All answers are equal to the bit.")


NARROW = """
def narrowOf(n, seed) { i = 0..(n - 1); return table(int((i + seed) % 10) as part, long(i) * seed as id, i * 0.5 as price, i * 0.25 as qty, int(i) as size, short(i % 100) as kind, long(i) as sent, char(i % 3) as side, i % 2 == 0 as flag, char(1) as venue) }
def makeNarrow() { createPartitionedTable(database("dfs://N", VALUE, 0..9), narrowOf(1, 1), `t, `part) }
"""


def append():
    seconds = {}
    for replicas in (1, 2):
        setting = Setting(3, replicas)
        try:
            session = setting.session()
            session.run(NARROW)
            session.run("makeNarrow()\nrows = narrowOf(200000, 7)\nt = loadTable('dfs://N', `t)")
            session.run("t.append!(rows)")
            seconds[replicas] = timed(lambda: session.run("t.append!(rows)"), 15)
        finally:
            setting.end()
    line("200,000 rows of 45 bytes, one copy, three nodes", seconds[1] * 1e3, "ms")
    line("200,000 rows of 45 bytes, two copies", seconds[2] * 1e3, "ms", "one copy", seconds[1] * 1e3, "2.5x")


class Etcd:
    """The store's JSON gateway over one connection, as the nodes use it."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port)
        self.last = 0

    def post(self, path, body):
        self.connection.request("POST", path, json.dumps(body))
        return json.loads(self.connection.getresponse().read())

    def transaction(self):
        self.last += 1
        import base64
        key = base64.b64encode(f"bench/{self.last}".encode()).decode()
        put = {"requestPut": {"key": key, "value": base64.b64encode(b"x" * 60).decode()}}
        clock = {"requestPut": {"key": base64.b64encode(b"bench/clock").decode(), "value": ""}}
        compare = {"key": key, "target": "VERSION", "result": "EQUAL", "version": "0"}
        assert self.post("/v3/kv/txn", {"compare": [compare], "success": [put, clock]})["succeeded"]

    def read(self):
        import base64
        self.post("/v3/kv/range", {"key": base64.b64encode(b"bench/clock").decode()})


def rows():
    setting = Setting(3, 2)
    try:
        etcd = Etcd(setting.etcd)
        one = timed(etcd.transaction, 200)
        session = setting.session()
        session.run(NARROW)
        session.run("makeNarrow()\nrow = narrowOf(1, 7)\nt = loadTable('dfs://N', `t)")
        session.run("t.append!(narrowOf(1000, 1))")
        line("one transaction of etcd", one * 1e3, "ms")
        session.run("def several() { for (i in 0:50) { t.append!(row) } }".replace("t.", "loadTable('dfs://N', `t).").replace("row)", "narrowOf(1, 7))"))
        line("one row, two copies", timed(lambda: session.run("several()"), 9) / 50 * 1e3, "ms", "one of etcd", one * 1e3, "3x")
        counts = []

        def write(number):
            own = setting.session(number % 3)
            own.run(NARROW)
            own.run(f"row = narrowOf(1, {number})\nt = loadTable('dfs://N', `t)")
            count, end = 0, time.perf_counter() + 5
            while time.perf_counter() < end:
                own.run("for (i in 0:20) { t.append!(row) }")
                count += 20
            counts.append(count)

        writers = [threading.Thread(target=write, args=(i,)) for i in range(16)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        line("16 writers of one row, two copies", sum(counts) / 5, "rows/s", goal="2,000")
    finally:
        setting.end()


def query():
    seconds, extra = {}, 0
    for nodes in (0, 3):
        setting = Setting(nodes, 1)
        try:
            session = setting.session()
            session.run(NARROW)
            session.run("makeNarrow()\nt = loadTable('dfs://N', `t)\nt.append!(narrowOf(100000, 1))")
            if nodes:
                extra = timed(Etcd(setting.etcd).read, 300)
            for part in range(10):
                ask = f"exec sum(price) from t where part = {part}"
                session.run(ask)
                seconds.setdefault(nodes, []).append(timed(lambda: session.run(ask), 60))
        finally:
            setting.end()
    alone, cluster = statistics.median(seconds[0]), statistics.median(seconds[3])
    line("query of one partition, single node", alone * 1e3, "ms")
    line("one read of etcd", extra * 1e3, "ms")
    line("query of one partition, three nodes, one copy", cluster * 1e3, "ms", "single + two reads", (alone + 2 * extra) * 1e3, "1x")


def wait_for(setting, node, script, since, patience=60):
    """Seconds from `since` until the script runs."""
    while True:
        try:
            session = setting.session(node)
            session.run(script)
            return time.monotonic() - since
        except Exception:
            assert time.monotonic() - since < patience, "it does not go on"
            time.sleep(0.02)


def faults():
    for fault in ("killed", "stopped"):
        setting = Setting(3, 2)
        try:
            session = setting.session()
            session.run(NARROW)
            session.run("makeNarrow()\nt = loadTable('dfs://N', `t)\nt.append!(narrowOf(100000, 1))")
            read = "exec sum(price) from loadTable('dfs://N', `t)"
            write = NARROW + "loadTable('dfs://N', `t).append!(narrowOf(1000, 3))"
            for script in (read, write):
                session.run(script)
            pid = setting.pid(2)
            os.kill(pid, signal.SIGKILL if fault == "killed" else signal.SIGSTOP)
            since = time.monotonic()
            found = {}
            threads = [threading.Thread(target=lambda k=k, s=s: found.__setitem__(k, wait_for(setting, 0, s, since)))
                       for k, s in (("reads", read), ("writes", write))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            goals = {"killed": ("1 s", "1 s"), "stopped": ("2 s", "3 s")}[fault]
            line(f"node {fault}: until reads go on", found["reads"], "s", goal=goals[0])
            line(f"node {fault}: until writes go on", found["writes"], "s", goal=goals[1])
            if fault == "stopped":
                os.kill(pid, signal.SIGCONT)
                continue
            rows, end = 0, time.monotonic() + options.away
            session.run("rows = narrowOf(20000, 5)")
            while time.monotonic() < end:
                session.run("t.append!(rows)")
                rows += 20000
            setting.command("up", "--nodes", "3", "--replicas", "2")
            since = time.monotonic()
            while "in sync" != session.run("exec state from getSyncStates() where name = 'node3'")[0]:
                time.sleep(0.05)
            line(f"return after {options.away:.0f} s of appends ({rows:,} rows)", time.monotonic() - since, "s", goal="10 s")
        finally:
            setting.end()


def resident(pid):
    with open(f"/proc/{pid}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def ingest():
    setting = Setting(3, 2)
    try:
        session = setting.session()
        session.run(NARROW)
        session.run("makeNarrow()\nt = loadTable('dfs://N', `t)\nrows = narrowOf(200000, 5)")
        sizes, count, begin = [], 0, time.monotonic()
        while time.monotonic() - begin < options.ingest:
            session.run("t.append!(rows)")
            count += 200000
            sizes.append(max(resident(setting.pid(node)) for node in range(3)))
        half = len(sizes) // 2
        line(f"largest node while {count:,} rows came in {options.ingest:.0f} s", max(sizes[half:]), "MiB", "first half", max(sizes[:half]))
    finally:
        setting.end()


for part in PARTS:
    {"tasks": tasks, "append": append, "rows": rows, "query": query, "faults": faults, "ingest": ingest}[part]()
