#!/usr/bin/env python3
"""What statements ask the metadata store for: nothing but the clock. A relay before etcd writes down what passes."""
import base64
import os
import re
import shutil
import sys
import tempfile
import threading
import time

import dolphindb as ddb
from cluster_faults_test import Relay
from cases import run_cases_with_etcd
from faulty_processes import Process, await_etcd
from ports import free_port

DATABASE = "dfs://READS"
KEYED = re.compile(rb"POST (/v3/[a-z/]+)|\"key\": ?\"([A-Za-z0-9+/=]+)\"")

STATEMENTS = {
    "a query": f'select sum(n) from loadTable("{DATABASE}", "t")',
    "a query with a join": f'select count(*) from ej(loadTable("{DATABASE}", "t"), loadTable("{DATABASE}", "u"), `part)',
    "an append": f'loadTable("{DATABASE}", "t").append!(table(1..3 as part, 1 2 3 as n))',
    "an update": f'update loadTable("{DATABASE}", "t") set n = n + 1 where part = 2',
    "a delete": f'delete from loadTable("{DATABASE}", "t") where part = 3, n > 100',
    "a job": f'mr(sqlDS(<select * from loadTable("{DATABASE}", "t")>), def(t){{ return sum(t.n) }}, +)',
    "a schema": f'schema(loadTable("{DATABASE}", "t"))',
    "names of tables": f'getTables(database("{DATABASE}"))',
    "whether a table exists": f'existsTable("{DATABASE}", "none")',
}


class Recorder(Relay):
    """Writes down which keys are read."""

    def __init__(self, target):
        self.read = []
        self.lock = threading.Lock()
        super().__init__(target)

    def pump(self, source, sink):
        try:
            while True:
                data = source.recv(1 << 16)
                if not data:
                    break
                if data.startswith(b"POST"):
                    self.note(data)
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.close()
            except OSError:
                pass

    def note(self, data):
        with self.lock:
            path = None
            for found in KEYED.finditer(data):
                if found.group(1):
                    path = found.group(1).decode()
                elif path == "/v3/kv/range":
                    self.read.append(base64.b64decode(found.group(2)).decode(errors="replace"))


def a_statement_reads_nothing_but_the_clock(pelorus):
    folder = tempfile.mkdtemp(prefix="pelorus_reads_")
    client, peer, port = free_port(), free_port(), free_port()
    etcd = Process("etcd", ["etcd", "--data-dir", f"{folder}/etcd", "--listen-client-urls", f"http://127.0.0.1:{client}",
                            "--advertise-client-urls", f"http://127.0.0.1:{client}", "--listen-peer-urls",
                            f"http://127.0.0.1:{peer}", "--initial-advertise-peer-urls", f"http://127.0.0.1:{peer}",
                            "--initial-cluster", f"default=http://127.0.0.1:{peer}", "--unsafe-no-fsync"],
                   f"{folder}/etcd.log")
    recorder = Recorder(client)
    with open(f"{folder}/n.cfg", "w") as file:
        file.write(f"port={port}\nalias=n\ndataDir={folder}/n\nadminPassword=123456\n"
                   f"etcdEndpoints=127.0.0.1:{recorder.port}\nclusterKey=a key of the nodes of this cluster\n")
    node = Process("n", [pelorus, "serve", "--config", f"{folder}/n.cfg"], f"{folder}/n.log")
    etcd.start()
    try:
        await_etcd(f"127.0.0.1:{client}")
        node.start()
        deadline = time.monotonic() + 60
        session = ddb.Session()
        while not session.connect("127.0.0.1", port, "admin", "123456"):
            assert time.monotonic() < deadline
            time.sleep(0.2)
        session.run(f"""db = database("{DATABASE}", VALUE, 0..5)
                        createPartitionedTable(db, table(1:0, `part`n, [INT, INT]), `t, `part)
                        createPartitionedTable(db, table(1:0, `part`m, [INT, INT]), `u, `part)
                        loadTable("{DATABASE}", "t").append!(table(0..5 as part, 0..5 as n))
                        loadTable("{DATABASE}", "u").append!(table(0..5 as part, 0..5 as m))""")
        for name, statement in STATEMENTS.items():
            session.run(statement)
            with recorder.lock:
                recorder.read.clear()
            for _ in range(5):
                session.run(statement)
            with recorder.lock:
                read = list(recorder.read)
            # The node notes the store's revision every ten seconds, under the cluster's key.
            others = [key for key in read if not key.endswith("/clock") and not key.endswith("/cluster")]
            print(f"    {name}: {sum(key.endswith('/clock') for key in read) / 5:.1f} reads of the clock", flush=True)
            assert not others, (name, others)
            assert read, name
    finally:
        node.kill()
        etcd.kill()
        shutil.rmtree(folder)


TESTS = [a_statement_reads_nothing_but_the_clock]


def main():
    return run_cases_with_etcd(TESTS, os.path.abspath(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
