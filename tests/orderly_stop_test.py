#!/usr/bin/env python3
"""WAL-06: a node that is asked to stop refuses new work, keeps what it acknowledged, and ends with status 0."""
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))
from ports import free_port

PELORUS = str(Path(sys.argv[1]).resolve())
MAKE = """
db = database("dfs://stop", VALUE, 1..3)
t = createPartitionedTable(db, table(1 as id, 1.0 as x), `t, `id)
print(tableInsert(t, table(1 2 3 as id, 1.0 2 3 as x)))
"""
COUNT = 'print(exec count(*) from loadTable("dfs://stop", `t))'
WRITE = """
for (i in 1..100000) tableInsert(loadTable("dfs://stop", `t), table([1] as id, [double(i)] as x))
"""


def serve(data, port):
    server = subprocess.Popen([PELORUS, "serve", "--dev", "--port", str(port), "--data", str(data)],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert "listens on" in server.stdout.readline()
    return server


def run_at(port, folder, script):
    file = folder / "script.dos"
    file.write_text(script)
    return [PELORUS, "run", "--connect", f"127.0.0.1:{port}", str(file)]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        port = free_port()
        server = serve(folder / "data", port)
        made = subprocess.run(run_at(port, folder, MAKE), capture_output=True, text=True, timeout=30)
        assert made.stdout.split() == ["3"], (made.stdout, made.stderr)
        writer = subprocess.Popen(run_at(port, folder, WRITE), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(0.5)
        server.send_signal(signal.SIGTERM)
        status = server.wait(timeout=30)
        server.stdout.close()
        assert status == 0, status
        said = writer.communicate(timeout=30)[1]
        assert writer.returncode != 0 and said, "the client was not told"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            raise AssertionError("it still listens")
        except OSError:
            pass
        port = free_port()
        server = serve(folder / "data", port)
        count = subprocess.run(run_at(port, folder, COUNT), capture_output=True, text=True, timeout=30)
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0
        server.stdout.close()
        assert int(count.stdout) > 3, (count.stdout, count.stderr)
    print("1 passed, 0 failed")


main()
