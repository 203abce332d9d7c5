#!/usr/bin/env python3
"""WAL-06: a node that is asked to stop refuses new work, keeps what it acknowledged, and ends with status 0; its log tells of it."""
import json
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


def serve(data, port, config=None):
    settings = ["--config", str(config)] if config else []
    server = subprocess.Popen([PELORUS, "serve", "--dev", *settings, "--port", str(port), "--data", str(data)],
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
        told = (folder / "data/pelorus.log").read_text().splitlines()
        wanted = ["INFO server - starting", "INFO storage - recovered", "INFO server - listening", "INFO server - stopping", "INFO server - stopped"]
        places = [next((i for i, line in enumerate(told) if text in line), None) for text in wanted]
        assert None not in places and places == sorted(places), (places, told)

        port = free_port()
        config = folder / "node.cfg"
        config.write_text(f"logFile={folder}/logs/node.json\nlogFormat=json\n")
        server = serve(folder / "data", port, config)
        refused = subprocess.run(run_at(port, folder, 'login("admin", "wrong-one")'), capture_output=True, text=True, timeout=30)
        assert refused.returncode != 0, refused.stdout
        lines = [json.loads(line) for line in (folder / "logs/node.json").read_text().splitlines()]
        failed = [line for line in lines if line["text"] == "login failed"]
        assert failed and failed[0]["user"] == "admin" and failed[0]["level"] == "WARNING" and failed[0]["session"] != 0, lines
        assert not any("wrong-one" in json.dumps(line) for line in lines), "a password stands in the log"
        count = subprocess.run(run_at(port, folder, COUNT), capture_output=True, text=True, timeout=30)
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=30) == 0
        server.stdout.close()
        assert int(count.stdout) > 3, (count.stdout, count.stderr)
    print("2 passed, 0 failed")


main()
