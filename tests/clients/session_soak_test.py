#!/usr/bin/env python3
"""Sessions one after another, with queries that fail, tables that are made and dropped and data sources that nobody
takes: threads, descriptors and memory of the node are then where they were.

    session_soak_test.py build/release/pelorus
    PELORUS_SOAK_SESSIONS   sessions (default 400; 10000 is the long form)
"""
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time


class Session:
    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        self.id = 0
        answer = self.ask("connect\n")
        self.id = answer.split()[0].decode()

    def ask(self, body, raw=b""):
        data = body.encode()
        self.socket.sendall(f"API {self.id} {len(data)} / 0_1_4_2\n".encode() + data + raw)
        answer = b""
        while answer.count(b"\n") < 2:
            piece = self.socket.recv(65536)
            assert piece, "the node closed the connection"
            answer += piece
        return answer

    def run(self, script):
        """The second line of the answer: OK or the error."""
        return self.ask("script\n" + script).split(b"\n")[1].decode()

    def close(self):
        self.socket.close()


def state(pid):
    with open(f"/proc/{pid}/status") as file:
        status = file.read()
    return {"threads": int(re.search(r"Threads:\s+(\d+)", status).group(1)),
            "descriptors": len(os.listdir(f"/proc/{pid}/fd")),
            "megabytes": int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) // 1024}


SETUP = """
if(existsDatabase("dfs://soak")){ dropDatabase("dfs://soak") }
db = database("dfs://soak", VALUE, 0..49, engine="TSDB")
t = table(take(0..49, 50000) as p, 0l + 0..49999 as v, take(1.5, 50000) as x)
pt = createPartitionedTable(db, t, `t, `p, sortColumns=`p`v)
pt.append!(t)
"""
QUERIES = [
    ("select sum(x) from loadTable(\"dfs://soak\", \"t\") where p < 10", True),
    ("ds = sqlDS(<select * from loadTable(\"dfs://soak\", \"t\")>)", True),
    ("select noSuchColumn from loadTable(\"dfs://soak\", \"t\")", False),
    ("select iif(v > 10, x, throw \"no\") from loadTable(\"dfs://soak\", \"t\")", False),
    ("x = 1..100000; share table(1..10 as a) as shared; undef(`shared, SHARED)", True),
    ("throw 'on purpose'", False),
]


def main():
    pelorus = os.path.abspath(sys.argv[1])
    sessions = int(os.environ.get("PELORUS_SOAK_SESSIONS", "400"))
    folder = tempfile.mkdtemp(prefix="pelorus_soak_")
    with open(folder + "/node.cfg", "w") as file:
        file.write(f"port=0\ndataDir={folder}/data\ndev=true\n")
    process = subprocess.Popen([pelorus, "serve", "--config", folder + "/node.cfg"], stdout=subprocess.PIPE, text=True)
    failed = 0
    try:
        port = int(re.search(r":(\d+)\.", process.stdout.readline()).group(1))
        first = None
        done = {True: 0, False: 0}
        for i in range(sessions):
            session = Session(port)
            if i % 50 == 0:
                answer = session.run(SETUP)
                assert answer == "OK", answer
            query, works = QUERIES[i % len(QUERIES)]
            answer = session.run(query)
            done[answer == "OK"] += 1
            assert (answer == "OK") == works, (query, answer)
            session.close()
            if i == sessions // 2:
                time.sleep(2)
                first = state(process.pid)
        time.sleep(2)
        last = state(process.pid)
        print(first, last, done)
        assert last["threads"] <= first["threads"] + 1, "threads are left"
        assert last["descriptors"] <= first["descriptors"] + 5, "descriptors are left"
        # 25 MB were left by each round of append, query and drop.
        assert last["megabytes"] <= first["megabytes"] + 20 + sessions // 400, "memory is left"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    except AssertionError as error:
        print("FAILED", error)
        failed = 1
    finally:
        if process.poll() is None:
            process.kill()
        shutil.rmtree(folder)
    print(f"{1 - failed} passed, {failed} failed, 0 skipped")
    return failed


if __name__ == "__main__":
    sys.exit(main())
